import type { afterEach, beforeEach, describe, expect, it } from "vitest";

/** What a contract asks of a test runner: Vitest has it, and those that speak as Jest does. */
export interface Runner {
  readonly describe: typeof describe;
  readonly it: typeof it;
  readonly expect: typeof expect;
  readonly beforeEach: typeof beforeEach;
  readonly afterEach: typeof afterEach;
}
