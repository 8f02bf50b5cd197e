/**
 * How far an embedder's cosines count. Alone they say nothing: with one model strangers stand at
 * 0.1, with another at 0.8.
 */
export interface Judge {
  /** Up to this cosine texts are strangers. */
  readonly floor: number;
  /** How far the cosines of strangers scatter: chance can do that much. */
  readonly spread: number;
}

/** Few pairs tell little: as though so many more had scattered by 0.1. */
const PRIOR = { pairs: 10, deviation: 0.1 };
/** Standard deviations above the middle: 98 of 100 pairs of strangers stand below. */
const ABOVE = 2;
/** Chance is out of the question so many spreads above the floor. */
const SURE = 2;
/**
 * As much as meaning may add: whatever is added to words on an embedder's word, some kind of
 * question loses by (LoCoMo's shared five). With twice as much, good ones begin to lose too.
 */
const WORTH = 0.6;
/**
 * A hit of meaning alone stands behind what words find better: paraphrases come, and displace
 * nothing.
 */
const ALONE = 0.26;

/**
 * From the cosines of all pairs of some memories, most of which have nothing to do with each other:
 * those up to the middle are strangers', and scatter above it as they do below. Undefined where
 * there is no pair.
 */
export function judgeOf(vectors: readonly Float32Array[]): Judge | undefined {
  const cosines = vectors
    .flatMap((one, at) => vectors.slice(at + 1).map((other) => cosine(one, other)))
    .sort((one, other) => one - other);
  const lower = cosines.slice(0, Math.ceil(cosines.length / 2));
  const middle = lower.at(-1);
  if (middle === undefined) return undefined;
  const squares = lower.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  const prior = PRIOR.pairs * PRIOR.deviation ** 2;
  const deviation = Math.sqrt((squares + prior) / (lower.length + PRIOR.pairs));
  return { floor: middle + ABOVE * deviation, spread: ABOVE * deviation };
}

const above = (cosine: number, { floor, spread }: Judge): number =>
  Math.max(0, (cosine - floor) / spread);

/** How well a memory answers, by each sign and by all of them together: 0…1. */
export interface Match {
  readonly words: number;
  readonly meaning: number;
  readonly relevance: number;
}

/**
 * Relevance by words and by meaning together, 0…1. Meaning adds to what the words leave open and
 * takes nothing away: a memory is never less than its words say.
 */
export function fuse(words: number, cosine: number | undefined, judge: Judge): Match {
  if (cosine === undefined) return { words, meaning: 0, relevance: words };
  const meaning = Math.min(1, above(cosine, judge) / SURE);
  const added = words + (1 - words) * WORTH * meaning;
  return {
    words,
    meaning,
    relevance: Math.max(added, Math.min(ALONE, above(cosine, judge))),
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
