/**
 * Append only: a step that has shipped is never edited. Times are integer ms.
 *
 * One row is one value of a memory: `valid_to` is null on the current one. The indexes hold terms and nothing else: no
 * text, no positions, no lengths. Each term carries its owner's number ("12_cat"; "12p_cat" for a past value), so that a
 * look-up reads the posting list of one scope and can neither see nor count another's.
 */
export const MEMORY_STEPS: readonly (readonly [name: string, sql: string])[] = [
  [
    "001-memory",
    `
    create table scope (number integer primary key, name text not null unique, memories integer not null default 0) strict;
    create table memory (
      row integer primary key autoincrement, id text not null, version integer not null,
      scope integer not null references scope (number), key text, content text not null, same text not null, terms text not null,
      kind text not null, category text not null, importance real not null, source text not null, origin text not null, tags text not null,
      at integer not null, updated_at integer not null, stated_at integer not null, expires_at integer,
      uses integer not null, used_at integer, valid_from integer not null, valid_to integer
    ) strict;
    create unique index memory_current on memory (id) where valid_to is null;
    create unique index memory_key on memory (scope, key) where key is not null and valid_to is null;
    create index memory_values on memory (id, version);
    create index memory_same on memory (scope, same) where valid_to is null;
    create index memory_updated on memory (scope, updated_at desc, id) where valid_to is null;
    create index memory_stated on memory (scope, stated_at desc, id) where valid_to is null;
    create index memory_importance on memory (scope, importance desc, id) where valid_to is null;
    create index memory_uses on memory (scope, uses desc, id) where valid_to is null;
    create index memory_expiry on memory (expires_at) where expires_at is not null;
    create virtual table memory_index using fts5 (terms, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '_'");
    insert into memory_index (memory_index, rank) values ('secure-delete', 1);
    `,
  ],
  [
    "002-turns",
    `
    create table root (number integer primary key, name text not null unique, turns integer not null default 0) strict;
    create table turn (
      row integer primary key autoincrement, root integer not null references root (number), id text not null, session text not null,
      position integer not null, role text not null, name text, text text not null, at integer not null, ref text, terms text not null,
      unique (root, id)
    ) strict;
    create index turn_session on turn (session, position);
    create virtual table turn_index using fts5 (terms, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '_'");
    insert into turn_index (turn_index, rank) values ('secure-delete', 1);
    create table cursor (name text primary key, row integer not null) strict, without rowid;
    `,
  ],
  [
    "003-categories",
    // What was saved before is counted by the words that are no English stop words: it fades as new members come.
    `
    create table category_members (scope integer not null references scope (number), category text not null, members integer not null, primary key (scope, category)) strict, without rowid;
    create table category_term (scope integer not null, term text not null, category text not null, members integer not null, primary key (scope, term, category)) strict, without rowid;
    insert into category_members select scope, category, count(*) from memory where valid_to is null group by scope, category;
    insert into category_term
      select m.scope, t.value, m.category, count(distinct m.row) from memory m, json_each('["' || replace(m.terms, ' ', '","') || '"]') t
      where m.valid_to is null and m.terms <> '' and length(t.value) > 1 group by m.scope, t.value, m.category;
    `,
  ],
  ["004-sorted", "alter table memory add column sorted integer not null default 0"],
  // Once in a while a row that comes in has 64 pages and more of the index put in order with it: of 4 kB each, that took 20 to 35 ms.
  ["005-pages", "insert into memory_index (memory_index, rank) values ('pgsz', 1000)"],
];
