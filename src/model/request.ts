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
