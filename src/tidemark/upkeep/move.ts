import { resolve } from "node:path";
import { isDict, parsed } from "../../core/base.ts";
import { refuse } from "../../core/errors-and-events.ts";
import { digest } from "../../core/text/cut.ts";
import { isAddress } from "../../session/options/read-options.ts";
import { isOfOther } from "./archive-pages.ts";
import type { UpkeepOf } from "./mend.ts";
import {
  type AnyWorkspace,
  type Contents,
  isWithin,
  type Item,
  mayLeave,
  openPlace,
  realOf,
} from "./places.ts";

/** Current memories, values of the past, and the rest. */
export const noCounts = () => ({ files: 0, memories: 0, past: 0, conversations: 0, messages: 0 });

export function count(counts: ReturnType<typeof noCounts>, item: Item): void {
  if ("file" in item) counts.files += 1;
  else if (item.table === "memory") counts[item.row.valid_to === null ? "memories" : "past"] += 1;
  else if (item.table === "session") counts.conversations += 1;
  else if (item.table === "entry") counts.messages += 1;
}

/**
 * Brings rows and pages to a place, and tells of each whether it is new there; no other changes
 * pages there meanwhile. Answers pages that stand there with other words, and what cannot be there.
 */
export const bring = (
  held: Contents,
  target: AnyWorkspace,
  hear: (item: Item, isNew: boolean) => void,
) =>
  target.folder.alone(async () => {
    const [left, leftOut, coming]: [string[], string[], Set<string>] = [[], [], new Set()];
    for await (const page of held.pages(leftOut)) {
      const how = await target.standing(page);
      if (how === undefined) leftOut.push(page.file);
      if (how === "other") left.push(page.file);
      if (how === "same") hear(page, false);
      if (how === "comes") coming.add(page.file);
    }
    for await (const rows of held.rows()) {
      // How a page was written comes with that page alone.
      const meant = rows.filter((row) => !isOfOther(row, coming));
      const fresh = new Set(await target.whole.take(meant));
      for (const row of meant) hear(row, fresh.has(row));
    }
    // The lines of a page without its rows would be taken for a person's.
    for await (const page of held.pages([]))
      if (coming.has(page.file)) {
        await target.put(page);
        hear(page, true);
      }
    return { left, leftOut };
  });

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
  const [one, other] = [realOf(resolve(from)), realOf(resolve(to))];
  const isOne = isWithin(one, other) || isWithin(other, one);
  if (isOne && ![from, to].some(isAddress)) refuseOne(one, other);
  const source = await openPlace({ ...around, workspace: from });
  try {
    const target = await openPlace({ ...around, workspace: to }, "name a new folder");
    return await moved(source, target, around).finally(target.store.close);
  } finally {
    await source.store.close();
  }
}

const refuseOne = (from: string, to: string): never =>
  refuse(`${from} and ${to} are one place: name two.`, "workspace");

/** Answers what the source holds, its digest, and what of it is not the same on the other side. */
export async function moved(
  source: AnyWorkspace,
  target: AnyWorkspace,
  { progress = () => {} }: Partial<Move> = {},
) {
  const [{ at: from }, { at: to }] = [source, target];
  if (from === to) refuseOne(from, to);
  await mayLeave(source);
  return source.reading(async (held) => {
    const [counts, sums] = [noCounts(), new Map<string, string>()];
    const told = await bring(held, target, (item) => {
      count(counts, item);
      sums.set(sumOf(item), nameOf(item));
      progress(sums.size, "rows and pages moved");
    });
    const sum = digest(...[...sums.keys()].sort());
    await target.reading(async (come) => {
      for await (const rows of come.rows()) for (const row of rows) sums.delete(sumOf(row));
      for await (const page of come.pages([])) sums.delete(sumOf(page));
    });
    const differ = [...new Set(sums.values())].sort();
    return { from, to, ...counts, ...told, digest: sum, differ };
  });
}

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
