import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { reasonOf, refuse } from "../../model/errors.ts";
import { type Dict, isDict, parsed } from "../../base/guards.ts";
import { rowChecker, type TableRow } from "../../store/history/table-rows.ts";

/** This version writes and reads no other form. */
const FORM = 2;

/**
 * What of a workspace stands on no page: who was seen in which team, what waits to be decided, what
 * was proposed once, where skills stand.
 */
export const KEPT: readonly string[] = ["agents", "preferences", "proposals", "skills"];

/** A line of an archive between its head and its end. */
export type Item =
  | { readonly file: string; readonly text: string }
  | { readonly file: string; readonly base64: string }
  | { readonly kept: string; readonly text: string }
  | TableRow;

/**
 * What an archive, or all that is of a user, comes to: current memories, values of the past, and
 * the rest.
 */
export const noCounts = () => ({
  files: 0,
  memories: 0,
  past: 0,
  conversations: 0,
  messages: 0,
});

export function count(counts: ReturnType<typeof noCounts>, item: Item): void {
  if ("file" in item) counts.files += 1;
  else if ("kept" in item) return;
  else if (item.table === "memory") counts[item.row.valid_to === null ? "memories" : "past"] += 1;
  else if (item.table === "session") counts.conversations += 1;
  else if (item.table === "entry") counts.messages += 1;
}

export const headLine = (made: number, by: string): string =>
  JSON.stringify({ "tidemark-archive": FORM, made: new Date(made).toISOString(), by });

/** Sums up lines as they are written or read; the end says what it came to. */
export function summing(): { add: (line: string) => void; end: () => string } {
  const hash = createHash("sha256");
  let lines = 0;
  return {
    add: (line) => {
      hash.update(line).update("\n");
      lines += 1;
    },
    end: () => JSON.stringify({ end: { lines, digest: hash.copy().digest("hex") } }),
  };
}

function refuseArchive(path: string, why: string): never {
  refuse(`${path} ${why}`, "workspace");
}

/** The lines of a file; only a line feed ends one. */
async function* linesOf(path: string): AsyncGenerator<string> {
  // In parts until its end is found: a line may hold a whole file.
  let rest: string[] = [];
  try {
    for await (const part of createReadStream(path, { encoding: "utf8" })) {
      const [first = "", ...others] = (part as string).split("\n");
      rest.push(first);
      for (const other of others) {
        yield rest.join("");
        rest = [other];
      }
    }
  } catch (thrown) {
    refuseArchive(
      path,
      `cannot be read: ${reasonOf(thrown)}. Name an archive that "tidemark export" has written.`,
    );
  }
  if (rest.join("") !== "") yield rest.join("");
}

/**
 * Reads an archive from end to end. Rejects with "workspace": what is wrong with it, and in which
 * line.
 */
export async function* readArchive(path: string): AsyncGenerator<Item> {
  const sum = summing();
  const wrongRow = rowChecker();
  let at = 0;
  let ended = false;
  for await (const line of linesOf(path)) {
    at += 1;
    if (at === 1) {
      checkHead(path, line);
      continue;
    }
    if (ended)
      refuseArchive(
        path,
        `goes on in line ${at}, behind its end: it was put together from several files. ` +
          "Import them one by one.",
      );
    const told = recordIn(line);
    if (told !== undefined && "end" in told) {
      if (line !== sum.end())
        refuseArchive(
          path,
          `is not what was exported: its end in line ${at} does not fit its lines. Export again.`,
        );
      ended = true;
      continue;
    }
    sum.add(line);
    const why = told === undefined ? "it is cut off, or no JSON" : wrongWith(told, wrongRow);
    if (why !== undefined)
      refuseArchive(path, `cannot be imported because of line ${at}: ${why}. Nothing was changed.`);
    yield told as unknown as Item;
  }
  if (at === 0) refuseArchive(path, "is empty: it is no archive.");
  if (!ended)
    refuseArchive(
      path,
      `is torn: it stops after line ${at} and lacks its end. Export again, or copy it again.`,
    );
}

function checkHead(path: string, line: string): void {
  const head = recordIn(line);
  const form = head?.["tidemark-archive"];
  if (typeof form !== "number")
    refuseArchive(
      path,
      'is no archive of Tidemark: line 1 does not begin with {"tidemark-archive":…}. ' +
        'Name a file that "tidemark export" has written.',
    );
  if (form !== FORM)
    refuseArchive(
      path,
      `is an archive of form ${form}, written by Tidemark ${String(head?.by)}; this one ` +
        `reads form ${FORM}. Update the package.`,
    );
}

function recordIn(line: string): Dict | undefined {
  const value = parsed(line);
  return isDict(value) ? value : undefined;
}

function wrongWith(told: Dict, wrongRow: ReturnType<typeof rowChecker>): string | undefined {
  const { file, text, base64, kept, table, row } = told;
  const hasText = typeof text === "string" || typeof base64 === "string";
  if (typeof file === "string")
    return wrongPath(file) ?? (hasText ? undefined : "the file has no text");
  if (typeof kept === "string")
    return KEPT.includes(kept) && isTold(text) ? undefined : "it is no note of Tidemark's";
  if (typeof table === "string" && isDict(row)) return wrongRow({ table, row });
  return "it holds neither a file nor a row of a table";
}

/** A text that holds something. */
export const isTold = (text: unknown): text is string =>
  typeof text === "string" && typeof parsed(text) === "object";

/** Only what an export names: files of the workspace that are not the machine's own. */
function wrongPath(path: string): string | undefined {
  const parts = path.split("/");
  const odd =
    path.includes("\\") ||
    path.includes("\0") ||
    parts.some((part) => part === "" || part.startsWith("."));
  return odd ? `"${path.slice(0, 100)}" is no path of a file in a workspace` : undefined;
}
