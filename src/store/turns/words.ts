import { type TurnRow } from "../../model/turns.ts";
import { head } from "../../text/cut.ts";
import { contentTerms, terms } from "../../text/terms.ts";
import { type Connection } from "../sqlite/database.ts";

/** A longer turn is a dumped file: 100,000 characters take 20 ms to read. The text itself is kept whole. */
const READ_CHARACTERS = 100_000;

/** Lengths are kept in two bytes. */
const LONGEST = 65_535;

/** What a turn is found by: each term once, those of its speaker's name marked; and how long it is, in words. */
export function turnTerms({ name, text }: Pick<TurnRow, "name" | "text">): {
  found: string[];
  length: number;
} {
  const { terms: said, length } = contentTerms(head(text, READ_CHARACTERS));
  const speaker = name === undefined ? [] : terms(name).map((term) => `@${term}`);
  return { found: [...new Set([...said, ...speaker])], length: Math.min(length, LONGEST) };
}

/** Numbers of words, four bytes each. */
export const packed = (numbers: readonly number[]): Buffer => {
  const buffer = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, at) => buffer.writeUInt32LE(number, 4 * at));
  return buffer;
};
export const unpacked = (buffer: Buffer): number[] =>
  Array.from({ length: buffer.length / 4 }, (_, at) => buffer.readUInt32LE(4 * at));

export interface Placed {
  readonly row: TurnRow;
  readonly root: number;
  readonly stretch: number;
  readonly place: number;
  readonly found: readonly string[];
}

/** Which turns hold which words, and how many of a root hold each. */
export function turnWords(database: Connection) {
  const prepare = (sql: string) => database.prepare(sql);
  const addWord = prepare(
    "insert into turn_word (root, term, turns) values (?, ?, ?) on conflict (root, term) do update set turns = turns + excluded.turns returning number",
  ).pluck();
  const addPlaces = prepare(
    "insert into turn_place (word, stretch, places) values (?, ?, ?) on conflict (word, stretch) do update set places = places | excluded.places",
  );
  const dropPlace = prepare(
    "update turn_place set places = places & ~cast(? as integer) where word = ? and stretch = ?",
  );
  const dropEmpty = prepare("delete from turn_place where word = ? and stretch = ? and places = 0");
  const dropWord = prepare("update turn_word set turns = turns - 1 where number = ?");
  const dropUnused = prepare("delete from turn_word where number = ? and turns <= 0");

  return {
    /** Counts and places every word of a batch at once, since most come again; answers each root's numbers of words. */
    mark(batch: readonly Placed[]): Map<number, Map<string, number>> {
      const words = new Map<number, Map<string, { turns: number; places: Map<number, number> }>>();
      for (const { root, stretch, place, found } of batch) {
        let own = words.get(root);
        if (own === undefined) words.set(root, (own = new Map()));
        for (const term of found) {
          let word = own.get(term);
          if (word === undefined) own.set(term, (word = { turns: 0, places: new Map() }));
          word.turns += 1;
          word.places.set(stretch, (word.places.get(stretch) ?? 0) + 2 ** place);
        }
      }
      const numbers = new Map<number, Map<string, number>>();
      for (const [root, own] of words) {
        const named = new Map<string, number>();
        numbers.set(root, named);
        for (const [term, { turns, places }] of own) {
          const number = addWord.get(root, term, turns) as number;
          named.set(term, number);
          for (const [stretch, bits] of places) addPlaces.run(number, stretch, bits);
        }
      }
      return numbers;
    },

    unmark(stretch: number, place: number, words: readonly number[]): void {
      for (const word of words) {
        dropPlace.run(2 ** place, word, stretch);
        dropEmpty.run(word, stretch);
        dropWord.run(word);
        dropUnused.run(word);
      }
    },
  };
}
