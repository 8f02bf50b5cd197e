import "../node-version.ts";
import { asText, type Dict } from "../core/base.ts";
import { telling } from "../core/errors-and-events.ts";
import type { Tidemark } from "../session/options/tidemark-api.ts";
import { doorOf } from "./http/calls.ts";
import { answerHook, type HookAnswer, type HookEvent, HOOKS } from "./logs/answer-hook.ts";

interface HookMatcher {
  hooks: ((input: object) => Promise<HookAnswer>)[];
  timeout: number;
}

const NAME = "claudeHooks";

/**
 * `query({ prompt, options: { hooks: claudeHooks(tidemark) } })` of the Claude Agent SDK: a session
 * is told what is known, and remembered. A view of a user makes hooks of that user.
 *
 * @example
 * query({ prompt, options: { hooks: claudeHooks(tidemark.as({ user: "ada" })) } });
 */
export function claudeHooks(tidemark: Tidemark): Record<HookEvent, HookMatcher[]> {
  const { home, takes } = doorOf(tidemark, NAME, "are they query's `hooks`");
  const tell = telling(home.emit, NAME);
  /** Sessions that were told what stands; their start is not always told of. */
  const begun = new Set<string>();

  const answered = async (event: HookEvent, input: Dict): Promise<HookAnswer> => {
    if (!takes()) return {};
    const session = asText(input.session_id);
    const opens = event === "SessionStart" || !begun.has(session);
    try {
      const answer = await home.underWay(answerHook(tidemark, event, input, opens));
      if (event === "SessionStart" || event === "UserPromptSubmit") begun.add(session);
      return answer;
    } catch (thrown) {
      tell(thrown);
      return {};
    }
  };
  const of = (event: HookEvent): HookMatcher[] => [
    { timeout: HOOKS[event], hooks: [(input) => answered(event, input as Dict)] },
  ];
  return {
    SessionStart: of("SessionStart"),
    UserPromptSubmit: of("UserPromptSubmit"),
    PreCompact: of("PreCompact"),
    Stop: of("Stop"),
  };
}
