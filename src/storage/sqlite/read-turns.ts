import { defined } from "../../core/base.ts";
import { type FoundTurn, LATER, type TurnRow, type TurnWord } from "../rows.ts";
import type { TurnSearch } from "../methods.ts";
import type { HeldWord, Stretch, TurnKey, Weighed, WordStart } from "../search-index.ts";
import type { Sql } from "./sql.ts";

/**
 * Rows of the index one question reads before it stops taking in commoner words: 10,000 take 4 ms.
 * Words beyond are looked up only in the stretches that the rarer ones chose.
 */
const MOST_ROWS = 10_000;

/** A page a tool has dumped is as rare as its beginning. */
const WORDS_READ = 100;

const bits = (places: number): number =>
  ones(places % 0x1000000) + ones(Math.floor(places / 0x1000000));
function ones(value: number): number {
  let count = 0;
  for (let rest = value; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

interface Root {
  readonly number: number;
  readonly turns: number;
  readonly words: number;
  readonly stretches: number;
}

/** A root that has no turns finds nothing. */
const NONE: Root = { number: -1, turns: 0, words: 0, stretches: 0 };

type RootOf = (name: string) => Root;
export interface TurnReads extends TurnSearch {
  readonly beginning: (asked: WordStart) => HeldWord[];
  readonly turns: (root: string, keys: readonly TurnKey[], words?: boolean) => FoundTurn[];
}

export function turnReader(sql: Sql): TurnReads {
  const rootOf: RootOf = (name) =>
    sql.row<Root>`select number, turns, words, stretches from root where name = ${name}` ?? NONE;
  return { ...stretchReader(sql, rootOf), ...rowReader(sql, rootOf) };
}

/** Turns and words as they stand. */
function rowReader(sql: Sql, rootOf: RootOf): Pick<TurnReads, "beginning" | "turns"> {
  const wordsIn = wordReader(sql);
  // Joined, a row takes five times as long; a search reads some sixty.
  const turnAt = (root: string) => {
    const { number } = rootOf(root);
    return ({ stretch, place }: TurnKey) => {
      const row = sql.row<TurnRow & { words: Buffer }>`select id, (select session from stretch
           where number = turn.stretch) as session, position, role, name, text, at, ref, words
         from turn where stretch = ${stretch} and place = ${place} and root = ${number}`;
      return row === undefined ? [] : [{ ...row, root, stretch, place }];
    };
  };
  return {
    beginning: ({ root, start, limit }) =>
      sql.rows<HeldWord>`select term, turns as holding from turn_word
         where root = ${rootOf(root).number} and term >= ${start} and term < ${`${start}\u{10ffff}`}
         order by turns desc, term limit ${limit}`,
    turns(name, keys, isWithWords = false) {
      const found = keys.flatMap(turnAt(name));
      const words = isWithWords ? wordsIn(found) : [];
      return found.map(({ words: _, name: speaker, ref, ...turn }, at) => ({
        ...turn,
        name: speaker ?? undefined,
        ref: ref ?? undefined,
        ...defined({ words: words[at] }),
      }));
    },
  };
}

type Asked = Omit<Weighed["turns"][0], "root">;
type PlaceRow = readonly [word: number, stretch: number, places: number];

/** How common words are, and the stretches in which they stand. */
function stretchReader(sql: Sql, rootOf: RootOf): TurnSearch {
  const { lists, row, rows, values } = sql;
  /** Those of the terms that were used, by their places among them. */
  const wordsOf = (root: Root, terms: readonly string[]) =>
    rows<{ at: number; number: number; turns: number }>`select named.key as at, w.number, w.turns
       from json_each(${terms}) named cross join turn_word w on w.term = named.value
       where w.root = ${root.number}`;
  const placesIn = (words: readonly number[], stretches: readonly number[]) =>
    lists<PlaceRow>`select word, stretch, places from turn_place
       where word in (select value from json_each(${words}))
         and stretch in (select value from json_each(${stretches}))`;
  const apartOf = (root: Root, session: string | undefined): number[] =>
    session === undefined
      ? []
      : values`select number from stretch where session = ${session} and root = ${root.number}`;

  /** The stretches in which most of the terms stand, the rarest terms read first. */
  function best(root: Root, { terms, limit, besides }: Asked): Chosen[] {
    const named = terms.map(({ term }) => term);
    const words = wordsOf(root, named)
      .map((word) => ({ ...word, weight: terms[word.at]?.weight ?? 0 }))
      .sort((one, other) => one.turns - other.turns);
    const weights = new Map<number, number>();
    const held: PlaceRow[] = [];
    const left: number[] = [];
    for (const { number, turns, weight } of words) {
      const rows = Math.min(turns, root.stretches);
      if (weight <= 0 || (held.length > 0 && held.length + rows > MOST_ROWS)) {
        left.push(number);
        continue;
      }
      // A list for each of thousands of rows takes twice as long as one text for all.
      const found = row<{ stretches: string; places: string }>`select
           json_group_array(stretch) as stretches, json_group_array(places) as places
         from turn_place where word = ${number}`;
      const places = numbersIn(found?.places);
      numbersIn(found?.stretches).forEach((stretch, index) => {
        const own = places[index] ?? 0;
        const times = bits(own);
        held.push([number, stretch, own]);
        weights.set(stretch, (weights.get(stretch) ?? 0) + (weight * 2 * times) / (times + 1));
      });
    }
    for (const apart of apartOf(root, besides)) weights.delete(apart);
    const numbers = heaviest(weights, limit);
    const chosen = numbers.map((number) => ({ number, places: terms.map(() => 0) }));
    const placesAt = new Map(chosen.map(({ number, places }) => [number, places]));
    const asked = Map.groupBy(words, ({ number }) => number);
    for (const [word, stretch, places] of [...held, ...placesIn(left, numbers)]) {
      const own = placesAt.get(stretch);
      if (own !== undefined) for (const { at } of asked.get(word) ?? []) own[at] = places;
    }
    return chosen;
  }

  return {
    frequencies({ root: name, terms, besides }) {
      const root = rootOf(name);
      const apart = apartOf(root, besides);
      const words = wordsOf(root, terms);
      const numbers = words.map(({ number }) => number);
      const spared = new Map<number, number>();
      for (const [word, , places] of placesIn(numbers, apart))
        spared.set(word, (spared.get(word) ?? 0) + bits(places));
      const holding = terms.map(() => 0);
      for (const { at, number, turns } of words) holding[at] = turns - (spared.get(number) ?? 0);
      return { documents: root.turns, holding, words: root.words, stretches: root.stretches };
    },

    candidates({ root: name, ...asked }) {
      const root = rootOf(name);
      return stretchesShown(sql, root, best(root, asked));
    },
  };
}

const numbersIn = (list = "[]"): number[] => JSON.parse(list) as number[];

/** The first of equals first. Few of many are wanted: only those are put in order. */
function heaviest(weights: ReadonlyMap<number, number>, limit: number): number[] {
  const least = Float64Array.from(weights.values()).sort().at(-limit) ?? 0;
  return [...weights]
    .filter(([, weight]) => weight >= least)
    .sort(([one, weight], [other, than]) => than - weight || one - other)
    .slice(0, limit)
    .map(([number]) => number);
}

interface Chosen {
  readonly number: number;
  readonly places: number[];
}

/** Stretches as they are shown, in the order given. */
function stretchesShown({ rows, values }: Sql, root: Root, chosen: readonly Chosen[]): Stretch[] {
  const numbers = chosen.map(({ number }) => number);
  const held = rows<Pick<Stretch, "number" | "at"> & { traits: Buffer; opens: number }>`select
       number, at, traits, opens from stretch
     where number in (select value from json_each(${numbers}))`;
  const byNumber = new Map(held.map((stretch) => [stretch.number, stretch]));
  const begun = values<number>`select at from stretch where root = ${root.number}
     order by at desc limit ${LATER}`;
  return chosen.flatMap(({ number, places }) => {
    const stretch = byNumber.get(number);
    if (stretch === undefined) return [];
    const { at, opens, traits } = stretch;
    // They stand in order, the latest first.
    const later = begun.findIndex((other) => other <= at);
    return [
      {
        number,
        at,
        later: later < 0 ? LATER : later,
        opens: opens === 1,
        ...traitsOf(traits),
        places,
      },
    ];
  });
}

interface WordRow extends Omit<TurnWord, "first"> {
  readonly number: number;
  /** The first stretch that holds it, and where. */
  readonly held: string;
}

/** The first words of each turn, with in how many turns each stands. */
const wordReader =
  ({ rows }: Sql) =>
  (turns: readonly (TurnKey & { words: Buffer })[]): TurnWord[][] => {
    const read = turns.map(({ words }) => unpacked(words.subarray(0, 4 * WORDS_READ)));
    const counted = rows<WordRow>`select number, term, turns as holding,
         (select stretch || ' ' || places from turn_place where word = number
          order by stretch limit 1) as held
       from turn_word where number in (select value from json_each(${[...new Set(read.flat())]}))
         and term not like '@%'`;
    const known = new Map(
      counted.map(({ held, ...word }) => {
        const [stretch, places = 0] = held.split(" ").map(Number);
        return [word.number, { ...word, stretch, places }] as const;
      }),
    );
    return turns.map((key, at) =>
      (read[at] ?? []).flatMap((number) => {
        const word = known.get(number);
        if (word === undefined) return [];
        const { term, holding, stretch, places } = word;
        // No lower bit is set than the turn's own.
        const first = stretch === key.stretch && places % 2 ** (key.place + 1) === 2 ** key.place;
        return [{ term, holding, first }];
      }),
    );
  };

export const unpacked = (buffer: Buffer): number[] => [
  ...new Uint32Array(new Uint8Array(buffer).buffer),
];

/** Bytes a turn takes in the traits of its stretch: its length in two, its cues in two. */
export const TRAIT = 4;

export function traitsOf(traits: Buffer): Pick<Stretch, "lengths" | "cues"> {
  const turns = traits.length / TRAIT;
  const [lengths, cues] = [new Uint16Array(turns), new Uint16Array(turns)];
  for (let at = 0; at < turns; at += 1) {
    lengths[at] = traits.readUInt16LE(TRAIT * at);
    cues[at] = traits.readUInt16LE(TRAIT * at + 2);
  }
  return { lengths, cues };
}
