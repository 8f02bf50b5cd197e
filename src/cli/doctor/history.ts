import { existsSync, statSync } from "node:fs";
import { reasonOf } from "../../model/errors.ts";
import { patiently } from "../../store/sqlite/busy.ts";
import { openHistory } from "../../store/history/file.ts";
import { keptAs } from "../../store/history/kept.ts";
import { asked } from "../../store/sqlite/database.ts";
import { brokenBy, integrityOf } from "../../store/repair/integrity.ts";
import { databaseOf } from "../../engine/upkeep/database-files.ts";
import { mark } from "../../engine/upkeep/mend.ts";
import { mendHistory } from "../../engine/upkeep/open-history.ts";
import { bytes } from "../render/numbers.ts";
import { broken, type Check, type Fix, look, well } from "./machine.ts";

const WAY = "end what uses the workspace and let --fix read what can be read into a new file";

/** The history is sound to SQLite and opens; it keeps messages in one of two ways. */
export async function checksOfHistory(folder: string): Promise<Check[]> {
  const kept = databaseOf(folder, "history");
  const { path } = kept;
  if (!existsSync(path))
    return [look("there is no history.db yet", "it is made with the first conversation")];
  const mend = (why: string): Fix => ({
    does:
      "put it aside under the date, read all that can be read into a new one, " +
      "and fill it up from the newest backup",
    run: async () => {
      mark(kept, why);
      return (await mendHistory(folder, Date.now())) ?? "the history was sound after all";
    },
  });
  const damaged = (why: string): Check[] => [
    broken(`history is damaged (${path}): ${why}`, WAY, mend(why)),
  ];
  const wrong = damageOf(path);
  if (wrong !== undefined) return damaged(wrong);
  try {
    await patiently(() => openHistory(path).close());
  } catch (thrown) {
    const why = brokenBy(thrown);
    if (why !== undefined) return damaged(why);
    return [
      broken(reasonOf(thrown), "put a backup in its place, or move it away to start a new history"),
    ];
  }
  return [
    well(`history is sound (history.db, ${bytes(statSync(path).size)})`),
    well(KEPT[asked(path, keptAs)]),
  ];
}

/** The first thing that SQLite finds wrong with a database. */
export const damageOf = (path: string): string | undefined =>
  statSync(path).isFile() ? integrityOf(path)[0] : undefined;

const KEPT = {
  verbatim: "messages are kept word for word",
  masked: "messages are kept without the secrets in them",
} as const;
