import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Open to their owner only. */
export const PRIVATE = 0o700;

/**
 * A folder with those above it. Node's own asks for ever where a folder takes none, as /proc does,
 * which then says that it is not there itself.
 */
export function makeFolders(path: string, mode?: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
    const above = dirname(path);
    if (code !== "ENOENT" || above === path || existsSync(above)) throw thrown;
    makeFolders(above, mode);
    makeFolders(path, mode);
  }
}
