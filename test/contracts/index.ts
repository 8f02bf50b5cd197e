import type { Stores } from "../../src/model/store.ts";
import { openStores } from "../../src/store/open.ts";
import { historyContract } from "./history.ts";
import { memoriesContract } from "./memories.ts";
import { pagesContract } from "./pages.ts";
import type { Runner } from "./runner.ts";
import { restartContract } from "./restart.ts";
import { turnsContract } from "./turns.ts";
import { pageVectorsContract, vectorsContract } from "./vectors.ts";

export { LATER, PAUSE, STRETCH } from "../../src/model/turns.ts";
export { turnTerms } from "../../src/store/turns/packed-terms.ts";
export { cuesOf } from "../../src/text/cues.ts";
export { queryTerms, terms } from "../../src/text/terms.ts";

/**
 * The tests that every set of stores for `openTidemark({ store })` passes. `open` makes new and empty ones for each,
 * which are closed behind it. `vectors: false`: they have none. `again` opens anew what `open` made last, once that is closed.
 */
export function storesContract(
  runner: Runner,
  name: string,
  open: () => Promise<Stores>,
  { vectors: has = true, again }: { vectors?: boolean; again?: () => Promise<Stores> } = {},
): void {
  memoriesContract(runner, name, open);
  turnsContract(runner, name, open);
  historyContract(runner, name, open);
  pagesContract(runner, name, open);
  if (again !== undefined) restartContract(runner, name, open, again);
  if (!has) return;
  const withVectors = async () => {
    const kept = await open();
    const { memories, pages, history, vectors } = kept;
    if (vectors === undefined)
      throw new Error(
        "These stores have no vectors: give { vectors: false } to storesContract, or a port `vectors`.",
      );
    return { memories, pages, history, vectors, close: async () => kept.close?.() };
  };
  vectorsContract(runner, name, withVectors);
  pageVectorsContract(runner, name, withVectors);
}

/** Stores of our own in memory: what a store of yours can stand among while the other ports are not yet written. */
export function storesInMemory(): Stores {
  const { history, store } = openStores(":memory:");
  const { turns, pages, vectors, close, ...memories } = store;
  return { memories, turns, pages, vectors, history, close };
}
