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

/** Few cosines tell little: as though so many more had scattered by what is usual. */
const PRIOR = { cosines: 10, deviation: 0.1 };
/** Standard deviations above the middle: 99 of 100 strangers stand below. */
const ABOVE = 2.5;
/** Chance is out of the question so many spreads above the floor. */
const SURE = 2;
/**
 * As much as a memory is worth that answers by its meaning alone. It is not added to what words
 * say: then an embedder that only compares letters moves hits that words had in their right order
 * (LoCoMo's shared five).
 */
const WORTH = 0.8;
/**
 * A hit of meaning alone stands behind what words find better: paraphrases come, and displace
 * nothing.
 */
const ALONE = 0.26;

/**
 * From the cosines of some memories with one another and with the question: memories of one kind
 * are near each other and no strangers, and a question may be near to none. The lower floor counts.
 */
export function judgeOf(question: Float32Array, memories: readonly Float32Array[]): Judge {
  const paired = memories.flatMap((one, at) =>
    memories.slice(at + 1).map((other) => cosine(one, other)),
  );
  const among = strangers(paired, PRIOR.deviation);
  const asked = strangers(
    memories.map((one) => cosine(one, question)),
    among.spread / ABOVE,
  );
  return among.floor < asked.floor ? among : asked;
}

/**
 * Most texts have nothing to do with each other: the cosines up to the middle are strangers', and
 * scatter above it as they do below.
 */
function strangers(cosines: readonly number[], usual: number): Judge {
  const lower = cosines
    .toSorted((one, other) => one - other)
    .slice(0, Math.ceil(cosines.length / 2));
  const middle = lower.at(-1) ?? 1;
  const squares = lower.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  const prior = PRIOR.cosines * usual ** 2;
  const deviation = Math.sqrt((squares + prior) / (lower.length + PRIOR.cosines));
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
 * Relevance by words and by meaning together, 0…1. Meaning fills what the words leave open and
 * takes nothing away: a memory is never less than its words say.
 */
export function fuse(words: number, cosine: number | undefined, judge: Judge): Match {
  if (cosine === undefined) return { words, meaning: 0, relevance: words };
  const meaning = Math.min(1, above(cosine, judge) / SURE);
  const alone = Math.max(WORTH * meaning, Math.min(ALONE, above(cosine, judge)));
  return { words, meaning, relevance: Math.max(words, alone) };
}

/** 0 for a vector without a direction. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let [both, a, b] = [0, 0, 0];
  for (let at = 0; at < one.length; at += 1) {
    const [mine, its] = [one[at] ?? 0, other[at] ?? 0];
    both += mine * its;
    a += mine * mine;
    b += its * its;
  }
  return a > 0 && b > 0 ? both / Math.sqrt(a * b) : 0;
}
