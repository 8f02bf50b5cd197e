import { SCOPE_KINDS, type Scope } from "../model/identity.ts";
import { isDict } from "../base/guards.ts";
import {
  formatLogLine,
  isTorn,
  type LogLine,
  logOpening,
  logPath,
  ofReceipt,
  parseLogLine,
  withoutTorn,
} from "./daily-log.ts";
import { type Folder, type Listed, type Stamps } from "./folder.ts";
import { fileOf, folderOf, type Place, shown } from "./paths.ts";
import {
  formatReceiptLine,
  oldestDay,
  parseReceiptLine,
  type ReceiptLine,
} from "./receipt-line.ts";
import { takingTurns } from "./turns.ts";
import { isRemnant, type Unread } from "./unread-line.ts";

/** The daily logs as a journal: written to, read whole, and watched for what others write. */
export interface Logbook {
  append(lines: readonly LogLine[], scope: Scope, receipt?: ReceiptLine): Promise<void>;
  /** What was receipted in a scope since a moment, and the ids of the memories it was about. */
  receipts(scope: Scope, since: number): Promise<Receipted[]>;
  /** Our own rewriting of a log. */
  rewrite(place: Place, change: (text: string) => string): Promise<void>;
  /** All lines of a scope, oldest file first; none under these ids is. What they are made from counts as seen. */
  read(
    scope: Scope,
    misnamed?: ReadonlySet<string>,
  ): Promise<{ lines: LogLine[]; unread: Unread[] }>;
  /** A torn last line is dropped, or ended where it stays. */
  endTorn(scope: Scope, stays: boolean): Promise<void>;
  /** Has another process or a person written since, or was nothing ever read here? */
  changed(scope: Scope): Promise<boolean>;
  /** What was read of the scope is to be read once more. */
  lookAgain(scope: Scope): void;
  /** The lines of every scope. A line that stands in another scope's folder does not count: `odd` counts them. */
  everything(
    misnamed?: ReadonlySet<string>,
  ): Promise<{ lines: LogLine[]; unread: Unread[]; files: string[]; odd: number }>;
  has(at: number, scope: Scope): Promise<boolean>;
  /** Keeps what is known of the files for the next process. */
  settle(): Promise<void>;
}

export interface Receipted {
  readonly receipt: ReceiptLine;
  readonly memories: readonly string[];
}

/** Logs whose receipts are kept; to read one again costs little. */
const LOGS = 512;
const SEEN: Place = { base: ".tidemark", path: "journal.json" };
const DAY_FILE = /(?:^|\/)memory\/-?\d{4,}-\d\d-\d\d\.md$/;

export function logbook(folder: Folder): Logbook {
  const turns = takingTurns();
  // The lock of the folder first: its holder must not wait for one that waits for it.
  const inTurn = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    folder.alone(() => turns(name, work));
  const receipted = new Map<string, { stamp: string; found: Receipted[] }>();
  let known: Promise<Map<string, string>> | undefined;
  const seen = (): Promise<Map<string, string>> => (known ??= recalled(folder));

  const filesOf = async (scope: Scope): Promise<Listed[]> =>
    (await folder.list(folderOf(scope), "memory")).filter(({ place }) => DAY_FILE.test(place.path));
  const stampOf = async (place: Place): Promise<string> =>
    (await folder.list(place.base, place.path))[0]?.stamp ?? "";
  const textOf = async (place: Place): Promise<string> => (await folder.read(place)) ?? "";
  const rewrite = (place: Place, change: (text: string) => string): Promise<void> =>
    writing(place, () =>
      folder.change(place, (text) => (text === undefined ? undefined : change(text))),
    );

  /** Our own write does not count as a change, unless there was one already. */
  const noteOwn = (map: Map<string, string>, place: Place, { before, after }: Stamps): void => {
    if ((map.get(shown(place)) ?? "") === before) map.set(shown(place), after);
  };
  const writing = (place: Place, work: () => Promise<void>): Promise<void> =>
    inTurn(shown(place), async () => {
      const map = await seen();
      const before = await stampOf(place);
      await work();
      await folder.behind(async () => noteOwn(map, place, { before, after: await stampOf(place) }));
    });

  return {
    async append(lines, scope, receipt) {
      const days = new Map<string, { at: number; text: string[] }>();
      const put = (at: number, text: string): unknown =>
        days.set(logPath(at), { at, text: [...(days.get(logPath(at))?.text ?? []), text] });
      for (const line of lines) put(line.at, formatLogLine(line));
      if (receipt) put(receipt.at, formatReceiptLine(receipt));
      // Its day last: it says that the rest is there.
      const last = receipt && logPath(receipt.at);
      for (const [path, { at, text }] of [...days].sort(
        ([one], [other]) => Number(one === last) - Number(other === last),
      )) {
        const place = fileOf(scope, path);
        await inTurn(shown(place), async () => {
          const map = await seen();
          const { before, after } = await folder.append(
            place,
            text.map((line) => `${line}\n`).join(""),
            logOpening(at),
            isTorn,
          );
          noteOwn(map, place, { before, after });
        });
      }
    },

    async receipts(scope, since) {
      const found: Receipted[] = [];
      for (const { place, stamp } of await filesOf(scope)) {
        if (place.path.slice(place.path.lastIndexOf("/") + 1, -".md".length) < oldestDay(since))
          continue;
        let kept = receipted.get(shown(place));
        if (kept?.stamp !== stamp) {
          kept = { stamp, found: owned(receiptedIn(await textOf(place), scope)) };
          if (receipted.size >= LOGS) receipted.clear();
          receipted.set(shown(place), kept);
        }
        found.push(...kept.found);
      }
      return found;
    },

    rewrite,

    async read(scope, misnamed) {
      const map = await seen();
      const lines: LogLine[] = [];
      const unread: Unread[] = [];
      for (const { place, stamp } of await filesOf(scope)) {
        // The stamp is older than the text: what is written in between is read again.
        map.set(shown(place), stamp);
        const found = readLog(await textOf(place), { place, home: folderOf(scope), misnamed });
        for (const line of found.lines) lines.push(line);
        unread.push(...found.unread);
      }
      return { lines, unread };
    },

    async endTorn(scope, stays) {
      for (const { place } of await filesOf(scope)) {
        // Under the lock no writer is in the middle of a line: what is torn there stays torn. Where nothing can be written, it stays.
        const torn = withoutTorn(await textOf(place)) !== (await textOf(place));
        if (torn)
          await rewrite(place, (text) =>
            stays && withoutTorn(text) !== text ? `${text}\n` : withoutTorn(text),
          ).catch(() => undefined);
      }
    },

    async changed(scope) {
      const map = await seen();
      const files = await filesOf(scope);
      return files.some(({ place, stamp }) => map.get(shown(place)) !== stamp);
    },

    lookAgain(scope) {
      void seen().then(
        (map) =>
          [...map.keys()]
            .filter((path) => path.startsWith(shown(fileOf(scope, "memory/"))))
            .forEach((path) => map.delete(path)),
        () => undefined,
      );
    },

    async everything(misnamed) {
      const places = [
        ...(await folder.list("", "memory")),
        ...(await Promise.all(SCOPE_KINDS.map((kind) => folder.list("scopes", kind)))).flat(),
      ]
        .map(({ place }) => place)
        .filter(({ path }) => DAY_FILE.test(path));
      let odd = 0;
      const lines: LogLine[] = [];
      const unread: Unread[] = [];
      for (const place of places) {
        const home = shown(place).replace(/\/?memory\/[^/]+$/, "");
        const found = readLog(await textOf(place), { place, home, misnamed });
        for (const line of found.lines) lines.push(line);
        unread.push(...found.unread);
        odd += found.odd;
      }
      return { lines, unread, files: places.map(shown), odd };
    },

    has: async (at, scope) => (await stampOf(fileOf(scope, logPath(at)))) !== "",

    async settle() {
      if (known === undefined) return;
      const text = `${JSON.stringify(Object.fromEntries(await known))}\n`;
      await folder.change(SEEN, () => text);
    },
  };
}

/** One log of a folder. A line of another folder's scope cannot be read here: `odd` counts them. */
function readLog(
  text: string,
  {
    place,
    home,
    misnamed,
  }: { place: Place; home: string; misnamed: ReadonlySet<string> | undefined },
): { lines: LogLine[]; unread: Unread[]; odd: number } {
  const [lines, unread]: [LogLine[], Unread[]] = [[], []];
  let odd = 0;
  const rows = text.split("\n");
  for (const [at, raw] of rows.entries()) {
    const line = parseLogLine(raw);
    const foreign = line !== undefined && folderOf(line.scope) !== home;
    if (line !== undefined && !foreign && misnamed?.has(line.id) !== true) lines.push(line);
    else if (line !== undefined || (isRemnant(raw) && parseReceiptLine(raw) === undefined)) {
      const torn = at === rows.length - 1 && isTorn(raw);
      unread.push({ folder: home, file: shown(place), line: at + 1, raw, torn });
      if (foreign) odd += 1;
    }
  }
  return { lines, unread, odd };
}

/** In strings of its own: each cut from a log would keep the whole log in memory. */
const owned = (found: Receipted[]): Receipted[] => JSON.parse(JSON.stringify(found)) as Receipted[];

function receiptedIn(text: string, scope: Scope): Receipted[] {
  if (!text.includes(" receipt: ")) return [];
  const rows = text.split("\n");
  const written = rows.flatMap((raw) => parseLogLine(raw) ?? []);
  return rows.flatMap((raw) => {
    const receipt = parseReceiptLine(raw);
    if (receipt?.scope !== scope) return [];
    const memories = written
      .filter(
        ({ of, event }) =>
          (of === receipt.id || of === ofReceipt(receipt.id)) &&
          (event === "saved" || event === "updated"),
      )
      .map(({ id }) => id);
    return [{ receipt, memories: [...new Set(memories)] }];
  });
}

/** What the last process knew. Unreadable is unknown: then all is read once more. */
async function recalled(folder: Folder): Promise<Map<string, string>> {
  try {
    const held: unknown = JSON.parse((await folder.read(SEEN)) ?? "{}");
    return new Map(
      isDict(held)
        ? Object.entries(held).filter(
            (entry): entry is [string, string] => typeof entry[1] === "string",
          )
        : [],
    );
  } catch {
    return new Map();
  }
}
