import type { Dialect } from "../../dialect/common/dialect.ts";
import type { MemoryKind, Origin } from "../../model/memory.ts";
import type { Usage } from "../../model/ports.ts";
import type { Message } from "../../model/request.ts";

/**
 * One thing worth keeping. `from` names the messages it rests on, as indexes into the task's
 * `messages`.
 */
export interface Fact {
  readonly content: string;
  readonly category?: string;
  /** 0…1. */
  readonly importance: number;
  readonly key?: string;
  readonly kind?: MemoryKind;
  /** Key or words of what this replaces. */
  readonly supersedes?: string;
  /** Without a model: what of memory it makes untrue is found by its words. */
  readonly corrects?: true;
  readonly tags?: readonly string[];
  readonly from: readonly number[];
  /** The least trusted role among the messages cited; none cited = "untrusted". */
  readonly origin: Origin;
}

/** Words of ours that stood in the request: repeating them is no word of one's own. */
export interface Injected {
  readonly text: string;
  /**
   * Index of the message they stood beside, in the task's `messages`; `whole`: that message is
   * nothing else.
   */
  readonly at?: number;
  readonly whole?: boolean;
  /** Origin of lines that do not say theirs; without it they are frame. */
  readonly origin?: Origin;
}

/** The messages since the last fold, oldest first, and how to distil them. */
export interface DistilTask {
  readonly dialect: Dialect;
  /** The summary must cover all of them (and `previous`). */
  readonly messages: readonly Message[];
  /** Facts are taken from `messages[factsFrom…]` only: what stands before was distilled already. */
  readonly factsFrom: number;
  /** The last summary, which the new one replaces. */
  readonly previous?: string;
  /**
   * The last request as sent, or the beginning of it, of so many tokens and with room for such a
   * reply, when there is one; `messages` are `base.messages[offset … offset + messages.length)`.
   */
  readonly base?: {
    readonly system: unknown;
    readonly messages: readonly Message[];
    readonly tools?: unknown;
    readonly offset: number;
    readonly tokens?: number;
    readonly replyTokens?: number;
  };
  /**
   * What the state of this conversation's work is known by: one record, rewritten by each
   * distilling.
   */
  readonly record?: { readonly key: string; readonly open?: string; readonly done?: string };
  /** Memory that stood beside them. */
  readonly injected?: readonly Injected[];
  /** The day of the last message, where that may be long ago. */
  readonly day?: string;
  /** Facts alone are wanted: long replies, calls and results are written out in part. */
  readonly brief?: boolean;
  /**
   * Upper bound of the summary, in tokens: what it lacks of rules and open requests is asked for
   * once more. 0: none is wanted.
   */
  readonly summaryTokens: number;
  readonly signal: AbortSignal;
  /** Facts of this conversation that are stored already. */
  readonly known?: readonly string[];
}

export interface Distilled {
  readonly facts: readonly Fact[];
  /**
   * Undefined when only facts could be saved of a broken reply: then nothing may be folded on it.
   */
  readonly summary?: string;
  readonly by: "model" | "extractive";
  /** Why lines were not worth a memory, one reason each. */
  readonly refused?: readonly string[];
  readonly usage?: Usage;
}

/**
 * Rejects with TidemarkError "distil" when nothing usable came; never answers with an error text.
 */
export type Distiller = (task: DistilTask) => Promise<Distilled>;
