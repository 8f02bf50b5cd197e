import { UsageError } from "../input/failure.ts";
import { type Flags, type Given } from "../input/flags.ts";
import { type Io } from "../render/io.ts";
import { memoryLines } from "./memories.ts";
import { withWorkspace } from "../input/open.ts";
import { json } from "../render/text.ts";

export const flags: Flags = {
  limit: { takes: "N", says: "at most so many (default 50)" },
  category: { takes: "NAME", says: "only those of one category" },
  json: { says: "as a JSON list" },
};
export const examples = ["tidemark list", "tidemark list --user ada --category preference"];

const LIMIT = 50;

/** What is remembered, the latest first. */
export async function run(given: Given, io: Io): Promise<number> {
  if (given.words.length > 0)
    throw new UsageError('list takes no words; "tidemark recall WORDS" looks for something.');
  const limit = given.whole("limit", { least: 1, most: 100_000 }) ?? LIMIT;
  const category = given.text("category");
  const memories = await withWorkspace(given, io, ({ memory }) =>
    memory.list({ limit: limit + 1, ...(category !== undefined && { category }) }),
  );
  const shown = memories.slice(0, limit);
  if (given.on("json")) io.say(json(shown, 2));
  else if (shown.length === 0)
    io.say('Nothing is remembered yet. "tidemark save TEXT" remembers something.');
  else {
    for (const line of memoryLines(shown, io, Date.now())) io.say(line);
    if (memories.length > limit)
      io.say(io.paint.dim(`  … and more; --limit ${limit * 2} shows them`));
  }
  return 0;
}
