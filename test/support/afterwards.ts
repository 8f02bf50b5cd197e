const afterTest: (() => unknown)[] = [];
const afterFile: (() => unknown)[] = [];
/** Runs after the test, last things first. */
export const afterwards = (cleanup: () => unknown): void => void afterTest.push(cleanup);
/** Runs after the test file, last things first. */
export const atLast = (cleanup: () => unknown): void => void afterFile.push(cleanup);

const clean = async (cleanups: (() => unknown)[]): Promise<void> => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
};
/** For setup.ts, which alone is read anew for each test file: hooks of other modules would hold for the first one only. */
export const cleanTest = (): Promise<void> => clean(afterTest);
export const cleanFile = (): Promise<void> => clean(afterFile);
