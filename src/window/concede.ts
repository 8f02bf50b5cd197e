import { type Bounds } from "../model/history.ts";
import { GROWTH, LANDING } from "./limits.ts";
import { type FoldPlan, type FoldQuestion, type Shortening } from "./question.ts";

/** Characters a shortened result or text keeps, tried in turn. */
const BOUNDS = [
  512_000, 256_000, 128_000, 64_000, 32_000, 16_000, 8_000, 4_000, 2_000, 1_000, 500, 200, 60,
] as const;
/** Where the best landing is out of reach, one that leaves this share of the limit under the brim will do. */
const UNDER_BRIM = 0.1;

type Act = Exclude<FoldPlan, { kind: "refuse" }>;
type Part = keyof Bounds;

type Step = "results" | "texts" | "words" | "inputs" | "media";
interface Stage {
  readonly steps: readonly Step[];
  /** Characters below which nothing is cut yet. */
  readonly floor: number;
}

/**
 * What may be shortened, gentlest first: results and old texts; the newest message's own words only after that, because
 * their writer waits for an answer to just these; at last what calls were given, and pictures.
 */
const STAGES: readonly Stage[] = [
  { steps: ["results", "texts"], floor: 500 },
  { steps: ["results", "texts", "words"], floor: 200 },
  { steps: ["results", "texts", "words", "inputs", "media"], floor: 60 },
];

/**
 * At the brim: the gentlest concession that lands under 0.65; else the gentlest that lands clear of the brim, else the one
 * that lands lowest. Undefined when nothing would make the request smaller.
 */
export function concede(question: FoldQuestion, first: number): Act | undefined {
  const { limit, brim } = question;
  const cuts = [first, ...range(first + 1, question.least(first)).filter(question.opens)];
  const goals = [LANDING.most * limit, Math.max(LANDING.most, brim - UNDER_BRIM) * limit];
  let lowest: Act | undefined;
  for (const stage of STAGES) {
    for (const goal of goals) {
      for (const cut of cuts) {
        const plan = conceded(question, { cut, goal, stage });
        if (plan.landing >= question.used) continue;
        if (plan.landing < goal) return plan;
        if (lowest === undefined || plan.landing < lowest.landing) lowest = plan;
      }
    }
    if (lowest && lowest.landing < brim * limit) break;
  }
  return lowest && (question.used >= limit || question.used - lowest.landing >= GROWTH * limit)
    ? lowest
    : undefined;
}

function conceded(
  question: FoldQuestion,
  { cut, goal, stage }: { cut: number; goal: number; stage: Stage },
): Act {
  const folded = Math.max(0, question.folded);
  const folds = cut > folded;
  const base = folds
    ? question.fixed +
      question.summary(cut) +
      question.sizes.slice(cut).reduce((sum, size) => sum + size, 0)
    : question.used;
  const { shorten, saved } = shortenFrom(question, {
    start: folds ? cut : folded,
    excess: base - goal,
    stage,
  });
  return folds
    ? { kind: "fold", cut, landing: base - saved, shorten }
    : { kind: "shorten", landing: base - saved, shorten };
}

/** What a message must be able to give, as a share of what is needed, to be cut before a longer one behind it. */
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
    const [part, from, to]: [Part, number, number] =
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

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
