import { UsageError } from "./failure.ts";
import { type Flags, type Given } from "./flags.ts";
import { type Io } from "./io.ts";
import { didYouMean } from "./near.ts";
import { withWorkspace } from "./open.ts";
import { queryOf } from "./recall.ts";
import { hitLines } from "./render/hits.ts";

const PLACES = ["memory", "files", "history"] as const;

export const flags: Flags = {
  in: { takes: "PLACES", says: "memory, files, history, or some of them with commas (default: all)" },
  limit: { takes: "N", says: "at most so many hits (default 10)" },
  format: { takes: "HOW", says: "snippets (default) or json" },
};
export const examples = ['tidemark search "port 5433"', 'tidemark search "who broke the build?" --in history', 'tidemark search "house rules" --in files,memory --limit 3'];

/** Facts, files and past conversations for a question. */
export async function run(given: Given, io: Io): Promise<number> {
  const query = queryOf(given, "search");
  const limit = given.whole("limit", { least: 1, most: 1_000 }) ?? 10;
  const format = given.oneOf("format", ["snippets", "json"] as const);
  const places = placesOf(given.text("in"));
  const { hits, at } = await withWorkspace(given, io, async (tidemark) => ({
    hits: await tidemark.memory.search(query, { limit, in: places }),
    at: new Map((await tidemark.history.list()).map((conversation) => [conversation.id, conversation.at])),
  }));
  if (format === "json") io.say(JSON.stringify(hits, null, 2));
  else if (hits.length === 0) io.say(`Nothing about "${query}" in ${places.join(", ")}.`);
  else for (const line of hitLines(hits, query, { io, now: Date.now(), at })) io.say(line);
  return 0;
}

function placesOf(text: string | undefined): (typeof PLACES)[number][] {
  if (text === undefined) return [...PLACES];
  const places = text.split(",").map((name) => name.trim()).filter((name) => name !== "");
  const found = PLACES.filter((place) => places.includes(place));
  const wrong = places.find((name) => !PLACES.some((place) => place === name));
  if (wrong !== undefined || found.length === 0) throw new UsageError(`--in takes memory, files and history with commas between them, got "${wrong ?? text}".${didYouMean(wrong ?? "", PLACES)}`);
  return found;
}
