import type { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Storage } from "../../src/storage/port.ts";

/** What a contract asks of a test runner: Vitest has it, and those that speak as Jest does. */
export interface Runner {
  readonly describe: typeof describe;
  readonly it: typeof it;
  readonly expect: typeof expect;
  readonly beforeEach: typeof beforeEach;
  readonly afterEach: typeof afterEach;
}

/** Opens for a test what is closed when the test is over. */
export function opening(
  { afterEach }: Pick<Runner, "afterEach">,
  open: () => Promise<Storage>,
): () => Promise<Storage> {
  const opened: Storage[] = [];
  afterEach(async () => {
    for (const kept of opened.splice(0)) await kept.close();
  });
  return async () => {
    const kept = await open();
    opened.push(kept);
    return kept;
  };
}
