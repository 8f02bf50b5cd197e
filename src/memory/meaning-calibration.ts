import { QUESTIONS_AND_FACTS } from "./meaning-texts.ts";

/**
 * How an embedder judges texts whose relation is known. Its cosines alone say nothing: with one model strangers stand at
 * 0.1, with another at 0.75. Measured on texts of ours, never on what is remembered, so that a score hangs on the question
 * and the memory alone.
 */
export interface Calibration {
  /** Cosine up to which texts are strangers: meaning 0. */
  readonly floor: number;
  /** Cosine from which one answers the other as plainly as answers do: meaning 1. */
  readonly ceiling: number;
  /** How well the embedder tells an answer from the answers of other questions, 0…1. What it says weighs that much. */
  readonly trust: number;
}

/** Of 992 pairs of strangers, all but one in fifty stand below the floor. */
const STRANGERS = 0.98;
/** Half of the answers are as plain as the ceiling. */
const ANSWERS = 0.5;
/** Floor and ceiling at least so far apart: a scale of no length would make chance decide. */
const LEAST_RANGE = 0.1;

const quantile = (values: readonly number[], share: number): number => [...values].sort((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** From the cosine of each question (row) with each fact (column). */
export function calibrate(cosines: readonly (readonly number[])[]): Calibration {
  const answers = cosines.map((row, at) => row[at] ?? 0);
  const strangers = cosines.flatMap((row, at) => row.filter((_, other) => other !== at));
  const floor = quantile(strangers, STRANGERS);
  const ceiling = Math.max(floor + LEAST_RANGE, quantile(answers, ANSWERS));
  const found = answers.filter((answer) => answer > floor).length / Math.max(1, answers.length);
  // By chance a fiftieth of the answers would stand above the floor; and one who finds half is trusted a quarter.
  const chance = 1 - STRANGERS;
  return { floor, ceiling, trust: Math.max(0, (found - chance) / (1 - chance)) ** 2 };
}

export const meaningOf = (cosine: number | undefined, { floor, ceiling }: Calibration): number =>
  cosine === undefined ? 0 : Math.min(1, Math.max(0, (cosine - floor) / (ceiling - floor)));

/**
 * Relevance by words and by meaning. Meaning adds to what the words leave open and takes nothing away, so a memory is
 * never less than its words say; and it adds no more than the embedder is trusted.
 */
export const fuse = (words: number, meaning: number, { trust }: Calibration): number => words + (1 - words) * trust * meaning;

export const CALIBRATION_TEXTS: readonly string[] = QUESTIONS_AND_FACTS.flat();
