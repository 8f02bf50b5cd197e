import { type Listing, type Stored } from "../../model/store.ts";
import { type Connection } from "../sqlite/database.ts";

/** Listings of so many scopes and orders; each holds some hundred rows. */
const MOST = 16;

interface Kept {
  readonly rows: readonly Stored[];
  readonly at: number;
  /** The first of them to expire does so then. */
  readonly until: number;
}

/**
 * What matters most is listed for the sections of every fold, mostly with nothing written since the last: then the rows are
 * as they were, as long as none has expired. What had expired when they were read is not theirs again, so time may only go on.
 */
export function keptListings(
  database: Connection,
  list: (listing: Listing) => Stored[],
): (listing: Listing) => Stored[] {
  const own = database.prepare("select total_changes()").pluck();
  /** Another number when another connection has written. */
  const foreign = database.prepare("pragma data_version").pluck();
  const kept = new Map<string, Kept>();
  let state = "";

  return (listing) => {
    // Each of these asks for a page of its own, once.
    if (listing.order === undefined || listing.order === "updated") return list(listing);
    const now = `${String(own.get())} ${String(foreign.get())}`;
    if (now !== state) kept.clear();
    state = now;
    const { now: at, ...asked } = listing;
    const key = JSON.stringify(asked);
    const found = kept.get(key);
    if (found !== undefined && found.at <= at && at < found.until) return [...found.rows];
    const rows = list(listing);
    if (kept.size >= MOST) kept.clear();
    kept.set(key, {
      rows,
      at,
      until: Math.min(...rows.map(({ memory }) => memory.expiresAt ?? Infinity)),
    });
    return [...rows];
  };
}
