import { defined } from "../../base/guards.ts";
import { UsageError } from "../input/failure.ts";
import { type Flags, type Given } from "../input/flags.ts";
import { formatOf, FOUND_FLAGS, momentGiven, tellFound } from "./found.ts";
import { type Io } from "../render/io.ts";
import { withWorkspace } from "../input/open.ts";

export const flags: Flags = FOUND_FLAGS;
export const examples = [
  'tidemark recall "what is the cat called?"',
  'tidemark recall "deploy port" --limit 3 --user ada --explain',
  'tidemark recall "where does Ada live?" --as-of 2026-05-08',
  'tidemark recall "deadline" --format json',
];

/** Facts for a question. Nothing found is an answer, not a failure. */
export async function run(given: Given, io: Io): Promise<number> {
  const query = queryOf(given, "recall");
  const limit = given.whole("limit", { least: 1, most: 1_000 }) ?? 10;
  const format = formatOf(given);
  const asOf = momentGiven(given);
  const hits = await withWorkspace(given, io, (tidemark) =>
    tidemark.memory.recall(query, { limit, ...defined({ asOf }) }),
  );
  tellFound(
    {
      hits,
      query,
      nothing: `Nothing is remembered about "${query}". "tidemark search" looks into files and past conversations too.`,
    },
    { format, explain: given.on("explain") },
    io,
  );
  return 0;
}

/** Words without quotes are one question too. */
export function queryOf(given: Given, verb: string): string {
  const query = given.words.join(" ").trim();
  if (query === "")
    throw new UsageError(
      `${verb} needs something to look for: tidemark ${verb} "what is the cat called?"`,
    );
  return query;
}
