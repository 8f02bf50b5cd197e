import { LANDING } from "./limits.ts";

/** All that decides a fold, in tokens and indexes of the conversation's messages. */
export interface FoldQuestion {
  readonly sizes: readonly number[];
  /** May a tail start at this message. */
  readonly opens: (index: number) => boolean;
  readonly keepLast: number;
  /** The latest index a tail may start at (`leastTail`). */
  readonly least: number;
  /** System, tools and frozen sections as they will be after the fold. */
  readonly fixed: number;
  /** Room for the summary and the pins. */
  readonly summary: number;
  readonly limit: number;
  readonly used: number;
  /** Messages before this index are folded already; -1 when none were. */
  readonly folded: number;
  readonly atBrim: boolean;
  /** The brim as a fraction of the limit. */
  readonly brim: number;
  /** What a message weighs when no result (or no text either) is longer than `bound` characters. */
  readonly shortened: (index: number, bound: { results?: number; texts?: number }) => number;
  /** What the last fold landed at: no second one without growth. */
  readonly landed?: number;
}

export type FoldPlan =
  | { readonly kind: "fold"; readonly cut: number; readonly landing: number; readonly shorten: ReadonlyMap<number, { results?: number; texts?: number }> }
  | { readonly kind: "shorten"; readonly landing: number; readonly shorten: ReadonlyMap<number, { results?: number; texts?: number }> }
  | { readonly kind: "refuse"; readonly reason: string };

/** Characters a shortened result or text keeps, tried in turn. */
const BOUNDS = [16_000, 8_000, 4_000, 2_000, 1_000, 500, 200] as const;
/** A fold must have at least this share of the limit to itself again before the next is worth its price. */
const GROWTH = 0.05;

const percent = (part: number, whole: number): string => `${Math.round((part / whole) * 100)} %`;

/** The seam at or before `index`, so that pairs stay whole; 0 when there is none. */
export function seamBefore(index: number, opens: (index: number) => boolean): number {
  let at = Math.max(0, index);
  while (at > 0 && !opens(at)) at--;
  return at;
}

/**
 * Decides a fold in the order of design §3.4: to half of the limit; else anywhere under 0.65 that frees a tenth; at the brim
 * results of the tail are shortened, oldest first, then texts, then fewer than `keepLast` are kept.
 */
export function planFold(question: FoldQuestion): FoldPlan {
  const { sizes, limit, used, fixed, atBrim } = question;
  const total = sizes.length;
  const tail = (from: number): number => sizes.slice(from).reduce((sum, size) => sum + size, 0);
  const landing = (cut: number): number => fixed + question.summary + tail(cut);
  const first = seamBefore(total - question.keepLast, question.opens);

  if (question.landed !== undefined && used < limit && used - question.landed < GROWTH * limit)
    return { kind: "refuse", reason: `the last fold landed at ${percent(question.landed, limit)} and the request has hardly grown since` };

  if (first > Math.max(0, question.folded)) {
    const lands = landing(first);
    const frees = used - lands;
    if (lands <= LANDING.best * limit && frees > 0) return { kind: "fold", cut: first, landing: lands, shorten: new Map() };
    if (lands < LANDING.most * limit && frees >= LANDING.frees * limit) return { kind: "fold", cut: first, landing: lands, shorten: new Map() };
    if (!atBrim) return { kind: "refuse", reason: `a fold would land at ${percent(lands, limit)} and free ${percent(Math.max(0, frees), limit)} of the limit` };
  } else if (!atBrim) {
    return { kind: "refuse", reason: `the last ${total - first} messages are all there is to keep` };
  }

  return concede(question, first, landing);
}

type Act = Exclude<FoldPlan, { kind: "refuse" }>;

/** At the brim: the gentlest concession that lands under 0.65, else the one that lands lowest. */
function concede(question: FoldQuestion, first: number, landing: (cut: number) => number): FoldPlan {
  const { limit, sizes } = question;
  const folded = Math.max(0, question.folded);
  const cuts = [first, ...range(first + 1, question.least).filter(question.opens)];
  let lowest: Act | undefined;
  // The newest message's own words come last of all: whoever wrote them waits for an answer to just these.
  for (const words of ["old", "all"] as const) {
    for (const cut of cuts) {
      const folds = cut > folded;
      const base = folds ? landing(cut) : question.fixed + (question.folded >= 0 ? question.summary : 0) + sum(sizes.slice(folded));
      const { shorten, saved } = shortenFrom(question, { start: folds ? cut : folded, excess: base - LANDING.most * limit, words });
      const plan: Act = folds ? { kind: "fold", cut, landing: base - saved, shorten } : { kind: "shorten", landing: base - saved, shorten };
      if (plan.landing < LANDING.most * limit) return worthIt(plan, question);
      if (lowest === undefined || plan.landing < lowest.landing) lowest = plan;
    }
    if (lowest && lowest.landing < question.limit * question.brim) break;
  }
  return lowest ? worthIt(lowest, question) : { kind: "refuse", reason: "there is nothing that could be folded or shortened" };
}

function worthIt(plan: Act, { used, limit }: FoldQuestion): FoldPlan {
  if (plan.landing < used && (plan.kind === "fold" || plan.shorten.size > 0)) return plan;
  return { kind: "refuse", reason: `nothing that may be folded or shortened would bring the request under ${percent(used, limit)}` };
}

/** Results first, oldest first, ever shorter; then texts the same way; the newest message's own words last of all. */
function shortenFrom(
  question: FoldQuestion,
  { start, excess, words }: { start: number; excess: number; words: "old" | "all" },
): { shorten: Map<number, { results?: number; texts?: number }>; saved: number } {
  const shorten = new Map<number, { results?: number; texts?: number }>();
  const weight = new Map<number, number>();
  let saved = 0;
  const apply = (index: number, bound: { results?: number; texts?: number }): void => {
    const now = weight.get(index) ?? question.sizes[index] ?? 0;
    const then = question.shortened(index, bound);
    if (then >= now) return;
    weight.set(index, then);
    shorten.set(index, bound);
    saved += now - then;
  };
  const last = question.sizes.length - 1;
  for (const [kind, indexes] of [
    ["results", range(start, last)],
    ["texts", range(start, last - 1)],
    ["texts", words === "all" ? [last] : []],
  ] as const) {
    for (const bound of BOUNDS) {
      for (const index of indexes) {
        if (saved >= excess) return { shorten, saved };
        apply(index, { ...shorten.get(index), [kind]: bound });
      }
    }
  }
  return { shorten, saved };
}

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
const range = (from: number, to: number): number[] => Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
