import { type DatabaseOptions, openStores } from "../../src/store/open.ts";

/** One port over a file of its own, or over one that others have open, too. */
export const openHistory = (path: string, options?: DatabaseOptions) =>
  openStores(path, options).history;
export const openSqliteStore = (path: string, options?: DatabaseOptions) =>
  openStores(path, options).store;
