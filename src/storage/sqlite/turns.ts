import { cuesOf } from "../../core/text/identifiers.ts";
import { PAUSE, STRETCH, type TurnKey, type TurnRow, turnTerms } from "../past-turns.ts";
import { turnReader, type TurnReads } from "./read-turns.ts";
import type { Parts } from "./shared-file.ts";
import type { Sql } from "./sql.ts";
import { packed, type PlacedTurn, TRAIT, traitsOf, turnWords } from "./turn-terms.ts";

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
