import type { Stores } from "./index.d.ts";

/** A test runner that speaks as Vitest and Jest do: `import * as vitest from "vitest"`. */
export interface Runner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
  readonly expect: (value: unknown) => object;
  readonly beforeEach: (body: () => Promise<void>) => unknown;
  readonly afterEach: (body: () => Promise<void>) => unknown;
}

/**
 * The tests that every set of stores for `openTidemark({ store })` passes. `open` makes new and empty ones for each test.
 *
 * @example
 * import * as vitest from "vitest";
 * import { storesContract } from "tidemark/contracts";
 *
 * storesContract(vitest, "my stores", async () => openMyStores());
 */
export function storesContract(runner: Runner, name: string, open: () => Promise<Stores>): void;
