import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TidemarkEvent } from "../../model/events.ts";
import type { Memory } from "../../model/memory.ts";
import { present } from "../../base/guards.ts";
import type { Tidemark } from "../../engine/options/types.ts";
import { wholeMark } from "../../workspace/lines/short-name.ts";
import { marksOf } from "../../workspace/pages/page-line.ts";
import { folderOf } from "../../workspace/disk/paths.ts";
import { learningScope, scopesOf } from "../../model/identity.ts";
import { minuteOf } from "../../model/moment.ts";
import { Failure, named } from "../input/failure.ts";
import type { Given, Verb } from "../input/flags.ts";
import { MAKES, opened, withWorkspace } from "../input/open.ts";
import type { Io } from "../render/io.ts";
import { othersLine } from "../input/others.ts";
import { ago, count, percent } from "../render/numbers.ts";
import { listed, readable, hung, padEnd, plain } from "../render/layout.ts";

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
export function memoryLines(memories: readonly Memory[], io: Io): string[] {
  const marks = marksOf(memories.map(({ id }) => id));
  const entries = memories.map(({ id, content, category, scope, updatedAt }) => ({
    name: marks.get(id) ?? "",
    text: content,
    about: present([category, scope !== "agent:default" && scope, ago(updatedAt)]).join(" · "),
  }));
  return listed(entries, io);
}

const LIMIT = 50;

export const list: Verb = {
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
      memoryLines(found, io),
      all.length > limit && io.paint.dim(`  … and more; --limit ${limit * 2} shows them`),
      others !== undefined && io.paint.dim(others),
    ];
    return { found, lines };
  },
};

const NAMES = 12;

/** All of one memory. */
export const show: Verb = {
  flags: {},
  one: "memory",
  examples: ["tidemark show 7k2p", "tidemark show 7k2p --json"],
  run: opened(async (tidemark, given, io) => {
    const found = await namedMemory(given.line, tidemark);
    const rows: readonly (readonly [string, string | undefined])[] = [
      ["mark", marksOf([found.id]).get(found.id)],
      ["id", found.id],
      ["scope", found.scope],
      ["category", found.category],
      ["key", found.key],
      ["said by", `${found.origin}, ${found.source}`],
      ["importance", percent(found.importance)],
      ["used", found.uses === 0 ? "never" : count(found.uses, "time")],
      ["since", minuteOf(found.at)],
      ["changed", `${minuteOf(found.updatedAt)}, version ${found.version}`],
      ["ends", found.expiresAt === undefined ? "" : minuteOf(found.expiresAt)],
      ["tags", found.tags.join(", ")],
    ];
    const room = readable(io);
    const lines = [
      hung("  ", plain(found.content), room).map(io.paint.bold),
      rows.flatMap(([name, value]) =>
        value ? hung(`  ${io.paint.dim(padEnd(name, NAMES))}`, plain(value), room) : [],
      ),
    ];
    return { found, lines };
  }),
};

/** Remembers a text. */
export const save: Verb = {
  flags: {
    category: { takes: "NAME", says: "such as preference, decision or rule" },
    key: { takes: "NAME", says: "a name for it: saved again, it takes the place of what was" },
  },
  needs: "what is to be remembered",
  examples: [
    'tidemark save "The deploy key lives in the blue vault."',
    'tidemark save "I am vegetarian." --user ada --category preference',
  ],
  run: opened(async ({ memory }, given, { paint }) => {
    const found = await memory.save({
      content: given.line,
      source: "cli",
      scope: learningScope(given.identity),
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

/** Opens MEMORY.md in the person's editor, and takes over what was changed there. */
export const edit: Verb = {
  flags: {},
  examples: ["tidemark edit", "EDITOR=nano tidemark edit --user ada"],
  async run(given, io) {
    // Opening it first writes the page as memory stands now.
    await takenOver(given, io);
    const page = join(
      resolve(given.workspace),
      folderOf(learningScope(given.identity)),
      "MEMORY.md",
    );
    if (!existsSync(page))
      throw new Failure(`there is no ${page} yet: nothing was remembered there.`);
    const [editor = "", ...args] = (io.env.VISUAL || io.env.EDITOR || "vi").split(" ");
    const { error, status } = spawnSync(editor, [...args, page], { stdio: "inherit" });
    if (error !== undefined)
      throw new Failure(
        `the editor "${editor}" could not be started (${error.message}); set EDITOR, or ` +
          `edit ${page} yourself: the next start takes it over.`,
      );
    if (status !== 0)
      throw new Failure(
        `the editor ended with code ${String(status)}; what was saved in ${page} is ` +
          "taken over at the next start.",
      );
    const { said, ...found } = await takenOver(given, io);
    const lines = [said === "" ? "Nothing was changed." : `${io.paint.green("✓")} ${said}`];
    return { found, lines };
  },
};

/** The changes that memory took over from the page, and a sentence on them; "" for none. */
async function takenOver(given: Given, io: Io) {
  let [changed, forgotten] = [0, 0];
  const hear = (event: TidemarkEvent): void => {
    if (event.type !== "notice" || event.about !== "reconciled") return;
    changed += event.changed;
    forgotten += event.forgotten;
  };
  await withWorkspace(given, io, ({ memory }) => memory.list({ limit: 1 }), { hear });
  const said = present([
    changed > 0 && `${count(changed, "memory", "memories")} changed or added`,
    forgotten > 0 &&
      `${count(forgotten, "memory", "memories")} ended ("tidemark undo MARK" brings one back)`,
  ]).join(", ");
  return { said, changed, forgotten };
}
