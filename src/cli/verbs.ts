import type { Verb } from "./input/flags.ts";

export interface Entry {
  readonly says: string;
  /** What stands behind the verb. */
  readonly takes?: string;
  readonly load: () => Promise<Verb>;
}

// Each verb is read only when it is asked for.
const agents = () => import("./verbs/agents.ts");
const archive = () => import("./verbs/archive.ts");
const chat = () => import("./verbs/chat.ts");
const conform = () => import("./verbs/conform.ts");
const conversations = () => import("./verbs/conversations.ts");
const doctor = () => import("./verbs/doctor.ts");
const folds = () => import("./verbs/folds.ts");
const heartbeat = () => import("./verbs/heartbeat.ts");
const memories = () => import("./verbs/memories.ts");
const pins = () => import("./verbs/pins.ts");
const recall = () => import("./verbs/recall.ts");
const record = () => import("./verbs/record.ts");
const replay = () => import("./verbs/replay.ts");
const workspace = () => import("./verbs/workspace.ts");

const of =
  <Name extends string>(file: () => Promise<Readonly<Record<Name, Verb>>>, name: Name) =>
  async (): Promise<Verb> =>
    (await file())[name];

export const VERBS: Readonly<Record<string, Entry>> = {
  init: {
    says: "make a workspace: a folder of Markdown files",
    load: of(workspace, "init"),
  },
  chat: {
    says: "talk to Claude in the terminal, with a memory",
    load: of(chat, "chat"),
  },
  replay: {
    takes: "FILE…",
    says: "play a saved conversation: folds, tokens, cost",
    load: of(replay, "replay"),
  },
  recall: {
    takes: '"WORDS"',
    says: "find facts in the memory",
    load: of(recall, "recall"),
  },
  search: {
    takes: '"WORDS"',
    says: "find words in memory, files and past conversations",
    load: of(recall, "search"),
  },
  list: {
    says: "what is remembered, the latest first",
    load: of(memories, "list"),
  },
  show: {
    takes: "ID",
    says: "all of one memory",
    load: of(memories, "show"),
  },
  save: {
    takes: '"TEXT"',
    says: "remember a text",
    load: of(memories, "save"),
  },
  edit: {
    says: "open MEMORY.md in your editor and take over what you change",
    load: of(memories, "edit"),
  },
  conversations: {
    says: "the conversations that are kept",
    load: of(conversations, "conversations"),
  },
  read: {
    takes: "CONVERSATION",
    says: "a conversation, word for word",
    load: of(conversations, "read"),
  },
  stats: {
    says: "what a workspace holds, what its calls cost",
    load: of(workspace, "stats"),
  },
  folds: {
    says: "where a summary took the place of messages",
    load: of(folds, "folds"),
  },
  diff: {
    takes: "FOLD",
    says: "what a fold kept, dropped and remembered, and where",
    load: of(folds, "diff"),
  },
  undo: {
    takes: "FOLD | MARK",
    says: "bring back a fold's messages, or a line taken out of MEMORY.md",
    load: of(folds, "undo"),
  },
  pins: {
    says: "texts that survive every fold word for word",
    load: of(pins, "pins"),
  },
  pin: {
    takes: '"TEXT"',
    says: "pin a text",
    load: of(pins, "pin"),
  },
  unpin: {
    takes: "PIN",
    says: "take a pin off",
    load: of(pins, "unpin"),
  },
  record: {
    takes: "ACT …",
    says: "add, update, reclassify, archive, restore, delete, list, get records",
    load: of(record, "record"),
  },
  index: {
    takes: "PATH…",
    says: "read pages that another program has changed, now",
    load: of(workspace, "index"),
  },
  agents: {
    takes: '[add NAME "WHAT"]',
    says: "the agents seen or listed in AGENTS.md; add lists one there",
    load: of(agents, "agents"),
  },
  heartbeat: {
    takes: "[-- COMMAND]",
    says: "wake an agent with what HEARTBEAT.md asks for",
    load: of(heartbeat, "heartbeat"),
  },
  doctor: {
    says: "what is well, what is not, what to do",
    load: of(doctor, "doctor"),
  },
  tidy: {
    says: "take out what has expired, back up history",
    load: of(workspace, "tidy"),
  },
  rebuild: {
    says: "make the memory index anew from the daily logs",
    load: of(workspace, "rebuild"),
  },
  export: {
    takes: "FILE",
    says: "all of a workspace as one file",
    load: of(archive, "exporting"),
  },
  import: {
    takes: "FILE",
    says: "an exported file into a new workspace",
    load: of(archive, "importing"),
  },
  forget: {
    takes: "ID",
    says: "delete a memory, or all of one user (--user)",
    load: of(archive, "forget"),
  },
  conform: {
    says: "plant facts, fold many times, see what is left; also of your own compactor",
    load: of(conform, "conform"),
  },
};
