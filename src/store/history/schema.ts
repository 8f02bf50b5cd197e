import { type Connection, type DatabaseAt, openDatabase, type Steps } from "../sqlite/database.ts";

/**
 * Times are integer ms; bodies are JSON with media taken out. Entries count their rows without ever
 * using a number twice, because the search index remembers how far it has read. A pin of no session
 * ("") holds in all of its root. `keeping` says how messages are kept if not as they come. The
 * search index knows an aside by a number of the entries' own row. Rows of conversations are long:
 * indexes count them or find a few without reading one. Append only from the first release on.
 */
export const HISTORY_STEPS: Steps = [
  [
    "001-history",
    `
    create table body (id integer primary key, hash text not null unique, json text not null);
    create table media (hash text primary key, data text not null) without rowid;
    create table body_media (
      body integer not null, hash text not null, primary key (body, hash)
    ) without rowid;
    create table session (
      id text primary key, root text not null, label text, imported integer not null,
      at integer not null, updated_at integer not null, confirmed integer not null,
      watermark integer not null, noted integer not null, length integer not null,
      state text not null, revision integer not null
    ) without rowid;
    create index session_root on session (root, updated_at);
    create index session_label on session (root, label, updated_at) where label is not null;
    create index session_unnoted on session (root, updated_at)
      where noted < length;
    create table entry (
      row integer primary key autoincrement, session text not null, position integer not null,
      chain text not null, content text not null, said text not null, role text not null,
      reply integer not null, anchor text, prefix text, thought text, at integer not null,
      name text, ref text, body integer not null, unique (session, position)
    );
    create index entry_chain on entry (chain);
    create index entry_anchor on entry (anchor) where anchor is not null;
    create index entry_thought on entry (thought) where thought is not null;
    create table aside (
      row integer primary key, session text not null, before integer not null,
      content text not null, kind text not null, body integer not null, prefix text,
      thought text, id text, number integer, at integer
    );
    create unique index aside_once on aside (session, content, kind, before)
      where kind <> 'form';
    create index aside_place on aside (session, kind, before);
    create index aside_number on aside (number) where number is not null;
    create index aside_thought on aside (thought) where thought is not null;
    create table fold (
      session text not null, id text not null, up_to integer not null, text text not null,
      summary text not null, messages integer not null, tokens_before integer not null,
      tokens_after integer not null, at integer not null, detail text, undone_at integer,
      primary key (session, id)
    ) without rowid;
    create index fold_id on fold (id);
    create table learnt (
      session text not null, memory text not null, first integer not null,
      last integer not null, primary key (session, memory)
    ) without rowid;
    create table job (
      id text primary key, session text not null, first integer not null, last integer not null,
      attempts integer not null, error text not null, not_before integer not null
    ) without rowid;
    create table pin (
      id text not null, root text not null, session text not null, text text not null,
      primary key (id, session)
    ) without rowid;
    create index pin_root on pin (root);
    create table spent (
      root text not null, purpose text not null, calls integer not null,
      input integer not null, cache_write integer not null, cache_read integer not null,
      output integer not null, dollars real not null, unpriced integer not null,
      primary key (root, purpose)
    ) without rowid;
    create table keeping (name text primary key, value text not null) without rowid;
    `,
  ],
];

/** Takes out what nothing refers to any more: bodies, and then their media. */
export const UNUSED = [
  "delete from body where id not in (select body from entry union select body from aside)",
  "delete from body_media where body not in (select id from body)",
  "delete from media where hash not in (select hash from body_media)",
] as const;

/** Works with a history as its file holds it. */
export function onHistory<T>(at: DatabaseAt, work: (database: Connection) => T): T {
  const database = openDatabase(at, HISTORY_STEPS, "history");
  try {
    return work(database);
  } finally {
    database.close();
  }
}
