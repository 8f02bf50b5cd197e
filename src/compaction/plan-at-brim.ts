import type { Bounds } from "../core/history.ts";
import { seamBefore } from "../providers/common/seams-and-thinking.ts";
import {
  type Grown,
  GROWTH,
  hasGrown,
  LANDING,
  notGrown,
  percent,
} from "../session/options/save-and-fold-marks.ts";

/** All that decides a fold at the brim, in tokens and indexes of the conversation's messages. */
export interface FoldQuestion extends Grown {
  /** Size of each message as a fold would leave it; 0 for those that are folded already. */
  readonly sizes: readonly number[];
  /** May a tail start at this message. */
  readonly opens: (index: number) => boolean;
  readonly keepLast: number;
  /**
   * The latest index a tail may start at that would start at `first` with `keepLast` messages
   * (`leastTail`).
   */
  readonly least: (first: number) => number;
  /** System, tools and frozen sections as they will be after the fold. */
  readonly fixed: number;
  /** The message that would stand for all before this index: summary, request under way, pins. */
  readonly summary: (cut: number) => number;
  /** Messages before this index are folded already; -1 when none were. */
  readonly folded: number;
  /** The brim as a fraction of the limit. */
  readonly brim: number;
  readonly shortened: (index: number, bound: Bounds) => number;
}

export type Shortening = ReadonlyMap<number, Bounds>;

export type FoldPlan =
  | {
      readonly kind: "fold";
      readonly cut: number;
      readonly landing: number;
      readonly shorten: Shortening;
    }
  | { readonly kind: "shorten"; readonly landing: number; readonly shorten: Shortening }
  | { readonly kind: "refuse"; readonly reason: string };

export const total = (sizes: readonly number[]): number =>
  sizes.reduce((sum, size) => sum + size, 0);

const landingAt = ({ fixed, summary, sizes }: FoldQuestion, cut: number): number =>
  fixed + summary(cut) + total(sizes.slice(cut));

/** Characters a shortened result or text keeps, tried in turn. */
const BOUNDS = [
  512_000, 256_000, 128_000, 64_000, 32_000, 16_000, 8_000, 4_000, 2_000, 1_000, 500, 200, 60,
] as const;
/**
 * Where the best landing is out of reach, one that leaves this share of the limit under the brim
 * will do.
 */
const UNDER_BRIM = 0.1;

type Concession = Exclude<FoldPlan, { kind: "refuse" }>;
type BoundedPart = keyof Bounds;

type ShortenStep = "results" | "texts" | "words" | "inputs" | "media";
interface Stage {
  readonly steps: readonly ShortenStep[];
  /** Characters below which nothing is cut yet. */
  readonly floor: number;
}

/**
 * What may be shortened, gentlest first: results and old texts; the newest message's own words only
 * after that, because their writer waits for an answer to just these; at last what calls were
 * given, and pictures.
 */
const STAGES: readonly Stage[] = [
  { steps: ["results", "texts"], floor: 500 },
  { steps: ["results", "texts", "words"], floor: 200 },
  { steps: ["results", "texts", "words", "inputs", "media"], floor: 60 },
];

/**
 * Decides at the brim: the gentlest concession that lands under 0.65; else the gentlest that
 * lands clear of the brim, else the one that lands lowest.
 */
export function planFold(question: FoldQuestion): FoldPlan {
  const { sizes, opens, limit, brim, used } = question;
  if (!hasGrown(question)) return { kind: "refuse", reason: notGrown(question) };
  const first = seamBefore(sizes.length - question.keepLast, opens);
  const least = question.least(first);
  const cuts = [...sizes.keys()].filter(
    (index) => index === first || (index > first && index <= least && opens(index)),
  );
  const goals = [LANDING.most * limit, Math.max(LANDING.most, brim - UNDER_BRIM) * limit];
  let lowest: Concession | undefined;
  for (const stage of STAGES) {
    for (const goal of goals) {
      for (const cut of cuts) {
        const plan = conceded(question, { cut, goal, stage });
        if (plan.landing >= used) continue;
        if (plan.landing < goal) return plan;
        if (lowest === undefined || plan.landing < lowest.landing) lowest = plan;
      }
    }
    if (lowest && lowest.landing < brim * limit) break;
  }
  if (lowest && (used >= limit || used - lowest.landing >= GROWTH * limit)) return lowest;
  const reason =
    "nothing that may be folded or shortened would bring the request under " + percent(used, limit);
  return { kind: "refuse", reason };
}

function conceded(
  question: FoldQuestion,
  { cut, goal, stage }: { cut: number; goal: number; stage: Stage },
): Concession {
  const folded = Math.max(0, question.folded);
  const folds = cut > folded;
  const base = folds ? landingAt(question, cut) : question.used;
  const { shorten, saved } = shortenFrom(question, {
    start: folds ? cut : folded,
    excess: base - goal,
    stage,
  });
  return folds
    ? { kind: "fold", cut, landing: base - saved, shorten }
    : { kind: "shorten", landing: base - saved, shorten };
}

/**
 * What a message must be able to give, as a share of what is needed, to be cut before a longer one
 * behind it.
 */
const GIVES = 0.1;

/** Step by step, each oldest first and ever shorter, until `excess` tokens are saved. */
function shortenFrom(
  question: FoldQuestion,
  { start, excess, stage }: { start: number; excess: number; stage: Stage },
): { shorten: Shortening; saved: number } {
  const shorten = new Map<number, Bounds>();
  const weight = new Map<number, number>();
  const last = question.sizes.length - 1;
  let saved = 0;
  for (const step of stage.steps) {
    const [part, from, to]: [BoundedPart, number, number] =
      step === "words" ? ["texts", last, last] : [step, start, step === "texts" ? last - 1 : last];
    const lengths = part === "media" ? [0] : BOUNDS.filter((length) => length >= stage.floor);
    const within = (index: number, length: number | undefined): Bounds => ({
      ...shorten.get(index),
      [part]: length,
    });
    const now = (index: number): number => weight.get(index) ?? question.sizes[index] ?? 0;
    for (const share of [GIVES, 0]) {
      for (let index = from; index <= to; index++) {
        if (
          now(index) - question.shortened(index, within(index, lengths.at(-1))) <
          share * (excess - saved)
        )
          continue;
        for (const length of lengths) {
          if (saved >= excess) return { shorten, saved };
          const then = question.shortened(index, within(index, length));
          if (then >= now(index)) continue;
          saved += now(index) - then;
          weight.set(index, then);
          shorten.set(index, within(index, length));
        }
      }
    }
  }
  return { shorten, saved };
}
