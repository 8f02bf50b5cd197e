import { promises as fs, readFileSync } from "node:fs";
import { join } from "node:path";
import { asDict, type Dict, isDict, membersIn, parsed } from "../../core/base.ts";
import {
  DEFAULT_SCOPE,
  type Identity,
  identityKey,
  isOf,
  isScope,
  type Scope,
  scopesOf,
} from "../../core/identity.ts";
import { packageFile } from "../../core/installed.ts";
import type { TableRow } from "../../storage/sqlite/table-rows.ts";
import { fileOf, folderOf, shown } from "../../workspace/disk/folder.ts";
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

/** A note of the machine's own, which stands on no page. */
export interface ArchivedNote {
  readonly kept: string;
  readonly text: string;
}
const KEPT = ["agents", "proposals", "skills"];

/** A reader of a scope sees its pages; the files that lie beside them are a person's own. */
function isPageOf(scope: Scope, file: string): boolean {
  const folder = folderOf(scope);
  if (folder !== "" && !file.startsWith(`${folder}/`)) return false;
  const path = folder === "" ? file : file.slice(folder.length + 1);
  return path === "HEARTBEAT.md" || kindOf(path) !== undefined;
}

/** An id of a conversation as it is made here. */
const MADE_HERE = /^[0-9a-z]{12}[0-9a-f]{10}$/;

interface Wanted {
  readonly of: Identity | undefined;
  /** The conversations it had. */
  readonly sessions: ReadonlySet<unknown>;
  readonly leftOut: string[];
}

/**
 * The files of a workspace but those that are hidden: the database, temporary files, version
 * control. Of an identity, the pages of its scopes and of its conversations.
 */
export async function* filesOf(
  root: string,
  { of, sessions, leftOut }: Wanted,
): AsyncGenerator<ArchivedFile> {
  const scopes = of && scopesOf(of);
  for (const { path: file, entry } of await entriesIn(root)) {
    const isOther = scopes?.some((scope) => isPageOf(scope, file)) === false;
    if (isOther || entry.isDirectory() || `/${file}`.includes("/.")) continue;
    const path = join(root, file);
    if (!entry.isFile() || file.includes("\\") || (await fs.stat(path)).size > LARGEST) {
      leftOut.push(file);
      continue;
    }
    const bytes = readFileSync(path);
    const text = bytes.toString("utf8");
    const talk = conversationIn(file) ?? messagesOn(text)?.id ?? "";
    if (of !== undefined && MADE_HERE.test(talk) && !sessions.has(talk)) continue;
    yield Buffer.from(text).equals(bytes)
      ? { file, text }
      : { file, base64: bytes.toString("base64") };
  }
}

/** Of an identity, what waits in its name. */
export function* notesOf(root: string, of: Identity | undefined): Generator<ArchivedNote> {
  for (const kept of KEPT) {
    const text = noteIn(root, kept);
    const seen = of === undefined ? text : seenIn(kept, text, of);
    if (isTold(seen)) yield { kept, text: seen };
  }
}

const notePath = (root: string, kept: string): string => join(root, ".tidemark", `${kept}.json`);

function noteIn(root: string, kept: string): string {
  const path = notePath(root, kept);
  const about = lookAt(path);
  return about?.isFile() && about.size <= LARGEST ? readFileSync(path, "utf8") : "";
}

/** A text that holds something. */
const isTold = (text: unknown): text is string =>
  typeof text === "string" && typeof parsed(text) === "object";

/** The agents seen, and the places of skills on this machine, are no identity's. */
function seenIn(kept: string, text: string, of: Identity): string | undefined {
  if (kept !== "proposals") return undefined;
  const seen = membersIn(text).filter(([, value]) =>
    isOf(of, identityKey(asDict(asDict(value).from))),
  );
  return seen.length === 0 ? undefined : `${JSON.stringify(Object.fromEntries(seen))}\n`;
}

/** Adds to a note what it does not say already. */
export async function addNote(root: string, { kept, text }: ArchivedNote): Promise<void> {
  const [old, added] = [parsed(noteIn(root, kept)), parsed(text)];
  let all = text;
  if (Array.isArray(old) && Array.isArray(added))
    all = `[${[...new Set([...old, ...added].map((row) => JSON.stringify(row)))].join(",")}]\n`;
  else if (isDict(old) && isDict(added)) all = `${JSON.stringify({ ...added, ...old })}\n`;
  await writeWhole(notePath(root, kept), all);
}

/** Says what is wrong with a line that is to be a note, or a file that is not the machine's. */
export function wrongPage({ file, text, base64, kept }: Dict): string | undefined {
  if (typeof kept === "string" && KEPT.includes(kept) && isTold(text)) return undefined;
  if (typeof file !== "string" || (typeof text !== "string" && typeof base64 !== "string"))
    return "it holds no file, no row of a table and no note of Tidemark's";
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
  (item: ArchivedFile | ArchivedNote | TableRow): boolean => {
    if (of === undefined || of.agent !== undefined || "kept" in item) return false;
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

/**
 * Does the file come in? Never over one that a person or memory has written, nor through a link.
 * "other": another stands there, and stays.
 */
export function standing(root: string, item: ArchivedFile): "comes" | "same" | "other" {
  const parts = item.file.split("/");
  const above = parts.slice(1).map((_, at) => lookAt(join(root, ...parts.slice(0, at + 1))));
  if (above.some((folder) => folder?.isDirectory() === false)) return "other";
  const path = join(root, item.file);
  const there = lookAt(path);
  if (there === undefined) return "comes";
  if (!there.isFile()) return "other";
  const [old, added, first] = [readFileSync(path), bytesOf(item), startingText(item.file)];
  if (old.equals(added) || first?.equals(added)) return "same";
  return first?.equals(old) ? "comes" : "other";
}

/** A page as it is made at first: nothing of anybody stands on it. */
function startingText(file: string): Buffer | undefined {
  const path = packageFile(join("workspace-template", file.replace(/^scopes\/[^/]+\/[^/]+\//, "")));
  return lookAt(path)?.isFile() ? readFileSync(path) : undefined;
}
