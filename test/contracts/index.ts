import { searched } from "../../src/storage/sqlite/index-in-memory.ts";
import type { Truth } from "../../src/storage/port.ts";
import { endedContract } from "./ended-turns.ts";
import { dataContract } from "./data.ts";
import { besideContract } from "./history-beside.ts";
import { historyContract } from "./history.ts";
import { memoriesContract } from "./memories.ts";
import { changesContract } from "./memory-changes.ts";
import { pagesContract } from "./pages.ts";
import type { Runner } from "./runner.ts";
import { restartContract } from "./restart.ts";
import { turnsContract } from "./turns.ts";
import { vectorsContract } from "./vectors.ts";

export { LATER, PAUSE, STRETCH } from "../../src/storage/rows.ts";
export { turnTerms } from "../../src/storage/rows.ts";
export { cuesOf } from "../../src/core/text/identifiers.ts";
export { queryTerms, terms } from "../../src/core/text/terms.ts";

/**
 * The tests that every Storage for `openTidemark({ store })` passes. `open` makes a new and empty one for each, which is
 * closed behind it. One without a search index is searched through one in memory. `vectors: false`, `data: false`: it has none. `again` opens anew what `open` made last, once that is closed.
 */
export function storageContract(
  runner: Runner,
  name: string,
  open: () => Promise<Truth>,
  {
    vectors = true,
    data = true,
    again,
  }: { vectors?: boolean; data?: boolean; again?: () => Promise<Truth> } = {},
): void {
  const whole = async () => searched(await open());
  for (const part of [
    ...[memoriesContract, changesContract, turnsContract],
    ...[historyContract, besideContract, endedContract, pagesContract],
  ])
    part(runner, name, whole);
  if (data) dataContract(runner, name, whole);
  if (again !== undefined) restartContract(runner, name, open, again);
  if (vectors) vectorsContract(runner, name, whole);
}
