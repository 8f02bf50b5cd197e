import type { Format, ProviderRequest } from "../../model/request.ts";
import type { Mark } from "../../window/limits-and-marks.ts";

export interface BeginOptions {
  /**
   * The host's own name for this conversation: settles which one is meant where content alone
   * cannot.
   */
  conversation?: string;
  /** The provider whose form the request has, where its shape and its model do not tell. */
  format?: Format;
  /** Ends what the turn waits for; it goes on with what there is. */
  signal?: AbortSignal;
}

/** Tokens of the request as it is sent. */
export interface WindowLevel {
  readonly used: number;
  readonly limit: number;
  readonly level: number;
  readonly mark: Mark;
}

export interface FoldReport {
  readonly id: string;
  /** How many of the caller's messages the summary replaces. */
  readonly messages: number;
  readonly before: number;
  readonly after: number;
}

export interface Turn<R extends object = ProviderRequest> {
  /**
   * What to send, of the type that was given: the given request itself when nothing had to be
   * changed.
   */
  readonly request: R;
  /** How full the window is with it, in tokens and as a share of the limit. */
  readonly window: WindowLevel;
  /**
   * Set where this turn folded: how many messages were replaced, and tokens of the whole request
   * before and after.
   */
  readonly folded?: FoldReport;
  /** The sections that memory added, in tokens. */
  readonly injected: readonly { readonly section: string; readonly tokens: number }[];
  /**
   * Takes the provider's reply, `{ usage, reply }`, or a promise of either, which `close` waits
   * for. Never rejects. A turn ends once, a refused one and what `recover` gave in its place
   * together: the first reply is archived and booked, the same again does nothing, another one is
   * told of as `degraded`. What your next request holds wins in any case. After `close` it does
   * nothing.
   *
   * @example
   * await turn.end(await client.messages.create(turn.request));
   */
  end(reply: unknown): Promise<void>;
  /**
   * After an overflow: a smaller turn to send once. After anything else: undefined. Never rejects.
   *
   * @example
   * const smaller = await turn.recover(error);
   * if (!smaller) throw error;
   */
  recover(error: unknown): Promise<Turn<R> | undefined>;
}
