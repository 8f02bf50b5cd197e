import type { Form } from "./question.ts";

/**
 * How a turn's signs are added up to an order, best first. The order of these turns is all they
 * decide: the score a hit carries is absolute and another matter. Every sign lies in 0…1 or counts
 * a few things; "strength" is BM25 divided by the greatest of this question's candidates. The
 * weights were fitted to LoCoMo's questions, leaving one conversation out at a time.
 */
const QUESTION = {
  /**
   * Strength of the whole stretch, its words weighed by how few stretches have them: the right
   * talk. Counts for messages.
   */
  talk: 0,
  /** The same times strength of the ±4 turns around: the right talk, and the right place in it. */
  place: 2.8,
  /**
   * Strength of the turn with the one before and the one after: an answer often leaves out what the
   * question said.
   */
  around: 1.5,
  /** Share of the question found within ±2 turns. */
  near: 1.8,
  /** Share of the question found in the turn itself. */
  own: 1.4,
  /** Each word of the question in the turn. */
  words: 0.4,
  /**
   * Nothing is asked, so these very words may be what is looked for: (own share × strength of the
   * turn alone)². By hand, since LoCoMo only asks: requests in agents' transcripts come first at 91
   * % instead of 71 %, LoCoMo asked in bare words loses 0.5.
   */
  whole: 4,
  /**
   * Share of what should stand there word for word (identifiers; the whole, if nothing is asked)
   * that does. By hand, as above: paths, names and error texts of agents' transcripts come first at
   * 99 % instead of 65 to 70 %.
   */
  exact: 6,
  /** How rare the turn's words are (mean idf): a turn of common words tells nothing. */
  rarity: 0.55,
  /**
   * Things that go by a general word of the question ("piano" for "instruments"): share of the
   * question, as rare as they are.
   */
  kind: 1.7,
  /** Said by the person asked about. */
  speaker: 1.1,
  /** Said to the person asked about ("you"), by another: it asks or praises, and tells nothing. */
  toSpeaker: -0.65,
  /** It ends in a question: it waits for an answer, it is none. */
  asking: -0.8,
  /** Words that had not been said before: news. Each of up to ten counts a tenth. */
  first: 0.7,
  /**
   * The turn before asks, times the strength of the two turns before: the answer to what the
   * question repeats.
   */
  answer: 1.7,
  /** Asked when, and it has a word of time. */
  time: 1.7,
  /** Asked how many, and it has a number. */
  number: 1.2,
  /** Asked who, where or for a name, and it has names: each of up to three. */
  name: 0.8,
  /** Said near the date the question names, 0…1: what happened in May is told in May. */
  date: 4.5,
  /** It opens a conversation: there one says what one is about. Counts for messages. */
  opens: 0,
  /** e^(-later conversations / 5). Counts for messages: what was spoken of lately goes on. */
  recency: 0,
} as const;

type Sign = keyof typeof QUESTION;

/** A message goes on with something rather than asking for it: chosen on RealMem's personas. */
const MESSAGE: Signs = {
  ...(Object.fromEntries(Object.keys(QUESTION).map((sign) => [sign, 0])) as Signs),
  talk: 4.2,
  own: 2.1,
  speaker: 0.5,
  opens: 1.7,
  recency: 1.7,
  // By hand, as above.
  exact: 6,
  date: 2,
};

const TURN_WEIGHTS: Readonly<Record<Form, Readonly<Signs>>> = {
  question: QUESTION,
  message: MESSAGE,
};

/**
 * What a turn loses to others for each better one of the same stretch, where a list is asked for or
 * a message was written: the other members of a list were told at other times. Between 0.2 and 0.6
 * multi-hop questions gain as much and no other kind loses; asked of all questions it costs the
 * single-hop ones. Ten hits for a message come from 65 % of the conversations that hold what it
 * needs, and from 57 % without.
 */
export const TOLD_THERE = 0.5;

/**
 * For other questions, from the ninth place on, what a stretch that was not heard yet may lack: on
 * LoCoMo ten hits come from 89.8 % of the sessions that hold evidence instead of 88.8, with the
 * same rec@10. A penalty on all places costs 0.5 of it, three such places 0.8.
 */
export const UNHEARD = { from: 8, worth: 0.8 } as const;

export type Signs = Record<Sign, number>;

/**
 * Written out: asked for by their names in a list, the signs of a question's turns took a
 * millisecond and more.
 */
export function weighted(signs: Signs, form: Form): number {
  const by = TURN_WEIGHTS[form];
  return (
    by.talk * signs.talk +
    by.place * signs.place +
    by.around * signs.around +
    by.near * signs.near +
    by.own * signs.own +
    by.words * signs.words +
    by.whole * signs.whole +
    by.exact * signs.exact +
    by.rarity * signs.rarity +
    by.kind * signs.kind +
    by.speaker * signs.speaker +
    by.toSpeaker * signs.toSpeaker +
    by.asking * signs.asking +
    by.first * signs.first +
    by.answer * signs.answer +
    by.time * signs.time +
    by.number * signs.number +
    by.name * signs.name +
    by.date * signs.date +
    by.opens * signs.opens +
    by.recency * signs.recency
  );
}
