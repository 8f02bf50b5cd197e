// Packages that the benches compare: bench/package.json names them, and no type of theirs is needed
// to compile, so that a clone without them does.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const INSTALLED = join(import.meta.dirname, "../node_modules");

export const versionOf = (name: string): string =>
  (JSON.parse(readFileSync(join(INSTALLED, name, "package.json"), "utf8")) as { version: string })
    .version;
export const load = async <T>(name: string): Promise<T> => (await import(name)) as T;
