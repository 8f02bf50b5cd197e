import { appendFileSync } from "node:fs";
import { type Listen, type TidemarkEvent } from "../../model/events.ts";
import { clip, oneLine } from "../../text/cut.ts";
import { quietly } from "../runtime/callbacks.ts";
import { type Options } from "./types.ts";

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

/** What means "this does not work as you think", in words of ours alone: nothing that a conversation said. */
function warningOf(event: TidemarkEvent): readonly [kind: string, text: string] | undefined {
  switch (event.type) {
    case "passed":
      return ["passed", `A request passed without Tidemark: ${event.reason}.`];
    case "degraded":
      return [
        "degraded",
        `Something failed and the chat went on without it (${event.where}${event.code === undefined ? "" : `, ${event.code}`}); listen: "console" tells more, "npx tidemark doctor" what to do.`,
      ];
    case "window-guessed":
      return [
        "window-guessed",
        `The window of model "${event.model}" is not known; ${event.tokens.toLocaleString("en")} tokens are taken. Set window: { tokens }.`,
      ];
    case "notice":
      return WARNED.has(event.about) ? [event.about, event.text] : undefined;
    default:
      return undefined;
  }
}
const WARNED: ReadonlySet<string> = new Set(["cut-by-provider", "no-model"]);

/** Kinds of trouble that this process was warned of, whichever workspace had it. */
const warned = new Set<string>();

function warn(event: TidemarkEvent): void {
  const warning = warningOf(event);
  if (warning === undefined || warned.has(warning[0])) return;
  warned.add(warning[0]);
  process.stderr.write(`[tidemark] ${oneLine(warning[1])}\n`);
}

/** Writes to the place that TIDEMARK_DEBUG names: 1 is the console, anything else a file to append to. */
function debugTo(place: string): Listen {
  if (place === "1") return (event) => void process.stderr.write(`${eventLine(event)}\n`);
  return (event) =>
    appendFileSync(place, `${new Date().toISOString()} ${eventLine(event)}\n`, { mode: 0o600 });
}

/** All that hears of an event: the host's listener or the console, the debug output, and warnings where there is no other. */
export function listenersOf(
  { listen, quiet = false }: Pick<Options, "listen" | "quiet">,
  env: NodeJS.ProcessEnv,
): Listen {
  const debug = env.TIDEMARK_DEBUG ?? "";
  const all: Listen[] = [];
  if (listen === "console") all.push(debugTo("1"));
  else if (listen !== undefined) all.push(listen);
  if (debug !== "" && debug !== "0" && !(debug === "1" && listen === "console"))
    all.push(debugTo(debug));
  if (all.length === 0 && !quiet) all.push(warn);
  return (event) => {
    for (const one of all) quietly(() => one(event));
  };
}
