import { readFileSync } from "node:fs";
import type { Tidemark } from "../../session/options/tidemark-api.ts";
import type { StoredRecord } from "../../workspace/documents/records.ts";
import {
  Failure,
  type Given,
  named,
  shortId,
  UsageError,
  type Verb,
  type VerbAnswer,
} from "../input/flags.ts";
import { MAKES, withWorkspace } from "../input/workspace-of-verb.ts";
import { plain, tame } from "../render/layout.ts";

interface RecordAsked {
  readonly records: Tidemark["records"];
  readonly given: Given;
  readonly rest: readonly string[];
  /** The id of the record that the first word names. */
  id(): Promise<string>;
}
type RecordAct = (asked: RecordAsked) => Promise<VerbAnswer>;

const words = (given: Given) => ({
  keywords: given.text("keywords")?.split(","),
  aliases: given.text("aliases")?.split(","),
  until: given.text("until"),
});

const told = (done: string, found: StoredRecord): VerbAnswer => ({
  found,
  lines: [`${done} ${shortId(found.id)} ${plain(found.path)}`],
});

/**
 * The text behind the verb's second word, else what comes in. A person who types waits for no
 * end of a file.
 */
function textOf(text: readonly string[]): string {
  if (text.length === 0 && process.stdin.isTTY)
    throw new UsageError(
      'record add needs a text: tidemark record add --category decision "TEXT", or ' +
        "--category incident < incident.md.",
    );
  return text.length > 0 ? text.join(" ") : readFileSync(0, "utf8");
}

function categoryOf(given: Given, act: string, example: string): string {
  const category = given.text("category");
  if (category !== undefined) return category;
  throw new UsageError(`record ${act} needs --category: tidemark record ${act} ${example}.`);
}

async function recordNamed(
  { records, rest: [word] }: Pick<RecordAsked, "records" | "rest">,
  act: string,
): Promise<string> {
  if (word === undefined)
    throw new UsageError(`record ${act} takes a record's id: tidemark record ${act} 1a2b3c4.`);
  const both = await Promise.all([records.list(), records.list({ archived: true })]);
  return named(word, both.flat(), { one: "record", lists: "record list" }).id;
}

const ACTS: Readonly<Record<string, RecordAct>> = {
  async add({ records, given, rest }) {
    const category = categoryOf(given, "add", '--category decision "TEXT"');
    const content = textOf(rest);
    return told("Added", await records.add({ ...words(given), category, content }));
  },
  async update({ records, given, rest: [, ...text], id }) {
    const content = text.length > 0 ? text.join(" ") : undefined;
    return told("Changed", await records.update(await id(), { ...words(given), content }));
  },
  async reclassify({ records, given, id }) {
    const category = categoryOf(given, "reclassify", "1a2b3c4 --category principle");
    return told("Moved", await records.reclassify(await id(), category));
  },
  archive: async ({ records, id }) => told("Archived", await records.archive(await id())),
  restore: async ({ records, id }) => told("Restored", await records.restore(await id())),
  async delete({ records, id }) {
    const gone = await id();
    await records.delete(gone);
    const lines = [`Deleted ${shortId(gone)}, from the backups too.`];
    return { found: { id: gone }, lines };
  },
  async list({ records, given }) {
    const category = given.text("category");
    const found = await records.list({ category, archived: given.on("archived") });
    const lines = found.map(
      (one) => `${shortId(one.id)}  ${plain(one.category)}/${plain(one.name)}`,
    );
    return { found, lines: [lines, found.length === 0 && "There are no such records."] };
  },
  async get({ records, id }) {
    const found = await records.get(await id());
    if (found === undefined) throw new Failure("that record is gone.");
    return { found, lines: [tame(found.content)] };
  },
};

/** Everything that can be done with records, by the second word. */
export const record: Verb = {
  says: "add, update, reclassify, archive, restore, delete, list, get records",
  takes: "ACT …",
  words: "any",
  flags: {
    category: { takes: "WORD", says: "its folder: decision, procedure, incident, …" },
    keywords: { takes: "WORDS", says: "it is found by these too; with commas between" },
    aliases: { takes: "WORDS", says: "other names of it, with commas between" },
    until: { takes: "DATE", says: "the day from which it is found no more" },
    archived: { says: "with list: those that are archived" },
  },
  examples: [
    'tidemark record add --category procedure "Roll back: tag, then deploy."',
    "tidemark record add --category incident < incident.md",
    "tidemark record list --category procedure",
    'tidemark record update 1a2b3c4 "Roll back: tag, wait, then deploy."',
    "tidemark record reclassify 1a2b3c4 --category incident",
    "tidemark record get 1a2b3c4",
  ],
  async run(given, io) {
    const [name = "", ...rest] = given.words;
    const act = Object.hasOwn(ACTS, name) ? ACTS[name] : undefined;
    if (act === undefined)
      throw new UsageError(
        `record takes one of ${Object.keys(ACTS).join(", ")}, got ` +
          `${name === "" ? "none" : `"${name}"`}: tidemark record list.`,
      );
    return withWorkspace(
      given,
      io,
      ({ records }) =>
        act({ records, given, rest, id: () => recordNamed({ records, rest }, name) }),
      name === "add" ? MAKES : undefined,
    );
  },
};
