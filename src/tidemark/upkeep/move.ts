import { isDict, parsed } from "../../core/base.ts";
import { digest } from "../../core/text/cut.ts";
import { count, type Item, noCounts } from "./archive.ts";
import { isOfOther } from "./archive-pages.ts";
import type { UpkeepOf } from "./mend.ts";
import { openPlace, type Side } from "./places.ts";

interface Move extends Omit<UpkeepOf, "workspace"> {
  /** Each a folder, or an address of PostgreSQL. */
  readonly from: string;
  readonly to: string;
}

/**
 * Brings all of a workspace to another place; what is there stays, and the source is left as it
 * was. It can be done again where it was cut. Rejects with "workspace", "store" or "config".
 */
export async function move({ from, to, ...around }: Move) {
  const source = await openPlace({ ...around, workspace: from });
  try {
    const target = await openPlace({ ...around, workspace: to }, source);
    const told = await bring(source, target, around).finally(target.close);
    return { from: source.at, to: target.at, ...told };
  } finally {
    await source.close();
  }
}

/**
 * Answers what the source holds, the digest of what came, and what of it is not the same on the
 * other side; `left`: pages that stand there with other words.
 */
export const bring = (
  source: Side,
  target: Side,
  { progress = () => {} }: Pick<UpkeepOf, "progress">,
) =>
  source.reading(async (held) => {
    const report = { ...noCounts(), left: [] as string[], leftOut: [] as string[] };
    const [coming, moved] = [new Set<string>(), new Map<string, string>()];
    const note = (item: Item): void => {
      moved.set(sumOf(item), nameOf(item));
      progress(moved.size, "rows and pages moved");
    };
    for await (const page of held.pages(report.leftOut)) {
      const how = await target.standing(page);
      if (how === undefined) report.leftOut.push(page.file);
      else if (how === "other") report.left.push(page.file);
      else count(report, page);
      if (how === "comes") coming.add(page.file);
    }
    for await (const rows of held.rows()) {
      // How a page was written comes with that page alone.
      const meant = rows.filter((row) => !isOfOther(row, coming));
      await target.take(meant);
      for (const row of meant) {
        count(report, row);
        note(row);
      }
    }
    // The lines of a page without its rows would be taken for a person's.
    for await (const page of held.pages([]))
      if (coming.has(page.file)) {
        await target.put(page);
        note(page);
      }
    const sum = digest(...[...moved.keys()].sort());
    await target.reading(async (come) => {
      for await (const rows of come.rows()) for (const row of rows) moved.delete(sumOf(row));
      for await (const page of come.pages([])) moved.delete(sumOf(page));
    });
    return { ...report, digest: sum, differ: [...new Set(moved.values())].sort() };
  });

/** A storage has an order of members of its own, in data too. */
function sumOf(item: Item): string {
  const data = "row" in item && item.table === "data" && parsed(String(item.row.value));
  const whole = data ? { ...item, row: { ...item.row, value: data } } : item;
  const sorted = (_: string, value: unknown): unknown =>
    isDict(value) ? Object.fromEntries(Object.entries(value).sort()) : value;
  return digest(JSON.stringify(whole, sorted));
}

function nameOf(item: Item): string {
  if ("file" in item) return item.file;
  const { hash, root = hash, name = root, id = name, session = id } = item.row;
  return `${item.table} of ${String(session)}`;
}
