import type { Frequencies, WeightedTerm } from "../../model/store.ts";
import type { QueryTerm } from "../../text/terms.ts";
import { isCommon } from "./common-words.ts";

/** What neighbouring words add to the words themselves: 0.7 points of rec@10 on LoCoMo's shared five. */
const NEIGHBOURS = 0.05;

/**
 * Documents a corpus is held to have beside its own. Without them a word's weight, and so the score, would hang on how much
 * else is remembered: the share of a question moves by at most 250 / PRIOR when 1,000 unrelated documents come in.
 */
const PRIOR = 5_000;

/** Of those, how many are held to have a word of every day. */
const COMMON = 200;

const NO_WORDS: ReadonlySet<string> = new Set();

/** What a word weighs that so many of the documents hold. */
export const idf = (documents: number, holding: number): number =>
  Math.log((PRIOR + documents + 1) / (holding + 1));

/** The question's words with what each weighs among what the reader may see. */
export interface Weighing {
  /** Words that were used, in the question's order. */
  readonly terms: readonly WeightedTerm[];
  /** All weights, those of unknown words too. */
  readonly total: number;
}

/**
 * A word that was not used may be a synonym of one that was: it weighs half. With `common`, words of every day weigh less. `meant`:
 * words that are known though they were not used.
 */
export function weigh(
  asked: readonly QueryTerm[],
  { documents, holding }: Frequencies,
  { common = false, meant = NO_WORDS }: { common?: boolean; meant?: ReadonlySet<string> } = {},
): Weighing {
  let total = 0;
  const terms: WeightedTerm[] = [];
  asked.forEach(({ term, loose }, at) => {
    const held = holding[at] ?? 0;
    const anyway = common && isCommon(term) ? COMMON : 0;
    const unknown = loose ? 0 : idf(documents, anyway) / 2;
    const weight = held > 0 ? idf(documents, held + anyway) : unknown;
    total += weight;
    if (held > 0 || meant.has(term)) terms.push({ term, weight });
  });
  return { terms, total };
}

const NONE: ReadonlyMap<string, number> = new Map();

/**
 * The share of the question that these terms cover, 0…1: all of it, side by side, is 1. `worth`: what other terms are worth
 * of some that were asked.
 */
export function relevance(
  terms: readonly string[],
  { terms: asked, total }: Weighing,
  worth: ReadonlyMap<string, number> = NONE,
): number {
  if (total <= 0) return 0;
  const places = new Map<string, number[]>();
  const wanted = new Set(asked.map(({ term }) => term));
  terms.forEach((term, at) => {
    if (!wanted.has(term)) return;
    const known = places.get(term);
    if (known === undefined) places.set(term, [at]);
    else known.push(at);
  });
  const found = asked.filter(({ term }) => places.has(term));
  const instead = worth.size === 0 ? [] : asked.filter(({ term }) => !places.has(term));
  const covered =
    found.reduce((sum, { weight }) => sum + weight, 0) +
    instead.reduce((sum, { term, weight }) => sum + weight * (worth.get(term) ?? 0), 0);
  let near = 0;
  for (let at = 1; at < found.length; at += 1)
    if (close(places.get(found[at - 1]?.term ?? ""), places.get(found[at]?.term ?? ""))) near += 1;
  const alone = asked.length === 1 ? 1 : 0;
  const order = found.length > 1 ? near / (found.length - 1) : alone;
  return Math.min(1, (covered / total) * (1 - NEIGHBOURS + NEIGHBOURS * order));
}

/** At most two words stand between some two of the places; both lists ascend. */
function close(one: readonly number[] = [], other: readonly number[] = []): boolean {
  let [a, b] = [0, 0];
  while (a < one.length && b < other.length) {
    const apart = (other[b] ?? 0) - (one[a] ?? 0);
    if (Math.abs(apart) <= 3) return true;
    if (apart > 0) a += 1;
    else b += 1;
  }
  return false;
}
