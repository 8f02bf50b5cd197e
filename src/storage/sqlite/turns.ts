import { cuesOf } from "../../core/text/identifiers.ts";
import { PAUSE, STRETCH, type TurnRow } from "../past-turns.ts";
import type { Desk } from "./database-file.ts";
import { turnReader, type TurnReads } from "./read-turns.ts";
import type { Parts } from "./shared-file.ts";
import { packed, type PlacedTurn, TRAIT, traitsOf, turnTerms, turnWords } from "./turn-terms.ts";

/** Searchable turns, by root. */
export function turnTable(desk: Desk) {
  const { run, value, inOne } = desk;
  const words = turnWords(desk);
  const reads: TurnReads = turnReader(desk);
  const put = turnAdder(desk, words);
  const take = turnRemover(desk, words);
  const cursor = value<number>("select row from cursor where name = 'history'");
  const setCursor = run(
    `insert into cursor (name, row) values ('history', ?) on conflict (name) do update set row =
     excluded.row`,
  );
  return {
    reads,
    cursor: (): number => cursor() ?? 0,
    /** In a transaction of their own: some ten conversations take as many milliseconds. */
    remove: inOne((sessions: readonly string[]): void => sessions.forEach(take)),
    parts: {
      turns({ rows, read }) {
        put(rows);
        if (read !== undefined) setCursor(read);
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
function stretchTable({ row, run }: Desk) {
  const columns = "number, turns, until, traits";
  const find = row<Sheet>(`select ${columns} from stretch where number = ?`);
  const last = row<Sheet>(
    `select ${columns} from stretch where session = ? and root = ? order by number desc limit 1`,
  );
  const insert = run(
    `insert into stretch (root, session, turns, at, until, traits, opens) values (?, ?, 0, ?, ?,
     x'', ?)`,
  );
  const update = run(
    "update stretch set turns = @turns, until = @until, traits = @traits where number = @number",
  );
  return (root: number) => {
    const held = new Map<number, Sheet>();
    const latest = new Map<string, number>();
    const sheet = (number: number): Sheet | undefined => held.get(number) ?? find(number);
    return {
      sheet,
      /** The next turn of a session belongs to its last stretch, or to a new one. */
      next: ({ session, at }: TurnRow): Sheet => {
        const known = latest.get(session);
        const found = known === undefined ? last(session, root) : held.get(known);
        const open = found && (held.get(found.number) ?? found);
        const goesOn = open !== undefined && at - open.until < PAUSE;
        const isOpen = goesOn && open.turns < STRETCH;
        const number = isOpen
          ? open.number
          : Number(insert(root, session, at, at, Number(!goesOn)).lastInsertRowid);
        latest.set(session, number);
        return isOpen ? open : { number, turns: 0, until: at, traits: Buffer.alloc(0) };
      },
      /**
       * Notes what a turn is like at its place; answers by how many turns and words its root has
       * more.
       */
      note: (
        { number, turns, until, traits: before }: Sheet,
        place: number,
        turn: TurnRow & { length: number },
      ) => {
        const added = place < turns ? 0 : 1;
        const traits = Buffer.concat([before, Buffer.alloc(TRAIT * added)]);
        const words = turn.length - traits.readUInt16LE(TRAIT * place);
        traits.writeUInt16LE(turn.length, TRAIT * place);
        traits.writeUInt16LE(cuesOf(turn.text, turn.role), TRAIT * place + 2);
        held.set(number, { number, turns: turns + added, until: Math.max(until, turn.at), traits });
        return { turns: added, words };
      },
      close: (): void => [...held.values()].forEach((one) => update(one)),
    };
  };
}

function turnAdder(desk: Desk, words: Words): (rows: readonly TurnRow[]) => void {
  const { row: rowOf, run, value } = desk;
  const openStretches = stretchTable(desk);
  const findRoot = value<number>("select number from root where name = ?");
  const addRoot = run("insert into root (name) values (?)");
  const count = run(
    `update root set turns = turns + @turns, words = words + @words, stretches = stretches +
     @stretches where number = @root`,
  );
  const known = rowOf<{ stretch: number; place: number; words: Buffer }>(
    "select stretch, place, words from turn where root = ? and id = ?",
  );
  const erase = run("delete from turn where stretch = ? and place = ?");
  const insert = run(
    `insert into turn (stretch, place, root, id, position, role, name, text, at, ref, words)
     values (@stretch, @place, @root, @id, @position, @role, @name, @text, @at, @ref, @words)`,
  );

  function addTo(root: number, rows: readonly TurnRow[]): void {
    const batch = new Map<string, PlacedTurn>();
    const more = { root, turns: 0, words: 0, stretches: 0 };
    const stretches = openStretches(root);
    for (const row of rows) {
      const { found, length } = turnTerms(row);
      // A row of this very batch is not in the table yet; one that is, gives up its words and keeps
      // its place.
      const earlier = batch.get(row.id);
      const old = earlier === undefined ? known(root, row.id) : undefined;
      if (old !== undefined) {
        words.unmark(old.stretch, old.place, old.words);
        erase(old.stretch, old.place);
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
    for (const { row, stretch, place, found } of placed) {
      const { name, ref } = row;
      const own = packed(found.flatMap((term) => numbers.get(term) ?? []));
      insert({ ...row, name, ref, root, stretch, place, words: own });
    }
    stretches.close();
    count(more);
  }

  return (rows) => {
    for (const [name, own] of Map.groupBy(rows, ({ root }) => root))
      addTo(findRoot(name) ?? Number(addRoot(name).lastInsertRowid), own);
  };
}

function turnRemover({ rows, run }: Desk, words: Words): (session: string) => void {
  const stretchesOf = rows<{ number: number; root: number; traits: Buffer }>(
    "select number, root, traits from stretch where session = ?",
  );
  const turnsOf = rows<{ place: number; words: Buffer }>(
    "select place, words from turn where stretch = ?",
  );
  const eraseTurns = run("delete from turn where stretch = ?");
  const eraseStretch = run("delete from stretch where number = ?");
  const uncount = run(
    `update root set turns = turns - @turns, words = words - @words, stretches = stretches - 1
     where number = @root`,
  );

  return (session) => {
    for (const stretch of stretchesOf(session)) {
      const turns = turnsOf(stretch.number);
      for (const turn of turns) words.unmark(stretch.number, turn.place, turn.words);
      eraseTurns(stretch.number);
      eraseStretch(stretch.number);
      const length = traitsOf(stretch.traits).lengths.reduce((sum, one) => sum + one, 0);
      uncount({ root: stretch.root, turns: turns.length, words: length });
    }
  };
}
