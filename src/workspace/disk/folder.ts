import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isOneOf } from "../../core/base.ts";
import { reasonOf, TidemarkError } from "../../core/errors-and-events.ts";
import { DEFAULT_SCOPE, type Scope, SCOPE_KINDS, type ScopeKind } from "../../core/identity.ts";
import { digest } from "../../core/text/cut.ts";

/** A file, named from the folder it may not leave. Both relative, "/" between the parts. */
export interface FilePlace {
  /** "" is the root of the workspace. */
  readonly base: string;
  readonly path: string;
}

/** A file of the machine's own. */
export const ownFile = (path: string): FilePlace => ({ base: ".tidemark", path });

export const troubled = (text: string, options?: ErrorOptions): TidemarkError =>
  new TidemarkError("workspace", text, options);

/**
 * Everything but the characters `keep` matches as %xx of its UTF-8 bytes; half a surrogate pair as
 * %uxxxx. Injective.
 */
export const percent = (text: string, keep: RegExp): string =>
  Array.from(text, (char) => {
    if (keep.test(char)) return char;
    return char.isWellFormed()
      ? Buffer.from(char).toString("hex").replace(/../g, "%$&")
      : `%u${char.charCodeAt(0).toString(16)}`;
  }).join("");

export const unpercent = (text: string): string =>
  text.replace(/%u(d[89a-f][0-9a-f]{2})|(?:%[0-9a-f]{2})+/g, (whole, half: string | undefined) => {
    if (half !== undefined) return String.fromCharCode(Number.parseInt(half, 16));
    return Buffer.from(whole.replaceAll("%", ""), "hex").toString("utf8");
  });

/** Windows opens a device for these, with any extension (learn.microsoft.com, "Naming Files"). */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/;
/**
 * Most file systems stop at 255 bytes a name; temporary and backup names must still fit around it.
 */
const LONGEST_NAME = 120;

/**
 * An id as a folder name: plain lower-case ids stay as they are. Only a-z 0-9 . _ - % come out, so
 * that two ids never meet on a file system that folds case or composes accents; "%h" and "%empty"
 * cannot come out of the encoding itself.
 */
export function safeName(id: string): string {
  if (id === "") return "%empty";
  let name = percent(id, /[a-z0-9._-]/);
  const odd = DEVICE.test(name) || name.startsWith(".");
  if (odd) name = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
  if (name.endsWith(".")) name = `${name.slice(0, -1)}%2e`;
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, 80)}%h${digest(name)}`;
}

export function scopeKind(scope: Scope): ScopeKind {
  const kind = SCOPE_KINDS.find((known) => String(scope).startsWith(`${known}:`));
  if (kind === undefined)
    throw new TidemarkError(
      "config",
      `"${scope}" is no scope. Write it as kind:id, the kind one of ${SCOPE_KINDS.join(", ")}.`,
    );
  return kind;
}

/** The folder of a scope: the root for the default agent, scopes/<kind>/<id> for all others. */
export function folderOf(scope: Scope): string {
  const kind = scopeKind(scope);
  return scope === DEFAULT_SCOPE ? "" : `scopes/${kind}/${safeName(scope.slice(kind.length + 1))}`;
}

export const fileOf = (scope: Scope, path: string): FilePlace => ({ base: folderOf(scope), path });
/** The place as it reads from the root. */
export const shown = ({ base, path }: FilePlace): string =>
  base === "" ? path : `${base}/${path}`;

/** A page by its path from the root: each scope has a folder, which none of its pages leaves. */
export const pageAt = (path: string): FilePlace =>
  placeIn(/^scopes\/[^/]+\/[^/]+(?=\/)/.exec(path)?.[0] ?? "", path);

/** The place that reads so from the root. */
export const placeIn = (base: string, path: string): FilePlace => ({
  base,
  path: base === "" ? path : path.slice(base.length + 1),
});

/**
 * Stand in the root, but belong to other scopes or to the machine: no path of the default agent may
 * enter.
 */
const NOT_THE_ROOTS = ["scopes", ".tidemark"] as const;

/** Agents write here by paths of their own making. */
const isNote = ({ path }: FilePlace): boolean => path === "notes" || path.startsWith("notes/");

/** Agents name their notes as they like; a picture that a person puts beside them is no page. */
export const isPage = (place: FilePlace): boolean =>
  place.path.endsWith(".md") || (isNote(place) && /\.(?:txt|xml|json)$|\/[^./]+$/.test(place.path));

export const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: "Check who owns it and that this user may read and write it.",
  EPERM: "Check who owns it and that this user may read and write it.",
  EROFS: "The disk is read-only: choose another workspace folder.",
  ENOSPC: "The disk is full: free some space.",
  EDQUOT: "The disk quota is used up: free some space.",
  EISDIR: "A folder stands in its place: move the folder away.",
  EEXIST: "A file stands where a folder is needed: move the file away.",
  ENOTDIR: "A file stands where a folder is needed: move the file away.",
  EIRREGULAR: "A pipe, a socket or a device stands in its place: move it away.",
  EHANGS: "Its disk does not answer: look whether a network drive is lost.",
  ELOOP: "Its links run in a circle: remove them.",
};

/** Any trouble with a file as one sentence: what, where, what to do. */
export function troubleWith(
  what: "read" | "write",
  root: string,
  place: FilePlace,
  cause: unknown,
): TidemarkError {
  if (cause instanceof TidemarkError) return cause;
  const code = codeOf(cause);
  return troubled(
    `Cannot ${what} ${shown(place)} in ${root} (${code || reasonOf(cause)}). ` +
      `${ADVICE[code] ?? "Check the workspace folder."}`,
    { cause },
  );
}

/**
 * Where the path really leads, links followed as far as it exists. At once: it takes some
 * microseconds, and each save asks several times.
 */
function settle(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
  // Its target may appear between this look and the write, and lie anywhere.
  if (isLink(path))
    throw troubled(`${path} is a link that leads nowhere. Remove it or make its target.`);
  const parent = dirname(path);
  return parent === path ? path : join(settle(parent), basename(path));
}

/**
 * A path of our own, which no link may stand at: its target would be written to, wherever that is.
 */
export function ownPath(path: string): string {
  if (isLink(path))
    throw troubled(
      `${path} is a link, and the machine's own files are not reached through one. ` +
        "Remove it, or link the whole workspace folder.",
    );
  return path;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Does a link stand anywhere between the folder and what is named from it? */
const linkOn = (home: string, path: string): boolean =>
  path.split("/").some((_, at, parts) => isLink(join(home, ...parts.slice(0, at + 1))));

/** The real path of a place; rejects when a link or a name leads out of the place's own base. */
export async function locate(root: string, place: FilePlace): Promise<string> {
  if (place.path.includes("\0"))
    throw troubled(`A file name in ${root} holds a NUL character. Choose another name.`);
  const home = join(settle(resolve(root)), place.base);
  const actual = settle(join(home, place.path));
  const way = relative(home, actual);
  const [first] = way.split(sep);
  // People link their pages as they like; among the machine's own files, and among notes, a link is
  // never ours.
  const strange =
    (place.base === ".tidemark" && actual !== join(home, place.path)) ||
    (isNote(place) && linkOn(home, place.path));
  const outside = strange || first === ".." || isAbsolute(way);
  const foreign = place.base === "" && isOneOf(NOT_THE_ROOTS, first);
  if (outside || foreign)
    throw troubled(
      `${shown(place)} leads out of its folder in ${root}. Put a real file there instead ` +
        "of the link.",
    );
  return actual;
}

/** A file as a listing sees it; `stamp` changes when the file does. */
export interface Listed {
  readonly place: FilePlace;
  readonly stamp: string;
}

type Kind = "file" | "folder" | "link" | "other";

/** The file, folder or link at a place. A link is told, and not followed. */
export interface FileStanding {
  readonly kind: Kind;
  readonly bytes: number;
  /** ms since epoch. */
  readonly changed: number;
}

/** At most so many characters, from the start or the end. */
export interface TextPart {
  readonly characters: number;
  readonly keep: "start" | "end";
}
export const partOf = (text: string, part?: TextPart): string =>
  part?.keep === "end" ? text.slice(-part.characters) : text.slice(0, part?.characters);

/** The new text for the old one; undefined leaves the file alone. */
type FileChange = (text: string | undefined) => string | undefined | Promise<string | undefined>;

/**
 * Where the files are. Reading answers undefined for what is not there; everything else that goes
 * wrong rejects with TidemarkError "workspace". Changes of one file wait for each other.
 */
export interface Folder {
  read(place: FilePlace, part?: TextPart): Promise<string | undefined>;
  /** Reads, changes, writes all or nothing. No other change of the file comes in between. */
  change(place: FilePlace, change: FileChange): Promise<void>;
  /** `opening` stands first in a new file; a last line without its end is ended. */
  append(place: FilePlace, text: string, opening: string): Promise<void>;
  /** Writes the file unless something stands there. */
  create(place: FilePlace, text: string): Promise<void>;
  /** Markdown files at a place: a file, or a folder searched to its depth. */
  list(place: FilePlace): Promise<Listed[]>;
  /** The same, one by one: ten thousand of them need not be held at once. */
  walk(place: FilePlace): AsyncIterable<Listed>;
  /** A file, or a folder with all that is in it; what is not there is gone already. */
  remove(place: FilePlace): Promise<void>;
  /** Byte for byte, to where nothing stands yet. */
  copy(from: FilePlace, to: FilePlace): Promise<void>;
  look(place: FilePlace): Promise<FileStanding | undefined>;
  /** The names in a folder, in order; [] if there is no folder. */
  entries(place: FilePlace): Promise<{ readonly name: string; readonly kind: Kind }[]>;
  /** With the folders above it; one that is there already stays. */
  makeFolder(place: FilePlace): Promise<void>;
  /** A file or a folder, to where nothing stands. */
  move(from: FilePlace, to: FilePlace): Promise<void>;
  /**
   * No other work changes any of the files meanwhile, in no process; what `work` itself changes
   * here does not wait.
   */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/** A file's stamp, "" where there is none. */
export const stampAt = async (folder: Folder, place: FilePlace): Promise<string> =>
  (await folder.list(place))[0]?.stamp ?? "";

/** Hears of trouble that stops nothing. */
export type Tell = (error: unknown) => void;

/** Answers what the work answers; if it rejects, that is told and `instead` stands for it. */
export const orTell = <T>(tell: Tell, work: Promise<T>, instead: T): Promise<T> =>
  work.catch((error: unknown) => {
    tell(error);
    return instead;
  });
