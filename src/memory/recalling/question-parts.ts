import type { WeightedTerm } from "../../model/search-index.ts";
import { sentences } from "../../text/sentences.ts";
import { type QueryTerm, queryTerms } from "../../text/terms.ts";
import { type Otherwise, standFor } from "./related-words.ts";
import { type Counts, idf, relevance, weigh } from "./word-weights.ts";

/** Parts of a question that are asked one by one; a longer text is a document. */
const PARTS = 60;
/** To answer one part of several is worth less than to answer the whole. */
const PART = 0.8;
/** A part that a memory answers by less than this, it answers by chance. */
const LEAST_SHARE = 0.4;
/** A part weighs at least so many words that were not used: one word of it is not yet the whole. */
const LEAST_WORDS = 1.2;
/** A sentence turns to something else there. */
const TURN = /[,;:–—]\s|\s-\s|\s(?:and|but|so|because)\s|[，；：、]/giu;

/** A question as it is asked of memory: the whole, and each thing it says. */
interface AskedParts {
  readonly whole: readonly QueryTerm[];
  readonly parts: readonly (readonly QueryTerm[])[];
  /** The different words of both. */
  readonly terms: readonly QueryTerm[];
}

/**
 * What a question asks. People tell before they ask, and a task names the thing it falls under in
 * one of many sentences.
 */
export function askedIn(query: string): AskedParts {
  const whole = queryTerms(query);
  const said = sentences(query).flatMap(({ text }) => text.split(TURN));
  const parts = (said.length < 2 ? [] : said)
    .map((part) => queryTerms(part))
    .filter((part) => part.length > 0)
    .slice(0, PARTS);
  const terms = new Map([whole, ...parts].flat().map((asked) => [asked.term, asked]));
  return { whole, parts, terms: [...terms.values()] };
}

/** How the words of a memory are compared with the question. */
export interface Comparing {
  /** Share of the question, or of its best part, that the words cover. */
  readonly of: (terms: readonly string[]) => number;
  /** The words to look for. */
  readonly terms: readonly WeightedTerm[];
  /** Less weight than this answers nothing; `share`: of the whole. */
  readonly least: (share: number) => number;
}

export function comparing(
  { whole, parts }: AskedParts,
  counts: Counts,
  ways: readonly Otherwise[],
): Comparing {
  const meant = new Set(ways.flatMap(({ asked }) => asked));
  const one = weigh(whole, counts, meant);
  const least = LEAST_WORDS * idf(counts.documents, 0);
  const several = parts
    .map((part) => weigh(part, counts, meant))
    .filter((part) => part.terms.length > 0)
    .map((part) => ({ ...part, total: Math.max(part.total, least) }));
  const known = new Map(
    [one, ...several].flatMap((part) =>
      part.terms.map(({ term, weight }): [string, number] => [term, weight]),
    ),
  );
  const written = ways.flatMap(({ asked, stored, share }) => {
    const weight = asked.reduce((sum, term) => sum + (known.get(term) ?? 0), 0);
    return stored.map((term): [string, number] => [term, (share * weight) / stored.length]);
  });
  return {
    terms: Array.from(new Map([...written, ...known]), ([term, weight]) => ({ term, weight })),
    of: (words) => {
      const worth = standFor(words, ways);
      const best = several.reduce((most, part) => Math.max(most, relevance(words, part, worth)), 0);
      return Math.max(relevance(words, one, worth), best >= LEAST_SHARE ? PART * best : 0);
    },
    least: (share) =>
      Math.min(share * one.total, ...several.map(({ total }) => LEAST_SHARE * total)),
  };
}
