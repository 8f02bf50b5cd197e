import { readFileSync } from "node:fs";
import type { StoredRecord } from "../../workspace/documents/records.ts";
import type { Tidemark } from "../../engine/options/types.ts";
import { Failure, named, shortId, UsageError } from "../input/failure.ts";
import type { Given, Verb } from "../input/flags.ts";
import { withWorkspace } from "../input/open.ts";
import { json, plain, tame } from "../render/text.ts";

type Records = Tidemark["records"];
type Act = (records: Records, given: Given, words: readonly string[]) => Promise<string>;

const parts = (text: string | undefined): string[] | undefined =>
  text
    ?.split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

const words = (given: Given) => ({
  keywords: parts(given.text("keywords")),
  aliases: parts(given.text("aliases")),
  until: given.text("until"),
});

const told = (given: Given, record: StoredRecord, done: string): string =>
  given.on("json") ? json(record, 2) : `${done} ${shortId(record.id)} ${plain(record.path)}`;

/** What stands behind the verb's second word, else what comes in. A person who types waits for no end of a file. */
function textOf(text: readonly string[]): string {
  if (text.length === 0 && process.stdin.isTTY)
    throw new UsageError(
      'record add needs a text: tidemark record add --category decision "TEXT", or --category incident < incident.md.',
    );
  return text.length > 0 ? text.join(" ") : readFileSync(0, "utf8");
}

async function recordNamed(
  records: Records,
  [word]: readonly (string | undefined)[],
  act: string,
): Promise<string> {
  if (word === undefined)
    throw new UsageError(`record ${act} takes a record's id: tidemark record ${act} 1a2b3c4.`);
  const both = await Promise.all([records.list(), records.list({ archived: true })]);
  return named(word, both.flat(), { one: "record", lists: "record list" }).id;
}

const ACTS: Readonly<Record<string, Act>> = {
  async add(records, given, rest) {
    const category = given.text("category");
    if (category === undefined)
      throw new UsageError(
        'record add needs --category: tidemark record add --category decision "TEXT".',
      );
    const record = await records.add({ ...words(given), category, content: textOf(rest) });
    return told(given, record, "Added");
  },
  async update(records, given, [word, ...rest]) {
    const id = await recordNamed(records, [word], "update");
    const content = rest.length > 0 ? rest.join(" ") : undefined;
    return told(given, await records.update(id, { ...words(given), content }), "Changed");
  },
  async reclassify(records, given, rest) {
    const category = given.text("category");
    if (category === undefined)
      throw new UsageError(
        "record reclassify needs --category: tidemark record reclassify 1a2b3c4 --category principle.",
      );
    const id = await recordNamed(records, rest, "reclassify");
    return told(given, await records.reclassify(id, category), "Moved");
  },
  archive: async (records, given, rest) =>
    told(given, await records.archive(await recordNamed(records, rest, "archive")), "Archived"),
  restore: async (records, given, rest) =>
    told(given, await records.restore(await recordNamed(records, rest, "restore")), "Restored"),
  async delete(records, _given, rest) {
    const id = await recordNamed(records, rest, "delete");
    await records.delete(id);
    return `Deleted ${shortId(id)}; its text is in .tidemark/backups.`;
  },
  async list(records, given) {
    const found = await records.list({
      category: given.text("category"),
      archived: given.on("archived"),
    });
    if (given.on("json")) return json(found, 2);
    if (found.length === 0) return "There are no such records.";
    return found
      .map(({ id, category, name }) => `${shortId(id)}  ${plain(category)}/${plain(name)}`)
      .join("\n");
  },
  async get(records, given, rest) {
    const record = await records.get(await recordNamed(records, rest, "get"));
    if (record === undefined) throw new Failure("that record is gone.");
    return given.on("json") ? json(record, 2) : tame(record.content);
  },
};

/** Everything that can be done with records, by the second word. */
export const record: Verb = {
  flags: {
    category: { takes: "WORD", says: "its folder: decision, procedure, incident, …" },
    keywords: { takes: "WORDS", says: "it is found by these too; with commas between" },
    aliases: { takes: "WORDS", says: "other names of it, with commas between" },
    until: { takes: "DATE", says: "the day from which it is found no more" },
    archived: { says: "with list: those that are archived" },
    json: { says: "as JSON" },
  },
  examples: [
    'tidemark record add --category procedure "Roll back: tag, deploy, tell the desk."',
    "tidemark record add --category incident < incident.md",
    "tidemark record list --category procedure",
    'tidemark record update 1a2b3c4 "Roll back: tag, deploy, wait, tell the desk."',
    "tidemark record reclassify 1a2b3c4 --category incident",
    "tidemark record get 1a2b3c4",
  ],
  async run(given, io) {
    const [name = "", ...rest] = given.words;
    const act = Object.hasOwn(ACTS, name) ? ACTS[name] : undefined;
    if (act === undefined)
      throw new UsageError(
        `record takes one of ${Object.keys(ACTS).join(", ")}, got ${name === "" ? "none" : `"${name}"`}: tidemark record list.`,
      );
    io.say(await withWorkspace(given, io, ({ records }) => act(records, given, rest)));
    return 0;
  },
};
