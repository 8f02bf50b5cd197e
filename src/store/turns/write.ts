import { type TurnRow } from "../../model/turns.ts";
import { cuesOf } from "../../text/cues.ts";
import { type Connection } from "../sqlite/database.ts";
import { TRAIT, turnSheets } from "./sheets.ts";
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
