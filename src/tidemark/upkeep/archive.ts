import { createHash } from "node:crypto";
import { existsSync, promises as fs, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { dictIn, isDict, makeFolders, PRIVATE } from "../../core/base.ts";
import { asOurs, reasonOf, refuse } from "../../core/errors-and-events.ts";
import { checkIdentity, type Identity, isOf, scopesOf } from "../../core/identity.ts";
import { archivePortions, rowChecker, takeRows } from "../../storage/sqlite/archive-rows.ts";
import { patiently } from "../../storage/sqlite/shared-file.ts";
import type { Storage } from "../../storage/port.ts";
import type { TableRow } from "../../storage/table-row.ts";
import { exclusively } from "../../workspace/disk/lock.ts";
import { writeWhole } from "../../workspace/disk/write-whole.ts";
import * as pages from "./archive-pages.ts";
import { databaseOf, lookAt, type UpkeepOf } from "./mend.ts";
import { openWorkspaceDatabase } from "./mended-database.ts";

/** This version writes and reads no other form. */
const FORM = 3;

/** A line of an archive between its head and its end. */
export type Item = pages.ArchivedFile | TableRow;

/** Current memories, values of the past, and the rest. */
export const noCounts = () => ({ files: 0, memories: 0, past: 0, conversations: 0, messages: 0 });

export function count(counts: ReturnType<typeof noCounts>, item: Item): void {
  if ("file" in item) counts.files += 1;
  else if (item.table === "memory") counts[item.row.valid_to === null ? "memories" : "past"] += 1;
  else if (item.table === "session") counts.conversations += 1;
  else if (item.table === "entry") counts.messages += 1;
}

/** Readers of lines take two more characters for the end of one, which JSON need not write. */
const lineOf = (item: unknown): string =>
  JSON.stringify(item).replace(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`);

interface Export extends UpkeepOf {
  /** What this identity may see and nothing else; absent: the whole workspace. */
  readonly of?: Identity | undefined;
}

/**
 * Hands over a workspace as lines while no process writes to its files, and answers what they hold.
 * Rejects with "config", "workspace", "store" or "history".
 */
export async function exportLines(
  { workspace, key, now, of, emit = () => {}, progress = () => {} }: Export,
  take: (lines: AsyncIterable<string>) => Promise<void>,
) {
  const root = resolve(workspace);
  if (of !== undefined) checkIdentity(of);
  /** Links and files too large stay where they are. */
  const report = { ...noCounts(), leftOut: [] as string[] };
  async function* lines(): AsyncGenerator<string> {
    const sum = createHash("sha256");
    let done = 0;
    yield `${lineOf({ "tidemark-archive": FORM, made: new Date(now()).toISOString(), of })}\n`;
    for await (const item of itemsOf(root, { key, of, leftOut: report.leftOut })) {
      const line = `${lineOf(item)}\n`;
      sum.update(line);
      yield line;
      count(report, item);
      progress((done += 1), "lines written");
    }
    yield `${lineOf({ end: sum.digest("hex") })}\n`;
  }
  await exclusively(root, async () => {
    // A damaged database is mended first.
    const store = await openWorkspaceDatabase(root, { now, emit, key });
    await mayLeave(store, workspace).finally(store.close);
    await take(lines());
  });
  return report;
}

/** What is owed stays there, and such words must not leave. */
export async function mayLeave(store: Pick<Storage, "debts">, workspace: string): Promise<void> {
  if ((await store.debts()).some(({ kind }) => kind === "erase"))
    refuse(
      `Words of what was forgotten still stand in files of ${workspace}. Open it once, so that ` +
        "they go, and do this again.",
      "workspace",
    );
}

/** Rows come first: they tell whose the pages of conversations are. */
async function* itemsOf(
  root: string,
  { key, of, leftOut }: Pick<Export, "key" | "of"> & { leftOut: string[] },
): AsyncGenerator<Item> {
  const owned = of && { isOwn: (had: string) => isOf(of, had), scopes: scopesOf(of) };
  const [sessions, bodies] = [new Set<unknown>(), new Set<unknown>()];
  for (const items of archivePortions(databaseOf({ workspace: root, key }), owned))
    for (const { table, row } of items) {
      if (bodies.has(row.hash)) continue;
      if (table === "body") bodies.add(row.hash);
      if (table === "session") sessions.add(row.id);
      yield { table, row };
    }
  yield* pages.filesOf(root, { of, sessions, leftOut });
}

/** The same into one file, which is there when it is whole. */
export async function exportArchive({ to, ...asked }: Export & { to: string }) {
  const { workspace } = asked;
  const target = resolve(to);
  if (isWithin(realOf(resolve(workspace)), realOf(target)))
    refuse(
      `${to} lies inside the workspace ${workspace}: the next export would hold this ` +
        "one. Name a file outside.",
      "workspace",
    );
  if (lookAt(target) !== undefined)
    refuse(`${to} is there already. Name another file, or move it away.`, "workspace");
  const why = (reason: string): string => `The archive ${to} could not be written: ${reason}.`;
  return exportLines(asked, (lines) => writeWhole(target, lines)).catch((thrown: unknown) => {
    throw asOurs(thrown, "workspace", why);
  });
}

/** A real place, links followed; what is not there yet keeps its name. */
export function realOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const folder = dirname(path);
  return join(existsSync(folder) ? realpathSync(folder) : folder, basename(path));
}

/** Is it the folder, or does it lie in there? */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Reads an archive from end to end. Rejects with "workspace": what is wrong with it, and in which
 * line.
 */
async function* readArchive(
  path: string,
  hear: (of: Identity | undefined) => void = () => {},
): AsyncGenerator<Item> {
  const refused = (why: string): never => refuse(`${path} ${why}`, "workspace");
  const file = await fs.open(path).catch((thrown: unknown) => {
    const cure = 'Name an archive that "tidemark export" has written.';
    return refused(`cannot be read: ${reasonOf(thrown)}. ${cure}`);
  });
  const sum = createHash("sha256");
  const wrongRow = rowChecker();
  const names = new Set<unknown>();
  let [at, ended] = [0, false];
  for await (const line of file.readLines()) {
    at += 1;
    if (line === "") continue;
    const told = dictIn(line);
    const wrong = (why: string): never =>
      refused(`cannot be imported because of line ${at}: ${why}. Nothing was changed.`);
    if (at === 1) {
      const form = told?.["tidemark-archive"];
      if (typeof form !== "number") refused("is no archive of Tidemark.");
      if (form !== FORM)
        refused(`is an archive of form ${String(form)}; this version reads form ${FORM}.`);
      hear(told?.of === undefined ? undefined : checkIdentity(told.of as Identity));
    } else if (told === undefined) wrong("it is cut off, or no JSON");
    else if (ended) wrong("it stands behind the end; archives are imported one by one");
    else if ("end" in told) {
      ended = told.end === sum.digest("hex");
      if (!ended) wrong("the lines before it are not what was exported");
    } else {
      sum.update(`${line}\n`);
      const { table, row } = told;
      const isRow = typeof table === "string" && isDict(row);
      const why = isRow ? wrongRow({ table, row }) : pages.wrongPage(told);
      if (why !== undefined) wrong(why);
      if (names.has(told.file)) wrong(`the file "${String(told.file)}" is there a second time`);
      if (told.file !== undefined) names.add(told.file);
      yield told as unknown as Item;
    }
  }
  if (!ended) refused("is torn: it lacks its end. Export again, or copy it again.");
}

const isEmpty = (root: string): boolean =>
  lookAt(root)?.isDirectory() === true ? readdirSync(root).length === 0 : !existsSync(root);

/** Throws "workspace" where a folder holds something else. */
export function makeWorkspace(root: string, cure: string): void {
  if (!isEmpty(root) && !existsSync(join(root, ".tidemark")))
    refuse(
      `${root} holds something and is no workspace. Nothing was changed; ${cure}.`,
      "workspace",
    );
  makeFolders(join(root, ".tidemark"), PRIVATE);
}

/**
 * Takes an archive into a workspace, which is made where there is none. What is there stays as it
 * is, so that it can be done again. Answers what was new; `left`: files that stand there with other
 * words. Rejects with "config", "workspace" or "store".
 */
export async function importArchive(given: UpkeepOf & { readonly from: string }) {
  const { from, workspace, key, now, emit = () => {}, progress = () => {} } = given;
  const root = resolve(workspace);
  const isNew = isEmpty(root);
  const [rows, left] = [[] as TableRow[], [] as string[]];
  const coming = new Set<string>();
  let isShared = pages.sharedBy(undefined);
  let lines = 0;
  const read = readArchive(from, (of) => (isShared = pages.sharedBy(isNew ? undefined : of)));
  for await (const item of read) {
    progress((lines += 1), "lines read");
    if (isShared(item)) continue;
    if ("table" in item) {
      rows.push(item);
      continue;
    }
    const how = pages.standing(root, item);
    if (how === "comes") coming.add(item.file);
    if (how === "other") left.push(item.file);
  }
  const counts = noCounts();
  try {
    makeWorkspace(workspace, `import into a new folder: tidemark import ${from} --workspace NEW`);
    await exclusively(root, async () => {
      await (await openWorkspaceDatabase(root, { now, emit, key })).close();
      // Rows first: the lines of a page without them would be taken for a person's.
      const meant = rows.filter((row) => !pages.isOfOther(row, coming));
      const fresh = await patiently(() => takeRows(databaseOf({ workspace: root, key }), meant));
      for (const row of fresh) count(counts, row);
      for await (const item of readArchive(from))
        if ("file" in item && coming.has(item.file)) {
          await pages.putFile(root, item);
          count(counts, item);
        }
    });
    return { ...counts, left };
  } catch (thrown) {
    if (isNew) await fs.rm(root, { recursive: true, force: true }).catch(() => undefined);
    const after = isNew ? "Nothing was changed; mend" : "Mend";
    throw asOurs(
      thrown,
      "workspace",
      (reason) =>
        `${from} could not be imported into ${workspace}: ${reason}. ${after} that and import ` +
        "again.",
    );
  }
}
