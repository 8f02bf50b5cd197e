import { STRETCH } from "../../model/turns.ts";
import { type Connection } from "../sqlite/database.ts";

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
export function turnSheets(database: Connection) {
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
