import type { Scope } from "../../model/identity.ts";
import {
  asJournal,
  eventOpening,
  formatLogLine,
  isTorn,
  type LogLine,
  logOpening,
  logPath,
  parseLogLine,
  withoutTorn,
} from "./daily-log.ts";
import { eventLine, type LoggedEvent } from "../lines/event-line.ts";
import { type Folder, stampAt } from "../disk/folder.ts";
import { fileOf, folderOf, type FilePlace, shown } from "../disk/paths.ts";
import { formatReceiptLine, parseReceiptLine, type ReceiptLine } from "../lines/receipt-line.ts";
import { allLogs, createStamps, filesOf, isOfEvents, textOf } from "./log-files.ts";
import { createReceipts } from "./receipts.ts";
import { isRemnant, type Unread } from "../lines/unread-line.ts";

export type Logbook = ReturnType<typeof logbook>;

/** The daily logs as a journal: written to, read whole, and watched for what others write. */
export function logbook(folder: Folder) {
  const stamps = createStamps(folder);
  const writes = logWriter(folder, stamps);
  /** The logs of a scope that were there when they were read last, as paths from the root. */
  async function known(scope: Scope): Promise<string[]> {
    const start = shown(fileOf(scope, "memory/"));
    return [...(await stamps.seen()).keys()].filter((path) => path.startsWith(start));
  }

  return {
    ...writes,
    known,
    /** Receipts of a scope since a moment, with the ids of the memories they are about. */
    receipts: createReceipts(folder),

    /**
     * All lines of a scope, oldest file first; none under these ids is. What they are made from
     * counts as seen.
     */
    async read(scope: Scope, misnamed?: ReadonlySet<string>): Promise<Logs> {
      const seen = await stamps.seen();
      const logs = noLogs();
      for (const path of await known(scope)) seen.delete(path);
      for (const { place, stamp } of await filesOf(folder, scope)) {
        // The stamp is older than the text: what is written in between is read again.
        seen.set(shown(place), stamp);
        addLog(logs, await textOf(folder, place), { place, home: folderOf(scope), misnamed });
      }
      return logs;
    },

    /** A torn last line is dropped, or ended where it stays. */
    async endTorn(scope: Scope, stays: boolean): Promise<void> {
      for (const { place } of await filesOf(folder, scope)) {
        // Under the lock no writer is in the middle of a line: what is torn there stays torn. Where
        // nothing can be written, it stays.
        const text = await textOf(folder, place);
        const ended = (now: string): string =>
          stays && withoutTorn(now) !== now ? `${now}\n` : withoutTorn(now);
        if (ended(text) !== text) await writes.rewrite(place, ended).catch(() => undefined);
      }
    },

    /** Has another process or a person written since, or was nothing ever read here? */
    async changed(scope: Scope): Promise<boolean> {
      const seen = await stamps.seen();
      const files = await filesOf(folder, scope);
      return (
        files.some(({ place, stamp }) => seen.get(shown(place)) !== stamp) ||
        files.length < (await known(scope)).length
      );
    },

    /** The logs of the scope are to be read once more. */
    lookAgain: (scope: Scope): void => stamps.drop(shown(fileOf(scope, "memory/"))),

    /** The lines of every scope. */
    async everything(misnamed?: ReadonlySet<string>): Promise<Logs & { readonly files: string[] }> {
      const places = await allLogs(folder);
      const logs = noLogs();
      for (const place of places) {
        const home = shown(place).replace(/\/?memory\/[^/]+$/, "");
        addLog(logs, await textOf(folder, place), { place, home, misnamed });
      }
      return { ...logs, files: places.map(shown) };
    },

    /** Is there a log of that day, with more than events in it, or with less than there was? */
    async has(at: number, scope: Scope): Promise<boolean> {
      const place = fileOf(scope, logPath(at));
      return (await stampAt(folder, place)) !== "" && !(await isOfEvents(folder, place));
    },
    /** Keeps what is known of the files for the next process. */
    settle: stamps.settle,
  };
}

/** All that writes to logs. */
function logWriter(folder: Folder, stamps: ReturnType<typeof createStamps>) {
  /**
   * Logs in which this process has told of memories: as long as they are as it left them, nothing
   * of them need be read.
   */
  const journals = new Set<string>();
  return {
    async append(lines: readonly LogLine[], scope: Scope, receipt?: ReceiptLine): Promise<void> {
      for (const { at, text } of daysOf(lines, receipt)) {
        const place = fileOf(scope, logPath(at));
        await stamps.write(place, async (note) => {
          const path = shown(place);
          const before = (await stamps.seen()).get(path);
          const now = await stampAt(folder, place);
          const isKnown = now !== "" && before === now && journals.has(path);
          const isOfNone = !isKnown && (now === "" || (await isOfEvents(folder, place)));
          // One that was taken away does not come back as if it told all of the day.
          const isPart = isOfNone && before !== undefined && before !== now;
          if (isOfNone && !isPart) await folder.change(place, asJournal);
          const opening = isPart ? eventOpening(at) : logOpening(at);
          note(await folder.append(place, text, opening, isTorn));
          if (!isPart) journals.add(path);
        });
      }
    },

    /** Lines for people: nothing that is read here knows of them. */
    async tell(events: readonly LoggedEvent[], scope: Scope): Promise<void> {
      for (const { at, text } of byDay(
        events.map((event) => ({ at: event.at, text: eventLine(event) })),
      )) {
        const place = fileOf(scope, logPath(at));
        await stamps.write(place, async (note) =>
          note(await folder.append(place, text, eventOpening(at), isTorn)),
        );
      }
    },

    /** Our own rewriting of a log. */
    rewrite: (place: FilePlace, change: (text: string) => string): Promise<void> =>
      stamps.write(place, async (note) => {
        const before = await stampAt(folder, place);
        await folder.change(place, (text) => text && change(text));
        await folder.behind(async () => note({ before, after: await stampAt(folder, place) }));
      }),
  };
}

/** A line of a log, or all that are new in it, and a moment of its day. */
interface DayText {
  readonly at: number;
  readonly text: string;
}

/** The text to append to each day's log. */
function byDay(rows: readonly DayText[]): DayText[] {
  const days = new Map<string, DayText>();
  for (const { at, text } of rows) {
    const path = logPath(at);
    days.set(path, { at, text: `${days.get(path)?.text ?? ""}${text}\n` });
  }
  return [...days.values()];
}

/** The receipt's day last: it says that the rest is there. */
function daysOf(lines: readonly LogLine[], receipt: ReceiptLine | undefined): DayText[] {
  const rows = lines.map((line) => ({ at: line.at, text: formatLogLine(line) }));
  if (receipt === undefined) return byDay(rows);
  const isLast = ({ at }: DayText): number => Number(logPath(at) === logPath(receipt.at));
  return byDay([...rows, { at: receipt.at, text: formatReceiptLine(receipt) }]).sort(
    (one, other) => isLast(one) - isLast(other),
  );
}

/**
 * What logs tell. A line that stands in another scope's folder does not count: `odd` counts them.
 */
type Logs = {
  readonly lines: LogLine[];
  readonly unread: Unread[];
  odd: number;
};
const noLogs = (): Logs => ({ lines: [], unread: [], odd: 0 });

/** Adds one log of a folder. A line of another folder's scope cannot be read here. */
function addLog(
  logs: Logs,
  text: string,
  { place, home, misnamed }: { place: FilePlace; home: string; misnamed?: ReadonlySet<string> },
): void {
  const rows = text.split("\n");
  for (const [at, raw] of rows.entries()) {
    const line = parseLogLine(raw);
    const foreign = line !== undefined && folderOf(line.scope) !== home;
    if (line !== undefined && !foreign && misnamed?.has(line.id) !== true) logs.lines.push(line);
    else if (line !== undefined || (isRemnant(raw) && parseReceiptLine(raw) === undefined)) {
      const torn = at === rows.length - 1 && isTorn(raw);
      logs.unread.push({ folder: home, file: shown(place), line: at + 1, raw, torn });
      if (foreign) logs.odd += 1;
    }
  }
}
