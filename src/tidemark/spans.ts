import type * as Otel from "@opentelemetry/api";
import { isTidemarkError } from "../model/errors.ts";
import { refusalStatus } from "./books/outcome.ts";
import { quietly } from "./callbacks.ts";

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

/** Hears once of a tracer that throws: from then on nothing is traced. */
type OnTrouble = (thrown: unknown) => void;

/** Spans by OpenTelemetry where its API is installed; what it does with them is the host's to say. Else nothing at all. */
export async function openSpans(
  trouble: OnTrouble = () => undefined,
  load: () => Promise<Api | undefined> = found,
): Promise<Spans> {
  const known = await load();
  if (known === undefined) return NO_SPANS;
  try {
    return traced(known, trouble);
  } catch (thrown) {
    trouble(thrown);
    return NO_SPANS;
  }
}

/** Looked for once in the life of a process. */
const found = (): Promise<Api | undefined> =>
  (api ??= import("@opentelemetry/api").catch(() => undefined));

function traced(
  { trace, ProxyTracerProvider, SpanKind, SpanStatusCode }: Api,
  trouble: OnTrouble,
): Spans {
  const nothing = new ProxyTracerProvider().getDelegate();
  let broken = false;
  /** Whoever traces may fail at each of its calls; the work neither waits for that nor falls with it. */
  const safely = (call: () => unknown): void =>
    quietly(call, (thrown) => {
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
