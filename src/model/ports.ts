import { type Message } from "./request.ts";

/**
 * One call of a model. `system`, `messages` and `tools` are provider-shaped; the instruction stands in the last user
 * message. Rejects when the provider does, or when `signal` aborts.
 */
export type Complete = (request: {
  system: unknown;
  messages: readonly Message[];
  tools?: unknown;
  maxTokens: number;
  signal: AbortSignal;
}) => Promise<{ text: string; usage?: Usage; stop?: string }>;

/** Turns texts into vectors, one per text, in order. Rejects when the provider does. */
export interface Embedder {
  readonly dimensions: number;
  readonly model?: string;
  readonly embed: (texts: readonly string[], signal?: AbortSignal) => Promise<readonly Float32Array[]>;
}

/** Tokens of one call, cached ones counted once: input + cache writes + cache reads is what the model read. */
export interface Usage {
  readonly input: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
  readonly output: number;
}

/** What the model read: the size of the request. */
export const readTokens = (usage: Usage): number => usage.input + usage.cacheWrite + usage.cacheRead;
