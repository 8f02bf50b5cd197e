import { lstatSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { locate } from "../../workspace/locate.ts";

/** Bytes of one name: what common file systems take. */
const LONGEST = 255;

/** Where a file of an archive comes to lie. A scope's files are named from its own folder, which they may not leave. */
export function placeIn(root: string, file: string): Promise<string> {
  const parts = file.split("/");
  const own = parts[0] === "scopes" && parts.length > 3 ? 3 : 0;
  return locate(root, { base: parts.slice(0, own).join("/"), path: parts.slice(own).join("/") });
}

/**
 * Why the files of an archive cannot all be written, in words behind its name; undefined when they
 * can. Looked at before anything is written: an import that stops half-way leaves half a workspace.
 * Rejects with "workspace" for a link that leads out of the folder.
 */
export async function conflictOf(
  root: string,
  files: readonly string[],
): Promise<string | undefined> {
  const own = join(root, ".tidemark");
  if (!hasRoomAt(own)) return `needs the folder ${own}, and a file stands there or on the way`;
  const all = new Set<string>();
  const folders = new Set<string>();
  for (const file of files) {
    if (all.has(file)) return `holds the file ${file} twice`;
    all.add(file);
    const parts = file.split("/");
    const long = parts.find((part) => Buffer.byteLength(part) > LONGEST);
    if (long !== undefined)
      return `names a file whose name is longer than ${LONGEST} bytes: ${long.slice(0, 80)}…`;
    for (let depth = 1; depth < parts.length; depth += 1)
      folders.add(parts.slice(0, depth).join("/"));
  }
  const both = files.find((file) => folders.has(file));
  if (both !== undefined) return `holds ${both} as a file and as a folder`;
  for (const file of files) {
    const path = await placeIn(root, file);
    const there = statOf(path);
    if (there !== undefined && !there.isFile())
      return `holds the file ${file}, and in the workspace a folder stands there`;
    if (there === undefined && !hasRoomAt(dirname(path)))
      return `holds the file ${file}, and in the workspace a file stands where its folder is to be`;
  }
  return undefined;
}

/** Is it a folder, or can it become one? */
function hasRoomAt(folder: string): boolean {
  const there = statOf(folder);
  return there === undefined ? hasRoomAt(dirname(folder)) : there.isDirectory();
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // A file stands on the way.
    return undefined;
  }
}
