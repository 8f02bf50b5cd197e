import { type Keep } from "../../model/history.ts";
import { type HistoryStore } from "../../model/history-store.ts";
import { logOf } from "../sqlite/checkpointer.ts";
import { guarded, openDatabase, orClosed } from "../sqlite/database.ts";
import { type Mask } from "../../secrets/mask.ts";
import { type Cells } from "./cells.ts";
import { keepingLess } from "./keep.ts";
import { blindCells, notesOf, putNote, unlock } from "./keeping.ts";
import { inItsPlace, type Opened } from "./moved.ts";
import { HISTORY_STEPS } from "./schema.ts";
import { type SealKey } from "../sqlite/seal.ts";
import { type Under, historyOver } from "./history.ts";

export interface HistoryFileOptions extends Pick<Under, "damaged"> {
  /** Hears of a file that another took the place of while it was open. Absent: that is not looked for. */
  readonly moved?: (told: string) => void;
  /** Default: what the file kept last, all of it at first. */
  readonly keep?: Keep | undefined;
  readonly key?: SealKey | undefined;
  /** Instead of a key, to forget, to count or to look whether the file opens: nothing sealed is read. */
  readonly blind?: true;
  /** Takes secrets out of what is to be stored masked. */
  readonly mask?: () => Promise<Mask>;
}

/** The history port over SQLite; `path` may be ":memory:". Throws "config" for a key that does not fit, "history" for a file that does not open. */
export function openHistory(path: string, options: HistoryFileOptions = {}): HistoryStore {
  const { keep, ...first } = openFile(path, options);
  const { moved } = options;
  const open = (): Opened => openFile(path, options);
  const store =
    moved === undefined || first.database.memory
      ? first.store
      : inItsPlace(first, { path, open, moved });
  return keepingLess(store, { keep, mask: options.mask });
}

function openFile(path: string, options: HistoryFileOptions): Opened & { keep: Keep } {
  const database = openDatabase(path, HISTORY_STEPS, "history");
  return orClosed(database, () => {
    const unlocked = (): Cells =>
      options.blind === true ? blindCells(database) : unlock(database, path, options.key);
    const cells = guarded("history", `The history at ${path} could not be read`, unlocked);
    const held = notesOf(database).keep;
    if (options.keep !== undefined && options.keep !== (held ?? "verbatim"))
      putNote(database, "keep", options.keep);
    const log = logOf(database, path);
    const store = historyOver(database, path, { cells, log, ...options });
    return { database, log, store, keep: options.keep ?? held ?? "verbatim" };
  });
}
