/**
 * Times are integer ms; bodies are JSON, and stand by their digests. `line` numbers entries and
 * asides, none twice, because the search index remembers how far it has read. `done` names each
 * commit, so that one whose answer was lost is not made again. Text is ordered by its bytes, as
 * SQLite orders it. A key of any length is found by its md5: an index takes no long texts.
 */
const HISTORY = `
  create sequence [line];
  create table [done] (id text primary key, at timestamptz not null default now());
  create table [body] (hash text primary key, json text not null);
  create table [session] (
    id text primary key, root text not null, label text, imported boolean not null,
    at bigint not null, updated_at bigint not null, confirmed bigint not null,
    watermark bigint not null, noted bigint not null, length bigint not null,
    state text not null, revision bigint not null
  );
  create index on [session] (root, updated_at);
  create index on [session] (root, updated_at) where noted < length;
  create table [entry] (
    number bigint primary key default nextval('[line]'), session text not null,
    position bigint not null, chain text not null, content text not null, said text not null,
    role text not null, reply boolean not null, anchor text, prefix text, thought text,
    at bigint not null, name text, ref text, body text not null references [body],
    unique (session, position)
  );
  create index on [entry] (chain);
  create index on [entry] (body);
  create index on [entry] (anchor) where anchor is not null;
  create index on [entry] (thought) where thought is not null;
  create table [aside] (
    row bigint generated always as identity primary key, session text not null,
    before bigint not null, content text not null, kind text not null,
    body text not null references [body], prefix text, thought text, id text, number bigint,
    at bigint
  );
  create unique index on [aside] (session, content, kind, before) where kind <> 'form';
  create index on [aside] (session, kind, before);
  create index on [aside] (body);
  create index on [aside] (number) where number is not null;
  create index on [aside] (thought) where thought is not null;
  create table [fold] (
    session text not null, id text not null, up_to bigint not null, text text not null,
    summary text not null, messages bigint not null, tokens_before bigint not null,
    tokens_after bigint not null, at bigint not null, detail text, undone_at bigint,
    primary key (session, id)
  );
  create index on [fold] (id);
  create table [learnt] (
    session text not null, memory text not null, first bigint not null, last bigint not null,
    primary key (session, memory)
  );
  create index on [learnt] (memory);
  create table [job] (
    id text primary key, session text not null, first bigint not null, last bigint not null,
    attempts bigint not null, error text not null, not_before bigint not null
  );
  create index on [job] (session);
  create table [pin] (
    id text not null, root text not null, session text not null, text text not null,
    primary key (id, session)
  );
  create index on [pin] (root);
  create table [spent] (
    root text not null, purpose text not null, calls bigint not null, input bigint not null,
    cache_write bigint not null, cache_read bigint not null, output bigint not null,
    dollars float8 not null, unpriced bigint not null, primary key (root, purpose)
  );
  create table [note] (name text primary key, text text not null);
  create table [debt] (
    id bigint generated always as identity primary key, kind text not null, scope text not null,
    at bigint not null, text text, memory text
  );
  create unique index on [debt] (scope) where kind = 'page';
  create table [data] (
    repository text not null, key text not null, value jsonb not null,
    primary key (repository, key)
  );
`;

/**
 * One row is one value of a memory: `valid_to` is null on the current one. A term is looked up in
 * one scope, so that no other's rows are read or counted; `past`: its value no longer holds.
 */
const MEMORIES = `
  create table [scope] (
    number bigint generated always as identity primary key, name text not null unique,
    memories bigint not null default 0
  );
  create table [memory] (
    number bigint generated always as identity primary key, id text not null,
    version bigint not null, scope bigint not null references [scope], key text,
    content text not null, same text not null, terms text not null, kind text not null,
    category text not null, importance float8 not null, source text not null,
    origin text not null, tags text[] not null, at bigint not null, updated_at bigint not null,
    stated_at bigint not null, expires_at bigint, uses bigint not null, used_at bigint,
    valid_from bigint not null, valid_to bigint, sorted boolean not null
  );
  create unique index on [memory] (id) where valid_to is null;
  create unique index on [memory] (id, version);
  create index on [memory] (scope, md5(key)) where key is not null and valid_to is null;
  create index on [memory] (scope, same) where valid_to is null;
  create index on [memory] (scope, updated_at desc, id) where valid_to is null;
  create index on [memory] (scope, stated_at desc, id) where valid_to is null;
  create index on [memory] (scope, importance desc, id) where valid_to is null;
  create index on [memory] (scope, uses desc, id) where valid_to is null;
  create index on [memory] (expires_at) where expires_at is not null;
  create table [memory_term] (
    scope bigint not null, term text not null, number bigint not null,
    past boolean not null default false, primary key (scope, term, number) include (past)
  );
`;

/**
 * The index of turns. A word is looked up in one root, so that no other's places are read or
 * counted. `places` has bit i set where the i-th turn of the stretch holds the word; `lengths` and
 * `cues` have a number for each turn, `signs` those of the vectors of its first. A stretch that
 * goes on where the one before was full opens nothing. All of it can be built anew from history.
 */
const TURNS = `
  create table [root] (
    number bigint generated always as identity primary key, name text not null unique,
    turns bigint not null default 0, words bigint not null default 0,
    stretches bigint not null default 0
  );
  create table [stretch] (
    number bigint generated always as identity primary key, root bigint not null,
    session text not null, at bigint not null, until bigint not null, opens boolean not null,
    lengths integer[] not null default '{}', cues integer[] not null default '{}',
    signs varbit[] not null default '{}'
  );
  create index on [stretch] (session, root, number);
  create index on [stretch] (root, at);
  create index on [stretch] (number) where cardinality(signs) < cardinality(lengths);
  create table [turn] (
    stretch bigint not null, place integer not null, root bigint not null, id text not null,
    position bigint not null, role text not null, name text, text text not null,
    at bigint not null, ref text, words text[] not null, primary key (stretch, place)
  );
  create unique index on [turn] (root, id);
  create table [turn_word] (
    root bigint not null, term text not null, turns bigint not null, primary key (root, term)
  );
  create table [turn_place] (
    root bigint not null, term text not null, stretch bigint not null, places bigint not null,
    primary key (root, term, stretch)
  );
`;

/**
 * Pages are rows that can be made anew from the files. `headings` and `passages` are lists in JSON
 * of one length; `terms` has a line for each passage.
 */
const PAGES = `
  create table [page] (
    number bigint generated always as identity primary key, scope bigint not null,
    path text not null, kind text not null, stamp text not null, unique (scope, path)
  );
  create table [chunk] (
    number bigint generated always as identity primary key, page bigint not null,
    scope bigint not null, headings text not null, passages text not null, terms text not null
  );
  create index on [chunk] (page);
  create table [chunk_term] (
    scope bigint not null, term text not null, number bigint not null,
    primary key (scope, term, number)
  );
`;

/** A file is known by the digest of its text, so that a change knows what it was made on. */
const FILES = `
  create table [file] (
    path text primary key, text text not null, digest text not null, changed bigint not null
  );
`;

/**
 * One vector of length 1 a value, of the model it was made by; null is none of a text without
 * direction. They are plain numbers, so that a schema needs no extension: pgvector reads them where
 * it is there, and `indexed` says that its indexes of a model were begun. What was stored up to
 * `memories` and `chunks` has vectors of the model.
 */
const VECTORS = `
  create table [model] (
    number bigint generated always as identity primary key, name text not null,
    dimensions bigint not null, notes text, current boolean not null default false,
    indexed boolean not null default false, memories bigint not null default 0,
    chunks bigint not null default 0, unique (name, dimensions)
  );
  create table [vector] (
    number bigint primary key references [memory] on delete cascade, model bigint not null,
    scope bigint not null, past boolean not null default false, embedding real[]
  );
  create index on [vector] (scope, number);
  create table [chunk_vector] (
    number bigint primary key references [chunk] on delete cascade, model bigint not null,
    scope bigint not null, past boolean not null default false, embedding real[]
  );
  create index on [chunk_vector] (scope, number);
`;

const ordered = (tables: string): string =>
  tables.replaceAll(/(\w+) text(\[\])?(?=[ ,)\n])/g, '$1 text$2 collate "C"');

export const TABLES = ordered(HISTORY + MEMORIES + TURNS + PAGES + FILES + VECTORS);
