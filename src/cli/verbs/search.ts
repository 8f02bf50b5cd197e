import { UsageError } from "../input/failure.ts";
import { type Flags, type Given } from "../input/flags.ts";
import { formatOf, FOUND_FLAGS, momentGiven, tellFound } from "./found.ts";
import { type Io } from "../render/io.ts";
import { didYouMean } from "../../model/checks.ts";
import { withWorkspace } from "../input/open.ts";
import { queryOf } from "./recall.ts";

const PLACES = ["memory", "files", "history"] as const;

export const flags: Flags = {
  in: {
    takes: "PLACES",
    says: "memory, files, history, or some of them with commas (default: all)",
  },
  ...FOUND_FLAGS,
};
export const examples = [
  'tidemark search "port 5433"',
  'tidemark search "who broke the build?" --in history --explain',
  'tidemark search "house rules" --in files,memory --limit 3',
];

/** Facts, files and past conversations for a question. */
export async function run(given: Given, io: Io): Promise<number> {
  const query = queryOf(given, "search");
  const limit = given.whole("limit", { least: 1, most: 1_000 }) ?? 10;
  const format = formatOf(given);
  const asOf = momentGiven(given);
  // Files and conversations have no past to ask about: they are as they are.
  const places =
    asOf === undefined || given.text("in") !== undefined
      ? placesOf(given.text("in"))
      : (["memory"] as const);
  if (asOf !== undefined && places.some((place) => place !== "memory"))
    throw new UsageError("--as-of asks what facts were then, so it goes with --in memory only.");
  const { hits, at } = await withWorkspace(given, io, async (tidemark) => ({
    hits:
      asOf === undefined
        ? await tidemark.memory.search(query, { limit, in: places })
        : await tidemark.memory.recall(query, { limit, asOf }),
    at: new Map(
      (await tidemark.history.list()).map((conversation) => [conversation.id, conversation.at]),
    ),
  }));
  tellFound(
    { hits, query, nothing: `Nothing about "${query}" in ${places.join(", ")}.`, at },
    { format, explain: given.on("explain") },
    io,
  );
  return 0;
}

function placesOf(text: string | undefined): (typeof PLACES)[number][] {
  if (text === undefined) return [...PLACES];
  const places = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const found = PLACES.filter((place) => places.includes(place));
  const wrong = places.find((name) => !PLACES.some((place) => place === name));
  if (wrong !== undefined || found.length === 0)
    throw new UsageError(
      `--in takes memory, files and history with commas between them, got "${wrong ?? text}".${didYouMean(wrong ?? "", PLACES)}`,
    );
  return found;
}
