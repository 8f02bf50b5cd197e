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

/**
 * Stretches, as the turns of a batch are put into them: each is read once, and written once, at the
 * end.
 */
function stretchTable({ row, run }: Sql, root: number) {
  const held = new Map<number, Sheet>();
  const latest = new Map<string, Sheet>();
  const last = (session: string): Sheet | undefined =>
    row`select number, turns, until, traits from stretch
       where session = ${session} and root = ${root} order by number desc limit 1`;
  return {
    sheet: (number: number): Sheet | undefined =>
      held.get(number) ??
      row`select number, turns, until, traits from stretch where number = ${number}`,
    /** The next turn of a session belongs to its last stretch, or to a new one. */
    next({ session, at }: TurnRow): Sheet {
      const found = latest.get(session) ?? last(session);
      const open = found && (held.get(found.number) ?? found);
      const goesOn = open !== undefined && at - open.until < PAUSE;
      const isOpen = goesOn && open.turns < STRETCH;
      const begun = (): Sheet => {
        const { lastInsertRowid } = run`insert into stretch
          (root, session, turns, at, until, traits, opens)
          values (${root}, ${session}, 0, ${at}, ${at}, x'', ${Number(!goesOn)})`;
        return { number: Number(lastInsertRowid), turns: 0, until: at, traits: Buffer.alloc(0) };
      };
      const sheet = isOpen ? open : begun();
      latest.set(session, sheet);
      return sheet;
    },
    /**
     * Notes what a turn is like at its place; answers by how many turns and words its root has
     * more.
     */
    note(
      { number, turns, until, traits: before }: Sheet,
      place: number,
      turn: TurnRow & { length: number },
    ) {
      const added = place < turns ? 0 : 1;
      const traits = Buffer.concat([before, Buffer.alloc(TRAIT * added)]);
      const words = turn.length - traits.readUInt16LE(TRAIT * place);
      traits.writeUInt16LE(turn.length, TRAIT * place);
      traits.writeUInt16LE(cuesOf(turn.text, turn.role), TRAIT * place + 2);
      held.set(number, { number, turns: turns + added, until: Math.max(until, turn.at), traits });
      return { turns: added, words };
    },
    close(): void {
      for (const { number, turns, until, traits } of held.values())
        run`update stretch set turns = ${turns}, until = ${until}, traits = ${traits}
          where number = ${number}`;
    },
  };
}

function turnAdder(sql: Sql, words: Words): (rows: readonly TurnRow[]) => void {
  const { row: rowOf, run, value } = sql;

  function addTo(root: number, rows: readonly TurnRow[]): void {
    const batch = new Map<string, PlacedTurn>();
    const more = { turns: 0, words: 0, stretches: 0 };
    const stretches = stretchTable(sql, root);
    for (const row of rows) {
      const { found, length } = turnTerms(row);
      // A row of this very batch is not in the table yet; one that is, gives up its words and keeps
      // its place.
      const earlier = batch.get(row.id);
      const old =
        earlier === undefined
          ? rowOf<{ stretch: number; place: number; words: Buffer }>`select stretch, place, words
              from turn where root = ${root} and id = ${row.id}`
          : undefined;
      if (old !== undefined) {
        words.unmark(old.stretch, old.place, old.words);
        run`delete from turn where stretch = ${old.stretch} and place = ${old.place}`;
        unsign(sql, old);
      }
      const at = earlier ?? old;
      const sheet = (at && stretches.sheet(at.stretch)) ?? stretches.next(row);
      const place = at?.place ?? sheet.turns;
      const noted = stretches.note(sheet, place, { ...row, length });
      more.turns += noted.turns;
      more.words += noted.words;
      more.stretches += sheet.turns === 0 ? 1 : 0;
      batch.set(row.id, { row, stretch: sheet.number, place, found });
    }
    const placed = [...batch.values()];
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
    stretches.close();
    run`update root set turns = turns + ${more.turns}, words = words + ${more.words},
      stretches = stretches + ${more.stretches} where number = ${root}`;
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
