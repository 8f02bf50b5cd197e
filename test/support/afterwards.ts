import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const afterTest: (() => unknown)[] = [];
const afterFile: (() => unknown)[] = [];
/** Runs after the test, last things first. */
export const afterwards = (cleanup: () => unknown): void => void afterTest.push(cleanup);
/** Runs after the test file, last things first. */
export const atLast = (cleanup: () => unknown): void => void afterFile.push(cleanup);

const goesAway = (after: (cleanup: () => unknown) => void) => (): string => {
  const made = mkdtempSync(join(tmpdir(), "tidemark-"));
  after(() => rmSync(made, { recursive: true, force: true, maxRetries: 5 }));
  return made;
};
/** A folder that goes away with the test. */
export const freshFolder = goesAway(afterwards);
/** A folder that goes away with the test file. */
export const fileFolder = goesAway(atLast);

const clean = async (cleanups: (() => unknown)[]): Promise<void> => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
};
/** For setup.ts, which alone is read anew for each test file: hooks of other modules would hold for the first one only. */
export const cleanTest = (): Promise<void> => clean(afterTest);
export const cleanFile = (): Promise<void> => clean(afterFile);
