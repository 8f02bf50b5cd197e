import { lru } from "../../base/cache.ts";
import { asksToDrop, mayDropBlocks } from "../../dialect/thinking.ts";
import type { Listen } from "../../model/events.ts";
import type { SessionState } from "../../model/history.ts";
import type { Complete } from "../../model/ports.ts";
import type { Capabilities, ProviderRequest, ThinkingOption } from "../../model/request.ts";
import type { ThinkingRule } from "../../prompt/assemble.ts";

/** Conversations of which is kept how much of their thinking was told to be left out. */
const SESSIONS = 1_000;

/** The model that is asked, and how it is reached. */
export interface ModelAsked {
  readonly model: string;
  readonly can: Capabilities;
  /**
   * Is thinking held to the system text, the tools and the messages it was made behind. Of a
   * stranger the worst is assumed, and a provider's list is not asked: it comes in the middle of a
   * conversation, where what was left out would be sent again.
   */
  readonly binds: boolean;
  /** It goes to the provider itself, with a key of its own: betas are known to be taken. */
  readonly firstParty?: boolean;
  /** Its sender can have headers name a beta. */
  readonly addsBetas?: boolean;
  readonly complete?: Complete;
}

/** How thinking is treated where it may not hold. */
export function createThinking(emit: Listen, option: ThinkingOption = "auto") {
  /** Models that refused a beta they were listed with are not asked for it again. */
  const refused = new Set<string>();
  const told = lru<string, number>(SESSIONS);
  return {
    noteRefused: (model: string): void => void refused.add(model),
    ruleFor(asked: ModelAsked, request: ProviderRequest, state: SessionState): ThinkingRule {
      const { model, can, binds, addsBetas = false, firstParty = false } = asked;
      const want = refused.has(model) ? "leave-out" : option;
      const wanted = want === "drop-block" || (want === "auto" && firstParty);
      const drops =
        want !== "leave-out" &&
        (asksToDrop(request) ||
          (wanted && addsBetas && can.dropBlock !== undefined && mayDropBlocks(request)));
      return { binds, drops, refusedUpTo: state.refused?.upTo ?? 0 };
    },
    /** What was left out once is left out of every later call: it is news when it is more. */
    tell(session: string, messages: number): void {
      if (messages > (told.get(session) ?? 0))
        emit({
          type: "notice",
          about: "thinking-dropped",
          text: "Thinking that no longer holds was left out.",
          session,
          messages,
        });
      told.set(session, messages);
    },
  };
}

export type Thinking = ReturnType<typeof createThinking>;
