import { onlyWord } from "../input/failure.ts";
import { type Flags, type Given } from "../input/flags.ts";
import { type Io } from "../render/io.ts";
import { marksFor, namedMemory } from "./memories.ts";
import { withWorkspace } from "../input/open.ts";
import { json, padEnd, plain, wrap } from "../render/text.ts";
import { percent } from "../render/numbers.ts";

export const flags: Flags = { json: { says: "as one JSON object" } };
export const examples = ["tidemark show 7k2p", "tidemark show 7k2p --json"];

const WIDEST = 100;
const NAMES = 12;

/** All of one memory. */
export async function run(given: Given, io: Io): Promise<number> {
  const word = onlyWord(given.words, "show", "memory");
  const memory = await withWorkspace(given, io, (tidemark) => namedMemory(word, tidemark));
  if (given.on("json")) {
    io.say(json(memory, 2));
    return 0;
  }
  const when = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");
  const rows: (readonly [string, string])[] = [
    ["mark", marksFor([memory]).get(memory.id) ?? ""],
    ["id", memory.id],
    ["scope", memory.scope],
    ["category", memory.category],
    ...(memory.key === undefined ? [] : [["key", memory.key] as const]),
    ["said by", `${memory.origin}, ${memory.source}`],
    ["importance", percent(memory.importance)],
    ["used", `${memory.uses} ${memory.uses === 1 ? "time" : "times"}`],
    ["since", when(memory.at)],
    ["changed", `${when(memory.updatedAt)}, version ${memory.version}`],
    ...(memory.expiresAt === undefined ? [] : [["ends", when(memory.expiresAt)] as const]),
    ...(memory.tags.length === 0 ? [] : [["tags", memory.tags.join(", ")] as const]),
  ];
  for (const line of wrap(plain(memory.content), Math.min(WIDEST, io.columns) - 2))
    io.say(`  ${io.paint.bold(line)}`);
  for (const [name, value] of rows) {
    const [first = "", ...more] = wrap(
      plain(value),
      Math.max(20, Math.min(WIDEST, io.columns) - NAMES - 2),
    );
    io.say(`  ${io.paint.dim(padEnd(name, NAMES))}${first}`);
    for (const line of more) io.say(`  ${" ".repeat(NAMES)}${line}`);
  }
  return 0;
}
