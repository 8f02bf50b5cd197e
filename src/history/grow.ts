import { breathe } from "../base/async.ts";
import { type SessionChange } from "../model/history.ts";
import { type HistoryStore } from "../model/history-store.ts";

/** Entries written in one transaction. */
const MANY = 500;

/** How many writes a change with so many entries takes, and by how much its session's revision rises. */
export const partsOf = (entries: number): number => Math.max(1, Math.ceil(entries / MANY));

/**
 * Writes a change of which the session has the last revision. So many entries that they would hold up everything else go part
 * by part, and others have their turn in between; each part leaves a whole line, so a killed process leaves a shorter one.
 */
export async function writeInParts(
  store: Pick<HistoryStore, "write" | "forget">,
  change: SessionChange,
): Promise<boolean> {
  const parts = partsOf(change.entries.length);
  if (parts === 1) return store.write(change);
  try {
    return await inParts(store, change, parts);
  } catch (thrown) {
    // What is refused must not be there later: a session that these parts began goes as a whole.
    if (change.session.revision === parts)
      await store.forget([change.session.id]).catch(() => undefined);
    throw thrown;
  }
}

async function inParts(
  store: Pick<HistoryStore, "write">,
  change: SessionChange,
  parts: number,
): Promise<boolean> {
  const { asides = [], session, from, entries, ...first } = change;
  for (let part = 0; part < parts; part += 1) {
    const [start, end] = [part * MANY, Math.min(entries.length, (part + 1) * MANY)];
    const [confirmed, noted] = [session.confirmed, session.noted].map((at) =>
      Math.min(at, from + end),
    ) as [number, number];
    const grown = { ...session, confirmed, noted, revision: session.revision - parts + 1 + part };
    // What changes the line goes with its first part, what stands beside it with the last.
    const last = part === parts - 1 ? { asides } : {};
    const how = part === 0 ? first : last;
    if (
      !(await store.write({
        ...how,
        session: grown,
        from: from + start,
        entries: entries.slice(start, end),
      }))
    )
      return false;
    await breathe();
  }
  return true;
}
