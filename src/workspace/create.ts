import { resolve } from "node:path";
import { degraded, shown } from "../model/errors.ts";
import type { Listen } from "../model/events.ts";
import type { Scope } from "../model/identity.ts";
import type { PageIndex } from "../model/pages.ts";
import { diskFolder } from "./disk/disk-folder.ts";
import { type Folder, orTell, type Tell } from "./disk/folder.ts";
import { memoryFolder } from "./disk/memory-folder.ts";
import { fileOf, ownFile, type Place, troubled } from "./disk/paths.ts";
import { CONVERSATIONS } from "./documents/conversation-page.ts";
import { conversationsIn } from "./documents/conversations.ts";
import { notesIn } from "./documents/notes.ts";
import { recordsIn } from "./documents/records.ts";
import { skillsIn } from "./documents/skills.ts";
import { forget } from "./forget.ts";
import { logbook } from "./log/logbook.ts";
import { backUp } from "./pages/backups.ts";
import { lessonPath, withLesson } from "./pages/learnings.ts";
import { EMPTY_PAGE } from "./pages/memory-page.ts";
import { pagesIn } from "./pages/page-copies.ts";
import { keptPrompts, PROMPT_CAPS, promptTexts } from "./pages/prompt-files.ts";
import { readTemplates, scaffold, type Templates } from "./pages/scaffold.ts";
import { FILE_BOUND, filesIn } from "./search/page-files.ts";
import { bringNamed } from "./search/page-named.ts";
import { searchPages } from "./search/page-search.ts";
import { pageSync, telling } from "./search/page-sync.ts";
import { OPEN_FILES, type OpenFile, type Workspace } from "./workspace.ts";

interface Around {
  readonly now: () => number;
  /** The rows of the pages: the index that belongs to this folder. */
  readonly pages: PageIndex;
  /** Hears `degraded` when a file had to be passed over. */
  readonly listen?: Listen;
  readonly ended?: Ended;
}

/** Hears, when that stands, which memories have lost a value or are forgotten, and which procedures say something else. It must not reject. */
export type Ended = (ids: readonly string[]) => Promise<void>;

export interface WorkspaceOptions extends Around {
  readonly root: string;
  /** The folder of starting files: workspace-template of the package. */
  readonly templateDir: string;
}

const teller =
  ({ listen }: Around): Tell =>
  (error) =>
    listen?.(degraded("workspace", error));

/** A workspace on disk. Nothing is touched before `scaffold` or the first write. */
export function createWorkspace({ root, templateDir, ...around }: WorkspaceOptions): Workspace {
  const folder = diskFolder(root, teller(around));
  let loaded: Promise<Templates> | undefined;
  const templates = (): Promise<Templates> =>
    (loaded ??= readTemplates(templateDir).catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
  return {
    root: resolve(root),
    scaffold: async (scopes) =>
      scaffold(root, folder, { templates: await templates(), scopes, now: around.now() }),
    ...inFolder(folder, templates, around),
  };
}

/** The same for `workspace: false`: what was learnt and remembered lives as long as the process. */
export const createNoWorkspace = (around: Around): Workspace => ({
  root: undefined,
  scaffold: async () => {},
  ...inFolder(memoryFolder(), async () => new Map([["MEMORY.md", EMPTY_PAGE.text]]), around),
});

/** All of a workspace but its making, over any folder. */
export function inFolder(
  given: Folder,
  templates: () => Promise<Templates>,
  around: Around,
): Omit<Workspace, "root" | "scaffold"> {
  const { now, pages, ended } = around;
  const tell = teller(around);
  const sync = pageSync({ folder: given, pages, tell }, now);
  const folder = telling(given, sync);
  const book = logbook(folder);
  const prompts = keptPrompts(folder);
  const records = recordsIn(folder, tell);
  const edit = withBackups(folder, now);

  return {
    prompt: (scopes, caps = {}) =>
      prompts(JSON.stringify([scopes, caps]), async (noted) => {
        const read = async (scope: Scope, path: string): Promise<string> => {
          const place = fileOf(scope, path);
          const text = noted(place, () =>
            folder.read(place, { characters: FILE_BOUND, keep: "start" }),
          );
          return (await orTell(tell, text, undefined)) ?? "";
        };
        return promptTexts(read, [...new Set(scopes)], {
          templates: await orTell(tell, templates(), new Map()),
          caps: { ...PROMPT_CAPS, ...caps },
        });
      }),
    pages: pagesIn(folder),
    notes: notesIn(folder, now),
    records,
    skills: skillsIn(folder, tell),
    conversations: conversationsIn(folder, (scope) =>
      folder.behind(() => orTell(tell, sync.bring(scope, CONVERSATIONS), undefined)),
    ),
    async forget(which, scope, options) {
      const count = await forget(folder, book, { which, scope, ...options });
      await folder.behind(() => orTell(tell, sync.settle(scope), undefined));
      return count;
    },
    async log(lines, scope, receipt) {
      await book.append(lines, scope, receipt);
      const others = lines.filter(
        ({ event, kind }) =>
          event === "forgotten" ||
          event === "superseded" ||
          (event === "updated" && kind === "procedure"),
      );
      if (others.length > 0) await folder.behind(() => ended?.(others.map(({ id }) => id)));
    },
    alone: folder.alone,
    journal: book,
    keep: (name, change) => folder.change(ownFile(`${name}.json`), change),
    kept: (name) => folder.read(ownFile(`${name}.json`)),
    learn: (lesson, scope) =>
      folder.change(fileOf(scope, lessonPath(lesson.kind)), (text) => withLesson(text, lesson)),
    files: (scopes) => filesIn(folder, scopes, tell),
    settle: (scope) => orTell(tell, sync.settle(scope), undefined),
    async search(query, { scopes, limit = 10, near }) {
      await Promise.all([...new Set(scopes)].map(sync.look));
      return searchPages(pages, query, { scopes, limit, near });
    },
    index: (path, known) => bringNamed({ folder, sync, records, now }, path, known),
    read: async (name, scope) => (await folder.read(placeOf(name, scope))) ?? "",
    edit,
    async write(name, text, scope) {
      checkLength(name, text);
      await edit(name, () => text, scope);
    },
  };
}

/** Where a file stands that may be read and written as a whole. */
function placeOf(name: OpenFile, scope: Scope): Place {
  if (!OPEN_FILES.includes(name))
    throw troubled(
      `${shown(name)} is not a file to read or write as a whole. Choose one of ${OPEN_FILES.join(", ")}.`,
    );
  return fileOf(scope, name);
}

const WRITE_BOUND = 32_000;

function checkLength(name: OpenFile, text: string): void {
  if (text.length > WRITE_BOUND)
    throw troubled(
      `${name} would be ${text.length} characters long and may be ${WRITE_BOUND}. Shorten it, or keep the rest in another file.`,
    );
}

/** Changes such a file, with a backup of what stood there. */
const withBackups =
  (folder: Folder, now: () => number): Workspace["edit"] =>
  async (name, change, scope) =>
    folder.change(placeOf(name, scope), async (before = "") => {
      const after = change(before);
      // What is too long may still be shortened.
      if (after !== undefined && after.length > before.length) checkLength(name, after);
      if (after !== undefined && before !== "" && before !== after)
        await backUp(folder, { name, text: before, now: now() }, scope);
      return after;
    });
