import type { Scope } from "../../core/identity.ts";
import { asQuestion, normalForm } from "../../core/text/cut.ts";
import { withoutFences } from "../../core/text/fence.ts";
import { queryTerms } from "../../core/text/terms.ts";
import type { Storage } from "../../storage/port.ts";
import type { FoundChunk, NearChunk, PageTerm } from "../../storage/search-index.ts";

export interface FileHit {
  readonly path: string;
  readonly heading: string;
  readonly text: string;
  /** How much of the question the passage meets, 0…1; unrelated files do not move it. */
  readonly score: number;
  readonly scope: Scope;
  /** Words and meaning say so much, each 0…1, if meaning was asked. */
  readonly why?: { readonly words: number; readonly meaning: number };
}

/** How chunks are found by what they mean. */
export interface ByMeaning {
  readonly nearest: (scopes: readonly Scope[], limit: number) => Promise<readonly NearChunk[]>;
  /** Relevance by words and by a cosine together. */
  readonly match: (
    words: number,
    cosine: number,
  ) => { readonly words: number; readonly meaning: number; readonly strength: number };
}

/**
 * A term counts by its rarity among so many chunks. A fixed number: with the real one, unrelated
 * files would move scores.
 */
const AMONG = 10_000;
/**
 * A word that was not written may be a synonym of one that was, so it weighs half; half a function
 * word weighs nothing.
 */
const weight = (holding: number, loose: boolean): number => {
  if (holding > 0) return Math.log(1 + AMONG / (1 + holding));
  return loose ? 0 : Math.log(1 + AMONG) / 2;
};
/** "tide" meets "tidemark", for less than the word itself. */
const PREFIX_WORTH = 0.6;
/** Less of the question than this is chance. */
const LEAST_SCORE = 0.25;
/**
 * Characters added to the length of every passage: a hit in one of three words tells hardly more
 * than one in a line.
 */
const AROUND = 60;
/**
 * Chunks looked into, for each hit asked for: the words of a question may stand in several passages
 * of them.
 */
const CHUNKS = 3;

type Weighted = PageTerm & { readonly weight: number };
interface RankedHit extends FileHit {
  /** Breaks ties: how much of the passage is about the terms. */
  readonly density: number;
}

/**
 * How well the terms are met, and how often. Words made of the line one by one would be megabytes
 * at each search.
 */
function met(found: string, terms: readonly Weighted[]): [sum: number, hits: number] {
  const line = ` ${found} `;
  let [sum, hits] = [0, 0];
  for (const { term, open, weight: worth } of terms) {
    let [best, times] = [0, 0];
    const begin = ` ${term}`;
    for (let at = line.indexOf(begin); at >= 0; at = line.indexOf(begin, at + 1)) {
      const isWhole = line[at + begin.length] === " ";
      const one = isWhole ? 1 : Number(open) * PREFIX_WORTH;
      best = Math.max(best, one);
      times += one;
    }
    sum += worth * best;
    hits += worth * times;
  }
  return [sum, hits];
}

function ranked(
  chunks: readonly FoundChunk[],
  terms: readonly Weighted[],
  whole: number,
): RankedHit[] {
  return chunks.flatMap(({ path, scope, passages }) =>
    passages.map(({ heading, text, terms: found }) => {
      const [sum, hits] = met(found, terms);
      return {
        path,
        heading,
        text,
        score: whole > 0 ? sum / whole : 0,
        scope,
        density: hits / (AROUND + found.length),
      };
    }),
  );
}

const better = (one: RankedHit, other: RankedHit): number =>
  other.score - one.score || other.density - one.density || (one.path < other.path ? -1 : 1);

/** The passage of each chunk that the words name; the whole if meaning alone finds it. */
function meant(
  near: readonly NearChunk[],
  { terms, all, match }: { terms: readonly Weighted[]; all: number } & Pick<ByMeaning, "match">,
): RankedHit[] {
  return near.flatMap((chunk) => {
    const [best] = ranked([chunk], terms, all).sort(better);
    if (best === undefined) return [];
    const { strength, ...why } = match(best.score, chunk.cosine);
    const whole = {
      heading: chunk.passages[0]?.heading ?? "",
      text: chunk.passages.map(({ text }) => text).join("\n"),
    };
    return [{ ...best, ...(best.score >= LEAST_SCORE ? {} : whole), score: strength, why }];
  });
}

/** A line of MEMORY.md stands in the daily log too: once is enough. */
function once(found: readonly RankedHit[], limit: number): FileHit[] {
  const hits = new Map<string, FileHit>();
  for (const { density: _, ...hit } of found) {
    const said = normalForm(hit.text.replace(/^[-*+] /, ""));
    if (!hits.has(said)) hits.set(said, hit);
    if (hits.size >= limit) break;
  }
  return [...hits.values()];
}

interface FileQuestion {
  readonly scopes: readonly Scope[];
  readonly limit: number;
  readonly near?: ByMeaning;
}

/** Asks the index; what it holds is the caller's to keep in step. */
export async function searchPages(
  store: Storage,
  query: string,
  { scopes, limit, near }: FileQuestion,
): Promise<FileHit[]> {
  const terms = await weighted(store, query, scopes);
  const whole = terms.reduce((sum, { weight: worth }) => sum + worth, 0);
  if (limit < 1 || (terms.length === 0 && near === undefined)) return [];
  const enough = CHUNKS * limit;
  const [chunks, nearest] = await Promise.all([
    terms.length === 0
      ? []
      : store.candidates("pages", { scopes, terms, least: LEAST_SCORE * whole, limit: enough }),
    near?.nearest(scopes, enough) ?? [],
  ]);
  const found = [
    ...(near ? meant(nearest, { terms, all: whole, match: near.match }) : []),
    ...ranked(chunks, terms, whole),
  ].filter(({ score }) => score >= LEAST_SCORE);
  return once(found.sort(better), limit);
}

/** The terms of the question, by how rare they are among the reader's pages. */
async function weighted(
  store: Storage,
  query: string,
  scopes: readonly Scope[],
): Promise<Weighted[]> {
  const asked = queryTerms(
    withoutFences(asQuestion(query)).replace(/<\/?tidemark-[^>]*>?/gi, " "),
  ).map(({ term, loose }) => ({ term, loose, open: /^\p{L}{4,}$/u.test(term) }));
  const holding =
    asked.length === 0 ? [] : await store.frequencies("pages", { scopes, terms: asked });
  return asked.map((term, at) => ({ ...term, weight: weight(holding[at] ?? 0, term.loose) }));
}
