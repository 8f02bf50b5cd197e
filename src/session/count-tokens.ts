import { lru, MEASURED_TEXTS, remembering } from "../core/base.ts";
import type { Listen } from "../core/errors-and-events.ts";
import type { Capabilities, Complete, Message, ProviderRequest } from "../core/request.ts";

import { estimateTokens } from "../core/tokens/estimate.ts";
import type { Dialect } from "../providers/common/dialect.ts";
import { contextLengthIn, type KnownModel } from "../providers/common/models.ts";
import { REQUEST_HEAD } from "../providers/common/pieces.ts";
import { limitOf, type WindowOptions } from "./options/save-and-fold-marks.ts";
import { createCounter } from "../core/tokens/message-cache.ts";

/** No model reads fewer. */
export const SMALLEST_WINDOW = 1_000;
const MODELS = 256;

/** How large a request may be. */
export interface WindowRoom {
  /** Tokens the model reads and writes together. */
  readonly window: number;
  /** Tokens the request may have. */
  readonly limit: number;
}

const maxTokensOf = (request: ProviderRequest): number | undefined =>
  [request.max_tokens, request.max_completion_tokens, request.max_output_tokens].find(
    (value): value is number => typeof value === "number" && value > 0,
  );

/** Window sizes: the host's word, what providers have told, and what is known of models. */
export function createWindows(emit: Listen, { tokens: given, ...options }: WindowOptions = {}) {
  const told = lru<string, number>(MODELS);
  const refused = lru<string, number>(MODELS);
  const guessed = new Set<string>();
  return {
    get: (model: string): number | undefined => told.get(model),
    /** A provider names its window, or was seen to cut what is longer. */
    told: (model: string, tokens: number): unknown => told.set(model, tokens),
    /** A refusal may quote what a stranger wrote: the same figure, said twice, is believed. */
    refused(model: string, tokens: number): void {
      if (refused.get(model) === tokens) told.set(model, tokens);
      else refused.set(model, tokens);
    },
    /**
     * What a provider said in an error outranks what it listed, and that our table. The host's word
     * outranks these, but where a request names a smaller window, or the provider was found to have
     * one, that is what will be read.
     */
    sizesFor(
      request: ProviderRequest,
      { model, can, pending }: { model: string; can: KnownModel; pending?: boolean },
    ): WindowRoom {
      const known = [given, contextLengthIn(request), told.get(model)].filter(
        (one) => one !== undefined,
      );
      if (known.length === 0 && !pending && can.windowBy === "guess" && !guessed.has(model)) {
        guessed.add(model);
        emit({ type: "window-guessed", model, tokens: can.window });
      }
      const tokens = known.length > 0 ? Math.min(...known) : can.window;
      return {
        window: tokens,
        limit: limitOf({ ...can, tokens }, maxTokensOf(request), options),
      };
    },
  };
}

export type Windows = ReturnType<typeof createWindows>;

/** Estimated tokens. What was measured before and has not changed is not measured again. */
export function createMeasure() {
  const counter = createCounter();
  const inText = remembering(estimateTokens, MEASURED_TEXTS);

  /** System text and tools. */
  const head = (dialect: Dialect, request: ProviderRequest): number =>
    REQUEST_HEAD.reduce((sum, name) => {
      const part = request[name];
      if (typeof part === "string") return sum + inText(part);
      if (typeof part !== "object" || part === null) return sum;
      return sum + counter.message(part, () => dialect.overhead({ messages: [], [name]: part }));
    }, 0);

  const message = (dialect: Dialect, one: Message): number =>
    counter.message(one, () => dialect.pieces(one));

  return {
    message,
    /** The same of a message whose weight the caller remembers. */
    weigh: (dialect: Dialect, one: Message): number => counter.weigh(dialect.pieces(one)),
    head,
    request: (dialect: Dialect, request: ProviderRequest): number => {
      let sum = head(dialect, request);
      for (let at = dialect.unread?.(request.messages) ?? 0; at < request.messages.length; at++)
        sum += message(dialect, request.messages[at] as Message);
      return sum;
    },
  };
}

export type Measure = ReturnType<typeof createMeasure>;

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
  /** Its sender can have headers name a beta. */
  readonly addsBetas?: boolean;
  readonly complete?: Complete;
}

/**
 * Tells of thinking that was left out. It is left out of every later call too: more of it is news.
 */
export function createUnboundNotice(emit: Listen) {
  const told = lru<string, number>(SESSIONS);
  return ({
    session: { id },
    view: { unbound },
  }: {
    session: { id: string };
    view: { unbound: number };
  }): void => {
    if (unbound > (told.get(id) ?? 0))
      emit({
        type: "notice",
        about: "thinking-dropped",
        text: "Thinking that no longer holds was left out.",
        session: id,
        messages: unbound,
      });
    told.set(id, unbound);
  };
}
