import type { Verb, VerbEntry } from "./input/flags.ts";

// Each verb is read only when it is asked for.
const archive = () => import("./verbs/export-import-and-forget.ts");
const chat = () => import("./verbs/chat.ts");
const conversations = () => import("./verbs/conversations.ts");
const doctor = () => import("./verbs/doctor.ts");
const heartbeat = () => import("./verbs/heartbeat.ts");
const memories = () => import("./verbs/memories-and-recall.ts");
const pins = () => import("./verbs/record-and-pins.ts");
const recall = () => import("./verbs/memories-and-recall.ts");
const record = () => import("./verbs/record-and-pins.ts");
const replay = () => import("./verbs/replay.ts");
const users = () => import("./verbs/users.ts");
const workspace = () => import("./verbs/init-stats-and-tidy.ts");

const from = <Name extends string>(
  file: () => Promise<Readonly<Record<Name, Verb>>>,
  name: Name,
  says: string,
  takes?: string,
): VerbEntry => ({ says, takes, load: async () => (await file())[name] });

export const VERBS: Readonly<Record<string, VerbEntry>> = {
  init: from(workspace, "init", "make a workspace: a folder of Markdown files"),
  chat: from(chat, "chat", "talk to Claude in the terminal, with a memory"),
  replay: from(replay, "replay", "play a saved conversation: folds, tokens, cost", "FILE…"),
  recall: from(recall, "recall", "find facts in the memory", '"WORDS"'),
  search: from(recall, "search", "find words in memory, files and past conversations", '"WORDS"'),
  list: from(memories, "list", "what is remembered, the latest first"),
  show: from(memories, "show", "all of one memory", "ID"),
  save: from(memories, "save", "remember a text", '"TEXT"'),
  edit: from(memories, "edit", "open MEMORY.md in your editor and take over what you change"),
  conversations: from(conversations, "conversations", "the conversations that are kept"),
  read: from(conversations, "read", "a conversation, word for word", "CONVERSATION"),
  users: from(users, "users", "with whom there are memories and conversations"),
  stats: from(workspace, "stats", "what a workspace holds, what its calls cost"),
  folds: from(conversations, "folds", "where a summary took the place of messages"),
  diff: from(conversations, "diff", "what a fold kept, dropped and remembered", "FOLD"),
  undo: from(
    conversations,
    "undo",
    "bring back a fold's messages, or a line taken out of MEMORY.md",
    "FOLD | MARK",
  ),
  pins: from(pins, "pins", "texts that survive every fold word for word"),
  pin: from(pins, "pin", "pin a text", '"TEXT"'),
  unpin: from(pins, "unpin", "take a pin off", "PIN"),
  record: from(
    record,
    "record",
    "add, update, reclassify, archive, restore, delete, list, get records",
    "ACT …",
  ),
  heartbeat: from(heartbeat, "heartbeat", "what to wake an agent with: what HEARTBEAT.md asks for"),
  doctor: from(doctor, "doctor", "what is well, what is not, what to do"),
  tidy: from(workspace, "tidy", "take out what has expired, back up history"),
  rebuild: from(workspace, "rebuild", "make the indexes anew"),
  export: from(
    archive,
    "exporting",
    "a workspace, or what --user may see, as one file; - is standard output",
    "FILE",
  ),
  import: from(
    archive,
    "importing",
    "an exported file, or conversations, into a workspace",
    "FILE",
  ),
  completion: {
    says: "what makes a shell complete verbs and flags",
    takes: "SHELL",
    load: async () => (await import("./verbs/completion.ts")).completionOf(VERBS),
  },
  forget: from(archive, "forget", "delete a memory, or all of one user (--user)", "ID"),
};
