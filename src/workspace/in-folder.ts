import { shown, TidemarkError } from "../model/errors.ts";
import { type Scope } from "../model/identity.ts";
import { type PageIndex } from "../model/pages.ts";
import { backUp } from "./pages/backups.ts";
import { type Folder, orTell, type Tell } from "./disk/folder.ts";
import { CONVERSATIONS } from "./documents/conversation-page.ts";
import { conversationsIn } from "./documents/conversations.ts";
import { forget } from "./forget.ts";
import { lessonPath, withLesson } from "./pages/learnings.ts";
import { logbook } from "./log/logbook.ts";
import { notesIn } from "./documents/notes.ts";
import { pagesIn } from "./pages/page-copies.ts";
import { FILE_BOUND, filesIn } from "./search/page-files.ts";
import { searchPages } from "./search/page-search.ts";
import { bringNamed } from "./search/page-named.ts";
import { pageSync, telling } from "./search/page-sync.ts";
import { fileOf, type Place } from "./disk/paths.ts";
import { keptPrompts, PROMPT_CAPS, promptTexts } from "./pages/prompt-files.ts";
import { recordsIn } from "./documents/records.ts";
import { type Templates } from "./pages/scaffold.ts";
import { skillsIn } from "./documents/skills.ts";
import { OPEN_FILES, type OpenFile, type Workspace } from "./workspace.ts";

const WRITE_BOUND = 32_000;

/** All of a workspace but its making, over any folder. */
export function inFolder(
  given: Folder,
  { templates, now, tell, pages, ended }: Around,
): Omit<Workspace, "root" | "scaffold"> {
  const sync = pageSync({ folder: given, pages, tell }, now);
  const folder = telling(given, sync);
  const book = logbook(folder);
  const prompts = keptPrompts(folder);
  const records = recordsIn(folder, tell);

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
      if (others.length > 0 && ended !== undefined)
        await folder.behind(() => ended(others.map(({ id }) => id)));
    },
    alone: (work) => folder.alone(work),
    journal: book,
    keep: (name, change) => folder.change({ base: ".tidemark", path: `${name}.json` }, change),
    kept: (name) => folder.read({ base: ".tidemark", path: `${name}.json` }),
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
    edit: async (name, change, scope) =>
      folder.change(placeOf(name, scope), withBackup(folder, { name, scope, now }, change)),
    async write(name, text, scope) {
      checkLength(name, text);
      await folder.change(
        placeOf(name, scope),
        withBackup(folder, { name, scope, now }, () => text),
      );
    },
  };
}

/** Hears, when that stands, which memories have lost a value or are forgotten, and which procedures say something else. It must not reject. */
export type Ended = (ids: readonly string[]) => Promise<void>;

interface Around {
  readonly templates: () => Promise<Templates>;
  readonly now: () => number;
  readonly tell: Tell;
  /** The rows of the pages: the index that belongs to this folder. */
  readonly pages: PageIndex;
  readonly ended?: Ended;
}

/** Where a file stands that may be read and written as a whole. */
function placeOf(name: OpenFile, scope: Scope): Place {
  if (!OPEN_FILES.includes(name))
    throw new TidemarkError(
      "workspace",
      `${shown(name)} is not a file to read or write as a whole. Choose one of ${OPEN_FILES.join(", ")}.`,
    );
  return fileOf(scope, name);
}

function checkLength(name: OpenFile, text: string): void {
  if (text.length > WRITE_BOUND)
    throw new TidemarkError(
      "workspace",
      `${name} would be ${text.length} characters long and may be ${WRITE_BOUND}. Shorten it, or keep the rest in another file.`,
    );
}

/** The change of such a file, with a backup of what stood there. */
const withBackup =
  (
    folder: Folder,
    { name, scope, now }: { name: OpenFile; scope: Scope; now: () => number },
    change: (text: string) => string | undefined,
  ) =>
  async (before = ""): Promise<string | undefined> => {
    const after = change(before);
    // What is too long may still be shortened.
    if (after !== undefined && after.length > before.length) checkLength(name, after);
    if (after !== undefined && before !== "" && before !== after)
      await backUp(folder, { name, text: before, now: now() }, scope);
    return after;
  };
