import { type Steps } from "../sqlite/database.ts";

/**
 * The index of turns. A word has its own number in each root, so that a look-up reads the places of one root and can
 * neither see nor count another's. `places` has bit i set where the i-th turn of the stretch holds the word; `traits` are
 * four bytes a turn: its length in words (two) and its cues. A stretch that goes on where the one before was full opens
 * nothing. All of it can be built anew from history.
 */
export const TURN_STEPS: Steps = [
  [
    "turns-2-stretches",
    `
    drop table turn_index;
    drop table turn;
    delete from root;
    delete from cursor where name = 'history';
    alter table root add column words integer not null default 0;
    alter table root add column stretches integer not null default 0;
    create table stretch (
      number integer primary key autoincrement, root integer not null references root (number), session text not null,
      turns integer not null, at integer not null, until integer not null, traits blob not null
    ) strict;
    create index stretch_session on stretch (session, number);
    create index stretch_root on stretch (root);
    create table turn (
      stretch integer not null references stretch (number), place integer not null, root integer not null, id text not null, position integer not null,
      role text not null, name text, text text not null, at integer not null, ref text, words blob not null, primary key (stretch, place)
    ) strict, without rowid;
    create unique index turn_id on turn (root, id);
    create table turn_word (number integer primary key autoincrement, root integer not null, term text not null, turns integer not null, unique (root, term)) strict;
    create table turn_place (word integer not null, stretch integer not null, places integer not null, primary key (word, stretch)) strict, without rowid;
    `,
  ],
  [
    "turns-3-openings",
    `
    delete from turn_place;
    delete from turn_word;
    delete from turn;
    delete from stretch;
    update root set turns = 0, words = 0, stretches = 0;
    delete from cursor where name = 'history';
    alter table stretch add column opens integer not null default 1;
    drop index stretch_root;
    create index stretch_root on stretch (root, at);
    `,
  ],
];
