import { type Connection, type Steps } from "../sqlite/database.ts";

/**
 * One vector a value, exact, beside its memory. `cell`: 0 found, -1 set aside (past values; texts an embedder makes nothing
 * of). The first step's cells, and the index of sqlite-vec that was made of them, are no more: all vectors are compared.
 */
export const VECTOR_STEPS: Steps = [
  [
    "vectors-1",
    `
    create table vector_model (
      number integer primary key autoincrement, name text not null, dimensions integer not null, notes text, swept integer not null default 0,
      current integer not null default 0, unique (name, dimensions)
    ) strict;
    create table vector (
      row integer primary key references memory (row), model integer not null references vector_model (number), scope integer not null,
      cell integer not null, indexed integer not null default 0, embedding blob not null
    ) strict;
    create index vector_place on vector (model, scope, cell);
    create index vector_unindexed on vector (model) where indexed = 0 and cell > 0;
    create table vector_left (row integer not null, model integer not null, primary key (model, row)) strict, without rowid;
    create table vector_cell (
      cell integer primary key autoincrement, model integer not null, scope integer not null, members integer not null default 0,
      cap integer not null, draining integer not null default 0, centroid blob
    ) strict;
    create index vector_cell_scope on vector_cell (model, scope);
    create index vector_cell_full on vector_cell (model) where members > cap and draining = 0;
    create index vector_cell_draining on vector_cell (model) where draining = 1;
    create table vector_scope (
      model integer not null, scope integer not null, fresh integer not null default 0, generation integer not null default 0, primary key (model, scope)
    ) strict, without rowid;
    create index vector_scope_fresh on vector_scope (model, fresh);
    create table vector_category (
      number integer primary key, model integer not null, scope integer not null, category text not null, members integer not null, total blob not null,
      unique (model, scope, category)
    ) strict;
    create table category (number integer primary key, name text not null unique) strict;
    create index memory_category on memory (scope, category) where valid_to is null;
    `,
  ],
  [
    "vectors-2",
    `
    update vector set cell = 0 where cell > 0;
    drop index vector_unindexed;
    drop table vector_left;
    drop table vector_cell;
    drop table vector_scope;
    drop table category;
    `,
  ],
];

/**
 * Takes an earlier version's index of sqlite-vec out of the file: forgotten vectors must not live on in it. Without the
 * extension its virtual table cannot be dropped, so its tables are, and its name leaves the schema.
 */
export function dropFormerIndex(database: Connection): void {
  const found = database.prepare(
    "select name, sql from sqlite_schema where type = 'table' and name glob 'vector_index_[0-9]*'",
  );
  if (found.get() === undefined) return;
  const drop = database.transaction(() => {
    for (const { name, sql } of found.all() as { name: string; sql: string }[])
      if (!/^create virtual/i.test(sql)) database.exec(`drop table ${name}`);
    database.pragma("writable_schema = on");
    database.exec("delete from sqlite_schema where name glob 'vector_index_[0-9]*'");
    database.pragma("writable_schema = reset");
  });
  database.unsafeMode(true);
  try {
    drop.immediate();
  } finally {
    database.unsafeMode(false);
  }
}
