import { defined } from "../core/base.ts";
import type { Entry, Session } from "../core/history.ts";
import type { Memory, Stored } from "../core/memory.ts";
import { digest, head } from "../core/text/cut.ts";
import { contentTerms, terms } from "../core/text/terms.ts";
import type {
  Candidate,
  CategoryWords,
  FoundChunk,
  Passage,
  TurnKey,
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

/** A turn of history as the index holds it. `root` is the identity key whose conversation it is. */
export interface TurnRow {
  readonly id: string;
  readonly session: string;
  readonly root: string;
  readonly position: number;
  readonly role: string;
  readonly name?: string;
  readonly text: string;
  readonly at: number;
  readonly ref?: string;
}

/** How many turns a stretch holds at most: as many bits as a number carries exactly, less a few. */
export const STRETCH = 48;

/**
 * A night between two turns, in ms: what follows is another matter, though the host calls it one
 * conversation.
 */
export const PAUSE = 8 * 3_600_000;

/** From this many later stretches on a turn is long ago. */
export const LATER = 40;

/**
 * A word of a turn, how many turns of its root hold it, and whether this one is the first: of the
 * earliest stretch, there the earliest place.
 */
export interface TurnWord {
  readonly term: string;
  readonly holding: number;
  readonly first: boolean;
}

/**
 * A turn as it was found, and its first 100 different words, names of speakers left out. A turn is
 * found by what `turnTerms` of tidemark/contracts gives: the words that say something, and "@"
 * before each word of its speaker's name.
 */
export interface FoundTurn extends TurnRow, TurnKey {
  readonly words?: readonly TurnWord[];
}

/** Words are found by their digest within one identity and label. */
export const anchorOf = (root: string, label: string | undefined, said: string): string =>
  digest(root, label ?? "", said);

/** A conversation is found by the user's words and by replies that were had here. */
export const entryAnchor = (
  { root, label }: Pick<Session, "root" | "label">,
  { said, role, reply }: Pick<Entry, "said" | "role" | "reply">,
): string | undefined =>
  said !== "" && (reply || role === "user") ? anchorOf(root, label, said) : undefined;

/**
 * A longer turn is a dumped file: 100,000 characters take 20 ms to read. The text itself is kept
 * whole.
 */
const READ_CHARACTERS = 100_000;

/** Lengths are kept in two bytes. */
const LONGEST_TURN = 65_535;

/**
 * A turn is found by these: each term once, those of its speaker's name marked; and how long it is,
 * in words.
 */
export function turnTerms({ name, text }: Pick<TurnRow, "name" | "text">): {
  found: string[];
  length: number;
} {
  const { terms: said, length } = contentTerms(head(text, READ_CHARACTERS));
  const speaker = name === undefined ? [] : terms(name).map((term) => `@${term}`);
  return { found: [...new Set([...said, ...speaker])], length: Math.min(length, LONGEST_TURN) };
}
