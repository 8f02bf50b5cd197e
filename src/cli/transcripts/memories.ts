import { asText, type Dict, dicts, isDict } from "../../core/base.ts";
import type { SaveInput } from "../../core/memory.ts";
import {
  BULLET,
  codeReader,
  headingLevel,
  headingText,
  linesOf,
} from "../../core/text/markdown.ts";
import { categoryUnder } from "../../workspace/pages/memory-page.ts";
import { readLine } from "../../workspace/pages/page-lines.ts";

/** A memory another program kept. */
export interface ForeignMemory extends SaveInput {
  /** When it was last changed there, ms. */
  readonly changed?: number | undefined;
  /** Whose it was there. */
  readonly owner?: string | undefined;
}

/** The memories in a value: of mem0, or what Claude.ai knows of its user; undefined for others. */
export function memoriesOf(value: Dict): { rows: ForeignMemory[]; other: Dict[] } | undefined {
  if (typeof value.conversations_memory === "string") {
    const { conversations_memory: own, project_memories: projects } = value;
    const texts = [own, ...(isDict(projects) ? Object.values(projects) : [])];
    return { rows: texts.flatMap((text) => memoriesIn(asText(text), "claude.ai")), other: [] };
  }
  const all = typeof value.memory === "string" ? [value] : dicts(value.results);
  if (all.length === 0 && !Array.isArray(value.results)) return undefined;
  const isMemory = ({ memory }: Dict): boolean => asText(memory).trim() !== "";
  return {
    rows: all.filter(isMemory).map(ofMem0),
    other: all.filter((row) => !isMemory(row)),
  };
}

const time = (value: unknown): number | undefined => Date.parse(asText(value)) || undefined;

/** Its fields have other names over HTTP than in its library. */
function ofMem0(row: Dict): ForeignMemory {
  const { id, memory, categories, user_id, expiration_date, metadata } = row;
  const at = time(row.created_at ?? row.createdAt);
  const words = Array.isArray(categories) ? categories.map(asText) : [];
  return {
    ...{ content: asText(memory), source: "mem0", tags: words.filter((word) => word !== "") },
    ...{ at, changed: time(row.updated_at ?? row.updatedAt) ?? at, until: time(expiration_date) },
    key: asText(id) === "" ? undefined : `mem0/${asText(id)}`,
    owner: asText(user_id ?? (isDict(metadata) ? metadata.user_id : undefined)) || undefined,
  } as ForeignMemory;
}

const TAGS = /<!--\s*trigger:([^<>]*)-->/;
const IMPORTANCE = /<!--\s*importance:\s*(\d+(?:\.\d+)?)\s*-->/;
const TITLE = /^\*\*([^*]+)\*\*:?$/;
/** Tables and rules. */
const NO_WORDS = /^(?:\||(?:[-*_]\s*){3,}$)/;

/**
 * Each bullet and each paragraph of a page. A heading is what its lines are about, and goes with
 * them, since a memory stands alone.
 */
export function memoriesIn(page: string, source: string): ForeignMemory[] {
  const isCode = codeReader();
  const all: { row: string; heading: string }[] = [];
  let [heading, inside, goesOn] = ["", false, false];
  for (const row of linesOf(page)) {
    const bare = row.trim();
    const isOpen = inside || (bare.startsWith("<!--") && !bare.includes("-->"));
    inside = isOpen && !bare.includes("-->");
    const level = headingLevel(row);
    const title = level > 0 ? headingText(bare) : TITLE.exec(bare)?.[1];
    const last = all.at(-1);
    const isText = !isCode(row) && !isOpen && title === undefined && !NO_WORDS.test(bare);
    if (title !== undefined) heading = level === 1 ? "" : title.replace(/:$/, "");
    if (isText && goesOn && last !== undefined && bare !== "" && !BULLET.test(row))
      last.row += ` ${bare}`;
    else if (isText && readLine(row) !== undefined) all.push({ row, heading });
    goesOn = isText && bare !== "";
  }
  return all.map(({ row, heading: about }) => {
    const category = categoryUnder(about);
    const words = readLine(row)?.dated ?? "";
    const tags = (TAGS.exec(row)?.[1] ?? "").split(",").map((tag) => tag.trim());
    const [, importance] = IMPORTANCE.exec(row) ?? [];
    return {
      content: about === "" || category !== undefined ? words : `${about}: ${words}`,
      ...{ source, category, tags: tags.filter((tag) => tag !== "") },
      importance: importance === undefined ? undefined : Math.min(1, Number(importance) / 10),
    } as ForeignMemory;
  });
}
