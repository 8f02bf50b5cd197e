import { type TurnRow, STRETCH } from "../../model/turns.ts";
import { cuesOf } from "../../text/cues.ts";
import { type Connection } from "../sqlite/database.ts";
import { packed, turnTerms, turnWords, unpacked, type Placed } from "./words.ts";

export { turnTerms } from "./words.ts";

interface Known {
  stretch: number;
  place: number;
  words: Buffer;
}

/** Puts turns in and takes them out; to be run inside a transaction. */
export function turnWriter(database: Connection) {
  const words = turnWords(database);
  return { add: turnAdder(database, words), remove: turnRemover(database, words) };
}

type Words = ReturnType<typeof turnWords>;

function turnAdder(database: Connection, words: Words): (rows: readonly TurnRow[]) => void {
  const prepare = (sql: string) => database.prepare(sql);
  const openSheets = turnSheets(database);
  const known = prepare("select stretch, place, words from turn where root = ? and id = ?");
  const erase = prepare("delete from turn where stretch = ? and place = ?");
  const insert = prepare(
    `insert into turn (stretch, place, root, id, position, role, name, text, at, ref, words)
     values (@stretch, @place, @root, @id, @position, @role, @name, @text, @at, @ref, @words)`,
  );

  return (rows) => {
    const sheets = openSheets();
    const batch = new Map<string, Placed>();
    for (const row of rows) {
      const root = sheets.root(row.root);
      const key = JSON.stringify([root, row.id]);
      const { found, length } = turnTerms(row);
      // A row of this very batch is not in the table yet; one that is, gives up its words and keeps its place.
      const earlier = batch.get(key);
      const old =
        earlier === undefined ? (known.get(root, row.id) as Known | undefined) : undefined;
      if (old !== undefined) {
        words.unmark(old.stretch, old.place, unpacked(old.words));
        erase.run(old.stretch, old.place);
      }
      const at = earlier ?? old;
      const sheet = at === undefined ? sheets.next(root, row) : sheets.sheet(at.stretch);
      const place = at?.place ?? sheet.turns;
      sheets.note(sheet, place, { length, cues: cuesOf(row.text, row.role), at: row.at });
      batch.set(key, { row, root, stretch: sheet.number, place, found });
    }
    const placed = [...batch.values()];
    const numbers = words.mark(placed);
    for (const { row, root, stretch, place, found } of placed) {
      const own = found.flatMap((term) => numbers.get(root)?.get(term) ?? []);
      const { id, position, role, name, text, at, ref } = row;
      insert.run({
        stretch,
        place,
        root,
        id,
        position,
        role,
        name: name ?? null,
        text,
        at,
        ref: ref ?? null,
        words: packed(own),
      });
    }
    sheets.close();
  };
}

function turnRemover(
  database: Connection,
  words: Words,
): (of: { session: string; root?: string }) => number {
  const prepare = (sql: string) => database.prepare(sql);
  const stretchesOf = prepare(
    "select s.number, s.root, s.traits from stretch s join root r on r.number = s.root where s.session = @session and (@root is null or r.name = @root)",
  );
  const turnsOf = prepare("select place, words from turn where stretch = ?");
  const eraseTurns = prepare("delete from turn where stretch = ?");
  const eraseStretch = prepare("delete from stretch where number = ?");
  const uncount = prepare(
    "update root set turns = turns - @turns, words = words - @words, stretches = stretches - 1 where number = @root",
  );

  return ({ session, root }) => {
    let gone = 0;
    for (const stretch of stretchesOf.all({ session, root: root ?? null }) as {
      number: number;
      root: number;
      traits: Buffer;
    }[]) {
      const turns = turnsOf.all(stretch.number) as { place: number; words: Buffer }[];
      for (const turn of turns) words.unmark(stretch.number, turn.place, unpacked(turn.words));
      eraseTurns.run(stretch.number);
      eraseStretch.run(stretch.number);
      let length = 0;
      for (let at = 0; at < stretch.traits.length; at += TRAIT)
        length += stretch.traits.readUInt16LE(at);
      uncount.run({ root: stretch.root, turns: turns.length, words: length });
      gone += turns.length;
    }
    return gone;
  };
}

/** A night between two turns: what follows is another matter, though the host calls it one conversation. */
const PAUSE = 8 * 3_600_000;
/** Bytes a turn takes in `traits`: its length in two, its cues in two. */
export const TRAIT = 4;

/** A stretch while turns are put in: read once, written once. */
interface Sheet {
  readonly number: number;
  readonly root: number;
  turns: number;
  until: number;
  traits: Buffer;
}

/** The stretches and roots that one batch touches. The function it answers is to be used within one transaction, and closed in it. */
function turnSheets(database: Connection) {
  const statements = sheetStatements(database);
  return () => openBatch(statements);
}

function sheetStatements(database: Connection) {
  const prepare = (sql: string) => database.prepare(sql);
  const columns = "number, root, turns, until, traits";
  return {
    find: prepare(`select ${columns} from stretch where number = ?`),
    last: prepare(
      `select ${columns} from stretch where session = ? and root = ? order by number desc limit 1`,
    ),
    insert: prepare(
      "insert into stretch (root, session, turns, at, until, traits, opens) values (?, ?, 0, ?, ?, x'', ?)",
    ),
    update: prepare(
      "update stretch set turns = @turns, until = @until, traits = @traits where number = @number",
    ),
    findRoot: prepare("select number from root where name = ?").pluck(),
    addRoot: prepare("insert into root (name) values (?)"),
    count: prepare(
      "update root set turns = turns + @turns, words = words + @words, stretches = stretches + @stretches where number = @root",
    ),
  };
}

function openBatch(statements: ReturnType<typeof sheetStatements>) {
  const { find, last, insert, update, findRoot, addRoot, count } = statements;
  const sheets = new Map<number, Sheet>();
  const latest = new Map<string, Sheet>();
  const roots = new Map<string, number>();
  const counts = new Map<number, { turns: number; words: number; stretches: number }>();

  const countsOf = (root: number) => {
    const known = counts.get(root) ?? { turns: 0, words: 0, stretches: 0 };
    counts.set(root, known);
    return known;
  };
  const keep = (row: Sheet): Sheet => {
    const sheet = sheets.get(row.number) ?? row;
    sheets.set(sheet.number, sheet);
    return sheet;
  };

  return {
    root(name: string): number {
      const number =
        roots.get(name) ??
        (findRoot.get(name) as number | undefined) ??
        Number(addRoot.run(name).lastInsertRowid);
      roots.set(name, number);
      return number;
    },
    sheet: (number: number): Sheet => sheets.get(number) ?? keep(find.get(number) as Sheet),

    /** Where the next turn of a session belongs: its last stretch, or a new one. */
    next(root: number, { session, at }: { session: string; at: number }): Sheet {
      const key = JSON.stringify([root, session]);
      const known = latest.get(key) ?? (last.get(session, root) as Sheet | undefined);
      const open = known === undefined ? undefined : keep(known);
      const goesOn = open !== undefined && at - open.until < PAUSE;
      if (goesOn && open.turns < STRETCH) {
        latest.set(key, open);
        return open;
      }
      const { lastInsertRowid } = insert.run(root, session, at, at, goesOn ? 0 : 1);
      const number = Number(lastInsertRowid);
      countsOf(root).stretches += 1;
      const made = keep({ number, root, turns: 0, until: at, traits: Buffer.alloc(0) });
      latest.set(key, made);
      return made;
    },

    /** Notes what a turn is like at its place. */
    note(
      sheet: Sheet,
      place: number,
      { length, cues, at }: { length: number; cues: number; at: number },
    ): void {
      const isNew = place >= sheet.turns;
      if (isNew) sheet.traits = Buffer.concat([sheet.traits, Buffer.alloc(TRAIT)]);
      const total = countsOf(sheet.root);
      total.turns += isNew ? 1 : 0;
      total.words += length - sheet.traits.readUInt16LE(TRAIT * place);
      sheet.traits.writeUInt16LE(length, TRAIT * place);
      sheet.traits.writeUInt16LE(cues, TRAIT * place + 2);
      sheet.turns = Math.max(sheet.turns, place + 1);
      sheet.until = Math.max(sheet.until, at);
    },

    close(): void {
      for (const { number, turns, until, traits } of sheets.values())
        update.run({ number, turns, until, traits });
      for (const [root, change] of counts) count.run({ root, ...change });
    },
  };
}
