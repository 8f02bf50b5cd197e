import { dependency } from "../../model/installed.ts";
import { reasonOf } from "../../model/errors.ts";
import { type Connection } from "../sqlite/database.ts";

/** The part of sqlite-vec we call. */
interface Extension {
  load(database: Connection): void;
}

/** Loads sqlite-vec into the connection; answers why it could not. */
export function loadExtension(database: Connection): string | undefined {
  try {
    // Required only when a vector is first needed: a memory by words alone never loads it.
    const extension = dependency("sqlite-vec") as Extension;
    extension.load(database);
    return undefined;
  } catch (thrown) {
    return reasonOf(thrown);
  }
}
