import { defined } from "../core/base.ts";
import type { Memory, Stored } from "../core/memory.ts";
import { terms } from "../core/text/terms.ts";
import type {
  Candidate,
  CategoryWords,
  FoundChunk,
  Passage,
  WeightedTerm,
} from "./search-index.ts";

/** A value's row as the engines hold it: truth may be 0 or 1, a list JSON, and nothing null. */
export interface ValueRow extends Omit<Memory, "tags">, Omit<Stored, "memory" | "sorted"> {
  readonly terms: string;
  readonly tags: string | readonly string[];
  readonly sorted: number | boolean;
  readonly validTo?: number | null;
}

/**
 * Each member is named: an object that rest and spread have filled costs several times as much,
 * here the most of a read.
 */
export function toStored(row: ValueRow): Stored {
  return defined({
    memory: defined({
      id: row.id,
      content: row.content,
      scope: row.scope,
      kind: row.kind,
      category: row.category,
      key: row.key ?? undefined,
      importance: row.importance,
      source: row.source,
      origin: row.origin,
      tags: typeof row.tags === "string" ? (JSON.parse(row.tags) as string[]) : row.tags,
      at: row.at,
      updatedAt: row.updatedAt,
      expiresAt: row.expiresAt ?? undefined,
      uses: row.uses,
      version: row.version,
    } satisfies Record<keyof Memory, unknown>) as Memory,
    statedAt: row.statedAt,
    usedAt: row.usedAt ?? undefined,
    validFrom: row.validFrom,
    same: row.same,
    sorted: row.sorted ? true : undefined,
  } satisfies Record<keyof Stored, unknown>) as Stored;
}

export const splitTerms = (terms: string): string[] => (terms === "" ? [] : terms.split(" "));

export const toCandidate = (row: ValueRow): Candidate => ({
  ...toStored(row),
  terms: splitTerms(row.terms),
});

/** Values as they were written; of past ones too only the newest of each id, which comes last. */
export const lookedUp = (found: readonly ValueRow[], past: boolean): Stored[] =>
  past ? [...new Map(found.map((row) => [row.id, toStored(row)])).values()] : found.map(toStored);

/** Members tell what a category says: so many of its scope, those that changed last. */
export const MEMBERS = 60;

/** A category with a member that has any of the terms, and how many have each. */
export const categoryWords = (
  members: readonly Pick<ValueRow, "category" | "terms">[],
  terms: readonly string[],
): CategoryWords[] =>
  [...Map.groupBy(members, ({ category }) => category)]
    .map(([category, own]) => {
      const said = own.map((row) => new Set(splitTerms(row.terms)));
      const holding = terms.map((term) => said.filter((words) => words.has(term)).length);
      return { category, documents: own.length, holding };
    })
    .filter(({ holding }) => holding.some((count) => count > 0));

/** Terms of which every two are looked for together. */
const MOST_TOGETHER = 5;

/** Every two of the weightiest terms, to be looked for together. */
export function pairsOf(together: readonly WeightedTerm[] = []) {
  const common = together.toSorted((a, b) => b.weight - a.weight).slice(0, MOST_TOGETHER);
  return common.flatMap((one, at) =>
    common.slice(at + 1).map((other) => ({ one, other, weight: one.weight + other.weight })),
  );
}

/** Lists in JSON of one length: what a chunk shows. */
export interface ShownRow {
  readonly headings: string;
  readonly passages: string;
}
export interface ChunkRow extends ShownRow, Omit<FoundChunk, "passages" | "weight"> {
  /** A line for each passage. */
  readonly terms: string;
}

export const shownRow = (passages: readonly Passage[]): ShownRow => ({
  headings: JSON.stringify(passages.map(({ heading }) => heading)),
  passages: JSON.stringify(passages.map(({ text }) => text)),
});

export const termLines = (passages: readonly Passage[]): string =>
  passages.map(({ heading, text }) => [...terms(heading), ...terms(text)].join(" ")).join("\n");

const shownIn = ({ headings, passages }: ShownRow): Passage[] => {
  const above = JSON.parse(headings) as string[];
  return (JSON.parse(passages) as string[]).map((text, at) => ({ heading: above[at] ?? "", text }));
};

export function toFound<Row extends ChunkRow>({ headings, passages, terms, ...row }: Row) {
  const lines = terms.split("\n");
  const shown = shownIn({ headings, passages });
  return { ...row, passages: shown.map((one, at) => ({ ...one, terms: lines[at] ?? "" })) };
}

/** A chunk's text as it is embedded, each heading once before what stands below it. */
export const embeddedText = (row: ShownRow): string =>
  shownIn(row)
    .flatMap(({ heading, text }, at, all) =>
      heading === "" || heading === all[at - 1]?.heading ? [text] : [heading, text],
    )
    .join("\n");
