import { type Flags, type Given } from "./input/flags.ts";
import { type Io } from "./render/io.ts";

export interface Verb {
  readonly flags: Flags;
  readonly examples: readonly string[];
  run(given: Given, io: Io): Promise<number>;
}

interface Entry {
  readonly says: string;
  /** What stands behind the verb. */
  readonly takes?: string;
  readonly load: () => Promise<Verb>;
}

/** Each verb is read only when it is asked for. */
export const VERBS: Readonly<Record<string, Entry>> = {
  init: {
    says: "make a workspace: a folder of Markdown files",
    load: () => import("./verbs/init.ts"),
  },
  chat: {
    says: "talk to Claude in the terminal, with a memory",
    load: () => import("./verbs/chat.ts"),
  },
  replay: {
    takes: "FILE…",
    says: "play a conversation you have through Tidemark, and see",
    load: () => import("./verbs/replay.ts"),
  },
  recall: {
    takes: '"WORDS"',
    says: "find facts in the memory",
    load: () => import("./verbs/recall.ts"),
  },
  search: {
    takes: '"WORDS"',
    says: "find them in the files and past conversations too",
    load: () => import("./verbs/search.ts"),
  },
  list: { says: "what is remembered, the latest first", load: () => import("./verbs/list.ts") },
  show: { takes: "ID", says: "all of one memory", load: () => import("./verbs/show.ts") },
  save: { takes: '"TEXT"', says: "remember a text", load: () => import("./verbs/save.ts") },
  edit: {
    says: "open MEMORY.md in your editor and take over what you change",
    load: () => import("./verbs/edit.ts"),
  },
  conversations: {
    says: "the conversations that are kept",
    load: () => import("./verbs/conversations.ts"),
  },
  read: {
    takes: "CONVERSATION",
    says: "one of them, word for word",
    load: () => import("./verbs/read.ts"),
  },
  stats: { says: "what a workspace holds", load: () => import("./verbs/stats.ts") },
  folds: { says: "the folds that were made", load: () => import("./verbs/folds.ts") },
  diff: {
    takes: "FOLD",
    says: "what a fold kept, dropped and remembered, and where",
    load: () => import("./verbs/diff.ts"),
  },
  undo: {
    takes: "FOLD",
    says: "bring back a fold's messages, or a line of MEMORY.md by its mark",
    load: () => import("./verbs/undo.ts"),
  },
  pins: {
    says: "texts that survive every fold word for word",
    load: () => import("./verbs/pins.ts"),
  },
  pin: { takes: '"TEXT"', says: "pin a text", load: () => import("./verbs/pin.ts") },
  unpin: { takes: "PIN", says: "take a pin off", load: () => import("./verbs/unpin.ts") },
  record: {
    takes: "ACT …",
    says: "add, update, reclassify, archive, restore, delete, list, get records",
    load: () => import("./verbs/record.ts"),
  },
  heartbeat: {
    takes: "[-- COMMAND]",
    says: "wake an agent with what HEARTBEAT.md asks for",
    load: () => import("./verbs/heartbeat.ts"),
  },
  doctor: {
    says: "what is well, what is not, what to do",
    load: () => import("./verbs/doctor.ts"),
  },
  tidy: { says: "take out what has expired, copy history", load: () => import("./verbs/tidy.ts") },
  rebuild: {
    says: "make the memory index anew from the daily logs",
    load: () => import("./verbs/rebuild.ts"),
  },
  export: {
    takes: "FILE",
    says: "all of a workspace as one file",
    load: () => import("./verbs/export.ts"),
  },
  import: {
    takes: "FILE",
    says: "such a file into a new workspace",
    load: () => import("./verbs/import.ts"),
  },
  forget: {
    takes: "ID",
    says: "delete a memory, or all of one user (--user)",
    load: () => import("./verbs/forget.ts"),
  },
  conform: {
    says: "plant facts, fold many times, see what is left; also of your own compactor",
    load: () => import("./verbs/conform.ts"),
  },
};
