import { cuesOf } from "../../core/text/identifiers.ts";
import { PAUSE, STRETCH, type TurnRow, turnTerms } from "../rows.ts";
import { TRAIT, traitsOf, turnReader, type TurnReads, unpacked } from "./read-turns.ts";
import type { Parts } from "./shared-file.ts";
import type { Sql } from "./sql.ts";
import type { TurnKey } from "../search-index.ts";

/** Searchable turns, by root. */
export function turnTable(sql: Sql) {
  const words = turnWords(sql);
  const reads: TurnReads = turnReader(sql);
  const put = turnAdder(sql, words);
  const take = turnRemover(sql, words);
  return {
    reads,
    /** Within the transaction that is open: some ten conversations take as many milliseconds. */
    remove: (sessions: readonly string[]): void => sessions.forEach(take),
    parts: {
      turns({ rows, read }) {
        put(rows);
        if (read !== undefined)
          sql.run`insert into cursor (name, row) values ('history', ${read})
            on conflict (name) do update set row = excluded.row`;
      },
    } satisfies Partial<Parts>,
  };
}

type Words = ReturnType<typeof turnWords>;

interface Sheet {
  readonly number: number;
  readonly turns: number;
  readonly until: number;
  readonly traits: Buffer;
}

/** Stretches of a root, into which turns are put one after the other. */
const stretchTable = ({ row, run }: Sql, root: number) => ({
  sheet: (number: number) =>
    row<Sheet>`select number, turns, until, traits from stretch where number = ${number}`,
  /** The next turn of a session belongs to its last stretch, or to a new one. */
  next({ session, at }: TurnRow): Sheet {
    const last = row<Sheet>`select number, turns, until, traits from stretch
      where session = ${session} and root = ${root} order by number desc limit 1`;
    const goesOn = last !== undefined && at - last.until < PAUSE;
    if (goesOn && last.turns < STRETCH) return last;
    return row<Sheet>`insert into stretch (root, session, turns, at, until, traits, opens)
      values (${root}, ${session}, 0, ${at}, ${at}, x'', ${Number(!goesOn)})
      returning number, turns, until, traits` as Sheet;
  },
  /** Notes what a turn is like at its place, and what its root has with it. */
  note(
    { number, turns, until, traits: before }: Sheet,
    place: number,
    turn: TurnRow & { length: number },
  ): void {
    const added = place < turns ? 0 : 1;
    const traits = Buffer.concat([before, Buffer.alloc(TRAIT * added)]);
    const words = turn.length - traits.readUInt16LE(TRAIT * place);
    traits.writeUInt16LE(turn.length, TRAIT * place);
    traits.writeUInt16LE(cuesOf(turn.text, turn.role), TRAIT * place + 2);
    run`update stretch set turns = ${turns + added}, until = ${Math.max(until, turn.at)},
      traits = ${traits} where number = ${number}`;
    run`update root set turns = turns + ${added}, words = words + ${words},
      stretches = stretches + ${Number(turns === 0)} where number = ${root}`;
  },
});

function turnAdder(sql: Sql, words: Words): (rows: readonly TurnRow[]) => void {
  const { row: rowOf, run, value } = sql;

  function addTo(root: number, rows: readonly TurnRow[]): void {
    const stretches = stretchTable(sql, root);
    const placed: PlacedTurn[] = [];
    // What a batch says twice is said by its last words.
    for (const row of new Map(rows.map((one) => [one.id, one])).values()) {
      const { found, length } = turnTerms(row);
      // One that is there gives up its words and keeps its place.
      const old = rowOf<{ stretch: number; place: number; words: Buffer }>`select stretch, place,
        words from turn where root = ${root} and id = ${row.id}`;
      if (old !== undefined) {
        words.unmark(old.stretch, old.place, old.words);
        run`delete from turn where stretch = ${old.stretch} and place = ${old.place}`;
        unsign(sql, old);
      }
      const sheet = (old && stretches.sheet(old.stretch)) ?? stretches.next(row);
      const place = old?.place ?? sheet.turns;
      stretches.note(sheet, place, { ...row, length });
      placed.push({ row, stretch: sheet.number, place, found });
    }
    const numbers = words.mark(root, placed);
    for (const { row, stretch, place, found } of placed)
      run(
        `insert into turn (stretch, place, root, id, position, role, name, text, at, ref, words)
         values (@stretch, @place, @root, @id, @position, @role, @name, @text, @at, @ref, @words)`,
        {
          ...{ name: null, ref: null, ...row },
          ...{ root, stretch, place },
          words: packed(found.flatMap((term) => numbers.get(term) ?? [])),
        },
      );
  }

  return (rows) => {
    for (const [name, own] of Map.groupBy(rows, ({ root }) => root))
      addTo(
        value<number>`select number from root where name = ${name}` ??
          Number(run`insert into root (name) values (${name})`.lastInsertRowid),
        own,
      );
  };
}

/** A turn that is said anew means something else: it and those behind it wait for signs. */
function unsign({ run }: Sql, { stretch, place }: TurnKey): void {
  run`update stretch_signs set signs = substr(signs, 1, length(signs) / s.signed * ${place})
    from stretch s where s.number = stretch and stretch = ${stretch} and s.signed > ${place}`;
  run`update stretch set signed = min(signed, ${place}) where number = ${stretch}`;
}

const turnRemover =
  ({ rows, run }: Sql, words: Words) =>
  (session: string): void => {
    const stretches = rows<{ number: number; root: number; traits: Buffer }>`select number, root,
      traits from stretch where session = ${session}`;
    for (const { number, root, traits } of stretches) {
      const turns = rows<{ place: number; words: Buffer }>`select place, words from turn
        where stretch = ${number}`;
      for (const turn of turns) words.unmark(number, turn.place, turn.words);
      run`delete from turn where stretch = ${number}`;
      run`delete from stretch where number = ${number}`;
      run`delete from stretch_signs where stretch = ${number}`;
      const length = traitsOf(traits).lengths.reduce((sum, one) => sum + one, 0);
      run`update root set turns = turns - ${turns.length}, words = words - ${length},
        stretches = stretches - 1 where number = ${root}`;
    }
  };

/** Numbers of words, four bytes each. */
const packed = (numbers: readonly number[]): Buffer =>
  Buffer.from(Uint32Array.from(numbers).buffer);

interface PlacedTurn extends TurnKey {
  readonly row: TurnRow;
  readonly found: readonly string[];
}

/** Which turns hold which words, and how many of a root hold each. */
const turnWords = ({ run, value }: Sql) => ({
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
