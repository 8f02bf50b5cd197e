import type { Scope } from "../../model/identity.ts";
import { lru } from "../../base/cache.ts";
import { digest } from "../../text/hash.ts";
import type { Folder } from "../disk/folder.ts";
import { shown } from "../disk/paths.ts";
import { oldestDay, parseReceiptLine, type ReceiptLine } from "../lines/receipt-line.ts";
import { isValueLine, ofReceipt, parseLogLine } from "./daily-log.ts";
import { filesOf, textOf } from "./log-files.ts";

export interface Receipted {
  readonly receipt: ReceiptLine;
  readonly memories: readonly string[];
}

/** Logs whose receipts are kept; to read one again costs little. */
const LOGS = 512;

/**
 * The receipts of a scope's logs from the day of a moment on, with what each of them says was
 * learnt.
 */
export function createReceipts(
  folder: Folder,
): (scope: Scope, since: number) => Promise<Receipted[]> {
  const kept = lru<string, ReadLog>(LOGS);
  return async (scope, since) => {
    const found: Receipted[] = [];
    for (const { place, stamp } of await filesOf(folder, scope)) {
      if (place.path.slice(place.path.lastIndexOf("/") + 1, -".md".length) < oldestDay(since))
        continue;
      const name = shown(place);
      let log = kept.get(name);
      if (log?.stamp !== stamp) {
        const text = await textOf(folder, place);
        // Another who asked may have read on meanwhile.
        log = readOn(kept.get(name), stamp, text);
        kept.set(name, log);
      }
      found.push(...receiptedIn(log, scope));
    }
    return found;
  };
}

/**
 * What a log says of receipts, read as far as `length` and its `sum` say. Of one that has grown
 * only the rest is read.
 */
interface ReadLog {
  readonly stamp: string;
  readonly length: number;
  readonly sum: string;
  readonly receipts: ReceiptLine[];
  /** Memories by what their lines name as their receipt. */
  readonly named: Map<string, Set<string>>;
}

function readOn(before: ReadLog | undefined, stamp: string, text: string): ReadLog {
  const goesOn = before && before.length > 0 && digest(text.slice(0, before.length)) === before.sum;
  const known = goesOn ? before : undefined;
  const receipts = known?.receipts ?? [];
  const named = known?.named ?? new Map<string, Set<string>>();
  const rows = text.slice(known?.length).split("\n");
  const values = rows.flatMap((raw) => parseLogLine(raw) ?? []).filter(isValueLine);
  const naming = values.flatMap(({ of, id }) => (of === undefined ? [] : [{ of, id }]));
  for (const { of, id } of owned(naming)) named.set(of, (named.get(of) ?? new Set()).add(id));
  receipts.push(...owned(rows.flatMap((raw) => parseReceiptLine(raw) ?? [])));
  // A last line without its end may still grow.
  const length = text.endsWith("\n") ? text.length : 0;
  return { stamp, length, sum: digest(text), receipts, named };
}

const receiptedIn = ({ receipts, named }: ReadLog, scope: Scope): Receipted[] =>
  receipts
    .filter((receipt) => receipt.scope === scope)
    .map((receipt) => {
      const own = [receipt.id, ofReceipt(receipt.id)].flatMap((of) => [...(named.get(of) ?? [])]);
      return { receipt, memories: [...new Set(own)] };
    });

/** In strings of its own: each cut from a log would keep the whole log in memory. */
const owned = <T>(found: T[]): T[] => structuredClone(found);
