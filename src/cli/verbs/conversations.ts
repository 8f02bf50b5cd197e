import { shortId, UsageError } from "../input/failure.ts";
import { type Flags, type Given } from "../input/flags.ts";
import { roomOf, type Io } from "../render/io.ts";
import { withWorkspace } from "../input/open.ts";
import { json, fit, plain, wrap } from "../render/text.ts";
import { ago, count } from "../render/numbers.ts";
import { table } from "../render/table.ts";

export const flags: Flags = {
  limit: { takes: "N", says: "at most so many (default 50)" },
  json: { says: "as a JSON list" },
};
export const examples = ["tidemark conversations", "tidemark conversations --user ada --json"];

const LIMIT = 50;
const LABEL = 40;

/** The conversations that are kept, the latest first. */
export async function run(given: Given, io: Io): Promise<number> {
  if (given.words.length > 0)
    throw new UsageError('conversations takes no words; "tidemark read ID" shows one.');
  const limit = given.whole("limit", { least: 1, most: 100_000 }) ?? LIMIT;
  const all = await withWorkspace(given, io, ({ history }) => history.list());
  const listed = all.toSorted((one, other) => other.at - one.at).slice(0, limit);
  if (given.on("json")) io.say(json(listed, 2));
  else if (listed.length === 0) io.say("No conversation is kept yet.");
  else {
    const rows = listed.map(({ id, label, messages, folds, at }) => [
      `${io.paint.cyan(shortId(id))}${label === undefined ? "" : ` ${fit(plain(label), LABEL)}`}`,
      count(messages, "message"),
      count(folds, "fold"),
      ago(at, Date.now()),
    ]);
    for (const line of table(rows, { columns: roomOf(io) })) io.say(line);
    if (all.length > listed.length)
      io.say(io.paint.dim(`  … and ${all.length - listed.length} more; --limit shows them`));
    for (const line of wrap('"tidemark read ID" shows one word for word.', roomOf(io)))
      io.say(io.paint.dim(line));
  }
  return 0;
}
