import { STRETCH, type TurnRow } from "../model/turns.ts";
import { head } from "../text/cut.ts";
import { cuesOf } from "../text/cues.ts";
import { contentTerms, terms } from "../text/terms.ts";
import { type Connection } from "./database.ts";

/** A longer turn is a dumped file: 100,000 characters take 20 ms to read. The text itself is kept whole. */
const READ_CHARACTERS = 100_000;
/** A night between two turns: what follows is another matter, though the host calls it one conversation. */
const PAUSE = 8 * 3_600_000;
/** Bytes a turn takes in `traits`. */
export const TRAIT = 4;

interface StretchRow {
  number: number;
  turns: number;
  until: number;
  traits: Buffer;
}
interface Known {
  stretch: number;
  place: number;
  words: Buffer;
}

/** Numbers of words as four bytes each. */
export const packed = (numbers: readonly number[]): Buffer => {
  const buffer = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, at) => buffer.writeUInt32LE(number, 4 * at));
  return buffer;
};
export const unpacked = (buffer: Buffer): number[] => Array.from({ length: buffer.length / 4 }, (_, at) => buffer.readUInt32LE(4 * at));

/** What a turn is found by: each term once, the speaker's name marked. */
export function turnTerms({ name, text }: Pick<TurnRow, "name" | "text">): { found: string[]; length: number } {
  const { terms: said, length } = contentTerms(head(text, READ_CHARACTERS));
  const speaker = name === undefined ? [] : terms(name).map((term) => `@${term}`);
  return { found: [...new Set([...said, ...speaker])], length: Math.min(length, 65_535) };
}

/** Puts turns in and takes them out; to be run inside a transaction. */
export function turnWriter(database: Connection) {
  const prepare = (sql: string) => database.prepare(sql);
  const findRoot = prepare("select number from root where name = ?").pluck();
  const addRoot = prepare("insert into root (name) values (?)");
  const countRoot = prepare("update root set turns = turns + @turns, words = words + @words, stretches = stretches + @stretches where number = @root");
  const last = prepare("select number, turns, until, traits from stretch where session = ? and root = ? order by number desc limit 1");
  const addStretch = prepare("insert into stretch (root, session, turns, at, until, traits) values (?, ?, 0, ?, ?, x'')");
  const setStretch = prepare("update stretch set turns = @turns, until = @until, traits = @traits where number = @number");
  const traitsOf = prepare("select number, turns, until, traits from stretch where number = ?");
  const known = prepare("select stretch, place, words from turn where root = ? and id = ?");
  const erase = prepare("delete from turn where stretch = ? and place = ?");
  const insert = prepare(
    `insert into turn (stretch, place, root, id, position, role, name, text, at, ref, words)
     values (@stretch, @place, @root, @id, @position, @role, @name, @text, @at, @ref, @words)`,
  );
  const addWord = prepare("insert into turn_word (root, term, turns) values (?, ?, ?) on conflict (root, term) do update set turns = turns + excluded.turns returning number").pluck();
  const addPlaces = prepare("insert into turn_place (word, stretch, places) values (?, ?, ?) on conflict (word, stretch) do update set places = places | excluded.places");
  const dropPlace = prepare("update turn_place set places = places & ~cast(? as integer) where word = ? and stretch = ?");
  const dropEmpty = prepare("delete from turn_place where word = ? and stretch = ? and places = 0");
  const dropWord = prepare("update turn_word set turns = turns - 1 where number = ?");
  const dropUnused = prepare("delete from turn_word where number = ? and turns <= 0");
  const stretchesOf = prepare("select s.number, s.root, s.turns, s.traits from stretch s join root r on r.number = s.root where s.session = @session and (@root is null or r.name = @root)");
  const wordsOfStretch = prepare("select place, words from turn where stretch = ?");
  const eraseStretch = prepare("delete from turn where stretch = ?");
  const removeStretch = prepare("delete from stretch where number = ?");

  function unmark(stretch: number, place: number, words: readonly number[]): void {
    for (const word of words) {
      dropPlace.run(2 ** place, word, stretch);
      dropEmpty.run(word, stretch);
      dropWord.run(word);
      dropUnused.run(word);
    }
  }

  /** Where a new turn of a session stands: behind its last one, or at the start of a new stretch. */
  function placeFor(root: number, { session, at }: TurnRow): StretchRow {
    const open = last.get(session, root) as StretchRow | undefined;
    if (open !== undefined && open.turns < STRETCH && at - open.until < PAUSE) return open;
    const number = Number(addStretch.run(root, session, at, at).lastInsertRowid);
    countRoot.run({ root, turns: 0, words: 0, stretches: 1 });
    return { number, turns: 0, until: at, traits: Buffer.alloc(0) };
  }

  function rootNumber(name: string): number {
    return (findRoot.get(name) as number | undefined) ?? Number(addRoot.run(name).lastInsertRowid);
  }

  function add(rows: readonly TurnRow[]): void {
    const placed: { row: TurnRow; root: number; stretch: number; place: number; found: readonly string[] }[] = [];
    const seen = new Map<string, number>();
    // Two rows of one id in a batch: the later one counts.
    rows.forEach(({ root, id }, at) => seen.set(JSON.stringify([root, id]), at));
    rows.forEach((row, at) => {
      if (seen.get(JSON.stringify([row.root, row.id])) !== at) return;
      const root = rootNumber(row.root);
      const { found, length } = turnTerms(row);
      const old = known.get(root, row.id) as Known | undefined;
      if (old !== undefined) {
        unmark(old.stretch, old.place, unpacked(old.words));
        erase.run(old.stretch, old.place);
      }
      const stretch = old === undefined ? placeFor(root, row) : (traitsOf.get(old.stretch) as StretchRow);
      const place = old?.place ?? stretch.turns;
      const traits = Buffer.alloc(Math.max(stretch.traits.length, TRAIT * (place + 1)));
      stretch.traits.copy(traits);
      const before = old === undefined ? 0 : traits.readUInt16LE(TRAIT * place);
      traits.writeUInt16LE(length, TRAIT * place);
      traits.writeUInt8(cuesOf(row.text, row.role), TRAIT * place + 2);
      setStretch.run({ number: stretch.number, turns: Math.max(stretch.turns, place + 1), until: Math.max(stretch.until, row.at), traits });
      countRoot.run({ root, turns: old === undefined ? 1 : 0, words: length - before, stretches: 0 });
      placed.push({ row, root, stretch: stretch.number, place, found });
    });
    const numbers = mark(placed);
    for (const { row, root, stretch, place, found } of placed) {
      const { id, position, role, name, text, at, ref } = row;
      const words = packed(found.flatMap((term) => numbers.get(root)?.get(term) ?? []));
      insert.run({ stretch, place, root, id, position, role, name: name ?? null, text, at, ref: ref ?? null, words });
    }
  }

  /** Counts and places every word of the batch at once: most words of a conversation come again. */
  function mark(placed: readonly { root: number; stretch: number; place: number; found: readonly string[] }[]): Map<number, Map<string, number>> {
    const words = new Map<number, Map<string, Map<number, { places: number; turns: number }>>>();
    for (const { root, stretch, place, found } of placed) {
      const own = words.get(root) ?? new Map<string, Map<number, { places: number; turns: number }>>();
      words.set(root, own);
      for (const term of found) {
        const stretches = own.get(term) ?? new Map<number, { places: number; turns: number }>();
        own.set(term, stretches);
        const { places, turns } = stretches.get(stretch) ?? { places: 0, turns: 0 };
        stretches.set(stretch, { places: places + 2 ** place, turns: turns + 1 });
      }
    }
    const numbers = new Map<number, Map<string, number>>();
    for (const [root, own] of words) {
      const named = new Map<string, number>();
      numbers.set(root, named);
      for (const [term, stretches] of own) {
        let total = 0;
        for (const { turns } of stretches.values()) total += turns;
        const number = addWord.get(root, term, total) as number;
        named.set(term, number);
        for (const [stretch, { places }] of stretches) addPlaces.run(number, stretch, places);
      }
    }
    return numbers;
  }

  function remove({ session, root }: { session: string; root?: string }): number {
    const stretches = stretchesOf.all({ session, root: root ?? null }) as { number: number; root: number; turns: number; traits: Buffer }[];
    let gone = 0;
    for (const { number, root: owner, traits } of stretches) {
      const turns = wordsOfStretch.all(number) as { place: number; words: Buffer }[];
      for (const { place, words } of turns) unmark(number, place, unpacked(words));
      eraseStretch.run(number);
      removeStretch.run(number);
      let words = 0;
      for (let at = 0; at < traits.length; at += TRAIT) words += traits.readUInt16LE(at);
      countRoot.run({ root: owner, turns: -turns.length, words: -words, stretches: -1 });
      gone += turns.length;
    }
    return gone;
  }

  return { add, remove };
}
