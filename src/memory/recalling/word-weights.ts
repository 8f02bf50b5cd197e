import { type QueryTerm, terms } from "../../core/text/terms.ts";
import type { Frequencies, WeightedTerm } from "../../storage/search-index.ts";

/**
 * Words of every day that are no stop words: a memory that shares only such a word with a question
 * does not answer it. A young memory cannot tell them by its own counts.
 */
const ENGLISH = `
  able add afternoon always anything ask away back bad begin believe best better big bit book bring
  build call care change check close come cool couple create day deal decide different easy end
  enjoy enough evening everything exactly example explain fact far feel find fine finish first
  fix friend full fun give good great guess guy hand happen happy hard hate hear hello help hey
  hi high hope hour huge hurt idea important include interesting issue job keep kind know last
  late later learn leave less let life line list little long look lose lot love main make maybe
  mean meet mention mind minute moment month morning move name need never new next nice night note
  number old open order part pay people person pick place plan play point possible prefer pretty
  problem question quick read ready real reason recommend remember remind report right run say
  see seem send sense set share short show side simple small something soon sorry sort sound start
  stay step still stop story stuff suggest suggestion support suppose sure switch take talk team
  tell test thing think time today together told tomorrow tonight try turn understand update use
  used useful usual wait walk watch way week weekend weird whole wish wonder word work world
  worry write wrong year yesterday two three four five six seven eight nine ten
`;

const COMMON = new Set(terms(ENGLISH));

/** A small number is one of them. */
export const isCommon = (term: string): boolean => COMMON.has(term) || /^\d\d?$/.test(term);

/**
 * Documents a corpus is held to have beside its own. Without them a word's weight, and so the
 * score, would hang on how much else is remembered: the share of a question moves by at most 250 /
 * PRIOR when 1,000 unrelated documents come in.
 */
const PRIOR = 5_000;

/** A word of every day weighs so much of another. */
const EVERY_DAY = 0.6;

/** The weight of a word that so many of the documents hold. */
export const idf = (documents: number, holding: number): number =>
  Math.log((PRIOR + documents + 1) / (holding + 1));

/** How many documents the reader may see, and how many of them hold each word of a question. */
export interface Counts {
  readonly documents: number;
  readonly holding: ReadonlyMap<string, number>;
}

export const countsOf = (
  asked: readonly QueryTerm[],
  { documents, holding }: Frequencies,
): Counts => ({
  documents,
  holding: new Map(asked.map(({ term }, at) => [term, holding[at] ?? 0])),
});

/**
 * What a word of a question weighs. One that was not used may be a synonym of one that was: it
 * weighs half.
 */
export function weightOf(
  { loose }: Pick<QueryTerm, "loose">,
  documents: number,
  held: number,
): number {
  if (held > 0) return idf(documents, held);
  return loose ? 0 : idf(documents, 0) / 2;
}

/** The question's words with what each weighs among what the reader may see. */
interface Weighing {
  /** Words that were used, in the question's order. */
  readonly terms: readonly WeightedTerm[];
  /** All weights, those of unknown words too. */
  readonly total: number;
  /** Do these words say something of the question, beside one word of every day? */
  readonly isAnswered: (words: readonly string[], worth: ReadonlyMap<string, number>) => boolean;
}

/** Words of every day weigh less. `meant`: words that are known though they were not used. */
export function weigh(
  asked: readonly QueryTerm[],
  { documents, holding }: Counts,
  meant: ReadonlySet<string>,
): Weighing {
  let total = 0;
  const terms: WeightedTerm[] = [];
  for (const one of asked) {
    const { term } = one;
    const held = holding.get(term) ?? 0;
    const rare = weightOf(one, documents, held) * idf(documents, held);
    const weight = isCommon(term) ? EVERY_DAY * rare : rare;
    total += weight;
    if (held > 0 || meant.has(term)) terms.push({ term, weight });
  }
  const telling = new Set(asked.flatMap(({ term }) => (isCommon(term) ? [] : term)));
  return {
    terms,
    total,
    isAnswered: (words, worth) =>
      telling.size === 0 ||
      [...words, ...worth.keys()].some((word) => telling.has(word)) ||
      terms.filter(({ term }) => words.includes(term)).length > 1,
  };
}

/** BM25: what a word says again, and how far a long text counts less; words of a usual memory. */
const [K1, B, USUAL] = [0.8, 0.5, 20];

/**
 * The share of the question that these terms cover, and how strongly by BM25: a short text that
 * holds all of it is 1, and one that lacks a name of it falls behind, however often it was used.
 * `worth`: what other terms are worth of some that were asked.
 */
export function covering(
  terms: readonly string[],
  { terms: asked, total }: Weighing,
  worth: ReadonlyMap<string, number>,
): { share: number; strength: number } {
  const times = new Map<string, number>();
  for (const term of terms) times.set(term, (times.get(term) ?? 0) + 1);
  const norm = K1 * (1 - B + (B * terms.length) / USUAL);
  let [share, strength] = [0, 0];
  for (const { term, weight } of asked) {
    const said = times.get(term) ?? 0;
    const held = said > 0 ? weight : weight * (worth.get(term) ?? 0);
    const often = Math.max(1, said);
    share += held;
    strength += (held * often * (1 + K1)) / (often + norm);
  }
  const all = Math.max(total, Number.MIN_VALUE);
  const answered = Math.min(1, share / all);
  return { share: answered, strength: Math.min((1 + answered) / 2, strength / all) };
}
