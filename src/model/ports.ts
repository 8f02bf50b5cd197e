import type { Message } from "./request.ts";

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
