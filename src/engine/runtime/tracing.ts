import type * as Otel from "@opentelemetry/api";
import { isTidemarkError } from "../../model/errors.ts";
import { quietly } from "./callbacks.ts";
import type { Usage } from "../../model/ports.ts";
import { chainOf, statusIn } from "../../base/thrown.ts";

type Attributes = Readonly<Record<string, string | number | boolean | string[] | undefined>>;

/** Work that a trace should show. */
interface Shown {
  readonly name: string;
  /** A call over the network, to a model. */
  readonly client?: boolean;
  /** Asked for only where a tracer is installed. No word of a conversation or a memory belongs here. */
  readonly about: () => Attributes;
}

/** Hears what came of the work. */
type Tell = (about: () => Attributes) => void;

export interface Spans {
  run<T>(shown: Shown, work: (tell: Tell) => Promise<T>): Promise<T>;
}

const DEAF: Tell = () => undefined;
const NO_SPANS: Spans = { run: (_shown, work) => work(DEAF) };

type Api = typeof Otel;
let api: Promise<Api> | undefined;

/** Hears once of a tracer that throws: from then on nothing is traced. */
type OnTrouble = (thrown: unknown) => void;

/** Spans by OpenTelemetry where its API is installed; what it does with them is the host's to say. Else nothing at all. */
export async function openSpans(
  trouble: OnTrouble = () => undefined,
  load: () => Promise<Api> = found,
): Promise<Spans> {
  const known = await load().catch(() => undefined);
  if (known === undefined) return NO_SPANS;
  try {
    return traced(known, trouble);
  } catch (thrown) {
    trouble(thrown);
    return NO_SPANS;
  }
}

/** Looked for once in the life of a process. */
const found = (): Promise<Api> => (api ??= import("@opentelemetry/api"));

function traced(
  { trace, ProxyTracerProvider, SpanKind, SpanStatusCode }: Api,
  trouble: OnTrouble,
): Spans {
  const nothing = new ProxyTracerProvider().getDelegate();
  let broken = false;
  /** A tracer may fail at each of its calls; the work neither waits for that nor falls with it. */
  const safely = (call: () => unknown): void =>
    void quietly(call, (thrown) => {
      if (!broken) trouble(thrown);
      broken = true;
    });
  /** The API alone, which many packages bring along, makes a dozen calls for a span that goes nowhere. */
  const isWatched = (): boolean => {
    let watched = false;
    safely(() => {
      const provider = trace.getTracerProvider();
      watched = !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== nothing;
    });
    return watched;
  };
  return {
    run: async <T>(
      { name, client = false, about }: Shown,
      work: (tell: Tell) => Promise<T>,
    ): Promise<T> => {
      if (broken || !isWatched()) return work(DEAF);
      let running: Promise<T> | undefined;
      const within = async (span: Otel.Span): Promise<T> => {
        let recording = false;
        safely(() => (recording = span.isRecording()));
        const tell: Tell = (more) => safely(() => recording && span.setAttributes(more()));
        tell(about);
        try {
          return await work(tell);
        } catch (thrown) {
          // The words of an error may quote a conversation: its kind is what a trace needs.
          const type = kindOf(thrown);
          tell(() => ({ "error.type": type }));
          safely(() => span.setStatus({ code: SpanStatusCode.ERROR, message: type }));
          throw thrown;
        } finally {
          safely(() => span.end());
        }
      };
      // A tracer gets no promise that may reject: what it does with one is not ours to catch.
      const begin = (span: Otel.Span): Promise<unknown> =>
        (running ??= within(span)).then(quiet, quiet);
      // Asked for anew: one from before an SDK was registered, or another, may never come to know of it.
      safely(() =>
        trace
          .getTracer("tidemark")
          .startActiveSpan(name, { kind: client ? SpanKind.CLIENT : SpanKind.INTERNAL }, begin),
      );
      // Done once, however far the tracer came.
      return running ?? (running = work(DEAF));
    },
  };
}

/** By the conventions: the provider's own code where it refused, else what is known by a name. */
function kindOf(thrown: unknown): string {
  if (isTidemarkError(thrown)) return thrown.code;
  const status = refusalStatus(thrown);
  if (status !== undefined) return String(status);
  return thrown instanceof Error ? thrown.name : "_OTHER";
}

const quiet = (): void => undefined;

// Names by OpenTelemetry's conventions for generative AI, as of November 2026 (semantic-conventions-genai: inference, memory);
// what they have no name for stands under "tidemark.".

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
  provider: string;
  conversation: string;
  purpose: string;
  maxTokens: number;
}): Shown => ({
  name: call.model === "" ? "chat" : `chat ${call.model}`,
  client: true,
  about: () => ({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": call.provider,
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

/** The status a provider refused with, where the error names one. */
const refusalStatus = (thrown: unknown): number | undefined =>
  chainOf(thrown)
    .map(statusIn)
    .find((status) => status !== undefined && status >= 400);
