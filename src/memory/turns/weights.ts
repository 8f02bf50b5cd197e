/**
 * How a turn's signs are added up to an order, best first. The order of these turns is all they decide: the score a hit
 * carries is absolute and another matter. Every sign lies in 0…1 or counts a few things; "strength" is BM25 divided by the
 * greatest of this question's candidates. Chosen by leaving one conversation out: npm run bench -- recall-weights.
 */
export const TURN_WEIGHTS = {
  /** Strength of the whole stretch times strength of the ±4 turns around: the right talk, and the right place in it. */
  talk: 2.7,
  /** Strength of the turn with the one before and the one after: an answer often leaves out what the question said. */
  around: 1.3,
  /** Share of the question found within ±2 turns. */
  near: 1.7,
  /** Share of the question found in the turn itself. */
  own: 1.4,
  /** Each word of the question in the turn. */
  words: 0.4,
  /**
   * Nothing is asked, so these very words may be what is looked for: (own share × strength of the turn alone)². By hand, since
   * LoCoMo only asks: requests in agents' transcripts come first at 91 % instead of 71 %, LoCoMo asked in bare words loses 0.5.
   */
  whole: 4,
  /**
   * Share of what should stand there word for word (identifiers; the whole, if nothing is asked) that does. By hand, as above:
   * paths, names and error texts of agents' transcripts come first at 99 % instead of 65 to 70 %.
   */
  exact: 6,
  /** How rare the turn's words are (mean idf): a turn of common words tells nothing. */
  rarity: 0.75,
  /** Things that go by a general word of the question ("piano" for "instruments"): share of the question, as rare as they are. */
  kind: 1.7,
  /** Said by the person asked about. */
  speaker: 1.1,
  /** It ends in a question: it waits for an answer, it is none. */
  asking: -0.8,
  /** The turn before asks, times the strength of the two turns before: the answer to what the question repeats. */
  answer: 1.9,
  /** Asked when, and it has a word of time. */
  time: 1.7,
  /** Asked how many, and it has a number. */
  number: 1.2,
  /** Asked who, where or for a name, and it has names: each of up to three. */
  name: 0.8,
  /** Said near the date the question names, 0…1: what happened in May is told in May. */
  date: 4.5,
} as const;

/**
 * What a turn loses to others for each better one of the same stretch, where a list is asked for: its other members were told
 * at other times. Between 0.2 and 0.6 multi-hop questions gain as much and no other kind loses; asked of all questions it costs
 * the single-hop ones.
 */
export const TOLD_THERE = 0.5;

type Sign = keyof typeof TURN_WEIGHTS;
export const SIGNS = Object.keys(TURN_WEIGHTS) as readonly Sign[];
export type Signs = Record<Sign, number>;

export const weighted = (
  signs: Signs,
  weights: Readonly<Record<Sign, number>> = TURN_WEIGHTS,
): number => {
  let sum = 0;
  for (const sign of SIGNS) sum += weights[sign] * signs[sign];
  return sum;
};
