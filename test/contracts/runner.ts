import type { afterEach, beforeEach, describe, expect, it } from "vitest";

/** What a contract asks of a test runner: Vitest has it, and those that speak as Jest does. */
export interface Runner {
  readonly describe: typeof describe;
  readonly it: typeof it;
  readonly expect: typeof expect;
  readonly beforeEach: typeof beforeEach;
  readonly afterEach: typeof afterEach;
}

/** What is closed behind a test: a history by itself, the other ports with their stores. */
export interface Closable {
  readonly history?: { close(): Promise<void> };
  close?(): Promise<void>;
}

/** Opens for a test what is closed when the test is over. */
export function opening<Kept extends Closable>(
  { afterEach }: Pick<Runner, "afterEach">,
  open: () => Promise<Kept>,
): () => Promise<Kept> {
  const opened: Kept[] = [];
  afterEach(async () => {
    for (const kept of opened.splice(0)) {
      await kept.history?.close();
      await kept.close?.();
    }
  });
  return async () => {
    const kept = await open();
    opened.push(kept);
    return kept;
  };
}
