import { COMMON, type Flags } from "./flags.ts";
import { VERBS, type Verb } from "./verbs.ts";

const STARTS = ["tidemark init", "tidemark replay session.jsonl --window 16k", "tidemark chat", 'tidemark search "when did we change the port?"'];

export function overview(): string {
  const rows = Object.entries(VERBS).map(([name, { takes, says }]) => [`tidemark ${name}${takes === undefined ? "" : ` ${takes}`}`, says] as const);
  return [
    "Tidemark keeps a chat loop under its context window and remembers what leaves it.",
    "",
    ...columns(rows),
    "",
    "For every verb:",
    ...flagLines(COMMON),
    "",
    "Examples:",
    ...STARTS.map((line) => `  ${line}`),
    "",
    "tidemark VERB --help says more about one. tidemark --version says which this is.",
  ].join("\n");
}

export function verbHelp(name: string, { flags, examples }: Verb): string {
  const entry = VERBS[name];
  return [
    `tidemark ${name}${entry?.takes === undefined ? "" : ` ${entry.takes}`}: ${entry?.says ?? ""}`,
    "",
    ...(Object.keys(flags).length > 0 ? ["Flags:", ...flagLines(flags), ""] : []),
    "As for every verb:",
    ...flagLines(COMMON),
    "",
    "Examples:",
    ...examples.map((line) => `  ${line}`),
  ].join("\n");
}

const flagLines = (flags: Flags): string[] => columns(Object.entries(flags).map(([name, { takes, says }]) => [`--${name}${takes === undefined ? "" : ` ${takes}`}`, says] as const));

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const wide = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(wide)}  ${right}`);
}
