import { breaths, lru, slices } from "../../core/base.ts";
import { pairsOf } from "../rows.ts";
import type { BegunWord, WeightedChoice, WeightedTerm } from "../search-index.ts";
import { termRows } from "./memory-rows.ts";
import type { Sql } from "./sql.ts";

/**
 * Counts from here on are kept: to count a million rows again takes 30 ms, and one more or less
 * moves no score.
 */
const KEPT_COUNT = 1_000;
const MOST_KEPT = 10_000;
/** A kept count holds until the documents have become so many more or fewer. */
const DRIFT = 0.02;

/** Words counted before others have their turn. */
const COUNTED = 16;
interface Word {
  readonly term: string;
  readonly doc: number;
}

/** A word that is looked for; an `open` one stands for those that begin with it, too. */
interface Term extends Pick<WeightedChoice, "term" | "or"> {
  readonly open?: boolean;
}

/**
 * Any owner's rows that hold all of these terms. Quoted, so that none can be read as an operator;
 * they hold letters, marks and digits only.
 */
const matching = (owners: readonly string[], ...terms: readonly Term[]): string =>
  owners
    .map((owner) => {
      const all = terms.map(({ term, or = [], open = false }) =>
        [term, ...or].map((one) => `"${owner}_${one}"${open ? "*" : ""}`).join(" OR "),
      );
      return `(${all.join(") AND (")})`;
    })
    .join(" OR ");

/** An owner's rows that hold all of these words. */
export const holdingAll = (owner: string, words: readonly BegunWord[]): string =>
  words.map(({ start, term }) => `("${owner}_${start}"* OR "${owner}_${term}")`).join(" AND ");

/**
 * The inverted index of one table: which rows of an owner hold a term. Of one term the newest rows
 * are read: beyond, a word tells nothing apart.
 */
export function termIndex(sql: Sql, name: string, most: number) {
  const newest = `select rowid from ${name} where ${name} match ?
    order by rowid desc limit ${most}`;
  const rows = (asked: string) => sql.values<number>(newest, asked);
  const kept = lru<string, number>(MOST_KEPT);
  const count = `select count(*) from ${name} where ${name} match ?`;
  const words = `temp.${name}_words`;
  sql.run(`create virtual table if not exists ${words} using fts5vocab(main, ${name}, row)`);
  const counts = `select w.term, w.doc from json_each(?) named
    cross join ${words} w where w.term = named.value`;
  return {
    ...termRows(sql, name),

    /** In how many rows each term stands. */
    async holding(owners: readonly string[], terms: readonly Term[]): Promise<number[]> {
      const found: number[] = [];
      const pause = breaths();
      for (const term of terms) {
        const asked = matching(owners, term);
        found.push((asked !== "" && sql.value<number>(count, asked)) || 0);
        await pause();
      }
      return found;
    },

    /** The same of whole words; a large count holds for about so many `documents`. */
    async counts(
      owners: readonly string[],
      terms: readonly string[],
      documents: number,
    ): Promise<number[]> {
      const age = Math.round(Math.log(documents) / DRIFT);
      const found = new Map<string, number>();
      const named = owners.flatMap((owner) => terms.map((term) => `${owner}_${term}`));
      const unknown = named.filter((word) => kept.get(`${age} ${word}`) === undefined);
      for await (const { from, to } of slices(0, unknown.length, { size: COUNTED, often: 8 }))
        for (const { term, doc } of sql.rows<Word>(counts, JSON.stringify(unknown.slice(from, to))))
          if (doc >= KEPT_COUNT) kept.set(`${age} ${term}`, doc);
          else found.set(term, doc);
      const held = (word: string): number => found.get(word) ?? kept.get(`${age} ${word}`) ?? 0;
      return terms.map((term) => owners.reduce((sum, one) => sum + held(`${one}_${term}`), 0));
    },

    /**
     * Rows that hold one of `terms`, or two of `together`, and `least` in all: greatest sum of
     * weights first, then the newest.
     */
    async weighed(
      owners: readonly string[],
      { terms, together, least = 0, enough = Infinity }: TermsWanted,
    ) {
      const pairs = pairsOf(together).map(({ one, other, weight }) => ({
        asked: matching(owners, one, other),
        weight,
      }));
      const alone = terms.map((one) => ({ asked: matching(owners, one), weight: one.weight }));
      const asks = (owners.length === 0 ? [] : [...alone, ...pairs]).sort(
        (one, other) => other.weight - one.weight,
      );
      const weights = new Map<number, number>();
      const pause = breaths();
      let rest = asks.reduce((sum, { weight }) => sum + weight, 0);
      for (const { asked, weight } of asks) {
        // All that is left cannot lift a row that holds none of those before among the best.
        const isOpen = !hold(weights, enough, rest);
        for (const row of rows(asked)) {
          const known = weights.get(row);
          if (isOpen || known !== undefined) weights.set(row, (known ?? 0) + weight);
        }
        rest -= weight;
        await pause();
      }
      return inOrder(weights, least);
    },
  };
}

/** Whether so many rows have come to more than this. */
function hold(weights: ReadonlyMap<number, number>, count: number, bound: number): boolean {
  if (weights.size < count) return false;
  let found = 0;
  for (const weight of weights.values()) if (weight > bound && ++found >= count) return true;
  return false;
}

/**
 * Few sums differ, so rows are gathered by their sum and put in order as far as they are asked for.
 */
function inOrder(weights: ReadonlyMap<number, number>, least: number) {
  const groups = new Map<number, number[]>();
  for (const [row, weight] of weights) {
    if (weight < least) continue;
    const group = groups.get(weight);
    if (group === undefined) groups.set(weight, [row]);
    else group.push(row);
  }
  const order = [...groups].sort(([less], [more]) => less - more);
  let open: number[] = [];
  return {
    weightOf: (row: number) => weights.get(row) ?? 0,
    next(count: number) {
      const found: number[] = [];
      while (found.length < count) {
        if (open.length === 0) {
          const [, group] = order.pop() ?? [];
          if (group === undefined) break;
          open = group.sort((one, other) => other - one);
        }
        found.push(...open.splice(0, count - found.length));
      }
      return found;
    },
  };
}

interface TermsWanted {
  readonly terms: readonly (Term & WeightedTerm)[];
  /** The most rows that are asked for. */
  readonly enough?: number;
  readonly together?: readonly WeightedTerm[];
  readonly least?: number;
}
export type TermIndex = ReturnType<typeof termIndex>;
