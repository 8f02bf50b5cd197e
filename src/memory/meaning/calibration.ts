/**
 * How an embedder judges texts whose relation is known. Its cosines alone say nothing: with one model strangers stand at
 * 0.1, with another at 0.8. Measured on texts of ours, never on what is remembered, so that a score hangs on the question
 * and the memory alone.
 */
export interface Calibration {
  /** Up to this cosine texts are strangers: 98 of 100 pairs that have nothing to do with each other. */
  readonly floor: number;
  /** How far the cosines of strangers scatter: what chance can do. */
  readonly spread: number;
  /** The share of questions whose own answer is the nearest, 0…1. */
  readonly separation: number;
}

const STRANGERS = 0.98;
/** An embedder that gives everything one vector scatters not at all. */
const LEAST_SPREAD = 0.02;
/** So many spreads above the floor, chance is out of the question. */
const SURE = 2;
/**
 * What meaning may add, of an embedder that finds every answer by its meaning; of one that finds a part of them that part, so one
 * that only compares letters (it finds none of them) changes nothing: whatever is added to words on its word, some kind of
 * question loses by (LoCoMo's shared five). With twice as much, good ones begin to lose too.
 */
const WORTH = 0.6;
/** What meaning alone finds is a hit, behind what words find better: paraphrases come, and displace nothing. */
const ALONE = 0.26;

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((one, other) => one - other)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? 0;

/** From the cosine of each question (row) with each fact (column). */
export function calibrate(cosines: readonly (readonly number[])[]): Calibration {
  const strangers = cosines.flatMap((row, at) => row.filter((_, other) => other !== at));
  const floor = quantile(strangers, STRANGERS);
  const first = cosines.filter((row, at) =>
    row.every((cosine, other) => other === at || cosine < (row[at] ?? 0)),
  );
  return {
    floor,
    spread: Math.max(LEAST_SPREAD, floor - quantile(strangers, 0.5)),
    separation: first.length / Math.max(1, cosines.length),
  };
}

const above = (cosine: number, { floor, spread }: Calibration): number =>
  Math.max(0, (cosine - floor) / spread);

/** How well a memory answers, by each sign and by all of them together: 0…1. */
export interface Match {
  readonly words: number;
  readonly meaning: number;
  readonly relevance: number;
}

/** 0 for strangers, 1 where chance is out of the question. */
export const meaningOf = (cosine: number, judge: Calibration): number =>
  Math.min(1, above(cosine, judge) / SURE);

/**
 * Relevance by words and by meaning together, 0…1. Meaning adds to what the words leave open and takes nothing away: a
 * memory is never less than its words say.
 */
export function fuse(words: number, cosine: number | undefined, judge: Calibration): Match {
  if (cosine === undefined) return { words, meaning: 0, relevance: words };
  const meaning = meaningOf(cosine, judge);
  const added = words + (1 - words) * WORTH * judge.separation * meaning;
  return {
    words,
    meaning,
    relevance: Math.max(added, Math.min(ALONE, judge.separation * above(cosine, judge))),
  };
}

/** 0 for a vector without a direction. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let [both, a, b] = [0, 0, 0];
  one.forEach((value, at) => {
    const beside = other[at] ?? 0;
    both += value * beside;
    a += value * value;
    b += beside * beside;
  });
  return a > 0 && b > 0 ? both / Math.sqrt(a * b) : 0;
}
