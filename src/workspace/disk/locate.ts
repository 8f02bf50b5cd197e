import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

import { reasonOf, TidemarkError } from "../../model/errors.ts";
import { isOneOf } from "../../base/guards.ts";
import { isNote, NOT_THE_ROOTS, type FilePlace, shown, troubled } from "./paths.ts";

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
 * Where each root leads, for this turn of the event loop: a turn that folds asks for a dozen files
 * at once.
 */
const roots = new Map<string, string>();
function settledRoot(root: string): string {
  const known = roots.get(root);
  if (known !== undefined) return known;
  if (roots.size === 0) setImmediate(() => roots.clear());
  const found = settle(resolve(root));
  roots.set(root, found);
  return found;
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
  const home = join(settledRoot(root), place.base);
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
