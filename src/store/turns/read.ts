import { type WeightedTerm } from "../../model/store.ts";
import {
  LATER,
  type Stretch,
  type TurnFrequencies,
  type TurnKey,
  type TurnRow,
  type TurnWord,
} from "../../model/turns.ts";
import { type Connection, literally } from "../sqlite/database.ts";
import { TRAIT } from "./write.ts";
import { unpacked } from "./words.ts";

interface Row {
  id: string;
  session: string;
  position: number;
  role: string;
  name: string | null;
  text: string;
  at: number;
  ref: string | null;
}

/**
 * Rows of the index one question reads before it stops taking in commoner words: 10,000 take 4 ms. Words beyond are looked
 * up only in the stretches that the rarer ones chose.
 */
const MOST_ROWS = 10_000;

/** A page a tool has dumped is as rare as its beginning. */
const WORDS_READ = 100;

const toTurn = (row: Row, root: string): TurnRow => ({
  id: row.id,
  session: row.session,
  root,
  position: row.position,
  role: row.role,
  name: row.name ?? undefined,
  text: row.text,
  at: row.at,
  ref: row.ref ?? undefined,
});

function traitsOf(traits: Buffer): { lengths: Uint16Array; cues: Uint16Array } {
  const turns = traits.length / TRAIT;
  const [lengths, cues] = [new Uint16Array(turns), new Uint16Array(turns)];
  for (let place = 0; place < turns; place += 1) {
    lengths[place] = (traits[TRAIT * place] ?? 0) + 256 * (traits[TRAIT * place + 1] ?? 0);
    cues[place] = (traits[TRAIT * place + 2] ?? 0) + 256 * (traits[TRAIT * place + 3] ?? 0);
  }
  return { lengths, cues };
}

const bits = (places: number): number =>
  ones(places % 0x1000000) + ones(Math.floor(places / 0x1000000));
function ones(value: number): number {
  let count = 0;
  for (let rest = value; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

/** The place of the first bit that is set. */
function lowest(places: number): number {
  let place = 0;
  for (let rest = places; rest > 0 && rest % 2 === 0; rest /= 2) place += 1;
  return place;
}

export function turnReader(database: Connection) {
  const statements = readStatements(database);
  const { rootOf, findWord, findBeginning, turnAt, holding, placesIn, rootsHeld } = statements;
  return {
    roots: (): string[] => rootsHeld.all() as string[],

    frequencies(name: string, asked: readonly string[], besides?: string): TurnFrequencies {
      const root = rootOf(name);
      if (root === undefined)
        return { documents: 0, holding: asked.map(() => 0), words: 0, stretches: 0 };
      const apart = stretchesApart(statements, root, besides);
      const held = asked.map((term) => {
        const word = findWord.get(root.number, term) as Word | undefined;
        if (word === undefined || apart.length === 0) return word?.turns ?? 0;
        const own = placesIn.all(word.number, JSON.stringify(apart)) as [number, number][];
        return word.turns - own.reduce((sum, [, places]) => sum + bits(places), 0);
      });
      return { documents: root.turns, holding: held, words: root.words, stretches: root.stretches };
    },

    beginning({
      root: name,
      start,
      limit,
    }: {
      root: string;
      start: string;
      limit: number;
    }): { term: string; holding: number }[] {
      const root = rootOf(name);
      return root === undefined
        ? []
        : (findBeginning.all(root.number, start, `${start}\u{10ffff}`, limit) as {
            term: string;
            holding: number;
          }[]);
    },

    stretches({ root: name, ...asked }: Asked): Stretch[] {
      const root = rootOf(name);
      return root === undefined ? [] : stretchesOf(statements, root, asked);
    },

    wordsOf: (name: string, keys: readonly TurnKey[]): TurnWord[][] => {
      const root = rootOf(name);
      return root === undefined ? keys.map(() => []) : wordsOf(statements, root, keys);
    },

    turns(name: string, keys: readonly TurnKey[]): TurnRow[] {
      const root = rootOf(name);
      if (root === undefined) return [];
      return keys.flatMap(({ stretch, place }) => {
        const row = turnAt.get(stretch, place, root.number) as Row | undefined;
        return row === undefined ? [] : [toTurn(row, name)];
      });
    },

    containing({
      root: name,
      text,
      limit,
    }: {
      root: string;
      text: string;
      limit: number;
    }): TurnRow[] {
      const root = rootOf(name);
      if (root === undefined) return [];
      return (holding.all(root.number, literally(text), limit) as Row[]).map((row) =>
        toTurn(row, name),
      );
    },
  };
}

interface Root {
  readonly number: number;
  readonly turns: number;
  readonly words: number;
  readonly stretches: number;
}

interface Word {
  readonly number: number;
  readonly turns: number;
}

type WordRow = readonly [
  number: number,
  term: string,
  turns: number,
  stretch: number,
  places: number,
];
type StretchRow = readonly [number: number, at: number, traits: Buffer, opens: number];

interface Asked {
  readonly root: string;
  readonly terms: readonly WeightedTerm[];
  readonly limit: number;
  readonly besides?: string;
}

type Statements = ReturnType<typeof readStatements>;

function readStatements(database: Connection) {
  const prepare = (sql: string) => database.prepare(sql);
  const findRoot = prepare("select number, turns, words, stretches from root where name = ?");
  // Joined, a row takes five times as long; a search reads some sixty.
  const columns =
    "id, (select session from stretch where number = turn.stretch) as session, position, role, name, text, at, ref";
  return {
    rootOf: (name: string) => findRoot.get(name) as Root | undefined,
    rootsHeld: prepare(
      "select name from root where turns > 0 order by (select max(at) from stretch where root = root.number) desc",
    ).pluck(),
    findWord: prepare("select number, turns from turn_word where root = ? and term = ?"),
    findBeginning: prepare(
      "select term, turns as holding from turn_word where root = ? and term >= ? and term < ? order by turns desc, term limit ?",
    ),
    placesOf: prepare("select stretch, places from turn_place where word = ?").raw(),
    placesIn: prepare(
      "select stretch, places from turn_place where word = ? and stretch in (select value from json_each(?))",
    ).raw(),
    stretchesIn: prepare(
      "select number, at, traits, opens from stretch where number in (select value from json_each(?))",
    ).raw(),
    ownStretches: prepare("select number from stretch where session = ? and root = ?").pluck(),
    latest: prepare("select at from stretch where root = ? order by at desc limit ?").pluck(),
    turnAt: prepare(`select ${columns} from turn where stretch = ? and place = ? and root = ?`),
    wordsAt: prepare("select words from turn where stretch = ? and place = ? and root = ?").pluck(),
    counts: prepare(
      `select number, term, turns, (select stretch from turn_place where word = number order by stretch limit 1),
       (select places from turn_place where word = number order by stretch limit 1)
       from turn_word where number in (select value from json_each(?)) and term not like '@%'`,
    ).raw(),
    holding: prepare(
      `select ${columns} from turn where stretch in (select number from stretch where root = ?) and text like ? escape '\\' order by at, stretch, place limit ?`,
    ),
  };
}

const stretchesApart = (
  { ownStretches }: Statements,
  root: Root,
  session: string | undefined,
): number[] => (session === undefined ? [] : (ownStretches.all(session, root.number) as number[]));

/** The stretches in which most of the terms stand, the rarest terms read first. */
function stretchesOf(
  statements: Statements,
  root: Root,
  { terms, limit, besides }: Omit<Asked, "root">,
): Stretch[] {
  const { findWord, placesOf, placesIn, stretchesIn, latest } = statements;
  const words = terms
    .flatMap(({ term, weight }, at) => {
      const word = findWord.get(root.number, term) as Word | undefined;
      return word === undefined ? [] : [{ ...word, at, weight }];
    })
    .sort((one, other) => one.turns - other.turns);
  const found = new Map<number, { weight: number; places: number[] }>();
  const left: typeof words = [];
  let read = 0;
  for (const word of words) {
    if (word.weight <= 0 || (read > 0 && read + Math.min(word.turns, root.stretches) > MOST_ROWS)) {
      left.push(word);
      continue;
    }
    for (const [stretch, places] of placesOf.all(word.number) as [number, number][]) {
      read += 1;
      let entry = found.get(stretch);
      if (entry === undefined)
        found.set(stretch, (entry = { weight: 0, places: terms.map(() => 0) }));
      entry.places[word.at] = places;
      const times = bits(places);
      entry.weight += (word.weight * 2 * times) / (times + 1);
    }
  }
  for (const apart of stretchesApart(statements, root, besides)) found.delete(apart);
  const best = [...found]
    .sort(([a, one], [b, other]) => other.weight - one.weight || a - b)
    .slice(0, limit);
  const chosen = JSON.stringify(best.map(([number]) => number));
  for (const word of left)
    for (const [stretch, places] of placesIn.all(word.number, chosen) as [number, number][]) {
      const entry = found.get(stretch);
      if (entry !== undefined) entry.places[word.at] = places;
    }
  const rows = new Map((stretchesIn.all(chosen) as StretchRow[]).map((row) => [row[0], row]));
  const begun = latest.all(root.number, LATER) as number[];
  return best.flatMap(([number, { places }]) => {
    const [, at = 0, traits, opens] = rows.get(number) ?? [];
    if (traits === undefined) return [];
    const later = begun.filter((other) => other > at).length;
    return [{ number, at, later, opens: opens === 1, ...traitsOf(traits), places }];
  });
}

/** The first words of each turn, with in how many turns each stands. */
function wordsOf(
  { wordsAt, counts }: Statements,
  root: Root,
  keys: readonly TurnKey[],
): TurnWord[][] {
  const words = keys.map(({ stretch, place }) => {
    const blob = wordsAt.get(stretch, place, root.number) as Buffer | undefined;
    return blob === undefined ? [] : unpacked(blob.subarray(0, 4 * WORDS_READ));
  });
  const rows = counts.all(JSON.stringify([...new Set(words.flat())])) as WordRow[];
  const held = new Map(
    rows.map(([number, term, holding, stretch, places]) => [
      number,
      { term, holding, stretch, place: lowest(places) },
    ]),
  );
  return words.map((numbers, at) =>
    numbers.flatMap((number) => {
      const word = held.get(number);
      if (word === undefined) return [];
      const { term, holding, stretch, place } = word;
      const first = stretch === keys[at]?.stretch && place === keys[at]?.place;
      return { term, holding, first };
    }),
  );
}
