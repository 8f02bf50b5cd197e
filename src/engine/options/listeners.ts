import { appendFileSync, writeFileSync } from "node:fs";
import type { Emit, Listen, TidemarkEvent, ToldNotice } from "../../model/events.ts";
import { clip, oneLine } from "../../text/cut.ts";
import { quietly } from "../runtime/callbacks.ts";
import type { Options } from "./types.ts";

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
export function listenersOf({ listen }: Pick<Options, "listen">, env: NodeJS.ProcessEnv): Emit {
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
      return [event.reason, `A request passed without Tidemark: ${event.reason}.`];
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

/** A person is told such things once, the first time they happen in a workspace. */
export type Notice = ReturnType<typeof createNotice>;

/**
 * The empty file beside the databases is the memory of having said it; the process that makes it
 * says it.
 */
export function createNotice(emit: Listen, place: (name: string) => string | undefined) {
  const said = new Set<ToldNotice>();
  const sayAnew = (about: ToldNotice, text: string): void => {
    if (said.has(about)) return;
    said.add(about);
    emit({ type: "notice", about, text });
  };
  return {
    /** Once in each process, since it may be another program next time. */
    sayAnew,
    say(about: ToldNotice, text: string): void {
      const file = said.has(about) ? undefined : place(`said-${about}`);
      try {
        if (file !== undefined) writeFileSync(file, "", { flag: "wx", mode: 0o600 });
      } catch (thrown) {
        // It is better said twice than never where nothing can be written.
        if ((thrown as NodeJS.ErrnoException).code === "EEXIST") said.add(about);
      }
      sayAnew(about, text);
    },
  };
}
