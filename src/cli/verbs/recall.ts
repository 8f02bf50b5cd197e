import { present } from "../../base/guards.ts";
import type { Hit } from "../../model/memory.ts";
import { momentOf } from "../../model/moment.ts";
import { reasonOf } from "../../model/errors.ts";
import { UsageError } from "../input/failure.ts";
import type { Flags, Given, Verb, VerbAnswer } from "../input/flags.ts";
import { progressOn } from "../render/progress.ts";
import { internalsFor } from "../../engine/options/internals.ts";
import type { Io } from "../render/io.ts";
import { hitLines } from "../render/hits.ts";
import { othersLine } from "../input/others.ts";
import { withWorkspace } from "../input/open.ts";

const flags: Flags = {
  limit: { takes: "N", says: "at most so many hits (default 10)" },
};
const needs = "something to look for";
const limitOf = (given: Given): number => given.whole("limit", 1_000) ?? 10;

/** Where nothing is found it is worth knowing whose memories were not looked at. */
function answerOf(
  found: readonly Hit[],
  nothing: string,
  { given, io }: { given: Given; io: Io },
): VerbAnswer {
  if (found.length > 0) return { found, lines: hitLines(found, given.line, io) };
  const others = othersLine(given, "list");
  return { found, lines: [present([nothing, others]).join(" ")] };
}

/** Facts for a question. Nothing found is an answer, not a failure. */
export const recall: Verb = {
  flags: {
    ...flags,
    "as-of": {
      takes: "WHEN",
      says: 'as it was on a day ("2026-05-08") or at a moment ("2026-05-08T13:56Z")',
    },
  },
  needs,
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
    return answerOf(found, nothing, { given, io });
  },
};

const PLACES = ["memory", "files", "history"] as const;

/** Facts, files and past conversations for a question. */
export const search: Verb = {
  flags: {
    in: {
      takes: "PLACES",
      says: "memory, files, history, or some of them with commas (default: all)",
    },
    ...flags,
  },
  needs,
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
      return answerOf(found, nothing, { given, io });
    });
  },
};

function placesOf(text: string): (typeof PLACES)[number][] | undefined {
  const names = new Set(text.split(",").map((name) => name.trim()));
  const places = PLACES.filter((place) => names.delete(place));
  return names.size === 0 ? places : undefined;
}

/** The end of a day where this machine is, or the very moment. */
export function momentGiven(given: Given): number | undefined {
  const text = given.text("as-of");
  if (text === undefined) return undefined;
  try {
    const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
    const moment = momentOf(day === undefined ? text : `${text}T00:00:00Z`, "--as-of");
    return day === undefined
      ? moment
      : new Date(Number(year), Number(month) - 1, Number(day) + 1).getTime() - 1;
  } catch (thrown) {
    throw new UsageError(reasonOf(thrown));
  }
}
