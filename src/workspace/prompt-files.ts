import { DEFAULT_SCOPE, type Scope } from "../model/identity.ts";
import { isTrusted } from "../model/memory.ts";
import { clipLines, headingsOf, linesOf, withoutComments, withoutEmptySections, withoutFrontMatter } from "../text/markdown.ts";
import { normalForm } from "../text/one-line.ts";
import { learningsText } from "./learnings.ts";
import { readMemory, type MemoryLine, type Remembered } from "./memory-file.ts";
import { type Templates } from "./scaffold.ts";

/** Characters each section may take (design §8). */
export interface PromptCaps {
  readonly soul: number;
  readonly user: number;
  readonly agents: number;
  readonly memory: number;
  readonly learnings: number;
}
export const PROMPT_CAPS: PromptCaps = { soul: 4_000, user: 4_000, agents: 12_000, memory: 16_000, learnings: 400 };

export interface PromptTexts {
  readonly soul: string;
  readonly user: string;
  readonly agents: string;
  readonly memory: string;
  readonly learnings: string;
  /** Characters of the learnt lines among these: they have one room together with the facts. */
  readonly learnt: number;
  /** Facts that stand in `memory` already: ids, and contents as `normalForm` gives them. */
  readonly standing: { readonly ids: ReadonlySet<string>; readonly contents: ReadonlySet<string> };
}

/** The text of a file, "" when it is absent or cannot be read. */
export type ReadText = (scope: Scope, path: string) => Promise<string>;

const shortened = (path: string): string => `(shortened: the rest stands in ${path})`;

/** What a person wrote into a file: no front matter, no comments, no headings of the template left without text. */
export const written = (text: string, template: string | undefined): string =>
  withoutEmptySections(withoutComments(withoutFrontMatter(text)), headingsOf(template ?? ""));

export async function promptTexts(read: ReadText, scopes: readonly Scope[], given: { templates: Templates; caps: PromptCaps; newest?: boolean }): Promise<PromptTexts> {
  const { templates, caps, newest = true } = given;
  const agent = scopes.find((scope) => scope.startsWith("agent:")) ?? DEFAULT_SCOPE;
  const user = scopes.find((scope) => scope.startsWith("user:"));
  const textOf = async (scope: Scope, path: string) => written(await read(scope, path), templates.get(path));
  const fleet = async (path: string) => (await textOf(agent, path)) || (await textOf(DEFAULT_SCOPE, path));
  const all = (path: string) => Promise.all(scopes.map((scope) => read(scope, path)));

  const [soul, agents, about, memories, errors, corrections] = await Promise.all([
    fleet("SOUL.md"), fleet("AGENTS.md"), textOf(user ?? agent, "USER.md"),
    all("MEMORY.md"), all("learnings/errors.md"), all("learnings/corrections.md"),
  ]);
  const learnings = learningsText(errors, corrections, caps.learnings);
  const section = memorySection(memories.map(readMemory).map((lines) => (newest ? lines : lines.filter(({ entry, head }) => head || entry === undefined))), headingsOf(templates.get("MEMORY.md") ?? ""), caps.memory);
  return {
    soul: clipLines(soul, caps.soul, shortened("SOUL.md")),
    agents: clipLines(agents, caps.agents, shortened("AGENTS.md")),
    user: clipLines(about, caps.user, shortened("USER.md")),
    learnings,
    memory: section.memory,
    standing: section.standing,
    learnt: section.learnt + learnings.length,
  };
}

/** Left for the newest entries however long the heads are. */
const NEWEST_SHARE = 0.25;
/** Characters of learnt lines, some 350 tokens: with learnings and facts beside them no more than 600. */
const LEARNT = 1_250;
/** What matters less is found when it is asked for, and not told unasked. */
const TOLD_FROM = 0.5;
const OLDER = "(older entries are left out; a search finds them)";

function memorySection(files: readonly (readonly MemoryLine[])[], headings: ReadonlySet<string>, max: number): Pick<PromptTexts, "memory" | "standing" | "learnt"> {
  const isNewest = (line: MemoryLine) => line.entry !== undefined && !line.head;
  const entries = files.flat().flatMap((line) => (isNewest(line) && line.entry !== undefined && isTrusted(line.entry.origin) && line.entry.importance >= TOLD_FROM ? [line.entry] : []));
  const heads = files
    .map((lines) => lines.filter((line) => !isNewest(line) && (line.entry === undefined || isTrusted(line.entry.origin))))
    // The file's own titles say nothing once it is part of a section.
    .map((lines) => withoutComments(lines.flatMap(({ raw }) => (headings.has(raw.trim()) ? [] : [raw])).join("\n")))
    .filter((text) => text !== "")
    .join("\n\n");
  const head = clipLines(heads, entries.length === 0 ? max : Math.floor(max * (1 - NEWEST_SHARE)), shortened("MEMORY.md"));
  const { lines, kept } = newest(entries, Math.min(LEARNT, max - head.length - (head === "" ? 0 : 2)));

  const inHead = new Set(linesOf(head).map((line) => normalForm(line.replace(/^\s*[-*+]\s+/, ""))).filter((said) => said !== ""));
  const headIds = files.flat().flatMap(({ entry, head: top }) => (top && entry !== undefined && inHead.has(normalForm(entry.content)) ? [entry.id] : []));
  return {
    memory: [head, lines.join("\n")].filter((text) => text !== "").join("\n\n"),
    learnt: lines.join("\n").length,
    standing: {
      ids: new Set([...headIds, ...kept.map((entry) => entry.id)]),
      contents: new Set([...inHead, ...kept.map((entry) => normalForm(entry.content))]),
    },
  };
}

function newest(entries: readonly Remembered[], room: number): { lines: string[]; kept: Remembered[] } {
  const inOrder = [...entries].sort((a, b) => b.at - a.at);
  const whole = inOrder.reduce((sum, entry) => sum + entry.content.length + 3, 0) <= room;
  let left = whole ? room : room - OLDER.length;
  const kept: Remembered[] = [];
  for (const entry of inOrder) {
    left -= entry.content.length + 3;
    if (left < 0) break;
    kept.push(entry);
  }
  const lines = kept.map((entry) => `- ${entry.content}`);
  return { lines: whole || lines.length === 0 ? lines : [...lines, OLDER], kept };
}
