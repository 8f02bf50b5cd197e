import type { Stretch, TurnKey, TurnRow } from "../past-turns.ts";
import type { Sql } from "./sql.ts";

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
export const turnWords = ({ run, value }: Sql) => ({
  /**
   * Counts and places every word of a root's batch at once, since most come again; answers the
   * numbers of the words.
   */
  mark(root: number, batch: readonly PlacedTurn[]): Map<string, number> {
    const held = batch.flatMap(({ found, ...key }) => found.map((term) => ({ term, ...key })));
    const numbers = new Map<string, number>();
    for (const [term, turns] of Map.groupBy(held, (one) => one.term)) {
      const number =
        value<number>`insert into turn_word (root, term, turns)
             values (${root}, ${term}, ${turns.length})
           on conflict (root, term) do update set turns = turns + excluded.turns
           returning number` ?? 0;
      numbers.set(term, number);
      for (const [stretch, own] of Map.groupBy(turns, (one) => one.stretch)) {
        const places = own.reduce((bits, { place }) => bits + 2 ** place, 0);
        run`insert into turn_place (word, stretch, places)
             values (${number}, ${stretch}, ${places})
           on conflict (word, stretch) do update set places = places | excluded.places`;
      }
    }
    return numbers;
  },

  unmark(stretch: number, place: number, words: Buffer): void {
    const given = { stretch, bit: 2 ** place, words: JSON.stringify(unpacked(words)) };
    for (const step of UNMARKING) run(step, given);
  },
});

const IN_ALL = "in (select value from json_each(@words))";
const UNMARKING = [
  `update turn_place set places = places & ~cast(@bit as integer) where word ${IN_ALL} and
   stretch = @stretch`,
  `delete from turn_place where word ${IN_ALL} and stretch = @stretch and places = 0`,
  `update turn_word set turns = turns - 1 where number ${IN_ALL}`,
  `delete from turn_word where number ${IN_ALL} and turns <= 0`,
];
