import { join } from "node:path";
import { makeFolders, PRIVATE } from "../../base/make-folders.ts";
import { Database } from "../../model/installed.ts";
import { codeOf, ownPath } from "./locate.ts";

/** Runs `work` unless a process of this workspace is at work of the same name; answers whether it ran. A lock of SQLite's: it ends with its holder. */
export async function onlyOne(
  root: string,
  name: "heartbeat",
  work: () => Promise<void>,
): Promise<boolean> {
  const folder = join(root, ".tidemark");
  makeFolders(ownPath(folder), PRIVATE);
  const database = new Database(ownPath(join(folder, `${name}.db`)), { timeout: 0 });
  try {
    database.pragma("journal_mode = memory");
    database.prepare("begin immediate").run();
  } catch (thrown) {
    database.close();
    if (/^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(thrown))) return false;
    throw thrown;
  }
  try {
    await work();
    return true;
  } finally {
    database.close();
  }
}
