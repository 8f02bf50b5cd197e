import { shown, TidemarkError } from "../model/errors.ts";
import { type Scope } from "../model/identity.ts";
import { backUp } from "./backups.ts";
import { type Folder } from "./folder.ts";
import { forget } from "./forget.ts";
import { lessonPath, withLesson } from "./learnings.ts";
import { logbook } from "./logbook.ts";
import { pagesIn } from "./page-copies.ts";
import { fileOf } from "./paths.ts";
import { keptPrompts } from "./prompt-kept.ts";
import { PROMPT_CAPS, promptTexts } from "./prompt-files.ts";
import { type Templates } from "./scaffold.ts";
import { FILE_BOUND, fileSearch, listScope, readListed, type WorkspaceFile } from "./search.ts";
import { OPEN_FILES, type OpenFile, type Workspace } from "./workspace.ts";

const WRITE_BOUND = 32_000;

/** All of a workspace but its making, over any folder. */
export function inFolder(
  folder: Folder,
  given: { templates: () => Promise<Templates>; now: () => number; tell: (error: unknown) => void },
): Omit<Workspace, "root" | "scaffold"> {
  const { templates, now, tell } = given;
  const search = fileSearch(folder, tell);
  const book = logbook(folder);
  const prompts = keptPrompts(folder);
  const quietly = <T>(work: Promise<T>, instead: T): Promise<T> =>
    work.catch((error: unknown) => {
      tell(error);
      return instead;
    });
  const open = (name: OpenFile, scope: Scope) => {
    if (!OPEN_FILES.includes(name))
      throw new TidemarkError(
        "workspace",
        `${shown(name)} is not a file to read or write as a whole. Choose one of ${OPEN_FILES.join(", ")}.`,
      );
    return fileOf(scope, name);
  };

  return {
    async prompt(scopes, caps = {}) {
      return prompts(JSON.stringify([scopes, caps]), async (noted) => {
        const read = async (scope: Scope, path: string): Promise<string> => {
          const place = fileOf(scope, path);
          return (
            (await quietly(
              noted(place, () => folder.read(place, { characters: FILE_BOUND, keep: "start" })),
              undefined,
            )) ?? ""
          );
        };
        return promptTexts(read, [...new Set(scopes)], {
          templates: await quietly(templates(), new Map()),
          caps: { ...PROMPT_CAPS, ...caps },
        });
      });
    },
    pages: pagesIn(folder),
    forget: (which, scope, options) => forget(folder, book, { which, scope, ...options }),
    log: (lines, scope, receipt) => book.append(lines, scope, receipt),
    alone: (work) => folder.alone(work),
    journal: book,
    keep: (name, text) =>
      folder.change({ base: ".tidemark", path: `${name}.json` }, () => `${text}\n`),
    kept: (name) => folder.read({ base: ".tidemark", path: `${name}.json` }),
    learn: (lesson, scope) =>
      folder.change(fileOf(scope, lessonPath(lesson.kind)), (text) => withLesson(text, lesson)),
    async files(scopes) {
      const found: WorkspaceFile[] = [];
      for (const scope of new Set(scopes)) {
        for (const listed of await listScope(folder, scope, tell)) {
          const text = await quietly(readListed(folder, listed), undefined);
          const { base, path } = listed.place;
          if (text !== undefined)
            found.push({ path: base === "" ? path : `${base}/${path}`, text, scope });
        }
      }
      return found;
    },
    search: (query, { scopes, limit = 10 }) => search(query, scopes, limit),
    read: async (name, scope) => (await folder.read(open(name, scope))) ?? "",
    async edit(name, change, scope) {
      await folder.change(open(name, scope), async (before) => {
        const after = change(before ?? "");
        if (after !== undefined && before !== undefined && before !== "" && before !== after)
          await backUp(folder, { name, text: before, now: now() }, scope);
        return after;
      });
    },
    async write(name, text, scope) {
      const place = open(name, scope);
      if (text.length > WRITE_BOUND)
        throw new TidemarkError(
          "workspace",
          `${name} would be ${text.length} characters long and may be ${WRITE_BOUND}. Shorten it, or keep the rest in another file.`,
        );
      await folder.change(place, async (before) => {
        if (before !== undefined && before !== "" && before !== text)
          await backUp(folder, { name, text: before, now: now() }, scope);
        return text;
      });
    },
  };
}
