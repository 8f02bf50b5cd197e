export type Format =
  "anthropic" | "openai-chat" | "openai-responses" | "gemini" | "ai-sdk" | "langchain";

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
  /** `role: "system"` inside `messages`. */
  readonly midConversationSystem: boolean;
  /** The beta by which such a message is shown for one turn only. */
  readonly clearAt?: string;
  /** The least that is cached; 0: the provider caches by itself, or not at all. */
  readonly cacheMinimumTokens: number;
  readonly prices?: Prices;
}

/** The provider's word on a model so far; `pending`: it is being asked. */
export interface AskedModel {
  readonly said?: Partial<Capabilities>;
  readonly pending?: true;
}

/**
 * One call of a model. `system`, `messages` and `tools` are provider-shaped; the instruction stands
 * in the last user message. Rejects when the provider does, or when `signal` aborts.
 */
export type Complete<U = Usage> = (request: {
  system: unknown;
  messages: readonly Message[];
  tools?: unknown;
  /** No conversation stands in it but what the instruction writes out. */
  alone?: boolean;
  maxTokens: number;
  /**
   * What the window holds behind the prompt, where that is known: more than `maxTokens`, thinking
   * included, must fit in it.
   */
  room?: number;
  /** Absent: the model's own. */
  temperature?: number;
  /** Another model of the same client, for this call. */
  model?: string;
  signal: AbortSignal;
}) => Promise<{ text: string; usage?: U; stop?: string }>;

/**
 * Calls the model that distils, as a host writes it: what is handed over has the form of the host's
 * own requests, so it passes for whatever its client wants there. Rejects when the provider does,
 * or when `signal` aborts.
 *
 * @example
 * const distil = async ({ system, messages, maxTokens, signal }) => {
 *   const asked = { model: "claude-haiku-4-5", max_tokens: maxTokens, system, messages };
 *   const { content, usage } = await client.messages.create(asked, { signal });
 *   const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
 *   return { text, usage };
 * };
 */
export type DistilFunction = (request: {
  system: never;
  messages: readonly Message[] & never[];
  tools?: never;
  maxTokens: number;
  /** Given where it matters. Newer models take none. */
  temperature?: number;
  signal: AbortSignal;
}) => Promise<{ text: string; usage?: ReportedUsage; stop?: string | null }>;

/** Some models want to be told the purpose of an embedding. */
export type EmbeddingUse = "question" | "memory";

/**
 * Turns texts into vectors, one per text, in order. Rejects when the provider does, or when
 * `signal` aborts.
 */
export interface Embedder {
  /** Seen from its vectors when it does not say. */
  readonly dimensions?: number;
  /**
   * Vectors of two models are never compared; without a name a model is known by what it makes of a
   * fixed text.
   */
  readonly model?: string;
  readonly embed: (
    texts: readonly string[],
    signal?: AbortSignal,
    use?: EmbeddingUse,
  ) => Promise<readonly (Float32Array | readonly number[])[]>;
}

/**
 * Tokens of one call, cached ones counted once: input + cache writes + cache reads is what the
 * model read.
 */
export interface Usage {
  readonly input: number;
  readonly cacheWrite: number;
  /** How much of `cacheWrite` was written to live for an hour, where that is known. */
  readonly cacheWrite1h?: number;
  readonly cacheRead: number;
  readonly output: number;
}

export const NO_USAGE: Usage = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 };

/**
 * What a call took, in our words or as Anthropic and OpenAI report it. OpenAI counts what came from
 * the cache into the prompt.
 */
export type ReportedUsage =
  | Partial<Usage>
  | {
      readonly input_tokens: number;
      readonly output_tokens: number;
      readonly cache_creation_input_tokens?: number | null;
      readonly cache_read_input_tokens?: number | null;
    }
  | {
      readonly prompt_tokens: number;
      readonly completion_tokens: number;
      readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null;
    };

/** The tokens the model read are the size of the request. */
export const readTokens = (usage: Usage): number =>
  usage.input + usage.cacheWrite + usage.cacheRead;

/**
 * The reason of a call: the caller's own turn; to distil; to mend a summary; a summary of the
 * provider's own; to read short sessions; to embed.
 */
export type Purpose = "turn" | "distil" | "read" | "embed";

/** Sums over calls: tokens by the provider's report, or by our own count where it reports none. */
export interface Spent extends Omit<Usage, "cacheWrite1h"> {
  readonly calls: number;
  /** Dollars of the calls whose model has a known price. */
  readonly dollars: number;
  /** Calls whose model has none. */
  readonly unpriced: number;
}

/** Sums of one purpose. */
export interface SpentLine {
  readonly purpose: Purpose;
  readonly spent: Spent;
}
