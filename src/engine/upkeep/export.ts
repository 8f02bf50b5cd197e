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
import { asOurs, refuse } from "../../model/errors.ts";
import { historyRows } from "../../store/history/backup-rows.ts";
import { allValues } from "../../memory/saving/values.ts";
import { openAnew } from "../../workspace/disk/atomic.ts";
import { exclusively } from "../../workspace/disk/lock.ts";
import { count, headLine, isSeal, isTold, type Item, KEPT, noCounts, summing } from "./archive.ts";
import { openIndex } from "./rebuild.ts";
import { type Around, databaseOf, entriesIn, type Given, lookAt } from "./salvage-files.ts";
import { openSoundHistory } from "./salvage-history.ts";

/** A page of notes is not so long; whatever is longer is no page of ours. */
const LARGEST = 20_000_000;

/** Writes all of a workspace into one file of lines. No process writes to its files meanwhile. Rejects with "workspace", "store" or "history". */
export async function exportArchive({
  workspace,
  to,
  now,
  by,
  emit = () => {},
}: Given & { to: string; by: string }) {
  const [root, target] = [resolve(workspace), resolve(to)];
  const way = relative(realOf(root), join(realOf(dirname(target)), basename(target)));
  if (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way))
    refuse(
      `${to} lies inside the workspace ${workspace}: the next export would hold this one. Name a file outside.`,
      "workspace",
    );
  if (lookAt(target) !== undefined)
    refuse(`${to} is there already. Name another file, or move it away.`, "workspace");
  const draft = `${target}.part`;
  return exclusively(root, async () => {
    const report = {
      ...noCounts(),
      /** The history in it opens with its key only. */
      sealed: false,
      /** Links and files too large: they stay where they are. */
      leftOut: [] as string[],
    };
    try {
      const file = openAnew(draft);
      try {
        const sum = summing();
        writeSync(file, `${headLine(now(), by)}\n`);
        for await (const item of itemsOf(root, { now, emit, leftOut: report.leftOut })) {
          const line = JSON.stringify(item);
          sum.add(line);
          writeSync(file, `${line}\n`);
          count(report, item);
          if ("history" in item) report.sealed ||= isSeal({ table: item.history, row: item.row });
        }
        writeSync(file, `${sum.end()}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(draft, target);
    } catch (thrown) {
      rmSync(draft, { force: true });
      throw asOurs(
        thrown,
        "workspace",
        (reason) => `The archive ${to} could not be written: ${reason}.`,
      );
    }
    return report;
  });
}

/** Where a folder lies, links followed; one that is not there yet by its name. */
const realOf = (folder: string): string => (existsSync(folder) ? realpathSync(folder) : folder);

/** All a workspace holds, always in the same order: files, notes of ours, memories with their past values, history. */
async function* itemsOf(
  root: string,
  { leftOut, ...around }: Around & { leftOut: string[] },
): AsyncGenerator<Item> {
  for (const path of await filesIn(root, leftOut)) {
    const bytes = readFileSync(join(root, path));
    const text = bytes.toString("utf8");
    yield Buffer.from(text).equals(bytes)
      ? { file: path, text }
      : { file: path, base64: bytes.toString("base64") };
  }
  yield* keptIn(root);
  const store = await openIndex(root, around);
  try {
    for (const memory of await allValues(store)) yield { memory };
  } finally {
    await store.close();
  }
  await (await openSoundHistory(root, { ...around, blind: true })).close();
  for (const { table, row } of historyRows(databaseOf(root, "history").path))
    yield { history: table, row };
}

function* keptIn(root: string): Generator<Item> {
  for (const kept of KEPT) {
    const path = join(root, ".tidemark", `${kept}.json`);
    const about = lstatSync(path, { throwIfNoEntry: false });
    const text = about?.isFile() && about.size <= LARGEST ? readFileSync(path, "utf8") : undefined;
    if (isTold(text)) yield { kept, text };
  }
}

/** The files of a workspace but those that are hidden: the databases, temporary files, version control. */
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
