import { head } from "../../core/text/cut.ts";
import { contentTerms, terms } from "../../core/text/terms.ts";
import type { Stretch, TurnKey, TurnRow } from "../past-turns.ts";
import type { Desk } from "./database-file.ts";

/**
 * A longer turn is a dumped file: 100,000 characters take 20 ms to read. The text itself is kept
 * whole.
 */
const READ_CHARACTERS = 100_000;

/** Lengths are kept in two bytes. */
const LONGEST_TURN = 65_535;

/**
 * What a turn is found by: each term once, those of its speaker's name marked; and how long it is,
 * in words.
 */
export function turnTerms({ name, text }: Pick<TurnRow, "name" | "text">): {
  found: string[];
  length: number;
} {
  const { terms: said, length } = contentTerms(head(text, READ_CHARACTERS));
  const speaker = name === undefined ? [] : terms(name).map((term) => `@${term}`);
  return { found: [...new Set([...said, ...speaker])], length: Math.min(length, LONGEST_TURN) };
}

/** Numbers of words, four bytes each. */
export const packed = (numbers: readonly number[]): Buffer =>
  Buffer.from(Uint32Array.from(numbers).buffer);
export const unpacked = (buffer: Buffer): number[] => [
  ...new Uint32Array(new Uint8Array(buffer).buffer),
];

/** Bytes a turn takes in the traits of its stretch: its length in two, its cues in two. */
export const TRAIT = 4;

export function traitsOf(traits: Buffer): Pick<Stretch, "lengths" | "cues"> {
  const pairs = new Uint16Array(new Uint8Array(traits).buffer);
  return {
    lengths: pairs.filter((_, at) => at % 2 === 0),
    cues: pairs.filter((_, at) => at % 2 === 1),
  };
}

export interface PlacedTurn extends TurnKey {
  readonly row: TurnRow;
  readonly found: readonly string[];
}

/** Which turns hold which words, and how many of a root hold each. */
export function turnWords({ run, value }: Desk) {
  const addWord = value<number>(
    `insert into turn_word (root, term, turns) values (?, ?, ?) on conflict (root, term) do
     update set turns = turns + excluded.turns returning number`,
  );
  const addPlaces = run(
    `insert into turn_place (word, stretch, places) values (?, ?, ?) on conflict (word, stretch)
     do update set places = places | excluded.places`,
  );
  const inAll = "in (select value from json_each(@words))";
  const unmarking = [
    `update turn_place set places = places & ~cast(@bit as integer) where word ${inAll} and
     stretch = @stretch`,
    `delete from turn_place where word ${inAll} and stretch = @stretch and places = 0`,
    `update turn_word set turns = turns - 1 where number ${inAll}`,
    `delete from turn_word where number ${inAll} and turns <= 0`,
  ].map(run);

  return {
    /**
     * Counts and places every word of a root's batch at once, since most come again; answers the
     * numbers of the words.
     */
    mark(root: number, batch: readonly PlacedTurn[]): Map<string, number> {
      const words = new Map<string, { turns: number; places: Map<number, number> }>();
      for (const { stretch, place, found } of batch)
        for (const term of found) {
          let word = words.get(term);
          if (word === undefined) words.set(term, (word = { turns: 0, places: new Map() }));
          word.turns += 1;
          word.places.set(stretch, (word.places.get(stretch) ?? 0) + 2 ** place);
        }
      const numbers = new Map<string, number>();
      for (const [term, { turns, places }] of words) {
        const number = addWord(root, term, turns) ?? 0;
        numbers.set(term, number);
        for (const [stretch, bits] of places) addPlaces(number, stretch, bits);
      }
      return numbers;
    },

    unmark(stretch: number, place: number, numbers: Buffer): void {
      const given = { stretch, bit: 2 ** place, words: JSON.stringify(unpacked(numbers)) };
      for (const step of unmarking) step(given);
    },
  };
}
