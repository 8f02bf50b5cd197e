import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";

interface FileIn {
  readonly full: string;
  /** From the folder on. */
  readonly path: string;
  readonly name: string;
  /** Lies among the databases. */
  readonly hidden: boolean;
}

/** Every file of a folder and of those in it; none where there is no folder. */
export const filesIn = (folder: string): FileIn[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => {
          const full = join(parentPath, name);
          const path = relative(folder, full);
          return { full, path, name, hidden: parentPath.includes(".tidemark") };
        })
    : [];

interface Sizes {
  readonly database: number;
  readonly files: { readonly count: number; readonly bytes: number };
  /** Backups and whatever else lies in the workspace. */
  readonly other: number;
}

/** Bytes of a workspace, by what they hold. A database's journal counts as the database. */
export function sizesOf(folder: string): Sizes {
  const sizes = { database: 0, files: { count: 0, bytes: 0 }, other: 0 };
  for (const { full, name, hidden } of filesIn(folder)) {
    const bytes = statSync(full, { throwIfNoEntry: false })?.size ?? 0;
    if (hidden && name.startsWith("tidemark.db")) sizes.database += bytes;
    else if (!hidden && name.endsWith(".md")) {
      sizes.files.count++;
      sizes.files.bytes += bytes;
    } else sizes.other += bytes;
  }
  return sizes;
}
