import { UsageError } from "./failure.ts";
import { type Flags, type Given } from "./flags.ts";
import { type Io } from "./io.ts";
import { withWorkspace } from "./open.ts";
import { hitLines } from "./render/hits.ts";

export const flags: Flags = {
  limit: { takes: "N", says: "at most so many hits (default 10)" },
  format: { takes: "HOW", says: "snippets (default) or json" },
};
export const examples = ['tidemark recall "what is the cat called?"', 'tidemark recall "deploy port" --limit 3 --user ada', 'tidemark recall "deadline" --format json'];

/** Facts for a question. Nothing found is an answer, not a failure. */
export async function run(given: Given, io: Io): Promise<number> {
  const query = queryOf(given, "recall");
  const limit = given.whole("limit", { least: 1, most: 1_000 }) ?? 10;
  const format = given.oneOf("format", ["snippets", "json"] as const);
  const hits = await withWorkspace(given, io, (tidemark) => tidemark.memory.recall(query, { limit }));
  if (format === "json") io.say(JSON.stringify(hits, null, 2));
  else if (hits.length === 0) io.say(`Nothing is remembered about "${query}". "tidemark search" looks into files and past conversations too.`);
  else for (const line of hitLines(hits, query, { io, now: Date.now() })) io.say(line);
  return 0;
}

/** Words without quotes are one question too. */
export function queryOf(given: Given, verb: string): string {
  const query = given.words.join(" ").trim();
  if (query === "") throw new UsageError(`${verb} needs something to look for: tidemark ${verb} "what is the cat called?"`);
  return query;
}
