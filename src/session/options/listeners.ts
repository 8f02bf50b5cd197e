import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import type * as Otel from "@opentelemetry/api";
import {
  type Emit,
  isTidemarkError,
  type Listen,
  refuse,
  shown,
  telling,
  type TidemarkEvent,
  type ToldNotice,
} from "../../core/errors-and-events.ts";
import { mask } from "../../core/secrets/mask.ts";
import { clip, oneLine } from "../../core/text/cut.ts";
import { maskedTexts } from "../../memory/saving/commit.ts";
import type { Timer } from "./background.ts";
import type { Options } from "./tidemark-api.ts";

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

/** Calls what a host gave: what it throws, at once or later, ends here. */
function quietly<T>(call: () => T, trouble: (thrown: unknown) => void = () => {}): T | undefined {
  try {
    const answer = call();
    if (isObject(answer)) Promise.resolve(answer).catch(trouble);
    return answer;
  } catch (thrown) {
    trouble(thrown);
    return undefined;
  }
}

/** The host's clock in whole ms: one of high resolution gives parts, which no time of ours has. */
export function wholeClock(now: () => number): () => number {
  const at: unknown = now();
  if (typeof at !== "number" || !Number.isFinite(at))
    refuse(`openTidemark: option "now" must answer ms since 1970, answered ${shown(at)}.`);
  return () => Math.floor(now());
}

/** Work that fails in a timer is told of and ends no process. */
export function safeTimer(timer: Timer, emit: Listen): Timer {
  const report = telling(emit, "background");
  return (ms, work) => timer(ms, () => void quietly(work, report));
}

/** Characters of one value in a line. */
const VALUE = 200;

const shownValue = (value: unknown): string =>
  typeof value === "number"
    ? value.toLocaleString("en", { maximumFractionDigits: 2 })
    : clip(oneLine(typeof value === "string" ? value : JSON.stringify(value)), VALUE);

/** One line of an event: its type, then each member by name. */
function eventLine({ type, ...members }: TidemarkEvent): string {
  const said = Object.entries(members).map(([name, value]) => `${name} ${shownValue(value)}`);
  return `[tidemark] ${type}${said.length > 0 ? `: ${said.join(", ")}` : ""}`;
}

/**
 * Writes to the place that TIDEMARK_DEBUG names: 1 is the console, `words` too and with the words
 * that events are about, anything else a file to append to.
 */
function debugTo(place: string): Emit {
  if (place === "words")
    return (event, words) => {
      const said = words === undefined ? "" : ` ${JSON.stringify(oneLine(words))}`;
      process.stderr.write(`${eventLine(event)}${said}\n`);
    };
  if (place === "1") return (event) => void process.stderr.write(`${eventLine(event)}\n`);
  return (event) =>
    appendFileSync(place, `${new Date().toISOString()} ${eventLine(event)}\n`, { mode: 0o600 });
}

/**
 * All that hears of an event: the host's listener or the console, the debug output, and warnings
 * where there is no other.
 */
function listenersOf({ listen }: Pick<Options, "listen">, env: NodeJS.ProcessEnv): Emit {
  const debug = env.TIDEMARK_DEBUG ?? "";
  const all: Emit[] = [];
  if (listen === "console") all.push(debugTo("1"));
  else if (listen) all.push((event) => listen(event));
  if (debug !== "" && debug !== "0" && !(debug === "1" && listen === "console"))
    all.push(debugTo(debug));
  if (all.length === 0 && listen !== false) all.push(warn);
  return (event, words) => {
    for (const one of all) quietly(() => one(event, words));
  };
}

/**
 * What means "this does not work as you think", in words of ours alone: nothing that a conversation
 * said.
 */
function warningOf(event: TidemarkEvent): readonly [kind: string, text: string] | undefined {
  switch (event.type) {
    case "passed":
      return [
        event.reason,
        `A request passed without Tidemark: ${event.reason}.`.replace("?.", "?"),
      ];
    case "degraded":
      return [
        "degraded",
        "Something failed and the chat went on without it " +
          `(${event.where}${event.code === undefined ? "" : `, ${event.code}`}); listen: ` +
          '"console" tells more.',
      ];
    case "window-guessed":
      return [
        "window-guessed",
        `The window of model "${event.model}" is not known; ` +
          `${event.tokens.toLocaleString("en")} tokens are taken. Set window: { tokens }.`,
      ];
    case "notice":
      return WARNED.has(event.about) ? [event.about, event.text] : undefined;
    default:
      return undefined;
  }
}
const WARNED: ReadonlySet<string> = new Set([
  "adopted",
  "conversations-in-a-row",
  "cut-by-provider",
  "no-model",
]);

/** Kinds of trouble that this process was warned of, whichever workspace had it. */
const warned = new Set<string>();

/** Says on stderr what does not work as meant, each kind once. */
function warn(event: TidemarkEvent): void {
  const warning = warningOf(event);
  if (warning === undefined || warned.has(warning[0])) return;
  warned.add(warning[0]);
  process.stderr.write(`[tidemark] ${oneLine(warning[1])}\n`);
}

/** A person is told such things once in each process: it may be another program next time. */
export type Notice = ReturnType<typeof createNotice>;

export function createNotice(emit: Listen) {
  const said = new Set<ToldNotice>();
  return {
    say(about: ToldNotice, text: string): void {
      if (said.has(about)) return;
      said.add(about);
      emit({ type: "notice", about, text });
    },
  };
}

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
 * "tidemark.". A tracer that throws is done without.
 */
export async function openSpans(
  load: () => Promise<typeof Otel> = () => import("@opentelemetry/api"),
): Promise<Spans> {
  const api = await load().catch(() => undefined);
  if (api === undefined) return NO_SPANS;
  const { context, trace, SpanStatusCode } = api;
  const run: Spans["run"] = async (name, attributes, work) => {
    // The tracer is asked for anew each time: one from before an SDK was registered may stay deaf.
    const span = quietly(() => trace.getTracer("tidemark").startSpan(name, { attributes }));
    if (span === undefined) return work(() => undefined);
    const tell: Tell = (more) => void quietly(() => span.setAttributes(more));
    try {
      return await context.with(trace.setSpan(context.active(), span), () => work(tell));
    } catch (thrown) {
      // The words of an error may quote a conversation: its kind is what a trace needs.
      const type = kindOf(thrown);
      tell({ "error.type": type });
      quietly(() => span.setStatus({ code: SpanStatusCode.ERROR, message: type }));
      throw thrown;
    } finally {
      quietly(() => span.end());
    }
  };
  return { run };
}

function kindOf(thrown: unknown): string {
  if (isTidemarkError(thrown)) return thrown.code;
  return thrown instanceof Error ? thrown.name : "_OTHER";
}

/** A listener that fails, at once or later, is the host's bug, not a reason to lose a turn. */
export function teller(options: Options, ears: ReadonlySet<Listen>): Emit {
  const listen = listenersOf(options, process.env);
  return (event, words) => {
    // Words of errors and questions may quote what must not stand in a log.
    const clean = maskedTexts(event);
    listen(clean, words && mask(words));
    for (const ear of ears) ear(clean);
  };
}

/**
 * Ids in the order they were made: 48 bits of time, a counter for the same millisecond, 40 bits of
 * chance.
 */
export function idMaker(now: () => number): () => string {
  let last = 0;
  let count = 0;
  return () => {
    const time = Math.max(last, Math.trunc(now()));
    count = time === last ? count + 1 : 0;
    last = time;
    return (
      time.toString(36).padStart(9, "0") +
      count.toString(36).padStart(3, "0") +
      randomUUID().slice(-10)
    );
  };
}
