import type BetterSqlite from "better-sqlite3";
import { dependency } from "./installed.ts";

/** better-sqlite3, which is native code. */
export const Database = dependency("better-sqlite3") as typeof BetterSqlite;
export type Connection = BetterSqlite.Database;
export type Statement<Bound extends unknown[] = unknown[]> = BetterSqlite.Statement<Bound>;
