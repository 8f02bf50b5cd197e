import { COMMON, type Flags } from "./input/flags.ts";
import { wrap } from "./render/text.ts";
import { VERBS, type Verb } from "./verbs.ts";

const STARTS = [
  "tidemark init",
  "tidemark replay session.jsonl --window 16k",
  "tidemark chat",
  'tidemark search "when did we change the port?"',
];

export function overview(room: number): string {
  const rows = Object.entries(VERBS).map(
    ([name, { takes, says }]) =>
      [`tidemark ${name}${takes === undefined ? "" : ` ${takes}`}`, says] as const,
  );
  return [
    ...wrap(
      "Tidemark keeps a chat loop under its context window and remembers what leaves it.",
      room,
    ),
    "",
    ...columns(rows, room),
    "",
    "For every verb:",
    ...flagLines(COMMON, room),
    "",
    "Examples:",
    ...exampleLines(STARTS, room),
    "",
    ...wrap(
      "tidemark VERB --help says more about one. tidemark --version says which this is.",
      room,
    ),
  ].join("\n");
}

export function verbHelp(name: string, { flags, examples }: Verb, room: number): string {
  const entry = VERBS[name];
  return [
    ...wrap(
      `tidemark ${name}${entry?.takes === undefined ? "" : ` ${entry.takes}`}: ${entry?.says ?? ""}`,
      room,
    ),
    "",
    ...(Object.keys(flags).length > 0 ? ["Flags:", ...flagLines(flags, room), ""] : []),
    "As for every verb:",
    ...flagLines(COMMON, room),
    "",
    "Examples:",
    ...exampleLines(examples, room),
  ].join("\n");
}

const flagLines = (flags: Flags, room: number): string[] =>
  columns(
    Object.entries(flags).map(
      ([name, { takes, says }]) =>
        [`--${name}${takes === undefined ? "" : ` ${takes}`}`, says] as const,
    ),
    room,
  );

/** A command that has no room goes on below as a shell understands it. */
const exampleLines = (examples: readonly string[], room: number): string[] =>
  examples.flatMap((example) =>
    example.length + 2 <= room
      ? [`  ${example}`]
      : wrap(example, room - 6).map(
          (line, at, all) =>
            `${at === 0 ? "  " : "    "}${line}${at < all.length - 1 ? " \\" : ""}`,
        ),
  );

/** Less than this is no column to read in. */
const LEAST = 20;

/** What is on the left, and beside it what it means; below it where that has no room. */
function columns(rows: readonly (readonly [string, string])[], room: number): string[] {
  const wide = Math.max(...rows.map(([left]) => left.length));
  const beside = room - wide - 4;
  if (beside < LEAST)
    return rows.flatMap(([left, right]) => [
      `  ${left}`,
      ...wrap(right, room - 6).map((line) => `      ${line}`),
    ]);
  return rows.flatMap(([left, right]) =>
    wrap(right, beside).map((line, at) => `  ${(at === 0 ? left : "").padEnd(wide)}  ${line}`),
  );
}
