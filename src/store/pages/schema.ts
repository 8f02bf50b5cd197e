import { type Steps } from "../sqlite/database.ts";

/**
 * Pages are rows that can be made anew from the files. As in the index of memories, each term carries its scope's number, so that a
 * look-up reads the posting list of one scope. `headings` and `passages` are lists in
 * JSON of one length; `terms` has a line for each passage. Vectors stand beside chunks as they do beside memories.
 */
export const PAGE_STEPS: Steps = [
  [
    "pages-1",
    `
    create table page (
      number integer primary key, scope integer not null references scope (number), path text not null, kind text not null, stamp text not null,
      unique (scope, path)
    ) strict;
    create table page_chunk (
      row integer primary key autoincrement, page integer not null references page (number), scope integer not null,
      headings text not null, passages text not null, memory text, terms text not null
    ) strict;
    create index page_chunks on page_chunk (page);
    create index page_chunks_of_scope on page_chunk (scope);
    create virtual table page_index using fts5 (terms, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '_'");
    insert into page_index (page_index, rank) values ('secure-delete', 1);
    insert into page_index (page_index, rank) values ('pgsz', 1000);
    `,
  ],
  [
    "pages-2-vectors",
    `
    create table page_vector (
      row integer primary key references page_chunk (row), model integer not null, scope integer not null, cell integer not null, embedding blob not null
    ) strict;
    create index page_vector_place on page_vector (model, scope, cell);
    `,
  ],
];
