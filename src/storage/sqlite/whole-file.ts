import type { Whole } from "../whole.ts";
import { archivePortions, takeRows } from "./archive-rows.ts";
import { ownedHistory, ownersOf } from "./asked-of-a-file.ts";
import { forgetNames } from "./backup.ts";
import type { DatabaseAt } from "./database-file.ts";
import { patiently } from "./shared-file.ts";

/** A file as a whole, by connections of its own. */
export const wholeFile = (at: DatabaseAt): Whole => ({
  where: at.path,
  owners: async (now) => ownersOf(at, now),
  conversations: async (isOwn) => ownedHistory(at, isOwn),
  reading: (of, work) => work({ rows: () => portions(at, of) }),
  take: (rows) => patiently(() => takeRows(at, rows)),
  forgetNames: (of) => patiently(() => forgetNames(at, of)),
});

async function* portions(...of: Parameters<typeof archivePortions>) {
  yield* archivePortions(...of);
}
