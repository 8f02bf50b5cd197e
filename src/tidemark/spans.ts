import type * as Otel from "@opentelemetry/api";
import { isTidemarkError } from "../model/errors.ts";

export type Attributes = Readonly<Record<string, string | number | boolean | string[] | undefined>>;

/** Work that a trace should show. */
export interface Shown {
  readonly name: string;
  /** A call over the network, to a model. */
  readonly client?: boolean;
  /** Asked for only where somebody traces. No word of a conversation or a memory belongs here. */
  readonly about: () => Attributes;
}

/** Hears what came of the work. */
export type Tell = (about: () => Attributes) => void;

export interface Spans {
  run<T>(shown: Shown, work: (tell: Tell) => Promise<T>): Promise<T>;
}

const DEAF: Tell = () => undefined;
const NO_SPANS: Spans = { run: (_shown, work) => work(DEAF) };

type Api = typeof Otel;
let api: Promise<Api | undefined> | undefined;

/** Spans by OpenTelemetry where its API is installed; what it does with them is the host's to say. Else nothing at all. */
export async function openSpans(load: () => Promise<Api | undefined> = found): Promise<Spans> {
  const known = await load();
  return known ? traced(known) : NO_SPANS;
}

/** Looked for once in the life of a process. */
const found = (): Promise<Api | undefined> => (api ??= import("@opentelemetry/api").catch(() => undefined));

function traced({ trace, SpanKind, SpanStatusCode }: Api): Spans {
  const tracer = trace.getTracer("tidemark");
  return {
    run: ({ name, client = false, about }, work) =>
      tracer.startActiveSpan(name, { kind: client ? SpanKind.CLIENT : SpanKind.INTERNAL }, async (span) => {
        const recording = span.isRecording();
        const tell: Tell = (more) => void (recording && span.setAttributes(more()));
        try {
          tell(about);
          return await work(tell);
        } catch (thrown) {
          const type = isTidemarkError(thrown) ? thrown.code : thrown instanceof Error ? thrown.name : "_OTHER";
          // The words of an error may quote a conversation: its kind is what a trace needs.
          tell(() => ({ "error.type": type }));
          span.setStatus({ code: SpanStatusCode.ERROR, message: type });
          throw thrown;
        } finally {
          span.end();
        }
      }),
  };
}
