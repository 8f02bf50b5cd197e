import type { Anthropic as Client } from "@anthropic-ai/sdk";
import { asDict, isDict } from "../../base/guards.ts";
import { capabilitiesIn } from "../../adapters/anthropic/ask-provider.ts";
import type { Capabilities } from "../../model/request.ts";
import { Failure } from "../input/failure.ts";

export type { Client };

/** The SDK is the host's own choice, so it is looked for only when a person wants to talk. */
export async function loadSdk(): Promise<{ Anthropic: typeof Client }> {
  try {
    return await import("@anthropic-ai/sdk");
  } catch (thrown) {
    if (asDict(thrown).code !== "ERR_MODULE_NOT_FOUND") throw thrown;
    throw new Failure(
      "chat needs the Anthropic SDK, which is not installed: npm install @anthropic-ai/sdk",
    );
  }
}

/** ms a start may wait for the provider's own word about the model. */
const WAIT = 3_000;

/** What the provider says of the model; nothing when it does not. */
export async function saidOf(client: Client, model: string): Promise<Partial<Capabilities>> {
  try {
    return capabilitiesIn(
      await client.models.retrieve(model, {}, { timeout: WAIT, maxRetries: 0 }),
    );
  } catch {
    // Whatever is wrong with the key or the line shows with the first message, in words.
    return {};
  }
}

/** What the API said, on one line, with what to do where that is plain. */
export function apiLine(thrown: unknown): string {
  const { status, error } = asDict(thrown);
  const inner = messageIn(error) ?? (thrown instanceof Error ? thrown.message : String(thrown));
  const line = inner.split("\n")[0]?.trim() ?? "";
  if (status === 401) return `the key was refused (${line}); check ANTHROPIC_API_KEY`;
  if (status === 404) return `${line}; --model names another`;
  if (status === 429) return `too many requests for now (${line}); wait a little and say it again`;
  if (status === 529 || status === 503) return `the API is overloaded; say it again in a moment`;
  return typeof status === "number" ? `${status}: ${line}` : line;
}

function messageIn(body: unknown): string | undefined {
  if (!isDict(body)) return undefined;
  if ("error" in body) return messageIn(body.error);
  return typeof body.message === "string" ? body.message : undefined;
}
