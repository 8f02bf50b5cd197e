import { type Usage } from "../model/ports.ts";
import { type Attributes, type Shown } from "./spans.ts";

// Names by OpenTelemetry's conventions for generative AI, as of November 2026 (semantic-conventions-genai: inference, memory);
// what they have no name for stands under "tidemark.".

/** Whose form a request has. */
const providerOf = (format: string): string => (format === "anthropic" ? "anthropic" : "openai");

export const beginSpan = (model: unknown): Shown => ({
  name: "tidemark.begin",
  about: () => ({ "gen_ai.request.model": typeof model === "string" ? model : undefined }),
});

export const begun = ({
  window,
  folded,
}: {
  window: { used: number; limit: number; mark: string };
  folded?: { id: string };
}): Attributes => ({
  "tidemark.window.used": window.used,
  "tidemark.window.limit": window.limit,
  "tidemark.window.mark": window.mark,
  "tidemark.fold.id": folded?.id,
});

export const foldSpan = (conversation: string): Shown => ({
  name: "tidemark.fold",
  about: () => ({ "gen_ai.conversation.id": conversation }),
});

export const foldedAs = ({
  folded,
  refused,
}: {
  folded?: { id: string; messages: number; before: number; after: number };
  refused?: string;
}): Attributes => ({
  "tidemark.fold.id": folded?.id,
  "tidemark.fold.messages": folded?.messages,
  "tidemark.fold.before": folded?.before,
  "tidemark.fold.after": folded?.after,
  "tidemark.fold.refused": refused,
});

/** An inference: a call of Tidemark's own. */
export const distilSpan = (call: {
  model: string;
  format: string;
  conversation: string;
  purpose: string;
  maxTokens: number;
}): Shown => ({
  name: call.model === "" ? "chat" : `chat ${call.model}`,
  client: true,
  about: () => ({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": providerOf(call.format),
    "gen_ai.request.model": call.model === "" ? undefined : call.model,
    "gen_ai.request.max_tokens": call.maxTokens,
    "gen_ai.conversation.id": call.conversation,
    "tidemark.purpose": call.purpose,
  }),
});

/** Cached tokens are input too, by the convention. */
export const answeredWith = ({ usage, stop }: { usage?: Usage; stop?: string }): Attributes => ({
  ...(usage
    ? {
        "gen_ai.usage.input_tokens": usage.input + usage.cacheWrite + usage.cacheRead,
        "gen_ai.usage.output_tokens": usage.output,
        "gen_ai.usage.cache_read.input_tokens": usage.cacheRead,
        "gen_ai.usage.cache_write.input_tokens": usage.cacheWrite,
        // Its name until September 2026, which the packages of the conventions and most that reads them still have.
        "gen_ai.usage.cache_creation.input_tokens": usage.cacheWrite,
      }
    : {}),
  "gen_ai.response.finish_reasons": stop === undefined ? undefined : [stop],
});

const memorySpan = (operation: string): Shown => ({
  name: operation,
  about: () => ({ "gen_ai.operation.name": operation }),
});
export const recallSpan = memorySpan("search_memory");
export const saveSpan = memorySpan("upsert_memory");
export const updateSpan = memorySpan("update_memory");
export const deleteSpan = memorySpan("delete_memory");

/** A call of the embedder. */
export const embedSpan = (model: string | undefined, dimensions: number | undefined): Shown => ({
  name: model === undefined || model === "" ? "embeddings" : `embeddings ${model}`,
  client: true,
  about: () => ({
    "gen_ai.operation.name": "embeddings",
    "gen_ai.request.model": model === "" ? undefined : model,
    "gen_ai.embeddings.dimension.count": dimensions,
  }),
});

export const records = (count: number): Attributes => ({ "gen_ai.memory.record.count": count });
