import { promises as fs, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  DEFAULT_SCOPE,
  type Identity,
  isScope,
  type Scope,
  scopesOf,
} from "../../core/identity.ts";
import { packageFile } from "../../core/installed.ts";
import type { TableRow } from "../../storage/whole.ts";
import { fileOf, folderOf, shown } from "../../workspace/disk/folder.ts";
import { exclusively } from "../../workspace/disk/disk-folder.ts";
import { writeWhole } from "../../workspace/disk/write-whole.ts";
import { conversationIn, messagesOn } from "../../workspace/documents/conversation-pages.ts";
import { kindOf } from "../../workspace/search/page-rows.ts";
import { entriesIn, lookAt } from "./mend.ts";

/** A page of notes is not so long; whatever is longer is no page of ours. */
const LARGEST = 20_000_000;

export interface ArchivedFile {
  readonly file: string;
  readonly text?: string;
  /** In its place, where the file is no text. */
  readonly base64?: string;
}

/** A reader of a scope sees its pages; the files that lie beside them are a person's own. */
function isPageOf(scope: Scope, file: string): boolean {
  const folder = folderOf(scope);
  if (folder !== "" && !file.startsWith(`${folder}/`)) return false;
  const path = folder === "" ? file : file.slice(folder.length + 1);
  return path === "HEARTBEAT.md" || kindOf(path) !== undefined;
}

/** An id of a conversation as it is made here. */
const MADE_HERE = /^[0-9a-z]{12}[0-9a-f]{10}$/;

/** Does the page stand where the identity reads? */
export const isSeenBy = (of: Identity | undefined, file: string): boolean =>
  of === undefined || scopesOf(of).some((scope) => isPageOf(scope, file));

/** The page of a conversation that is not among these. */
export function isOfOtherTalk({ file, text = "" }: ArchivedFile, own: ReadonlySet<unknown>) {
  const talk = conversationIn(file) ?? messagesOn(text)?.id ?? "";
  return MADE_HERE.test(talk) && !own.has(talk);
}

/**
 * The files of a workspace but those that are hidden: the database, temporary files, version
 * control. Of an identity, those of its scopes.
 */
export async function* filesOf(
  root: string,
  of: Identity | undefined,
  leftOut: string[],
): AsyncGenerator<ArchivedFile> {
  for (const { path: file, entry } of await entriesIn(root)) {
    if (!isSeenBy(of, file) || entry.isDirectory() || `/${file}`.includes("/.")) continue;
    const path = join(root, file);
    if (!entry.isFile() || file.includes("\\") || (await fs.stat(path)).size > LARGEST) {
      leftOut.push(file);
      continue;
    }
    const bytes = readFileSync(path);
    const text = bytes.toString("utf8");
    yield Buffer.from(text).equals(bytes)
      ? { file, text }
      : { file, base64: bytes.toString("base64") };
  }
}

/** Says what is wrong with a line that is to be a file. */
export function wrongPage({
  file,
  text,
  base64,
}: Partial<Record<keyof ArchivedFile, unknown>>): string | undefined {
  if (typeof file !== "string" || (typeof text !== "string" && typeof base64 !== "string"))
    return "it holds no file and no row of a table";
  const isOdd = file.split("/").some((part) => part === "" || part.startsWith("."));
  return isOdd || /[\\\0]/.test(file)
    ? `"${file.slice(0, 100)}" is no path of a file in a workspace`
    : undefined;
}

/**
 * The default agent, where an identity does not name one, has a memory of its own in a workspace
 * that others use, and keeps that.
 */
export const sharedBy =
  (of: Identity | undefined) =>
  (item: ArchivedFile | TableRow): boolean => {
    if (of === undefined || of.agent !== undefined) return false;
    if ("file" in item) return isPageOf(DEFAULT_SCOPE, item.file);
    return item.table === "memory" && item.row.scope === DEFAULT_SCOPE;
  };

/** How a page was written tells a person's edits from ours: it comes with that page alone. */
export function isOfOther({ table, row }: TableRow, coming: ReadonlySet<string>): boolean {
  const scope = table === "note" && String(row.name).replace(/^page:/, "");
  return isScope(scope) && !coming.has(shown(fileOf(scope, "MEMORY.md")));
}

const bytesOf = ({ text, base64 = "" }: ArchivedFile): Buffer =>
  text === undefined ? Buffer.from(base64, "base64") : Buffer.from(text);

export const putFile = (root: string, item: ArchivedFile): Promise<void> =>
  writeWhole(join(root, item.file), bytesOf(item));

export type Standing = "comes" | "same" | "other";

/**
 * Does the file come in? Never over one that a person or memory has written, nor through a link.
 * "other": another stands there, and stays.
 */
export function standing(root: string, item: ArchivedFile): Standing {
  const parts = item.file.split("/");
  const above = parts.slice(1).map((_, at) => lookAt(join(root, ...parts.slice(0, at + 1))));
  if (above.some((folder) => folder?.isDirectory() === false)) return "other";
  const path = join(root, item.file);
  const there = lookAt(path);
  if (there?.isFile() === false) return "other";
  return besideOld(there && readFileSync(path), item);
}

/** The same where this stands in its place. */
export function besideOld(old: Buffer | undefined, item: ArchivedFile): Standing {
  if (old === undefined) return "comes";
  const [added, first] = [bytesOf(item), startingText(item.file)];
  if (old.equals(added) || first?.equals(added)) return "same";
  return first?.equals(old) ? "comes" : "other";
}

/**
 * Writes pages to where no person or memory has written; answers how many, and the names of those
 * that stand there with other words.
 */
export const bringPages = (root: string, pages: readonly ArchivedFile[]) =>
  exclusively(root, async () => {
    const [left, came]: [string[], ArchivedFile[]] = [[], []];
    for (const page of pages) {
      const how = standing(root, page);
      if (how === "other") left.push(page.file);
      if (how !== "comes") continue;
      await putFile(root, page);
      came.push(page);
    }
    return { came: came.length, left };
  });

/** A page as it is made at first: nothing of anybody stands on it. */
function startingText(file: string): Buffer | undefined {
  const path = packageFile(join("workspace-template", file.replace(/^scopes\/[^/]+\/[^/]+\//, "")));
  return lookAt(path)?.isFile() ? readFileSync(path) : undefined;
}
