import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type BetterSqlite from "better-sqlite3";
import type Pg from "pg";
import type * as SqliteVec from "sqlite-vec";
import type * as Yaml from "yaml";
import { TidemarkError } from "./errors-and-events.ts";

declare const __filename: string | undefined;
const address: string | undefined = import.meta.url;
/** This file or the bundle it became: in a bundle of CommonJS only the second name is known. */
const here =
  address ?? (typeof __filename === "string" ? __filename : join(process.cwd(), "none.js"));

/** Why nothing beside the code is found, and what helps. */
const BUNDLED =
  "Tidemark was bundled and its package is not beside the bundle: install it there and keep it " +
  "out of the bundle (esbuild: --external:tidemark; Next.js: serverExternalPackages: " +
  '["tidemark"]; Vite: ssr.external: ["tidemark"]).';

let root: string | undefined;

/**
 * The path of a file of this package as it is installed. Throws a sentence for bundles that left
 * the package behind.
 */
export function packageFile(path: string): string {
  try {
    root ??= dirname(createRequire(here).resolve("tidemark/package.json"));
  } catch (cause) {
    throw new Error(BUNDLED, { cause });
  }
  return join(root, path);
}

export const packageVersion = (): string =>
  (JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string }).version;

/**
 * A CommonJS dependency of this package, loaded when it is called for; no bundler follows it, and
 * native code stays where it is.
 */
function dependency(name: string): unknown {
  return createRequire(packageFile("package.json"))(name);
}

/** Read when a record is: bundlers of ES modules cannot take it in. */
export const yaml = (): typeof Yaml => (yamlOnce ??= dependency("yaml") as typeof Yaml);
let yamlOnce: typeof Yaml | undefined;

/** better-sqlite3, which is native code. */
export const Database = dependency("better-sqlite3") as typeof BetterSqlite;
export type Connection = BetterSqlite.Database;
export type Statement<Bound extends unknown[] = unknown[], Row = unknown> = BetterSqlite.Statement<
  Bound,
  Row
>;

interface Encrypted extends Connection {
  key(key: Buffer): number;
}
type EncryptedDatabase = new (...given: ConstructorParameters<typeof Database>) => Encrypted;

/** The same with a cipher. Throws "config" where the optional package it needs is not there. */
export function keyedDatabase(
  path: string,
  key: string,
  how: ConstructorParameters<typeof Database>[1],
): Connection {
  const database = new (encrypting())(path, how);
  database.key(Buffer.from(key));
  return database;
}

const encrypting = (): EncryptedDatabase =>
  optional("A key", "better-sqlite3-multiple-ciphers") as EncryptedDatabase;

/** The client of a PostgreSQL server. Throws "config" where the optional package is not there. */
export const pg = (): typeof Pg => optional("An address as store", "pg") as typeof Pg;

function optional(what: string, name: string): unknown {
  try {
    return dependency(name);
  } catch (cause) {
    const cure = `install it beside tidemark: npm install ${name}`;
    throw new TidemarkError("config", `${what} needs the package ${name}: ${cure}.`, { cause });
  }
}

/** Loads sqlite-vec, which is native code too; throws on systems it is not built for. */
export const loadScan = (database: Connection): void =>
  (dependency("sqlite-vec") as typeof SqliteVec).load(database);
