import { type Stores } from "../../src/model/store.ts";
import { historyContract } from "./history.ts";
import { memoriesContract } from "./memories.ts";
import { pagesContract } from "./pages.ts";
import { type Runner } from "./runner.ts";
import { vectorsContract } from "./vectors.ts";

/** The tests that every set of stores for `openTidemark({ store })` passes. `open` makes new and empty ones for each. */
export function storesContract(runner: Runner, name: string, open: () => Promise<Stores>): void {
  memoriesContract(runner, name, open);
  historyContract(runner, name, async () => (await open()).history);
  pagesContract(runner, name, async () => (await open()).pages);
  vectorsContract(runner, name, async () => {
    const { memories, vectors } = await open();
    if (vectors === undefined) throw new Error("these stores have no vectors");
    return { memories, vectors };
  });
}
