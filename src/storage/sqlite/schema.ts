import { type Connection, type DatabaseAt, openDatabase, type Steps } from "./database-file.ts";
import { type Sql, sqlOn } from "./sql.ts";

/**
 * Times are integer ms; bodies are JSON. Entries count their rows without ever
 * using a number twice, because the search index remembers how far it has read. A pin of no session
 * ("") holds in all of its root. `note` holds texts by name: how messages are kept, how pages were
 * written. `debt` is views that are behind; it is in no backup. The search index knows an aside by
 * a number of the entries' own row. Rows of conversations are long: indexes count them or find a
 * few without reading one.
 */
const HISTORY = `
  create table body (id integer primary key, hash text not null unique, json text not null);
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
  create index learnt_memory on learnt (memory);
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
  create table note (name text primary key, text text not null) without rowid;
  create table debt (
    id integer primary key autoincrement, kind text not null, scope text not null,
    at integer not null, text text
  );
  create unique index debt_page on debt (scope) where kind = 'page';
  create table data (
    repository text not null, key text not null, value text not null,
    primary key (repository, key)
  );
`;

/**
 * One row is one value of a memory: `valid_to` is null on the current one. The indexes hold terms
 * and nothing else: no text, no positions, no lengths. Each term carries its owner's number
 * ("12_cat"; "12p_cat" for a past value), so that a look-up reads the posting list of one scope and
 * can neither see nor count another's. Times are integer ms.
 *
 * Once in a while a row that comes in has 64 pages and more of the index put in order with it: of
 * 4 kB each, that took 20 to 35 ms, so pages have 1,000 bytes.
 */
const MEMORIES = `
  create table scope (
    number integer primary key autoincrement, name text not null unique,
    memories integer not null default 0
  ) strict;
  create table memory (
    row integer primary key autoincrement, id text not null, version integer not null,
    scope integer not null references scope (number), key text, content text not null,
    same text not null, terms text not null, kind text not null, category text not null,
    importance real not null, source text not null, origin text not null, tags text not null,
    at integer not null, updated_at integer not null, stated_at integer not null,
    expires_at integer, uses integer not null, used_at integer, valid_from integer not null,
    valid_to integer, sorted integer not null default 0
  ) strict;
  create unique index memory_current on memory (id) where valid_to is null;
  create unique index memory_key on memory (scope, key)
    where key is not null and valid_to is null;
  create index memory_values on memory (id, version);
  create index memory_same on memory (scope, same) where valid_to is null;
  create index memory_updated on memory (scope, updated_at desc, id) where valid_to is null;
  create index memory_stated on memory (scope, stated_at desc, id) where valid_to is null;
  create index memory_importance on memory (scope, importance desc, id) where valid_to is null;
  create index memory_uses on memory (scope, uses desc, id) where valid_to is null;
  create index memory_category on memory (scope, category) where valid_to is null;
  create index memory_past on memory (scope, valid_to) where valid_to is not null;
  create index memory_expiry on memory (expires_at) where expires_at is not null;
  create virtual table memory_index using fts5 (
    terms, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '_'"
  );
  insert into memory_index (memory_index, rank) values ('secure-delete', 1), ('pgsz', 1000);
  create table cursor (name text primary key, row integer not null) strict, without rowid;
`;

/**
 * One vector a value, exact, beside its memory, and its signs, which the index alone answers from.
 * `cell`: 0 found, -1 set aside (past values; texts an embedder makes nothing of).
 */
const VECTORS = `
  create table vector_model (
    number integer primary key autoincrement, name text not null, dimensions integer not null,
    notes text, swept integer not null default 0, current integer not null default 0,
    unique (name, dimensions)
  ) strict;
  create table vector (
    row integer primary key references memory (row),
    model integer not null references vector_model (number), scope integer not null,
    cell integer not null, bits blob not null, embedding blob not null
  ) strict;
  create index vector_signs on vector (model, scope, row, bits) where cell = 0;
`;

/**
 * The index of turns. A word has its own number in each root, so that a look-up reads the places of
 * one root and can neither see nor count another's. `places` has bit i set where the i-th turn of
 * the stretch holds the word; `traits` are four bytes a turn: its length in words (two) and its
 * cues; `stretch_signs` are those of the vectors of its first `signed` turns. A stretch that goes
 * on where the one before was full opens nothing. All of it can be built anew from history.
 */
const TURNS = `
  create table root (
    number integer primary key, name text not null unique, turns integer not null default 0,
    words integer not null default 0, stretches integer not null default 0
  ) strict;
  create table stretch (
    number integer primary key autoincrement, root integer not null references root (number),
    session text not null, turns integer not null, at integer not null, until integer not null,
    traits blob not null, opens integer not null default 1, signed integer not null default 0
  ) strict;
  create index stretch_unsigned on stretch (number) where signed < turns;
  create table stretch_signs (stretch integer primary key, signs blob not null) strict;
  create index stretch_session on stretch (session, root);
  create index stretch_root on stretch (root, at);
  create table turn (
    stretch integer not null references stretch (number), place integer not null,
    root integer not null, id text not null, position integer not null, role text not null,
    name text, text text not null, at integer not null, ref text, words blob not null,
    primary key (stretch, place)
  ) strict, without rowid;
  create unique index turn_id on turn (root, id);
  create table turn_word (
    number integer primary key autoincrement, root integer not null, term text not null,
    turns integer not null, unique (root, term)
  ) strict;
  create table turn_place (
    word integer not null, stretch integer not null, places integer not null,
    primary key (word, stretch)
  ) strict, without rowid;
`;

/**
 * Pages are rows that can be made anew from the files. As in the index of memories, each term
 * carries its scope's number, so that a look-up reads the posting list of one scope. `headings` and
 * `passages` are lists in JSON of one length; `terms` has a line for each passage. Vectors stand
 * beside chunks as they do beside memories.
 */
const PAGES = `
  create table page (
    number integer primary key, scope integer not null references scope (number),
    path text not null, kind text not null, stamp text not null, unique (scope, path)
  ) strict;
  create table page_chunk (
    row integer primary key autoincrement, page integer not null references page (number),
    scope integer not null, headings text not null, passages text not null,
    terms text not null
  ) strict;
  create index page_chunks on page_chunk (page);
  create index page_chunks_of_scope on page_chunk (scope);
  create virtual table page_index using fts5 (
    terms, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '_'"
  );
  insert into page_index (page_index, rank) values ('secure-delete', 1), ('pgsz', 1000);
  create table page_vector (
    row integer primary key references page_chunk (row), model integer not null,
    scope integer not null, cell integer not null, bits blob not null, embedding blob not null
  ) strict;
  create index page_vector_signs on page_vector (model, scope, row, bits) where cell = 0;
`;

/**
 * Turns that have ended. `told` is null where it is as in the last row of the session that has it.
 */
const ENDED = `
  create table ended (
    row integer primary key autoincrement, session text not null, at integer not null,
    model text, used integer not null, bound integer not null, mark text not null,
    read integer not null, written integer not null, cached integer not null, dollars real,
    ms integer not null, waited integer not null, fold text, told text, recalled text not null
  );
  create index ended_session on ended (session);
  create index ended_told on ended (session) where told is not null;
`;

/**
 * Looked up by category or as a policy, memories were read a scope as a whole; and their number in
 * each category is counted by the index alone.
 */
const FOUND_BY = `
  drop index memory_category;
  create index memory_category on memory (scope, category, importance desc, id, expires_at)
    where valid_to is null;
  create index memory_policy on memory (scope, stated_at desc, id)
    where valid_to is null and kind = 'policy';
`;

/** Append only from the first release on: a step that has shipped is never edited. */
const STEPS: Steps = [
  ["001-tidemark", HISTORY + MEMORIES + VECTORS + TURNS + PAGES],
  ["002-ended", ENDED],
  ["003-found-by", FOUND_BY],
];

/** Takes out what nothing refers to any more. */
export const UNUSED =
  "delete from body where id not in (select body from entry union select body from aside)";

/** A file with everything that is true, and the indexes made from it. */
export const openTables = (at: Parameters<typeof openDatabase>[0]): Connection =>
  openDatabase(at, STEPS, "store");

/** Works with the tables as a file holds them. */
export function onTables<T>(at: DatabaseAt, work: (sql: Sql) => T): T {
  const database = openTables(at);
  try {
    return work(sqlOn(database));
  } finally {
    database.close();
  }
}
