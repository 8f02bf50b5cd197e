import { type Steps } from "../sqlite/database.ts";

/**
 * One vector a value, exact, beside its memory: what is asked again, moved between cells and compared without an extension
 * is read from here. `cell` is where it stands: 0 just came, -1 set aside (past values; texts an embedder makes nothing of).
 *
 * The index of a model is a virtual table of sqlite-vec, made when it is first needed, since its width is the model's and
 * a machine may lack the extension; `indexed` says which vectors stand in it, `vector_left` what still has to leave it.
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
];
