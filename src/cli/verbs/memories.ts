import type { Memory } from "../../model/memory.ts";
import { present } from "../../base/guards.ts";
import type { Tidemark } from "../../engine/options/types.ts";
import { marksOf, wholeMark } from "../../workspace/pages/page-line.ts";
import { learningScope } from "../../model/identity.ts";
import { minuteOf } from "../../model/moment.ts";
import { named, onlyWord, UsageError } from "../input/failure.ts";
import { JSON_FLAG, show as shown, type Verb } from "../input/flags.ts";
import { withWorkspace } from "../input/open.ts";
import type { Io } from "../render/io.ts";
import { ago, count, percent } from "../render/numbers.ts";
import { listed, readable } from "../render/table.ts";
import { padEnd, plain, wrap } from "../render/text.ts";

/** More than a person reads; ids are looked for among them. */
const ALL = 100_000;
/** Characters of a mark that a memory is shown with at least, as in MEMORY.md. */
const SHORTEST = 4;

/** The memory that is meant by its mark in MEMORY.md, its id, or an end of it. */
export async function namedMemory(
  word: string,
  { memory }: Pick<Tidemark, "memory">,
): Promise<Memory> {
  const all = await memory.list({ limit: ALL });
  const marked = all.filter(({ id }) => word.length >= SHORTEST && wholeMark(id).startsWith(word));
  const [only, another] = marked;
  return only !== undefined && another === undefined
    ? only
    : named(word, all, { one: "memory", lists: "list" });
}

/** Each with its mark, where it belongs and how old it is. */
function memoryLines(memories: readonly Memory[], io: Io): string[] {
  const marks = marksOf(memories.map(({ id }) => id));
  const entries = memories.map(({ id, content, category, scope, updatedAt }) => ({
    name: marks.get(id) ?? "",
    text: content,
    about: present([category, scope !== "agent:default" && scope, ago(updatedAt, Date.now())]).join(
      " · ",
    ),
  }));
  return listed(entries, io);
}

const LIMIT = 50;

/** What is remembered, the latest first. */
export const list: Verb = {
  flags: {
    limit: { takes: "N", says: `at most so many (default ${LIMIT})` },
    category: { takes: "NAME", says: "only those of one category" },
    ...JSON_FLAG,
  },
  examples: ["tidemark list", "tidemark list --user ada --category preference"],
  async run(given, io) {
    const limit = given.whole("limit", { least: 1, most: ALL }) ?? LIMIT;
    const category = given.text("category");
    const found = await withWorkspace(given, io, ({ memory }) =>
      memory.list({ limit: limit + 1, category }),
    );
    const some = found.slice(0, limit);
    if (some.length === 0 && !given.on("json"))
      io.say('Nothing is remembered yet. "tidemark save TEXT" remembers something.');
    return shown(given, io, some, () => [
      memoryLines(some, io),
      found.length > limit && io.paint.dim(`  … and more; --limit ${limit * 2} shows them`),
    ]);
  },
};

const NAMES = 12;

/** All of one memory. */
export const show: Verb = {
  flags: JSON_FLAG,
  examples: ["tidemark show 7k2p", "tidemark show 7k2p --json"],
  async run(given, io) {
    const word = onlyWord(given.words, "show", "memory");
    const memory = await withWorkspace(given, io, (tidemark) => namedMemory(word, tidemark));
    const rows: readonly (readonly [string, string | undefined])[] = [
      ["mark", marksOf([memory.id]).get(memory.id)],
      ["id", memory.id],
      ["scope", memory.scope],
      ["category", memory.category],
      ["key", memory.key],
      ["said by", `${memory.origin}, ${memory.source}`],
      ["importance", percent(memory.importance)],
      ["used", memory.uses === 0 ? "never" : count(memory.uses, "time")],
      ["since", minuteOf(memory.at)],
      ["changed", `${minuteOf(memory.updatedAt)}, version ${memory.version}`],
      ["ends", memory.expiresAt === undefined ? "" : minuteOf(memory.expiresAt)],
      ["tags", memory.tags.join(", ")],
    ];
    const room = readable(io) - 2;
    return shown(given, io, memory, () => [
      wrap(plain(memory.content), room).map((line) => `  ${io.paint.bold(line)}`),
      rows.flatMap(([name, value = ""]) =>
        (value === "" ? [] : wrap(plain(value), room - NAMES)).map(
          (line, at) => `  ${io.paint.dim(padEnd(at === 0 ? name : "", NAMES))}${line}`,
        ),
      ),
    ]);
  },
};

/** Remembers a text. */
export const save: Verb = {
  flags: {
    category: { takes: "NAME", says: "such as preference, decision or rule" },
    key: { takes: "NAME", says: "a name for it: saved again, it takes the place of what was" },
    ...JSON_FLAG,
  },
  examples: [
    'tidemark save "The deploy key lives in the blue vault."',
    'tidemark save "I am vegetarian." --user ada --category preference',
  ],
  async run(given, io) {
    const content = given.words.join(" ").trim();
    if (content === "")
      throw new UsageError(
        'save needs what is to be remembered: tidemark save "The deploy key lives in the blue vault."',
      );
    const memory = await withWorkspace(given, io, (tidemark) =>
      tidemark.memory.save({
        content,
        source: "cli",
        scope: learningScope(given.identity),
        category: given.text("category"),
        key: given.text("key"),
      }),
    );
    return shown(given, io, memory, () => [
      `${io.paint.green("✓")} ${io.paint.cyan(marksOf([memory.id]).get(memory.id) ?? "")} ${plain(memory.content)} ${io.paint.dim(`(${plain(memory.category)})`)}`,
    ]);
  },
};
