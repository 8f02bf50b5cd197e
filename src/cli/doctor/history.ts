import { existsSync, statSync } from "node:fs";
import { present } from "../../base/guards.ts";
import { reasonOf } from "../../model/errors.ts";
import { patiently } from "../../store/sqlite/busy.ts";
import { openHistory } from "../../store/history/file.ts";
import { keptAs } from "../../store/history/kept.ts";
import { asked } from "../../store/sqlite/database.ts";
import { brokenBy, cutShort, integrityOf } from "../../store/repair/integrity.ts";
import { settleFile, unsoundRows } from "../../store/repair/salvage.ts";
import { databaseOf, mark } from "../../engine/upkeep/salvage-files.ts";
import { mendHistory } from "../../engine/upkeep/salvage-history.ts";
import { bytes, count } from "../render/numbers.ts";
import { broken, type Check, type Fix, look, well } from "./machine.ts";

const WAY = "end what uses the workspace and let --fix read what can be read into a new file";

/**
 * history.db: sound to SQLite, every word as it was written, whole in itself; how it keeps
 * messages.
 */
export async function checksOfHistory(folder: string): Promise<Check[]> {
  const kept = databaseOf(folder, "history");
  const { path } = kept;
  if (!existsSync(path))
    return [look("there is no history.db yet", "it is made with the first conversation")];
  const mend = (why: string): Fix => ({
    does:
      "put it aside under the date, read all that can be read into a new one, and fill it " +
      "up from backups",
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
    const why = brokenBy(path, thrown);
    if (why !== undefined) return damaged(why);
    return [
      broken(reasonOf(thrown), "put a backup in its place, or move it away to start a new history"),
    ];
  }
  const unsound = unsoundRows(path);
  if (unsound !== undefined) return damaged(unsound);
  const { messages, conversations, ownerless, folds, orphans, media } = settleFile(path, {
    dry: true,
  });
  const lacks = present([
    messages > 0 &&
      `${count(messages, "message")} of ${count(conversations, "conversation")} missing`,
    ownerless > 0 && `${count(ownerless, "conversation")} of nobody`,
    folds > 0 &&
      count(folds, "fold longer than what it covers", "folds longer than what they cover"),
    orphans > 0 && `${count(orphans, "row that belongs", "rows that belong")} to nothing`,
  ]);
  const settle: Fix = {
    does:
      "put its rows in order: what stands behind a gap becomes a conversation of its own, " +
      "what belongs to nothing goes",
    run: async () => {
      settleFile(path, { dry: false });
      return "the rows of the history are in order";
    },
  };
  return present([
    lacks.length > 0
      ? broken(
          `history is not whole in itself: ${lacks.join(", ")}`,
          "let --fix put it in order",
          settle,
        )
      : well(
          `history is sound (history.db, ${bytes(statSync(path).size)}), every message ` +
            "as it was written",
        ),
    well(KEPT[asked(path, keptAs)]),
    media > 0 &&
      look(
        `the bytes of ${count(media, "picture or document", "pictures and documents")} are gone`,
        "their messages are read without them",
      ),
  ]);
}

/** The first thing that SQLite finds wrong with a database. */
export const damageOf = (path: string): string | undefined =>
  statSync(path).isFile() ? (cutShort(path) ?? integrityOf(path)[0]) : undefined;

const KEPT = {
  verbatim: "messages are kept word for word",
  masked: "messages are kept without the secrets in them",
} as const;
