import type { Verb } from "./input/flags.ts";

export interface Entry {
  readonly says: string;
  /** What stands behind the verb. */
  readonly takes?: string;
  readonly load: () => Promise<Verb>;
}

/** Each verb is read only when it is asked for. */
export const VERBS: Readonly<Record<string, Entry>> = {
  init: {
    says: "make a workspace: a folder of Markdown files",
    load: async () => (await import("./verbs/init.ts")).init,
  },
  chat: {
    says: "talk to Claude in the terminal, with a memory",
    load: async () => (await import("./verbs/chat.ts")).chat,
  },
  replay: {
    takes: "FILE…",
    says: "play a saved conversation: folds, tokens, cost",
    load: async () => (await import("./verbs/replay.ts")).replay,
  },
  recall: {
    takes: '"WORDS"',
    says: "find facts in the memory",
    load: async () => (await import("./verbs/recall.ts")).recall,
  },
  search: {
    takes: '"WORDS"',
    says: "find words in memory, files and past conversations",
    load: async () => (await import("./verbs/recall.ts")).search,
  },
  list: {
    says: "what is remembered, the latest first",
    load: async () => (await import("./verbs/memories.ts")).list,
  },
  show: {
    takes: "ID",
    says: "all of one memory",
    load: async () => (await import("./verbs/memories.ts")).show,
  },
  save: {
    takes: '"TEXT"',
    says: "remember a text",
    load: async () => (await import("./verbs/memories.ts")).save,
  },
  edit: {
    says: "open MEMORY.md in your editor and take over what you change",
    load: async () => (await import("./verbs/edit.ts")).edit,
  },
  conversations: {
    says: "the conversations that are kept",
    load: async () => (await import("./verbs/conversations.ts")).conversations,
  },
  read: {
    takes: "CONVERSATION",
    says: "a conversation, word for word",
    load: async () => (await import("./verbs/conversations.ts")).read,
  },
  stats: {
    says: "what a workspace holds, what its calls cost",
    load: async () => (await import("./verbs/stats.ts")).stats,
  },
  folds: {
    says: "where a summary took the place of messages",
    load: async () => (await import("./verbs/folds.ts")).folds,
  },
  diff: {
    takes: "FOLD",
    says: "what a fold kept, dropped and remembered, and where",
    load: async () => (await import("./verbs/folds.ts")).diff,
  },
  undo: {
    takes: "FOLD | MARK",
    says: "bring back a fold's messages, or a line taken out of MEMORY.md",
    load: async () => (await import("./verbs/folds.ts")).undo,
  },
  pins: {
    says: "texts that survive every fold word for word",
    load: async () => (await import("./verbs/pins.ts")).pins,
  },
  pin: {
    takes: '"TEXT"',
    says: "pin a text",
    load: async () => (await import("./verbs/pins.ts")).pin,
  },
  unpin: {
    takes: "PIN",
    says: "take a pin off",
    load: async () => (await import("./verbs/pins.ts")).unpin,
  },
  record: {
    takes: "ACT …",
    says: "add, update, reclassify, archive, restore, delete, list, get records",
    load: async () => (await import("./verbs/record.ts")).record,
  },
  index: {
    takes: "PATH…",
    says: "read pages that another program has changed, now",
    load: async () => (await import("./verbs/index.ts")).index,
  },
  agents: {
    takes: '[add NAME "WHAT"]',
    says: "the agents seen or listed in AGENTS.md; add lists one there",
    load: async () => (await import("./verbs/agents.ts")).agents,
  },
  heartbeat: {
    takes: "[-- COMMAND]",
    says: "wake an agent with what HEARTBEAT.md asks for",
    load: async () => (await import("./verbs/heartbeat.ts")).heartbeat,
  },
  doctor: {
    says: "what is well, what is not, what to do",
    load: async () => (await import("./verbs/doctor.ts")).doctor,
  },
  tidy: {
    says: "take out what has expired, back up history",
    load: async () => (await import("./verbs/tidy.ts")).tidy,
  },
  rebuild: {
    says: "make the memory index anew from the daily logs",
    load: async () => (await import("./verbs/rebuild.ts")).rebuild,
  },
  export: {
    takes: "FILE",
    says: "all of a workspace as one file",
    load: async () => (await import("./verbs/archive.ts")).exporting,
  },
  import: {
    takes: "FILE",
    says: "an exported file into a new workspace",
    load: async () => (await import("./verbs/archive.ts")).importing,
  },
  forget: {
    takes: "ID",
    says: "delete a memory, or all of one user (--user)",
    load: async () => (await import("./verbs/forget.ts")).forget,
  },
  conform: {
    says: "plant facts, fold many times, see what is left; also of your own compactor",
    load: async () => (await import("./verbs/conform.ts")).conform,
  },
};
