import { existsSync, statSync } from "node:fs";
import { present } from "../../base/guards.ts";
import { reasonOf } from "../../model/errors.ts";
import { integrityOf } from "../../store/repair/integrity.ts";
import { asked, valueOf } from "../../store/sqlite/database.ts";
import { patiently } from "../../store/sqlite/busy.ts";
import { openSqliteStore } from "../../store/open-index.ts";
import { mendIndex, rebuildIndex } from "../../engine/upkeep/rebuild.ts";
import { databaseOf } from "../../engine/upkeep/database-files.ts";
import { mark } from "../../engine/upkeep/mend.ts";
import { ownersNamed, rememberedIn } from "../input/others.ts";
import { bytes, count } from "../render/numbers.ts";
import { damageOf } from "./history.ts";
import { broken, type Check, type Fix, look, well } from "./machine.ts";

/** The memory index is sound to SQLite, opens, and says what the daily logs say. */
export async function checksOfIndex(folder: string): Promise<Check[]> {
  const kept = databaseOf(folder, "memory index");
  const { path } = kept;
  if (!existsSync(path))
    return [
      look("there is no index.db yet", "it is made with the first conversation"),
      ...(await differences(folder)),
    ];
  const anew = (why: string): Fix => ({
    does: "put it aside under the date and make a new one from the daily logs",
    run: async () => {
      mark(kept, why);
      return (await mendIndex(folder, Date.now)) ?? "the memory index was sound after all";
    },
  });
  const way = "end what uses the workspace and let --fix make a new one from the daily logs";
  const wrong = damageOf(path);
  if (wrong !== undefined)
    return [broken(`memory index is damaged (${path}): ${wrong}`, way, anew(wrong))];
  try {
    await patiently(() => openSqliteStore(path).close());
  } catch (thrown) {
    return [
      broken(
        reasonOf(thrown),
        "move it away and a new one is made; what was remembered still stands in " +
          "MEMORY.md and memory/",
      ),
    ];
  }
  return [
    well(`memory index is sound (index.db, ${bytes(statSync(path).size)})`),
    ...(await differences(folder)),
    ...remembered(folder),
    ...waiting(folder),
  ];
}

async function differences(folder: string): Promise<Check[]> {
  const around = { workspace: folder, now: Date.now };
  const { differed, unlogged, odd, unread } = await rebuildIndex({ ...around, dry: true });
  const rebuild: Fix = {
    does: "make the index say what the logs say, and write down again what lost its log",
    run: async () => {
      const made = await rebuildIndex(around);
      return (
        `${count(made.differed, "memory", "memories")} put right, ${made.unlogged} written ` +
        "down again"
      );
    },
  };
  return present([
    differed + unlogged > 0
      ? look(
          `${count(differed, "memory differs", "memories differ")} from the daily logs, ` +
            `${count(unlogged, "memory has lost its", "memories have lost their")} log`,
          "edits by hand are taken over at the next start; or tidemark rebuild",
          rebuild,
        )
      : well("memory says what the daily logs say"),
    odd > 0 &&
      look(
        `${count(odd, "line")} of logs in a folder of another scope passed over`,
        "move them to the log of their own scope, or delete them",
      ),
    unread.length > 0 &&
      look(
        `${count(unread.length, "line of the daily logs", "lines of the daily logs")} ` +
          `cannot be read: ${someOf(unread)}`,
        "what memory holds of them stays as it is; mend them, or take them out whole to forget it",
      ),
  ]);
}

const NAMED = 10;
const someOf = (places: readonly string[]): string =>
  [
    ...places.slice(0, NAMED),
    ...(places.length > NAMED ? [`and ${places.length - NAMED} more`] : []),
  ].join("; ");

function remembered(folder: string): Check[] {
  const owners = rememberedIn(folder);
  return owners.length === 0 ? [] : [well(`remembered for ${ownersNamed(owners)}`)];
}

function waiting(folder: string): Check[] {
  const { path } = databaseOf(folder, "history");
  if (!existsSync(path) || integrityOf(path).length > 0) return [];
  const jobs = asked(path, (database) =>
    valueOf<number>(database, "select count(*) from job where id not like 'rest:%'"),
  );
  return [
    jobs > 0
      ? look(
          `${count(jobs, "distilling waits", "distillings wait")} to be done again`,
          "they are done between calls, or by tidy(); if they stay, look at what your " +
            "model answers",
        )
      : well("no distilling waits to be done again"),
  ];
}
