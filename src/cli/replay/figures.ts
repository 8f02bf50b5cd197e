import type { Memory } from "../../model/memory.ts";
import { add, NOTHING, spentOn } from "../../engine/runtime/spending.ts";
import type { Prices } from "../../model/request.ts";
import type { Conversation } from "../transcripts/read.ts";
import { readTokens, type Usage } from "../../model/ports.ts";
import type { Mark } from "../../window/limits-and-marks.ts";

/** One request of a played conversation. Levels are fractions of the limit. */
export interface Step {
  readonly request: number;
  /** How full the window was before anything was folded, and as the request was sent: Tidemark's own count. */
  readonly came: number;
  readonly level: number;
  readonly mark: Mark;
  /** Tokens of the request as sent, and of the whole history: counted. */
  readonly sent: number;
  readonly whole: number;
  readonly flushed: boolean;
  readonly folded?: { readonly messages: number; readonly before: number; readonly after: number };
  /** The provider would have refused it for its size. */
  readonly refused: boolean;
  readonly recovered: boolean;
}

/** All requests of one way to have the conversation. */
export interface Way extends Usage {
  readonly requests: number;
  readonly largest: number;
  /** Requests over the window, and the number of the first of them. */
  readonly refused: number;
  readonly refusedFrom?: number;
  /** Dollars; absent where the model's price is not known. */
  readonly cost?: number;
}

export type Remembered = Readonly<Pick<Memory, "content" | "category" | "importance" | "origin">>;

export interface Played extends Pick<Conversation, "format" | "notes"> {
  readonly file: string;
  readonly messages: number;
  readonly model: string;
  /** The file named no model. */
  readonly guessedModel: boolean;
  readonly window: number;
  readonly limit: number;
  readonly price?: Prices;
  readonly steps: readonly Step[];
  readonly with: Way;
  readonly without: Way;
  readonly folds: number;
  readonly facts: number;
  readonly memoryCalls: number;
  readonly remembered: readonly Remembered[];
  /** What went otherwise than it should: the library's own words. */
  readonly troubles: readonly string[];
  readonly ms: number;
}

export interface Asked {
  readonly usage: Usage;
  readonly refused: boolean;
}

export function wayOf(asked: readonly Asked[], price: Prices | undefined): Way {
  const { calls, dollars, input, cacheWrite, cacheRead, output } = asked
    .map(({ usage }) => spentOn(usage, price))
    .reduce(add, NOTHING);
  const first = asked.findIndex(({ refused }) => refused);
  return {
    ...{ input, cacheWrite, cacheRead, output },
    requests: calls,
    largest: Math.max(0, ...asked.map(({ usage }) => readTokens(usage))),
    refused: asked.filter(({ refused }) => refused).length,
    refusedFrom: first < 0 ? undefined : first + 1,
    cost: price && dollars,
  };
}
