import type { Hit } from "../../model/memory.ts";
import { momentOf } from "../../model/moment.ts";
import { reasonOf } from "../../model/errors.ts";
import { UsageError } from "../input/failure.ts";
import { type Flags, type Given, JSON_FLAG, show, type Verb } from "../input/flags.ts";
import type { Io } from "../render/io.ts";
import { hitLines } from "../render/hits.ts";
import { didYouMean } from "../../model/checks.ts";
import { withWorkspace } from "../input/open.ts";

const flags: Flags = {
  limit: { takes: "N", says: "at most so many hits (default 10)" },
  ...JSON_FLAG,
};

/** Facts for a question. Nothing found is an answer, not a failure. */
export const recall: Verb = {
  flags: {
    ...flags,
    "as-of": {
      takes: "WHEN",
      says: 'as it was on a day ("2026-05-08") or at a moment ("2026-05-08T13:56Z")',
    },
  },
  examples: [
    'tidemark recall "what is the cat called?"',
    'tidemark recall "deploy port" --limit 3 --user ada',
    'tidemark recall "where does Ada live?" --as-of 2026-05-08',
  ],
  async run(given, io) {
    const { query, limit } = asked(given, "recall");
    const asOf = momentGiven(given);
    const hits = await withWorkspace(given, io, ({ memory }) =>
      memory.recall(query, { limit, asOf }),
    );
    const nothing = `Nothing is remembered about "${query}". "tidemark search" looks into files and past conversations too.`;
    return tell({ hits, query, nothing }, given, io);
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
  examples: [
    'tidemark search "port 5433"',
    'tidemark search "who broke the build?" --in history',
    'tidemark search "house rules" --in files,memory --limit 3',
  ],
  async run(given, io) {
    const { query, limit } = asked(given, "search");
    const places = placesOf(given.text("in"));
    const { hits, at } = await withWorkspace(given, io, async ({ memory, history }) => ({
      hits: await memory.search(query, { limit, in: places }),
      at: new Map((await history.list()).map((conversation) => [conversation.id, conversation.at])),
    }));
    return tell(
      { hits, query, nothing: `Nothing about "${query}" in ${places.join(", ")}.`, at },
      given,
      io,
    );
  },
};

/** Words without quotes are one question too. */
function asked(given: Given, verb: string): { query: string; limit: number } {
  const query = given.words.join(" ").trim();
  if (query === "")
    throw new UsageError(
      `${verb} needs something to look for: tidemark ${verb} "what is the cat called?"`,
    );
  return { query, limit: given.whole("limit", { least: 1, most: 1_000 }) ?? 10 };
}

function placesOf(text: string = PLACES.join()): (typeof PLACES)[number][] {
  const names = text.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !PLACES.some((place) => place === name));
  if (wrong !== undefined)
    throw new UsageError(
      `--in takes memory, files and history with commas between them, got "${text}".${didYouMean(wrong, PLACES)}`,
    );
  return PLACES.filter((place) => names.includes(place));
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

interface Found {
  readonly hits: readonly Hit[];
  readonly query: string;
  /** What to say when there are none. */
  readonly nothing: string;
  /** When the conversations of the hits were. */
  readonly at?: ReadonlyMap<string, number>;
}

function tell({ hits, query, nothing, at }: Found, given: Given, io: Io): number {
  return show(given, io, hits, () =>
    hits.length === 0 ? [nothing] : hitLines(hits, query, { io, now: Date.now(), at }),
  );
}
