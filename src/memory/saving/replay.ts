import { defined } from "../../base/guards.ts";
import type { Memory } from "../../model/memory.ts";
import type { KeptValue, Stored } from "../../model/store.ts";
import { digest, stableJson } from "../../text/hash.ts";
import { isEdited, isValueLine, type LogLine } from "../../workspace/log/daily-log.ts";
import type { JournalEvent } from "./commit.ts";
import { sameness } from "../sameness/canonical.ts";

/** An event as the line a rebuild will read. */
export function lineOf({ event, row, again, until, of }: JournalEvent): LogLine {
  const { at: said, updatedAt: at, uses: _counted, ...rest } = row.memory;
  const { statedAt, validFrom, sorted } = row;
  return { ...rest, event, at, said, statedAt, validFrom, sorted, again, until, of };
}

function storedOf(line: Numbered): Stored {
  const { id, content, scope, kind, category, key, source, origin, version, expiresAt } = line;
  const { importance = 0.5, tags = [], at, said = at, statedAt = at, validFrom = at } = line;
  const what = { id, content, scope, kind, category, ...defined({ key, expiresAt }), importance };
  const memory = { ...what, source, origin, tags, at: said, updatedAt: at, uses: 0, version };
  return { memory, statedAt, validFrom, same: sameness(content), sorted: line.sorted || undefined };
}

/**
 * What the lines of a journal add up to: every value of every memory, past and current. A line
 * decides by its version, not by its place: clocks go back, and two processes write one file. A
 * person's edit of a value's line is what the value says; a line a person took out takes its memory
 * along; an edit of a value that no longer holds, or a second one of the same value, is a memory of
 * its own, so that both are kept.
 */
export function replay(lines: readonly LogLine[]): KeptValue[] {
  // Gone is gone, whatever else was found of it.
  const gone = new Set(lines.filter(({ event }) => event === "forgotten").map(({ id }) => id));
  const stays = ({ id }: Pick<Memory, "id">): boolean => !gone.has(id);
  const byId = Map.groupBy(standing(lines.filter(stays)), ({ id }) => id);
  const values = [...byId.values()].flatMap(valuesOf);
  return withOwnKeys(values.filter(({ stored }) => stays(stored.memory)));
}

/**
 * Without withdrawals and what each of them withdraws: of lines that say the same, the one told
 * last before it. A clock that went back may put a withdrawal into an earlier file; then it is
 * whatever line is left.
 */
export function standing(lines: readonly LogLine[]): LogLine[] {
  const name = ({ event: _what, content: _text, ...rest }: LogLine): string => stableJson(rest);
  const withdrawals = new Map<string, number>();
  const withdrawn = (line: LogLine): boolean => {
    const left = withdrawals.get(name(line)) ?? 0;
    // A memory saved in vain is forgotten, not withdrawn.
    if (left === 0 || line.event === "saved") return false;
    withdrawals.set(name(line), left - 1);
    return true;
  };
  const stood = lines.toReversed().filter((line) => {
    if (line.event !== "withdrawn") return !withdrawn(line);
    withdrawals.set(name(line), (withdrawals.get(name(line)) ?? 0) + 1);
    return false;
  });
  return stood.filter((line) => !withdrawn(line)).reverse();
}

interface Numbered extends LogLine {
  readonly version: number;
}

/** The oldest logs do not number their values: one with another text is the next. */
function numbered(lines: readonly LogLine[]): Numbered[] {
  let [version, content] = [0, ""];
  return lines.map((line) => {
    if (line.version === undefined && line.event !== "superseded" && line.content !== content)
      version += 1;
    version = line.version ?? Math.max(1, version);
    content = line.content;
    return { ...line, version };
  });
}

function valuesOf(lines: readonly LogLine[]): KeptValue[] {
  const all = numbered(lines);
  const telling = Map.groupBy(all.filter(isValueLine), ({ version }) => version);
  const newest = Math.max(...telling.keys());
  const values: Stored[] = [];
  const aside: KeptValue[] = [];
  for (const [version, own] of [...telling].sort(([one], [other]) => one - other)) {
    const stating = own.find(({ again }) => again !== true);
    // The line that stated it was taken out by hand.
    if (stating === undefined) continue;
    const latest = own.findLast(({ again }) => again === true) ?? stating;
    const edits = [...new Set(own.filter(isEdited).map(({ content }) => content))];
    const edit = version === newest ? edits.at(-1) : undefined;
    const written = own.find((line) => !isEdited(line)) ?? stating;
    const content = edit ?? written.content;
    const { at, said = at, validFrom = at } = stating;
    const stored = storedOf({ ...latest, content, validFrom, said });
    values.push(stored);
    // An edited line's former text is lost: a past value says its line, and the edit stays
    // findable.
    for (const text of edits)
      if (version !== newest || text !== content) aside.push({ stored: beside(stored, text) });
  }
  // The current value was taken out: the memory is forgotten with all it was before.
  if (values.at(-1)?.memory.version !== newest) return aside;
  const end = all.find(({ event, version }) => event === "superseded" && version === newest);
  const kept = values.map((stored, at): KeptValue => {
    const until = values[at + 1]?.validFrom ?? end?.until ?? end?.at;
    return until === undefined ? { stored } : { stored, until: Math.max(stored.validFrom, until) };
  });
  return [...kept, ...aside];
}

/**
 * An edit that met another: a memory of its own, under a name that is the same at every reading.
 */
function beside(
  { memory: { key: _theirs, ...memory }, ...stored }: Stored,
  content: string,
): Stored {
  return {
    ...stored,
    same: sameness(content),
    memory: { ...memory, id: `${memory.id}.${digest(content).slice(0, 8)}`, content, version: 1 },
  };
}

/** A key is one current memory's in its scope: the one changed last. */
function withOwnKeys(values: readonly KeptValue[]): KeptValue[] {
  const name = ({ scope, key }: Memory): string => JSON.stringify([scope, key]);
  const keyed = values
    .filter(({ stored, until }) => until === undefined && stored.memory.key !== undefined)
    .map(({ stored }) => stored.memory)
    .sort((one, other) => one.updatedAt - other.updatedAt || (one.id < other.id ? -1 : 1));
  // The last of a name stands for it.
  const owners = new Map(keyed.map((memory) => [name(memory), memory]));
  const without = new Set(keyed.filter((memory) => owners.get(name(memory)) !== memory));
  return values.map((value) => {
    if (!without.has(value.stored.memory)) return value;
    const { key: _anothers, ...memory } = value.stored.memory;
    return { ...value, stored: { ...value.stored, memory } };
  });
}

/**
 * One text for one state: equal for equal values, whatever order they came in. Use is not part of
 * it: it is counted, not told.
 */
export function digestOf(values: readonly KeptValue[]): string {
  const texts = values.map(({ stored: { memory, statedAt, validFrom, sorted }, until }) => {
    const { uses: _counted, ...rest } = memory;
    return stableJson({ ...rest, statedAt, validFrom, sorted, until });
  });
  return digest(texts.sort().join("\n"));
}
