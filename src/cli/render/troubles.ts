import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readTroubles, type Trouble } from "../../engine/options/troubles.ts";
import { ago, count } from "./numbers.ts";
import { plain } from "./text.ts";

interface Sizes {
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

/** What troubles a person should know of, and what to do. */
interface Told {
  readonly says: string;
  readonly advice: string;
}

/** Troubles older than this are history. ms. */
const RECENT = 14 * 24 * 3_600_000;

export function troublesOf(folder: string, now: number): Told[] {
  const recent = readTroubles(folder).filter(({ at }) => now - at < RECENT);
  return recent.map((trouble) => ({
    says: `${said(trouble)}, the last ${ago(trouble.at, now)}`,
    advice: adviceFor(trouble),
  }));
}

const said = ({ kind, about, times }: Trouble): string =>
  kind === "passed"
    ? `${count(times, "request")} passed without Tidemark (${plain(about)})`
    : `${times === 1 ? "once" : `${times} times`} something failed and the chat went on without it (${plain(about)})`;

const adviceFor = ({ kind }: Trouble): string =>
  kind === "passed"
    ? "nothing of them is folded; change the call as the reason says"
    : "run your program with TIDEMARK_DEBUG=1: each failure is a line there, with its reason";
