import { text as textOf } from "node:stream/consumers";
import { answerHook, HOOKS } from "../../adapters/logs/answer-hook.ts";
import { dictIn, isOneOf } from "../../core/base.ts";
import { Failure, type Given, lineOf, type Verb } from "../input/flags.ts";
import { withWorkspace } from "../input/workspace-of-verb.ts";
import { type Io, plain } from "../render/layout.ts";

const EVENTS = Object.keys(HOOKS) as (keyof typeof HOOKS)[];

/** Nothing that goes wrong here may hold an agent up: it is one line on stderr, and no answer. */
export const hook: Verb = {
  says: "answers a hook of Claude Code or Codex, whose JSON comes on stdin",
  takes: "EVENT",
  examples: ["tidemark hook UserPromptSubmit", "tidemark hook Stop --workspace ~/memory"],
  async run(given, io) {
    const answer = await answered(given, io).catch((thrown: unknown) => {
      io.warn(`tidemark: ${plain(lineOf(thrown))}`);
      return {};
    });
    io.write(`${JSON.stringify(answer)}\n`);
    return { found: undefined };
  },
};

async function answered(given: Given, io: Io): Promise<object> {
  const event = given.line;
  if (!isOneOf(EVENTS, event)) throw new Failure(`hook takes ${EVENTS.join(", ")}.`);
  const late = setTimeout(() => {
    io.warn(`tidemark: no answer to ${event} within ${HOOKS[event]} s.`);
    process.exit(0);
  }, HOOKS[event] * 1_000);
  try {
    const input = dictIn(await textOf(process.stdin));
    if (input === undefined) throw new Failure("hook takes the JSON of a hook on stdin.");
    return await withWorkspace(given, io, (tidemark) => answerHook(tidemark, event, input));
  } finally {
    clearTimeout(late);
  }
}
