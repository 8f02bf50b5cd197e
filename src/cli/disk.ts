import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

export interface Sizes {
  readonly history: number;
  readonly index: number;
  readonly files: { readonly count: number; readonly bytes: number };
  /** Backups and whatever else lies in the workspace. */
  readonly other: number;
}

/** Bytes of a workspace, by what they hold. A database's journal counts as the database. */
export function sizesOf(folder: string): Sizes {
  const sizes = { history: 0, index: 0, files: { count: 0, bytes: 0 }, other: 0 };
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    const hidden = entry.parentPath.includes(".tidemark");
    if (hidden && entry.name.startsWith("history.db")) sizes.history += bytes;
    else if (hidden && entry.name.startsWith("index.db")) sizes.index += bytes;
    else if (!hidden && entry.name.endsWith(".md")) {
      sizes.files.count++;
      sizes.files.bytes += bytes;
    } else sizes.other += bytes;
  }
  return sizes;
}
