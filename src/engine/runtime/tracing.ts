import type * as Otel from "@opentelemetry/api";
import { isTidemarkError } from "../../model/errors.ts";
import { quietly } from "./callbacks.ts";

/** No word of a conversation or a memory belongs here. */
type Attributes = Readonly<Record<string, string | number | string[] | undefined>>;

/** Adds to a span what came of the work. */
type Tell = (attributes: Attributes) => void;

export interface Spans {
  run<T>(name: string, about: Attributes, work: (tell: Tell) => Promise<T>): Promise<T>;
}

const NO_SPANS: Spans = { run: (_name, _about, work) => work(() => undefined) };

/**
 * Spans by OpenTelemetry where its API is installed; what becomes of them is the host's to say.
 * Names are those of its conventions for generative AI, and what they do not name stands under
 * "tidemark.". `trouble` hears once of a tracer that throws; the work never falls with it.
 */
export async function openSpans(
  trouble: (thrown: unknown) => void,
  load: () => Promise<typeof Otel> = () => import("@opentelemetry/api"),
): Promise<Spans> {
  const api = await load().catch(() => undefined);
  if (api === undefined) return NO_SPANS;
  const { context, trace, SpanStatusCode } = api;
  let broken = false;
  const safely = <T>(call: () => T): T | undefined =>
    quietly(call, (thrown) => {
      if (!broken) trouble(thrown);
      broken = true;
    });
  const run: Spans["run"] = async (name, attributes, work) => {
    // The tracer is asked for anew each time: one from before an SDK was registered may stay deaf.
    const span = safely(() => trace.getTracer("tidemark").startSpan(name, { attributes }));
    if (span === undefined) return work(() => undefined);
    const tell: Tell = (more) => void safely(() => span.setAttributes(more));
    let running: ReturnType<typeof work> | undefined;
    const begin = () => (running ??= work(tell));
    safely(() => void context.with(trace.setSpan(context.active(), span), begin));
    try {
      return await begin();
    } catch (thrown) {
      // The words of an error may quote a conversation: its kind is what a trace needs.
      const type = kindOf(thrown);
      tell({ "error.type": type });
      safely(() => span.setStatus({ code: SpanStatusCode.ERROR, message: type }));
      throw thrown;
    } finally {
      safely(() => span.end());
    }
  };
  return { run };
}

function kindOf(thrown: unknown): string {
  if (isTidemarkError(thrown)) return thrown.code;
  return thrown instanceof Error ? thrown.name : "_OTHER";
}
