import { type NewEntry, type SessionChange } from "../../model/history.ts";
import { type Message } from "../../model/request.ts";
import { type Statement } from "../../model/installed.ts";
import { digest } from "../../text/hash.ts";
import { anchorOf } from "./anchor.ts";
import { type Cells } from "./cells.ts";
import { pack } from "./media.ts";

export type Prepare = (sql: string) => Statement;

/** Names of things as they are stored. */
export const namesOf = (cells: Cells) => ({
  label: (text: string | undefined): string | null =>
    text === undefined ? null : cells.key("label", text),
  maybe: (column: string, text: string | undefined): string | null =>
    text === undefined ? null : cells.put(column, text),
});

export type Numbers = ReturnType<typeof rowNumbers>;

/** Numbers that no entry and no aside has or will have. */
export function rowNumbers(prepare: Prepare) {
  const advance = prepare(
    "update sqlite_sequence set seq = seq + ? where name = 'entry' returning seq",
  ).pluck();
  return {
    /** The number before the next ones. */
    last: (): number => (advance.get(0) as number | undefined) ?? 0,
    /** Takes so many; answers the number before the first. */
    take: (count: number): number => ((advance.get(count) as number | undefined) ?? count) - count,
  };
}

export type BodyWriter = (message: Message) => number;

/** A message is stored once, however many conversations hold it. */
export function bodyWriter(prepare: Prepare, cells: Cells): BodyWriter {
  const add = prepare("insert into body (hash, json) values (?, ?) on conflict (hash) do nothing");
  const find = prepare("select id from body where hash = ?").pluck();
  const addMedia = prepare(
    "insert into media (hash, data) values (?, ?) on conflict (hash) do nothing",
  );
  const addUse = prepare("insert into body_media (body, hash) values (?, ?)");
  return (message) => {
    const { json, media } = pack(message, (data) => cells.key("media", data));
    const kept = cells.putBody(json);
    const hash = digest(kept);
    const { changes, lastInsertRowid } = add.run(hash, kept);
    if (changes === 0) return find.get(hash) as number;
    const id = Number(lastInsertRowid);
    for (const [key, data] of media) {
      addMedia.run(key, data);
      addUse.run(id, key);
    }
    return id;
  };
}

export type EntryWriter = (change: SessionChange, entry: NewEntry, position: number) => void;

export function entryWriter(prepare: Prepare, cells: Cells, body: BodyWriter): EntryWriter {
  const { maybe } = namesOf(cells);
  const add = prepare(
    `insert into entry (session, position, chain, content, skeleton, role, reply, anchor, head, prefix, thought, at, name, ref, body)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return ({ session }, entry, position) => {
    // By place: to find a value by its name takes longer than to store it.
    add.run(
      session.id,
      position,
      cells.key("chain", entry.chain),
      cells.key("content", entry.content),
      cells.key("skeleton", entry.skeleton),
      entry.role,
      entry.reply ? 1 : 0,
      entry.reply
        ? cells.key("anchor", anchorOf(session.root, session.label, entry.content))
        : null,
      cells.put("head", entry.head),
      maybe("prefix", entry.prefix),
      entry.thought === undefined ? null : cells.key("thought", entry.thought),
      entry.at,
      maybe("name", entry.name),
      maybe("ref", entry.ref),
      body(entry.body),
    );
  };
}
