import { isTrusted, type Origin } from "../model/memory.ts";
import { linesOf } from "../text/markdown.ts";
import { clip, normalForm, oneLine } from "../text/one-line.ts";
import { remembering } from "../text/remembering.ts";
import { isoOf, markedLine, momentOf, readMarkedLine } from "./marked-line.ts";

/** One remembered thing as a line of MEMORY.md. */
export interface Remembered {
  readonly id: string;
  readonly content: string;
  readonly category: string;
  readonly origin: Origin;
  /** ms since epoch. */
  readonly at: number;
  readonly importance: number;
}

/** A line of MEMORY.md. `entry`: one that `remember` wrote; the rest is a person's. */
export interface MemoryLine {
  readonly raw: string;
  /** Between the head's markers: never dropped to make room. */
  readonly head: boolean;
  readonly entry?: Remembered;
}

export const MEMORY_BOUND = 64_000;
/** An entry is a reminder; the whole text stands in the daily log. */
const ENTRY_BOUND = 2_000;

export const HEAD = "<!-- tidemark:head -->";
export const HEAD_END = "<!-- /tidemark:head -->";
/** A file to start with where no template made one. */
export const EMPTY_MEMORY = `# Memory\n\n${HEAD}\n${HEAD_END}\n\n`;
const ORIGINS = { host: "", user: "", agent: "", tool: "(from a tool, unverified) ", untrusted: "(unverified) " } satisfies Record<Origin, string>;
const isOrigin = (value: string): value is Origin => Object.hasOwn(ORIGINS, value);

/** On one line, and unable to open a comment of its own. */
const tame = (content: string): string => clip(oneLine(content).replaceAll("<!--", "<! --"), ENTRY_BOUND);

const lineOf = ({ id, content, category, origin, at, importance }: Remembered): string =>
  markedLine(ORIGINS[origin] + tame(content), { id, category, origin, at: isoOf(at), importance: String(importance) });

/** Of a file that is read with every fold, all but a few lines are as they were. */
const entryOf = remembering((raw: string): Remembered | undefined => {
  const line = readMarkedLine(raw);
  const id = line?.fields.get("id");
  const at = momentOf(line?.fields.get("at"));
  if (line === undefined || id === undefined || at === undefined) return undefined;
  // A mark somebody cut down vouches for nothing.
  const given = line.fields.get("origin") ?? "";
  const origin = isOrigin(given) ? given : "untrusted";
  const content = line.text.startsWith(ORIGINS[origin]) ? line.text.slice(ORIGINS[origin].length) : line.text;
  const importance = Number(line.fields.get("importance") ?? 0.5);
  return { id, content, category: line.fields.get("category") ?? "general", origin, at, importance: Number.isFinite(importance) ? importance : 0.5 };
});

export function readMemory(text: string): MemoryLine[] {
  const lines = linesOf(text);
  const start = lines.findIndex((line) => line.trim() === HEAD);
  const end = lines.findIndex((line, index) => index > start && line.trim() === HEAD_END);
  return lines.map((raw, index) => {
    const entry = entryOf(raw);
    return { raw, head: start >= 0 && index >= start && index <= end, ...(entry === undefined ? {} : { entry }) };
  });
}

/** What a bullet says, in normal form; undefined for lines that are no bullet. A person's bullet counts as well as ours. */
export function saidBy(line: MemoryLine): string | undefined {
  if (line.entry !== undefined) return normalForm(line.entry.content);
  const bullet = /^\s*[-*+]\s+(.*)$/.exec(line.raw)?.[1];
  return bullet === undefined ? undefined : normalForm(bullet.replace(/<!--.*?-->/g, ""));
}

const writeMemory = (lines: readonly MemoryLine[]): string => `${lines.map((line) => line.raw).join("\n").trimEnd()}\n`;

/** The file with these entries: one line per id and per content, the oldest dropped when it grows over the bound. */
export function withEntries(text: string | undefined, entries: readonly Remembered[], bound = MEMORY_BOUND): string {
  const lines = readMemory(writeMemory(readMemory(text ?? EMPTY_MEMORY)));
  const last = lines.pop();
  if (last !== undefined && last.raw !== "") lines.push(last);
  if (lines.at(-1)?.entry === undefined) lines.push({ raw: "", head: false });
  const byId = new Map<string, number>();
  const bySaying = new Map<string, number>();
  const note = (line: MemoryLine, index: number): void => {
    if (line.entry !== undefined) byId.set(line.entry.id, index);
    const said = saidBy(line);
    if (said !== undefined && said !== "") bySaying.set(said, index);
  };
  lines.forEach(note);
  const merged = new Set<MemoryLine | undefined>();
  for (const given of entries) {
    const raw = lineOf(given);
    const entry = entryOf(raw);
    if (entry === undefined) continue;
    const twin = bySaying.get(normalForm(entry.content));
    const before = byId.get(entry.id);
    if (entry.content === "") {
      if (before !== undefined) merged.add(lines[before]);
      continue;
    }
    // The same words under another id: kept once, and as trusted as the better of the two.
    const known = twin === undefined || twin === before ? undefined : lines[twin];
    if (known !== undefined && (known.entry === undefined || isTrusted(known.entry.origin) || !isTrusted(entry.origin))) {
      if (before !== undefined) merged.add(lines[before]);
      continue;
    }
    const index = before ?? twin ?? lines.length;
    const said = lines[index] === undefined ? undefined : saidBy(lines[index]);
    if (said !== undefined) bySaying.delete(said);
    lines[index] = { raw, head: lines[index]?.head ?? false, entry };
    note(lines[index], index);
  }
  return writeMemory(bounded(lines.filter((line) => !merged.has(line)), bound));
}

/** Share of the bound that is the entries' however much a person wrote: the newest never have to go for want of room. */
const ENTRIES_SHARE = 1 / 8;

function bounded(lines: readonly MemoryLine[], bound: number): MemoryLine[] {
  const entries = lines.filter((line) => !line.head && line.entry !== undefined).sort((a, b) => (b.entry?.at ?? 0) - (a.entry?.at ?? 0));
  const weigh = (some: readonly MemoryLine[]): number => some.reduce((sum, line) => sum + line.raw.length + 1, 0);
  let room = Math.max(bound - (weigh(lines) - weigh(entries)), Math.floor(bound * ENTRIES_SHARE));
  const gone = new Set(entries.filter(({ raw }) => (room -= raw.length + 1) < 0));
  return lines.filter((line) => !gone.has(line));
}

/** The file without the lines `gone` names, and without bullets that say the same as one of them. */
export function withoutEntries(text: string, gone: (entry: Remembered) => boolean, sayings: ReadonlySet<string> = new Set()): string {
  const lines = readMemory(text);
  const said = new Set(sayings);
  const dropped = new Set<MemoryLine>();
  for (const line of lines) {
    if (line.entry === undefined || !gone(line.entry)) continue;
    dropped.add(line);
    said.add(normalForm(line.entry.content));
  }
  const kept = lines.filter((line) => !dropped.has(line) && !said.has(saidBy(line) ?? ""));
  return kept.length === lines.length ? text : writeMemory(kept);
}
