import { type Dict, isDict, parsed } from "../../base/guards.ts";
import type { Scope } from "../../model/identity.ts";
import { normalForm } from "../../text/cut.ts";
import { digest } from "../../text/hash.ts";
import { backupAt, stampName } from "./backups.ts";
import { type Folder, stampAt } from "../disk/folder.ts";
import type { PageCopy } from "./memory-page.ts";
import { fileOf, shown, troubled } from "../disk/paths.ts";

/** An editor that has had the page open for a while saves on top of an older writing. */
const KEPT = 3;
/** Characters of a page that is read for edits. */
const LARGEST = 400_000;
const PAGE = "MEMORY.md";

/** The name under which a database keeps how the page of a scope was last written. */
export const copiesOf = (scope: Scope): string => `page:${scope}`;

/** MEMORY.md of a scope. All but `changed` within `alone`. */
export function pagesIn(folder: Folder) {
  const seen = new Map<Scope, string>();
  const stampOf = (scope: Scope): Promise<string> => stampAt(folder, fileOf(scope, PAGE));
  return {
    /**
     * Has another process or a person written to it since it was last looked at or written here?
     */
    changed: async (scope: Scope): Promise<boolean> => seen.get(scope) !== (await stampOf(scope)),
    /** It counts as looked at. */
    async read(scope: Scope): Promise<string | undefined> {
      seen.set(scope, await stampOf(scope));
      const text = await folder.read(fileOf(scope, PAGE), {
        characters: LARGEST + 1,
        keep: "start",
      });
      if ((text?.length ?? 0) > LARGEST)
        throw troubled(
          `${shown(fileOf(scope, PAGE))} has more than ${LARGEST / 1000},000 characters, ` +
            "so it is not read for edits. Shorten it, or keep the rest in another file.",
        );
      return text;
    },
    async write(scope: Scope, text: string): Promise<void> {
      await folder.change(fileOf(scope, PAGE), () => text);
      seen.set(scope, await stampOf(scope));
    },
    /** Copies the file as it stands to where backups are; answers where, from the root. */
    async putAside(scope: Scope, now: number): Promise<string> {
      const place = backupAt(scope, `${PAGE}/${stampName(now)}-aside.md`);
      await folder.copy(fileOf(scope, PAGE), place);
      return shown(place);
    },
  };
}

/** The last writings of a page as they are kept, the latest last; what is none is passed over. */
export function readCopies(text: string | undefined): PageCopy[] {
  const held = parsed(text ?? "");
  return Array.isArray(held) ? held.filter(isCopy) : [];
}

export const keptCopies = (copies: readonly PageCopy[]): string =>
  JSON.stringify(copies.slice(-KEPT));

const hasTexts = (value: unknown, names: readonly string[]): value is Dict =>
  isDict(value) && names.every((name) => typeof value[name] === "string");
const isCopy = (value: unknown): value is PageCopy =>
  hasTexts(value, ["name", "head"]) &&
  Array.isArray(value.lines) &&
  value.lines.every((line) => hasTexts(line, ["mark", "id", "text"]));

/** Memories that are forgotten, or have `expired`, and digests of the normal forms they said. */
export interface Gone {
  readonly ids: ReadonlySet<string>;
  readonly said: ReadonlySet<string>;
  readonly expired?: boolean;
}
export const isSaid = ({ said }: Gone, text: string): boolean => said.has(digest(normalForm(text)));

/** Without the lines of these memories, and without what says the same in a person's own part. */
export const withoutGoneIn = (copies: readonly PageCopy[], gone: Gone): readonly PageCopy[] =>
  copies.map((copy) => ({
    ...copy,
    head: copy.head
      .split("\n")
      .filter((row) => !isSaid(gone, row.replace(/^\s*[-*+]\s+|<!--[^<]*?-->/g, "")))
      .join("\n"),
    lines: copy.lines.filter(({ id, text }) => !gone.ids.has(id) && !isSaid(gone, text)),
  }));
