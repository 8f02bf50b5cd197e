import { defined } from "../../base/guards.ts";
import { type Memory } from "../../model/memory.ts";
import { type KeptValue, type Stored } from "../../model/store.ts";
import { digest, stableJson } from "../../text/hash.ts";
import { isEdited, type LogLine } from "../../workspace/log/daily-log.ts";
import { type JournalEvent } from "./commit.ts";
import { sameness } from "../sameness/canonical.ts";

/** An event as the line a rebuild will read. */
export function lineOf({ event, memory, row, again, until, of }: JournalEvent): LogLine {
  const { at, updatedAt, uses: _counted, ...rest } = memory;
  return {
    ...rest,
    event,
    at: updatedAt,
    said: at,
    statedAt: row?.statedAt,
    validFrom: row?.validFrom,
    sorted: row?.sorted,
    again,
    until,
    of,
  };
}

function storedOf(line: LogLine, version: number): Stored {
  const {
    id,
    content,
    scope,
    kind,
    category,
    key,
    importance = 0.5,
    source,
    origin,
    tags = [],
    at,
    said = at,
    expiresAt,
    statedAt = at,
    validFrom = at,
    sorted,
  } = line;
  const memory: Memory = {
    id,
    content,
    scope,
    kind,
    category,
    ...defined({ key, expiresAt }),
    importance,
    source,
    origin,
    tags,
    at: said,
    updatedAt: at,
    uses: 0,
    version,
  };
  return {
    memory,
    statedAt,
    validFrom,
    same: sameness(content),
    sorted: sorted || undefined,
  };
}

/**
 * What the lines of a journal add up to: every value of every memory, past and current. A line decides by its version, not
 * by its place: clocks go back, and two processes write one file. A person's edit of a value's line is what the value says;
 * a line a person took out takes its memory along; an edit of a value that no longer holds, or a second one of the same
 * value, is a memory of its own, so that both are kept.
 */
export function replay(lines: readonly LogLine[]): KeptValue[] {
  const byId = Map.groupBy(standing(lines), ({ id }) => id);
  const gone = new Set(lines.filter(({ event }) => event === "forgotten").map(({ id }) => id));
  const values = [...byId.values()]
    .flatMap(valuesOf)
    .filter(({ stored }) => !gone.has(stored.memory.id));
  return withOwnKeys(values);
}

/**
 * Without withdrawals and what each of them withdraws: of lines that say the same, the one told last before it. A clock that
 * went back may put a withdrawal into an earlier file; then it is whatever line is left.
 */
export function standing(lines: readonly LogLine[]): LogLine[] {
  const name = ({ event: _what, content: _text, ...rest }: LogLine): string => stableJson(rest);
  const withdrawals = new Map<string, number>();
  const withdrawn = (line: LogLine): boolean => {
    const left = withdrawals.get(name(line)) ?? 0;
    // What was saved in vain is forgotten, not withdrawn.
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
  // Gone is gone, whatever else was found of it.
  if (lines.some(({ event }) => event === "forgotten")) return [];
  const all = numbered(lines);
  const versions = [
    ...new Set(
      all
        .filter(({ event }) => event === "saved" || event === "updated")
        .map(({ version }) => version),
    ),
  ].sort((one, other) => one - other);
  const values: Stored[] = [];
  const aside: Stored[] = [];
  for (const version of versions) {
    const own = all.filter(
      (line) => line.version === version && (line.event === "saved" || line.event === "updated"),
    );
    const stating = own.find(({ again }) => again !== true);
    const latest = own.findLast(({ again }) => again === true) ?? stating;
    // The line that stated it was taken out by hand.
    if (stating === undefined || latest === undefined) continue;
    const edits = [...new Set(own.filter(isEdited).map(({ content }) => content))];
    const current = version === versions.at(-1);
    const content =
      (current ? edits.at(-1) : undefined) ??
      own.find((line) => !isEdited(line))?.content ??
      stating.content;
    const validFrom = stating.validFrom ?? stating.at;
    const stored = storedOf(
      { ...latest, content, validFrom, said: stating.said ?? stating.at },
      version,
    );
    values.push(stored);
    // Of an edited line the text before is not known any more: a past value says what its line says, and the edit is kept findable beside it.
    for (const edit of edits.filter((text) => !current || text !== content))
      aside.push(beside(stored, edit));
  }
  const newest = versions.at(-1);
  const end = all.find(({ event, version }) => event === "superseded" && version === newest);
  const kept = values.map((stored, at): KeptValue => {
    const next = values[at + 1];
    const until = next?.validFrom ?? (end === undefined ? undefined : (end.until ?? end.at));
    return until === undefined ? { stored } : { stored, until: Math.max(stored.validFrom, until) };
  });
  // The current value was taken out: the memory is forgotten with all it was before.
  if (values.at(-1)?.memory.version !== newest) return aside.map((stored) => ({ stored }));
  return [...kept, ...aside.map((stored): KeptValue => ({ stored }))];
}

/** An edit that met another: a memory of its own, under a name that is the same at every reading. */
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
  const owner = new Map<string, Memory>();
  const name = ({ scope, key }: Memory): string => JSON.stringify([scope, key]);
  const later = (one: Memory, other: Memory): boolean =>
    one.updatedAt > other.updatedAt || (one.updatedAt === other.updatedAt && one.id > other.id);
  for (const { stored, until } of values) {
    const known = owner.get(name(stored.memory));
    if (
      until === undefined &&
      stored.memory.key !== undefined &&
      (known === undefined || later(stored.memory, known))
    )
      owner.set(name(stored.memory), stored.memory);
  }
  return values.map((value) => {
    const { key, ...memory } = value.stored.memory;
    if (
      value.until !== undefined ||
      key === undefined ||
      owner.get(name(value.stored.memory))?.id === memory.id
    )
      return value;
    return { ...value, stored: { ...value.stored, memory } };
  });
}

/** One text for one state: equal for equal values, whatever order they came in. Use is not part of it: it is counted, not told. */
export function digestOf(values: readonly KeptValue[]): string {
  const texts = values.map(({ stored: { memory, statedAt, validFrom, sorted }, until }) => {
    const { uses: _counted, ...rest } = memory;
    return stableJson({ ...rest, statedAt, validFrom, sorted, until });
  });
  return digest(texts.sort().join("\n"));
}
