import {
  type FoundTurn,
  LATER,
  type Stretch,
  type TurnKey,
  type TurnRow,
  type TurnWord,
} from "../past-turns.ts";
import type { Answers, Begun, Containing, Counted, Weighed } from "../search-index.ts";
import { type Desk, literally } from "./database-file.ts";
import { traitsOf, unpacked } from "./turn-terms.ts";

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
export interface TurnReads {
  readonly frequencies: Answers<Counted>["turns"];
  readonly beginning: Answers<Begun>["turns"];
  readonly stretches: Answers<Weighed>["turns"];
  readonly containing: Answers<Containing>["turns"];
  readonly turns: (root: string, keys: readonly TurnKey[], words?: boolean) => FoundTurn[];
}

export function turnReader(desk: Desk): TurnReads {
  const findRoot = desk.row<Root>(
    "select number, turns, words, stretches from root where name = ?",
  );
  const rootOf: RootOf = (name) => findRoot(name) ?? NONE;
  return {
    ...stretchReader(desk, rootOf),
    ...rowReader(desk, rootOf),
  };
}

/** Turns and words as they stand. */
function rowReader(
  desk: Desk,
  rootOf: RootOf,
): Pick<TurnReads, "beginning" | "turns" | "containing"> {
  const { row: rowOf, rows } = desk;
  const wordsOf = wordReader(desk);
  // Joined, a row takes five times as long; a search reads some sixty.
  const columns = `
    id, (select session from stretch where number = turn.stretch) as session,
    position, role, name, text, at, ref`;
  const turnAt = rowOf<TurnRow>(
    `select ${columns} from turn where stretch = ? and place = ? and root = ?`,
  );
  const holding = rows<TurnRow>(
    `select ${columns} from turn where stretch in (select number from stretch where root = ?) and
     text like ? escape '\\' order by at, stretch, place limit ?`,
  );
  const findBeginning = rows<{ term: string; holding: number }>(
    `select term, turns as holding from turn_word where root = ? and term >= ? and term < ? order
     by turns desc, term limit ?`,
  );
  const toTurn = (root: string, row: TurnRow): TurnRow => ({
    ...row,
    root,
    name: row.name ?? undefined,
    ref: row.ref ?? undefined,
  });
  return {
    beginning: ({ root, start, limit }) =>
      findBeginning(rootOf(root).number, start, `${start}\u{10ffff}`, limit),
    turns(name, keys, isWithWords = false) {
      const root = rootOf(name).number;
      const found = keys.flatMap(({ stretch, place }) => {
        const row = turnAt(stretch, place, root);
        return row === undefined ? [] : [{ ...toTurn(name, row), stretch, place }];
      });
      if (!isWithWords) return found;
      const words = wordsOf(root, found);
      return found.map((turn, at) => ({ ...turn, words: words[at] ?? [] }));
    },
    containing: ({ root, text, limit }) =>
      holding(rootOf(root).number, literally(text), limit).map((row) => toTurn(root, row)),
  };
}

type Asked = Omit<Weighed["turns"][0], "root">;
type PlaceRow = readonly [stretch: number, places: number];

/** How common words are, and the stretches in which they stand. */
function stretchReader(desk: Desk, rootOf: RootOf): Pick<TurnReads, "frequencies" | "stretches"> {
  const { lists, row, values } = desk;
  const shown = stretchesShown(desk);
  const findWord = row<{ number: number; turns: number }>(
    "select number, turns from turn_word where root = ? and term = ?",
  );
  const placesOf = lists<PlaceRow>("select stretch, places from turn_place where word = ?");
  const placesIn = lists<PlaceRow>(
    `select stretch, places from turn_place where word = ? and stretch in (select value from
     json_each(?))`,
  );
  const ownStretches = values<number>("select number from stretch where session = ? and root = ?");
  const apartOf = (root: Root, session: string | undefined): number[] =>
    session === undefined ? [] : ownStretches(session, root.number);

  /** The stretches in which most of the terms stand, the rarest terms read first. */
  function best(root: Root, { terms, limit, besides }: Asked): Chosen[] {
    const words = terms
      .flatMap(({ term, weight }, at) => {
        const word = findWord(root.number, term);
        return word === undefined ? [] : [{ ...word, at, weight }];
      })
      .sort((one, other) => one.turns - other.turns);
    const found = new Map<number, { weight: number; places: number[] }>();
    const left: typeof words = [];
    let read = 0;
    for (const word of words) {
      const rowsOfIt = Math.min(word.turns, root.stretches);
      if (word.weight <= 0 || (read > 0 && read + rowsOfIt > MOST_ROWS)) {
        left.push(word);
        continue;
      }
      for (const [stretch, places] of placesOf(word.number)) {
        read += 1;
        let entry = found.get(stretch);
        if (entry === undefined)
          found.set(stretch, (entry = { weight: 0, places: terms.map(() => 0) }));
        entry.places[word.at] = places;
        const times = bits(places);
        entry.weight += (word.weight * 2 * times) / (times + 1);
      }
    }
    for (const apart of apartOf(root, besides)) found.delete(apart);
    const chosen = [...found]
      .sort(([a, one], [b, other]) => other.weight - one.weight || a - b)
      .slice(0, limit)
      .map(([number, { places }]) => ({ number, places }));
    const numbers = chosen.map(({ number }) => number);
    for (const word of left)
      for (const [stretch, places] of placesIn(word.number, numbers)) {
        const entry = found.get(stretch);
        if (entry !== undefined) entry.places[word.at] = places;
      }
    return chosen;
  }

  return {
    frequencies({ root: name, terms, besides }) {
      const root = rootOf(name);
      const apart = apartOf(root, besides);
      const holding = terms.map((term) => {
        const word = findWord(root.number, term);
        if (word === undefined || apart.length === 0) return word?.turns ?? 0;
        const own = placesIn(word.number, apart);
        return own.reduce((rest, [, places]) => rest - bits(places), word.turns);
      });
      return { documents: root.turns, holding, words: root.words, stretches: root.stretches };
    },

    stretches({ root: name, ...asked }) {
      const root = rootOf(name);
      return shown(root, best(root, asked));
    },
  };
}

interface Chosen {
  readonly number: number;
  readonly places: number[];
}

/** Stretches as they are shown, in the order given. */
function stretchesShown({ rows, values }: Desk) {
  const stretchesIn = rows<Pick<Stretch, "number" | "at"> & { traits: Buffer; opens: number }>(
    `select number, at, traits, opens from stretch where number in (select value from
     json_each(?))`,
  );
  const latest = values<number>("select at from stretch where root = ? order by at desc limit ?");
  return (root: Root, chosen: readonly Chosen[]): Stretch[] => {
    const numbers = chosen.map(({ number }) => number);
    const held = new Map(stretchesIn(numbers).map((stretch) => [stretch.number, stretch]));
    const begun = latest(root.number, LATER);
    return chosen.flatMap(({ number, places }) => {
      const stretch = held.get(number);
      if (stretch === undefined) return [];
      const { at, opens, traits } = stretch;
      const later = begun.filter((other) => other > at).length;
      return [{ number, at, later, opens: opens === 1, ...traitsOf(traits), places }];
    });
  };
}

/** The first words of each turn, with in how many turns each stands. */
function wordReader({ rows, value }: Desk) {
  const wordsAt = value<Buffer>(
    "select words from turn where stretch = ? and place = ? and root = ?",
  );
  const counts = rows<
    Omit<TurnWord, "first"> & { number: number; stretch: number; places: number }
  >(
    `select number, term, turns as holding, (select stretch from turn_place where word = number
     order by stretch limit 1) as stretch,
     (select places from turn_place where word = number order by stretch limit 1) as places
     from turn_word where number in (select value from json_each(?)) and term not like '@%'`,
  );
  return (root: number, keys: readonly TurnKey[]): TurnWord[][] => {
    const words = keys.map(({ stretch, place }) =>
      unpacked(wordsAt(stretch, place, root)?.subarray(0, 4 * WORDS_READ) ?? Buffer.alloc(0)),
    );
    const held = new Map(counts([...new Set(words.flat())]).map((word) => [word.number, word]));
    return keys.map((key, at) =>
      (words[at] ?? []).flatMap((number) => {
        const word = held.get(number);
        if (word === undefined) return [];
        const { term, holding, stretch, places } = word;
        // No lower bit is set than the turn's own.
        const first = stretch === key.stretch && places % 2 ** (key.place + 1) === 2 ** key.place;
        return [{ term, holding, first }];
      }),
    );
  };
}
