import { resolve } from "node:path";
import { degraded, type Listen, shown } from "../core/errors-and-events.ts";
import type { Scope } from "../core/identity.ts";
import { linesOf } from "../core/text/markdown.ts";
import type { Storage } from "../storage/port.ts";
import { diskFolder } from "./disk/disk-folder.ts";
import { fileOf, type FilePlace, type Folder, orTell, troubled } from "./disk/folder.ts";
import { levelFolder, memoryFolder, rowFolder } from "./disk/row-folder.ts";
import { conversationsIn } from "./documents/conversation-pages.ts";
import { keptNotes } from "./documents/kept-notes.ts";
import { notesIn } from "./documents/notes.ts";
import { recordsIn } from "./documents/records.ts";
import { skillsIn } from "./documents/skills.ts";
import {
  backUp,
  backupsOf,
  readTemplates,
  scaffold,
  type Templates,
} from "./pages/first-pages-and-backups.ts";
import { type Lesson, lessonPath, withLesson } from "./pages/learnings.ts";
import { type Gone, isSaid, logbook, pagesIn } from "./pages/log-and-page-copies.ts";
import { readLine, wholeMark } from "./pages/page-lines.ts";
import { promptTexts } from "./pages/prompt-pages.ts";
import { type Between, FILE_BOUND, filesIn, pageSync, telling } from "./search/page-rows.ts";
import { type ByMeaning, searchPages } from "./search/page-search.ts";

/**
 * A page, or one that was put aside, without the lines of these memories and without what says the
 * same.
 */
function withoutGone(text: string, gone: Gone): string {
  const marks = [...gone.ids].map(wholeMark);
  const isGone = (raw: string): boolean => {
    const { mark, text: words = "", dated = "" } = readLine(raw) ?? {};
    return (
      (mark !== undefined && marks.some((whole) => whole.startsWith(mark))) ||
      [words, dated].some((one) => isSaid(gone, one))
    );
  };
  const rows = linesOf(text);
  const kept = rows.filter((raw) => !isGone(raw));
  return kept.length === rows.length ? text : `${kept.join("\n").trimEnd()}\n`;
}

/** Files a person and an agent may read and write as a whole. */
export const OPEN_FILES = ["SOUL.md", "USER.md", "AGENTS.md", "MEMORY.md", "HEARTBEAT.md"] as const;
export type OpenFile = (typeof OPEN_FILES)[number];

interface WorkspaceHost extends Pick<Between, "indexed"> {
  readonly now: () => number;
  /** It holds the index of the pages in this folder. */
  readonly store: Storage;
  /** Hears `degraded` when a file had to be passed over. */
  readonly listen?: Listen;
}

/**
 * The folder of Markdown files, scope by scope. Reading (`prompt`, `files`, `search`) passes over a
 * file that cannot be read and tells the listener; everything else rejects with TidemarkError
 * "workspace".
 */
export interface Workspace extends ReturnType<typeof inFolder> {
  /** The folder, undefined where pages are none of files. */
  readonly root: string | undefined;
  /** Does it outlive the process? */
  readonly keeps: boolean;
  /** Makes what is absent, changes nothing that is there. */
  scaffold(scopes: readonly Scope[]): Promise<void>;
}

const teller =
  ({ listen }: Pick<WorkspaceHost, "listen">) =>
  (error: unknown): void =>
    listen?.(degraded("workspace", error));

/**
 * A workspace on disk. Nothing is touched before `scaffold` or the first write. `templateDir`: the
 * folder of starting files.
 */
export function createWorkspace({
  root,
  templateDir,
  ...around
}: WorkspaceHost & { root: string; templateDir: string }): Workspace {
  const folder = diskFolder(root, teller(around));
  const templates = once(() => readTemplates(templateDir));
  return {
    root: resolve(root),
    keeps: true,
    scaffold: async (scopes) =>
      scaffold(root, folder, { templates: await templates(), scopes, now: around.now() }),
    ...inFolder(folder, templates, around),
  };
}

/**
 * The same in rows of the store, where it keeps them; else it lives as long as the process. No page
 * stands there before it is written: a fleet has more agents than pages.
 */
export function createRowWorkspace({
  templateDir,
  ...around
}: WorkspaceHost & { templateDir: string }): Workspace {
  const { files } = around.store;
  const [folder, templates] =
    files === undefined
      ? [memoryFolder(), async (): Promise<Templates> => new Map()]
      : [rowFolder(files, around.now), once(() => readTemplates(templateDir))];
  return {
    root: undefined,
    keeps: files !== undefined,
    scaffold: async () => {},
    ...inFolder(folder, templates, around),
  };
}

/**
 * The same over a workspace, of which the pages of groups are used; all others die with it.
 * `through`: what is proposed to groups outlives it, too.
 */
export function createLevelWorkspace(
  over: Workspace,
  { through, ...around }: WorkspaceHost & { through: boolean },
): Workspace {
  const folder = levelFolder({ kept: over.folder, own: memoryFolder() });
  const own = inFolder(folder, over.templates, around);
  const of = (name: Parameters<Workspace["kept"]>[0]) =>
    through && name === "proposals" ? over : own;
  return {
    ...{ root: undefined, keeps: false, scaffold: async () => {}, ...own },
    kept: (name) => of(name).kept(name),
    keep: (name, change) => of(name).keep(name, change),
  };
}

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

/** All of a workspace but its making, over any folder. */
function inFolder(given: Folder, templates: () => Promise<Templates>, around: WorkspaceHost) {
  const { now, store, indexed } = around;
  const tell = teller(around);
  const sync = pageSync({ folder: given, store, tell, indexed }, now);
  const folder = telling(given, sync.wrote);
  const settle = (scope: Scope) => orTell(tell, sync.look(scope), undefined);
  const ground = { folder, settle, tell, now };
  const records = recordsIn(folder, tell);
  const kept = keptNotes(store, folder);

  return {
    ...kept,
    ...{ folder, templates },
    /** MEMORY.md as it shows what memory holds. */
    pages: pagesIn(folder),
    /** Agents and people write these down as they like. */
    notes: notesIn(folder, now),
    /** The pages under `records`. */
    records,
    /** Memories are also written as Agent Skills, outside the workspace. */
    skills: skillsIn(folder, kept, tell),
    /** The pages under `conversations`, which are written behind conversations. */
    conversations: conversationsIn(folder, settle),
    /**
     * No other process changes a file of the workspace meanwhile.
     */
    alone: folder.alone,
    prompt: promptIn(ground, templates),
    ...writing(ground),
    files: (scopes: readonly Scope[]) => filesIn(folder, scopes, tell),
    /**
     * What another program wrote is found within two seconds of the clock, what was written here at
     * once.
     */
    async search(
      query: string,
      asked: {
        readonly scopes: readonly Scope[];
        readonly limit?: number;
        readonly near?: ByMeaning;
      },
    ) {
      const { scopes, limit = 10, near } = asked;
      await Promise.all([...new Set(scopes)].map(sync.look));
      return searchPages(store, query, { scopes, limit, near });
    },
  };
}

interface Ground extends Pick<WorkspaceHost, "now"> {
  readonly folder: Folder;
  readonly settle: (scope: Scope) => Promise<unknown>;
  readonly tell: (error: unknown) => void;
}

/**
 * The texts of the system prompt, each within its cap; of MEMORY.md what a person keeps there: the
 * rest is memory's to tell.
 */
function promptIn({ folder, tell }: Ground, templates: () => Promise<Templates>) {
  const read = async (scope: Scope, path: string): Promise<string> => {
    const text = folder.read(fileOf(scope, path), { characters: FILE_BOUND, keep: "start" });
    return (await orTell(tell, text, undefined)) ?? "";
  };
  return async (scopes: readonly Scope[]) =>
    promptTexts(read, [...new Set(scopes)], await orTell(tell, templates(), new Map()));
}

/** Logs are written as things happen, and a host may write some files as a whole. */
function writing({ folder, settle, now }: Ground) {
  const book = logbook(folder);
  /**
   * A new text for the old one, whose backup is kept, with no other change in between; undefined
   * leaves the file alone.
   */
  const edit = async (
    name: OpenFile,
    change: (text: string) => string | undefined,
    scope: Scope,
  ): Promise<void> =>
    folder.change(placeOf(name, scope), async (before = "") => {
      const after = change(before);
      if (after === undefined || after === before) return after;
      // A text that is too long may still be shortened.
      if (after.length > Math.max(WRITE_BOUND, before.length))
        throw troubled(
          `${name} would be ${after.length} characters long and may be ${WRITE_BOUND}. ` +
            "Shorten it, or keep the rest in another file.",
        );
      if (before !== "") await backUp(folder, { name, text: before, now: now() }, scope);
      return after;
    });

  return {
    /**
     * Takes memories out of MEMORY.md, its backups and the daily logs. A text can outlive its
     * memory, as a bullet a person copied into the head: what says the same goes too.
     */
    async forget(gone: Gone, scope: Scope): Promise<void> {
      const backups = await backupsOf(folder, "MEMORY.md", scope);
      for (const place of [fileOf(scope, "MEMORY.md"), ...backups.map((one) => one.place)])
        await folder.change(place, (text) => text && withoutGone(text, gone));
      await book.forget(gone.ids, scope);
      await settle(scope);
    },
    /** Tells in the daily log, for people. */
    log: book.tell,
    learn: (lesson: Lesson, scope: Scope) =>
      folder.change(fileOf(scope, lessonPath(lesson.kind)), (text) => withLesson(text, lesson)),
    /** "" when the file is absent. */
    read: async (name: OpenFile, scope: Scope) => (await folder.read(placeOf(name, scope))) ?? "",
    edit,
    write: (name: OpenFile, text: string, scope: Scope) => edit(name, () => text, scope),
  };
}

const WRITE_BOUND = 32_000;

/** The place of a file that may be read and written as a whole. */
function placeOf(name: OpenFile, scope: Scope): FilePlace {
  if (!OPEN_FILES.includes(name))
    throw troubled(
      `${shown(name)} is not a file to read or write as a whole. Choose one of ` +
        `${OPEN_FILES.join(", ")}.`,
    );
  return fileOf(scope, name);
}
