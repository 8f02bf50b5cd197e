import type { Scope } from "../../model/identity.ts";
import type { KeptValue } from "../../model/store.ts";
import { standing } from "../../memory/saving/replay.ts";
import { allValues, byMemory, currentOf } from "../../memory/saving/values.ts";
import { tell } from "./journal.ts";
import { type LogLine, isValueLine, ofReceipt, sumOf } from "../../workspace/log/daily-log.ts";
import {
  isReceiptLike,
  idIn,
  namesSum,
  tellsNoValue,
  type Unread,
} from "../../workspace/lines/unread-line.ts";
import type { TidemarkEvent } from "../../model/events.ts";
import { folderOf } from "../../workspace/disk/paths.ts";
import type { Core } from "../session/core.ts";

/**
 * Takes back the lines of a distilling whose receipt never came: its writer died in the middle of
 * the write. The messages are distilled again, in other words maybe, and half of it must not stand
 * beside that. Answers whether there were any.
 */
export async function takeBackTorn(core: Core, scope: Scope, told: LinesTold): Promise<boolean> {
  const { workspace } = core;
  if ((await tornOf(core, scope, told)).length === 0) return false;
  // The writer of such lines holds the lock until the receipt stands: with it in hand, what has
  // none never gets one.
  return workspace.alone(async () => {
    const torn = await tornOf(core, scope, await workspace.journal.read(scope));
    if (torn.length === 0) return false;
    const taken = torn.map((line): LogLine => {
      return { ...line, event: line.event === "saved" ? "forgotten" : "withdrawn" };
    });
    await tell(workspace, scope, taken, { sayings: false });
    return true;
  });
}

/**
 * Without a receipt, and without effect: a receipt a person took out of the file proves nothing
 * against what is remembered.
 */
async function tornOf(
  { store, workspace }: Core,
  scope: Scope,
  { lines, unread }: LinesTold,
): Promise<LogLine[]> {
  if (!lines.some(({ of }) => of !== undefined)) return [];
  const rows = byMemory(await allValues(store, [scope]));
  const gone = new Set(lines.flatMap(({ event, id }) => (event === "forgotten" ? [id] : [])));
  const idle = standing(lines).filter(
    (line) => line.of !== undefined && !gone.has(line.id) && !isTrue(line, rows.get(line.id) ?? []),
  );
  if (idle.length === 0) return [];
  const since = Math.min(...idle.map(({ at }) => at));
  const receipted = new Set(
    (await workspace.journal.receipts(scope, since)).flatMap(({ receipt: { id } }) => [
      id,
      ofReceipt(id),
    ]),
  );
  // A receipt that cannot be read any more may have been theirs.
  const mayHave = unread.some(({ torn, raw }) => !torn && isReceiptLike(raw));
  return mayHave ? [] : idle.filter(({ of = "" }) => !receipted.has(of));
}

/** Does the index hold what the line tells, or something newer? */
function isTrue({ event, version = 1, at }: LogLine, own: readonly KeptValue[]): boolean {
  const current = currentOf(own)?.stored.memory;
  const newest = Math.max(0, ...own.map(({ stored }) => stored.memory.version));
  if (event === "superseded")
    return newest > 0 && (current === undefined || current.version > version);
  return (
    newest > version || (newest === version && (own.at(-1)?.stored.memory.updatedAt ?? 0) >= at)
  );
}

type KnownValues = ReadonlyMap<string, readonly KeptValue[]>;

/** The daily logs in lines that can be read, and lines that cannot. */
export interface LinesTold {
  readonly lines: readonly LogLine[];
  readonly unread: readonly Unread[];
}

/**
 * Reads the logs, and once more where the id alone of a line is damaged: the index does not know
 * it, and the line tells a value that misses its own. At its word it would double one memory and
 * forget it.
 */
export async function readTold<T extends LinesTold>(
  read: (misnamed?: ReadonlySet<string>) => Promise<T>,
  kept: readonly KeptValue[],
): Promise<T> {
  const first = await read();
  const wrong = misnamedIn(first.lines, kept);
  return wrong.size === 0 ? first : read(wrong);
}

function misnamedIn(lines: readonly LogLine[], kept: readonly KeptValue[]): Set<string> {
  const known = new Set(kept.map(({ stored }) => stored.memory.id));
  const strangers = lines.filter((line) => isValueLine(line) && !known.has(line.id));
  if (strangers.length === 0) return new Set();
  const told = new Set(lines.filter(isValueLine).map(({ id, version = "" }) => `${id} ${version}`));
  const missing = new Set<string>();
  for (const { stored } of kept) {
    const { id, version, scope, updatedAt, content } = stored.memory;
    if (told.has(`${id} ${version}`) || told.has(`${id} `)) continue;
    for (const trait of [updatedAt, sumOf(content)]) missing.add(`${scope} ${version} ${trait}`);
  }
  const isMissing = ({ scope, version = 1, at, sum, content }: LogLine): boolean =>
    [at, sum, sumOf(content)].some((trait) => missing.has(`${scope} ${version} ${trait ?? ""}`));
  return new Set(strangers.filter(isMissing).map(({ id }) => id));
}

/** Does the index hold a value, or the end of one, that the journal no longer tells? */
function loses(own: readonly KeptValue[], told: readonly KeptValue[]): boolean {
  const versions = new Set(told.map(({ stored }) => stored.memory.version));
  const ended = currentOf(own) === undefined && currentOf(told) !== undefined;
  return ended || own.some(({ stored }) => !versions.has(stored.memory.version));
}

/**
 * The memories that unread lines may belong to, of those the journal tells otherwise than the
 * index: the one a line names, by its id or the sum of its text; where it names none, all that lack
 * a line.
 */
export function inDoubt(
  unread: readonly Unread[],
  { rows, tales, differs }: { rows: KnownValues; tales: KnownValues; differs: ReadonlySet<string> },
): Set<string> {
  const left = new Set<string>();
  const lacking = [...differs].flatMap((id) => {
    const own = rows.get(id) ?? [];
    if (!loses(own, tales.get(id) ?? [])) return [];
    const scope = own[0]?.stored.memory.scope;
    const sums = own.map(({ stored }) => sumOf(stored.memory.content));
    return [{ id, sums, home: scope === undefined ? "" : folderOf(scope) }];
  });
  for (const { raw, folder } of unread) {
    const id = idIn(raw);
    if (id !== undefined && rows.has(id) && differs.has(id)) left.add(id);
    else if (!tellsNoValue(raw)) {
      const here = lacking.filter(({ home }) => home === folder);
      const named = here.filter(({ sums }) => sums.some((sum) => namesSum(raw, sum)));
      for (const one of named.length > 0 ? named : here) left.add(one.id);
    }
  }
  return left;
}

/** Numbers one event names of a log: enough to begin with. */
const NAMED = 20;

/** One event for each log that holds lines which cannot be read. */
export function unreadEvents(unread: readonly Unread[]): TidemarkEvent[] {
  return [...Map.groupBy(unread, ({ file }) => file)].map(([file, lines]) => {
    const numbers = lines
      .slice(0, NAMED)
      .map(({ line }) => line)
      .join(", ");
    const more = lines.length > NAMED ? ` and ${lines.length - NAMED} more` : "";
    const [these, them] = lines.length === 1 ? ["This line", "it"] : ["These lines", "them"];
    return {
      type: "degraded",
      where: "journal",
      code: "workspace",
      error:
        `${these} of ${file} cannot be read: ${numbers}${more}. What memory holds of ` +
        `${them} stays as it is; mend ${them}, or take ${them} out whole to forget it.`,
    };
  });
}
