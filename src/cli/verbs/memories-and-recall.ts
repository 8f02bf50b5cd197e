import { present } from "../../core/base.ts";
import { reasonOf } from "../../core/errors-and-events.ts";
import { homeOf, scopesOf } from "../../core/identity.ts";
import { type Hit, type Memory, minuteOf, momentOf } from "../../core/memory.ts";
import { type SearchPlace, PLACES } from "../../core/memory-kinds.ts";
import { internalsFor } from "../../session/options/internals.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";
import { marksOf, wholeMark } from "../../workspace/pages/page-lines.ts";
import {
  type Flags,
  type Given,
  named,
  UsageError,
  type Verb,
  type VerbAnswer,
} from "../input/flags.ts";
import { MAKES, opened, othersLine, withWorkspace } from "../input/workspace-of-verb.ts";
import { hitLines, progressOn } from "../render/hits-and-spent.ts";
import { listed, paint, plain } from "../render/layout.ts";
import { ago } from "../render/numbers.ts";

/** More than a person reads; ids are looked for among them. */
const ALL = 100_000;

/** The memory that is meant by its mark in MEMORY.md, its id, or an end of it. */
export async function namedMemory(
  word: string,
  { memory }: Pick<Tidemark, "memory">,
): Promise<Memory> {
  const all = await memory.list({ limit: ALL });
  const about = { one: "memory", lists: "list" };
  return named(word, all, { ...about, names: ({ id }) => [id, wholeMark(id)] });
}

/** Each with its mark, where it belongs and how old it is. */
export function memoryLines(memories: readonly Memory[]): string[] {
  const marks = marksOf(memories.map(({ id }) => id));
  const entries = memories.map(({ id, content, category, scope, updatedAt }) => ({
    name: marks.get(id) ?? "",
    text: content,
    about: present([category, scope !== "agent:default" && scope, ago(updatedAt)]).join(" · "),
  }));
  return listed(entries);
}

const LIMIT = 50;

export const list: Verb = {
  says: "what is remembered, the latest first",
  flags: {
    limit: { takes: "N", says: `at most so many (default ${LIMIT})` },
    category: { takes: "NAME", says: "only those of one category" },
  },
  examples: ["tidemark list", "tidemark list --user ada --category preference"],
  async run(given, io) {
    const limit = given.whole("limit", ALL) ?? LIMIT;
    const category = given.text("category");
    const all = await withWorkspace(given, io, ({ memory }) =>
      memory.list({ limit: limit + 1, category }),
    );
    const found = all.slice(0, limit);
    const others = othersLine(given, "list");
    const nothing =
      others === undefined
        ? 'Nothing is remembered yet. "tidemark save TEXT" remembers something.'
        : `Nothing is remembered for ${plain(scopesOf(given.identity).join(", "))}.`;
    const lines = [
      all.length === 0 && nothing,
      memoryLines(found),
      all.length > limit && paint.dim(`  … and more; --limit ${limit * 2} shows them`),
      others !== undefined && paint.dim(others),
    ];
    return { found, lines };
  },
};

const MOMENT = /^(?:at|updatedAt|expiresAt)$/;

/** All of one memory, and where it came from. */
export const show: Verb = {
  says: "all of one memory: its past values, who said it, how often it was used",
  takes: "ID",
  examples: ["tidemark show 7k2p", "tidemark show 7k2p --json"],
  run: opened(async (tidemark, given) => {
    const found = await namedMemory(given.line, tidemark);
    const { content, ...rest } = found;
    const traits = Object.entries({ mark: marksOf([found.id]).get(found.id), ...rest });
    const past = await tidemark.memory.past(found.id);
    const rows = [
      ...traits.map(([name, value]) => [
        name,
        MOMENT.test(name) ? minuteOf(Number(value)) : String(value ?? ""),
      ]),
      ...(past?.values ?? []).flatMap(({ memory, until }) =>
        until === undefined ? [] : [["before", `${minuteOf(until)} ${memory.content}`]],
      ),
      ["turns", String(past?.turns.length ?? 0)],
      ...(past?.said ?? []).map(({ at, role, text }) => [
        "said",
        `${minuteOf(at)} ${role}: ${text}`,
      ]),
    ];
    const lines = [
      `  ${paint.bold(plain(content))}`,
      rows.flatMap(([name = "", value = ""]) =>
        value === "" ? [] : `  ${paint.dim(name.padEnd(12))}${plain(value)}`,
      ),
    ];
    return { found: { ...found, ...past }, lines };
  }),
};

/** Remembers a text. */
export const save: Verb = {
  says: "remember a text",
  takes: '"TEXT"',
  words: "some",
  flags: {
    category: { takes: "NAME", says: "such as preference, decision or rule" },
    key: { takes: "NAME", says: "a name for it: saved again, it takes the place of what was" },
  },
  examples: [
    'tidemark save "The deploy key lives in the blue vault."',
    'tidemark save "I am vegetarian." --user ada --category preference',
  ],
  run: opened(async ({ memory }, given) => {
    const found = await memory.save({
      content: given.line,
      source: "cli",
      scope: homeOf(given.identity),
      category: given.text("category"),
      key: given.text("key"),
    });
    const mark = marksOf([found.id]).get(found.id) ?? "";
    const lines = [
      `${paint.green("✓")} ${paint.cyan(mark)} ${plain(found.content)} ` +
        `${paint.dim(`(${plain(found.category)})`)}`,
    ];
    return { found, lines };
  }, MAKES),
};

const flags: Flags = {
  limit: { takes: "N", says: "at most so many hits (default 10)" },
};
const limitOf = (given: Given): number => given.whole("limit", 1_000) ?? 10;

/** An answer that finds nothing says whose memories were not looked at. */
function answerOf(found: readonly Hit[], nothing: string, given: Given): VerbAnswer {
  if (found.length > 0) return { found, lines: hitLines(found, given.line) };
  const others = othersLine(given, "list");
  return { found, lines: [present([nothing, others]).join(" ")] };
}

/** Facts for a question. Nothing found is an answer, not a failure. */
export const recall: Verb = {
  says: "find facts in the memory",
  takes: '"WORDS"',
  words: "some",
  flags: {
    ...flags,
    "as-of": {
      takes: "WHEN",
      says: 'as it was on a day ("2026-05-08") or at a moment ("2026-05-08T13:56Z")',
    },
  },
  examples: [
    'tidemark recall "what is the cat called?"',
    'tidemark recall "deploy port" --limit 3 --user ada',
    'tidemark recall "where does Ada live?" --as-of 2026-05-08',
  ],
  async run(given, io) {
    const { line: query } = given;
    const limit = limitOf(given);
    const asOf = momentGiven(given);
    const found = await withWorkspace(given, io, ({ memory }) =>
      memory.recall(query, { limit, asOf }),
    );
    const nothing =
      `Nothing is remembered about "${query}". "tidemark search" looks into files and past ` +
      "conversations too.";
    return answerOf(found, nothing, given);
  },
};

/** Facts, files and past conversations for a question. */
export const search: Verb = {
  says: "find words in memory, files and past conversations",
  takes: '"WORDS"',
  words: "some",
  flags: {
    in: {
      takes: "PLACES",
      says: "memory, files, history, or some of them with commas (default: all)",
    },
    ...flags,
  },
  examples: [
    'tidemark search "port 5433"',
    'tidemark search "who broke the build?" --in history',
    'tidemark search "house rules" --in files,memory --limit 3',
  ],
  async run(given, io) {
    const { line: query } = given;
    const limit = limitOf(given);
    const takes = "memory, files and history with commas between them";
    const places = given.read("in", takes, placesOf, PLACES) ?? [...PLACES];
    return withWorkspace(given, io, async (tidemark) => {
      const tell = progressOn(io);
      internalsFor(tidemark, "search").watchIndexing((done) => tell(done, "messages indexed"));
      const found = await tidemark.memory.search(query, { limit, in: places });
      const nothing = `Nothing about "${query}" in ${places.join(", ")}.`;
      return answerOf(found, nothing, given);
    });
  },
};

function placesOf(text: string): SearchPlace[] | undefined {
  const names = new Set(text.split(",").map((name) => name.trim()));
  const places = PLACES.filter((place) => names.delete(place));
  return names.size === 0 ? places : undefined;
}

/** The end of a day where this machine is, or the very moment. */
export function momentGiven(given: Given): number | undefined {
  const text = given.text("as-of");
  if (text === undefined) return undefined;
  try {
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
    const moment = momentOf(isDay ? `${text}T00:00:00Z` : text, "--as-of");
    return isDay ? new Date(`${text}T23:59:59.999`).getTime() : moment;
  } catch (thrown) {
    throw new UsageError(reasonOf(thrown));
  }
}
