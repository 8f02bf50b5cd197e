// Peers lie beside the benches, with a lock of their own: `npm ci --prefix bench/peers` brings them.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const PEERS = join(import.meta.dirname, "../peers");
const folderOf = (name: string): string => join(PEERS, "node_modules", name);

export const isInstalled = (name: string): boolean => existsSync(folderOf(name));
export const versionOf = (name: string): string =>
  (JSON.parse(readFileSync(join(folderOf(name), "package.json"), "utf8")) as { version: string })
    .version;
/** The file an import of it means. */
export const load = async <T>(name: string): Promise<T> =>
  (await import(pathToFileURL(createRequire(join(PEERS, "package.json")).resolve(name)).href)) as T;
