// What of the figures of results/peers.json is drawn, and in which words.
import { type Bar, chartOf } from "./peers-chart.ts";
import { MODEL, SUMMARY_MS } from "./peers-world.ts";

/** Tokens of the window whose cost and waits are drawn. */
export const WINDOW = 40_000;

interface Figure {
  readonly cost?: number;
  readonly canaries: {
    readonly answerable: number;
    readonly inRequest: number;
    readonly folds: readonly number[];
    readonly refusedBefore: number;
  };
  readonly addedWaitMs: { readonly max: number };
  readonly longestWaitForASummaryMs?: number;
  readonly conversations: Readonly<
    Record<string, { readonly turns: number; readonly refused?: string }>
  >;
}

const OURS = "Tidemark";
/** So many refused turns are named one by one. */
const NAMED = 3;

const share = (some: number, all: number): string =>
  some === all ? `in all ${all}` : `in ${some} of ${all}`;

/** Which of the conversations were refused, and at which turns. */
function refusalOf(conversations: Figure["conversations"]): string | undefined {
  const all = Object.values(conversations);
  const turns = all
    .flatMap(({ turns: answered, refused }) => (refused === undefined ? [] : [answered + 1]))
    .toSorted((one, other) => one - other);
  if (turns.length === 0) return undefined;
  return `refused ${share(turns.length, all.length)}${turns.length > NAMED ? `, first at turn ${turns[0] ?? 0}` : `, at turn${turns.length > 1 ? "s" : ""} ${turns.join(", ")}`}`;
}

const besidesOf = ({ folds, refusedBefore }: Figure["canaries"]): string | undefined =>
  refusedBefore > 0
    ? `refused ${share(refusedBefore, folds.length)}`
    : folds.every((made) => made === 0)
      ? "never folds"
      : undefined;

function barOf([
  name,
  { cost, canaries, addedWaitMs, longestWaitForASummaryMs, conversations },
]: readonly [string, Figure]): Bar {
  const besides = besidesOf(canaries);
  return {
    name: name.startsWith(OURS) ? OURS : name.replace("summarizationMiddleware", "summarization"),
    cost: refusalOf(conversations) ?? cost ?? "–",
    answerable: canaries.answerable,
    inRequest: canaries.inRequest,
    ...(besides === undefined ? {} : { besides }),
    // Own time is a machine's, and at times a busy one's: what is waited for summaries counts by the server's clock.
    wait: longestWaitForASummaryMs ?? Math.floor(addedWaitMs.max / SUMMARY_MS) * SUMMARY_MS,
    ours: name.startsWith(OURS),
  };
}

/** The chart of all figures. */
export function peersChart(figures: Readonly<Record<string, unknown>>): string {
  const shown = (Object.entries(figures) as [string, Figure][])
    // Of Mastra no claim is made (see its `how`); what of Tidemark comes second is the same engine.
    .filter(
      ([name], at, all) =>
        !name.startsWith("Mastra") &&
        !(name.startsWith(OURS) && all.findIndex(([other]) => other.startsWith(OURS)) < at),
    );
  return chartOf(shown.map(barOf), {
    title: `A thousand turns in a window of ${WINDOW.toLocaleString("en")} tokens`,
    notes: [
      `A simulated provider with ${MODEL}'s prices and cache rules; every summary takes ${SUMMARY_MS / 1_000} s.`,
      "Input cost: with memory's own calls, cached or not; 100 % is the full history with caching as if no window ended it.",
      "Of three conversations the middle one's cost, or the turns at which they were refused, which ended them.",
      "Answerable: facts said once in three more conversations, window 16,000; looked for after ten folds, or, where a way does not fold",
      "so, after as many exchanges as Tidemark took for ten. Of a refused conversation nothing counts as answerable.",
      "There the model behind every summary is a script that forgets: every summary, also the last one rewritten, misses a third of",
      "the sentences it is made of.",
    ],
  });
}
