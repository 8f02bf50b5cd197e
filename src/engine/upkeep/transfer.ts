import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  promises as fs,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { makeFolders, PRIVATE } from "../../base/make-folders.ts";
import { asOurs, refuse } from "../../model/errors.ts";
import { putTableRows, type TableRow, tableRows } from "../../store/history/table-rows.ts";
import { patiently } from "../../store/sqlite/busy.ts";
import { openAnew, writeNew } from "../../workspace/disk/atomic.ts";
import { exclusively } from "../../workspace/disk/lock.ts";
import {
  count,
  headLine,
  isTold,
  type Item,
  KEPT,
  noCounts,
  readArchive,
  summing,
} from "./archive.ts";
import { databaseOf, entriesIn, lookAt, type UpkeepHost, type UpkeepOf } from "./database-files.ts";
import { openDatabase } from "./open-database.ts";

/** A page of notes is not so long; whatever is longer is no page of ours. */
const LARGEST = 20_000_000;

interface Export extends UpkeepOf {
  readonly by: string;
}

/**
 * Hands out all of a workspace, line by line. No process writes to its files meanwhile. Rejects
 * with "workspace", "store" or "history".
 */
export function exportLines(
  { workspace, now, by, key, emit = () => {}, progress = () => {} }: Export,
  put: (line: string) => void,
) {
  const root = resolve(workspace);
  return exclusively(root, async () => {
    const report = {
      ...noCounts(),
      /** Links and files too large: they stay where they are. */
      leftOut: [] as string[],
    };
    const sum = summing();
    let lines = 0;
    put(headLine(now(), by));
    for await (const item of itemsOf(root, { now, emit, key, leftOut: report.leftOut })) {
      const line = JSON.stringify(item);
      sum.add(line);
      put(line);
      count(report, item);
      progress((lines += 1), "lines written");
    }
    put(sum.end());
    return report;
  });
}

/** The same into one file, which is there when it is whole. */
export async function exportArchive({ to, ...asked }: Export & { to: string }) {
  const { workspace } = asked;
  const [root, target] = [resolve(workspace), resolve(to)];
  const way = relative(realOf(root), join(realOf(dirname(target)), basename(target)));
  if (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way))
    refuse(
      `${to} lies inside the workspace ${workspace}: the next export would hold this ` +
        "one. Name a file outside.",
      "workspace",
    );
  if (lookAt(target) !== undefined)
    refuse(`${to} is there already. Name another file, or move it away.`, "workspace");
  const draft = `${target}.part`;
  try {
    const file = openAnew(draft);
    try {
      const report = await exportLines(asked, (line) => void writeSync(file, `${line}\n`));
      fsyncSync(file);
      renameSync(draft, target);
      return report;
    } finally {
      closeSync(file);
    }
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw asOurs(
      thrown,
      "workspace",
      (reason) => `The archive ${to} could not be written: ${reason}.`,
    );
  }
}

/** The real place of a folder, links followed; one that is not there yet keeps its name. */
const realOf = (folder: string): string => (existsSync(folder) ? realpathSync(folder) : folder);

/**
 * All a workspace holds, always in the same order: files, notes of ours, what is true of the
 * database.
 */
async function* itemsOf(
  root: string,
  { leftOut, ...around }: UpkeepHost & { leftOut: string[] },
): AsyncGenerator<Item> {
  for (const path of await filesIn(root, leftOut)) {
    const bytes = readFileSync(join(root, path));
    const text = bytes.toString("utf8");
    yield Buffer.from(text).equals(bytes)
      ? { file: path, text }
      : { file: path, base64: bytes.toString("base64") };
  }
  yield* keptIn(root);
  await (await openDatabase(root, around)).store.close();
  yield* tableRows(databaseOf({ ...around, workspace: root }));
}

function* keptIn(root: string): Generator<Item> {
  for (const kept of KEPT) {
    const path = join(root, ".tidemark", `${kept}.json`);
    const about = lstatSync(path, { throwIfNoEntry: false });
    const text = about?.isFile() && about.size <= LARGEST ? readFileSync(path, "utf8") : undefined;
    if (isTold(text)) yield { kept, text };
  }
}

/**
 * The files of a workspace but those that are hidden: the databases, temporary files, version
 * control.
 */
async function filesIn(root: string, leftOut: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const { path, entry } of await entriesIn(root)) {
    if (entry.isDirectory() || `/${path}`.includes("/.")) continue;
    const fits =
      entry.isFile() && !path.includes("\\") && (await fs.stat(join(root, path))).size <= LARGEST;
    (fits ? found : leftOut).push(path);
  }
  return found;
}

interface Wanted extends UpkeepOf {
  readonly from: string;
  readonly dry?: boolean;
}

/**
 * Makes a workspace of an archive where there is none, all of it or nothing. Rejects
 * with "workspace", "store" or "history".
 */
export const importArchive = (given: Wanted): ReturnType<typeof importNew> =>
  importNew(given).catch((thrown: unknown) => {
    const { from, workspace } = given;
    throw asOurs(
      thrown,
      "workspace",
      (reason) =>
        `${from} could not be imported into ${workspace}: ${reason}. Nothing was ` +
        "changed; mend that and import again.",
    );
  });

async function importNew({ from, workspace, dry = false, ...host }: Wanted) {
  const { progress = () => {} } = host;
  const root = resolve(workspace);
  let lines = 0;
  const rows: TableRow[] = [];
  const counts = noCounts();
  for await (const item of readArchive(from)) {
    count(counts, item);
    progress((lines += 1), "lines read");
    if ("table" in item) rows.push(item);
  }
  if (dry) return counts;
  if (existsSync(root) && (await fs.readdir(root)).length > 0)
    refuse(
      `${workspace} holds something already. Nothing was changed; import into a new ` +
        `folder: tidemark import ${from} --workspace NEW.`,
      "workspace",
    );
  makeFolders(dirname(root), PRIVATE);
  const draft = await fs.mkdtemp(join(dirname(root), `.${basename(root)}.import-`));
  try {
    await fs.mkdir(join(draft, ".tidemark"), { mode: 0o700 });
    await putFiles(draft, from);
    const place = { ...host, workspace: draft };
    await patiently(() => putTableRows(databaseOf(place), rows));
    progress(rows.length, "rows written");
    if (existsSync(root)) await fs.rmdir(root);
    await fs.rename(draft, root);
  } finally {
    await fs.rm(draft, { recursive: true, force: true });
  }
  return counts;
}

/** Files, and notes of ours. */
async function putFiles(draft: string, from: string): Promise<void> {
  for await (const item of readArchive(from))
    if ("file" in item) {
      const path = join(draft, item.file);
      if (lookAt(path) !== undefined) throw new Error(`it holds ${item.file} twice`);
      await writeNew(path, "text" in item ? item.text : Buffer.from(item.base64, "base64"));
    } else if ("kept" in item)
      await writeNew(join(draft, ".tidemark", `${item.kept}.json`), item.text);
}
