export type Format = "anthropic" | "openai-chat";

/** A message as the provider writes it; only a dialect looks inside. */
export type Message = Readonly<Record<string, unknown>>;

/** A request as the provider takes it; everything but `messages` passes through untouched. */
export interface ProviderRequest {
  readonly messages: readonly Message[];
  readonly model?: unknown;
  readonly system?: unknown;
  readonly tools?: unknown;
  readonly max_tokens?: unknown;
  readonly [name: string]: unknown;
}

/** Dollars per million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  /** Written to the cache to live for five minutes, and for an hour. */
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  /** A request of more tokens than `above` costs so many times as much, all of it. */
  readonly long?: { readonly above: number; readonly times: number };
}

/** A model's abilities and prices, as far as anything here is decided by them. */
export interface Capabilities {
  /** Tokens it reads. */
  readonly window: number;
  /** The prompt and `max_tokens` must fit into `window` together. */
  readonly promptPlusReply: boolean;
  /** A thought sent back must stand behind exactly what it was made from (preserved thinking). */
  readonly boundThinking: boolean;
  /** The beta by which thoughts that no longer hold are dropped instead of refused. */
  readonly dropBlock?: string;
  /** `role: "system"` inside `messages`. */
  readonly midConversationSystem: boolean;
  /** The beta by which such a message is shown for one turn only. */
  readonly clearAt?: string;
  /** The least that is cached; 0: the provider caches by itself, or not at all. */
  readonly cacheMinimumTokens: number;
  /** How long a cached prefix may be asked to live, in seconds; none where it cannot be asked. */
  readonly cacheLifetimes: readonly number[];
  readonly prices?: Prices;
}

/** The provider's word on a model so far; `pending`: it is being asked. */
export interface AskedModel {
  readonly said?: Partial<Capabilities>;
  readonly pending?: true;
}

/**
 * What becomes of thinking that was bound to what a fold takes away. "leave-out": it is not sent.
 * "drop-block": it is sent, and the provider drops what does not hold. "auto": left out; dropped by
 * the provider where it is certain that it can be.
 */
export type ThinkingOption = "auto" | "leave-out" | "drop-block";
