import { breaths } from "../../core/base.ts";
import type { Scope } from "../../core/identity.ts";
import { LEAD_SOURCE, type Memory, type Stored } from "../../core/memory.ts";
import { denials, holdsMarks } from "../../core/text/marks.ts";
import { contentTerms } from "../../core/text/terms.ts";
import { outdates } from "../recalling/outdated.ts";
import { salience, toldAs } from "../recalling/salience.ts";
import { abstractOf } from "./archive.ts";
import {
  allValues,
  commit,
  type CommitStep,
  ending,
  isExpired,
  type MemoryRoom,
  type Plan,
  written,
} from "./commit.ts";
import { insert } from "./draft.ts";
import { sameness } from "./same-and-category.ts";

/** Memories of one scope at most; what is over goes to the archive. */
const KEEP = 10_000;
/** Two wordings do no harm; from the third on the best is enough. */
const ALIKE = 3;
/** Share of the shorter one's words that the other has, too. */
const SHARED = 0.8;
/** A longer one leaves an abstract in its place. */
const LONG = 600;
const ARCHIVED = "archived:";
const ABSTRACT = "archive-of:";

/** A memory that went to the archive; `memory.restore(id)` brings it back. */
export interface Archived {
  readonly id: string;
  readonly content: string;
  readonly scope: Scope;
  /** The memory that says the same; absent: the scope held more than it may. */
  readonly into?: string;
}

/** A person's words, wishes, policies and pages are never put together, and never too many. */
const isTouched = ({ memory }: Stored): boolean =>
  memory.source !== "manual" &&
  memory.source !== LEAD_SOURCE &&
  memory.kind !== "policy" &&
  memory.kind !== "record" &&
  !["rules", "lead", "wishes"].includes(toldAs(memory));

/** Does what stays hold every name, number, path, negation and day of what goes? */
const holdsAll = (stays: string, goes: string): boolean =>
  denials(stays) === denials(goes) && holdsMarks(stays, goes);

interface Worded {
  readonly row: Stored;
  readonly terms: ReadonlySet<string>;
}

const alike = (one: Worded, other: Worded): boolean => {
  const [a, b] = [one.row.memory, other.row.memory];
  const shared = one.terms.intersection(other.terms).size;
  return (
    a.category === b.category &&
    a.kind === b.kind &&
    shared >= SHARED * Math.max(1, Math.min(one.terms.size, other.terms.size)) &&
    !outdates(a.content, b.content) &&
    !outdates(b.content, a.content)
  );
};

/** Groups that say the like, the best of each first. */
async function groupsOf(rows: readonly Stored[], now: number): Promise<Stored[][]> {
  const pause = breaths();
  const worded = rows
    .map((row) => ({ row, terms: new Set(contentTerms(row.memory.content).terms) }))
    .filter(({ terms }) => terms.size > 0)
    .sort((one, other) => salience(other.row, now) - salience(one.row, now));
  const holding = new Map<string, number>();
  for (const { terms } of worded)
    for (const term of terms) holding.set(term, (holding.get(term) ?? 0) + 1);
  /** Those that say the like share one of their two rarest words, nearly always. */
  const rarest = ({ terms }: Worded): string[] =>
    [...terms].sort((a, b) => (holding.get(a) ?? 0) - (holding.get(b) ?? 0)).slice(0, 2);
  const begun = new Map<string, Worded[][]>();
  const groups: Worded[][] = [];
  for (const one of worded) {
    await pause();
    const names = rarest(one);
    const near = names.flatMap((name) => begun.get(name) ?? []);
    const found = near.find(([first]) => first !== undefined && alike(first, one));
    if (found !== undefined) found.push(one);
    else {
      const group = [one];
      groups.push(group);
      for (const name of names) begun.set(name, [...(begun.get(name) ?? []), group]);
    }
  }
  return groups.filter(({ length }) => length >= ALIKE).map((group) => group.map(({ row }) => row));
}

/**
 * Puts together what says the like, and archives what is more than `keep`, a commit each scope.
 * Nothing is taken out: what goes is past, and `restore` brings it back. `dry`: it only tells.
 */
export async function consolidate(
  room: MemoryRoom,
  { keep = KEEP, dry = false }: { keep?: number; dry?: boolean },
): Promise<Archived[]> {
  const scopes = (await room.rights()).where("change");
  const all: Archived[] = [];
  for (const scope of scopes) {
    const plan = (): Promise<Plan<Archived[]>> => planOf(room, scope, keep);
    // Writers in line need not wait where there is nothing to do.
    const { result } = await plan();
    all.push(...(dry || result.length === 0 ? result : await commit(room, plan)));
  }
  return all;
}

async function planOf(room: MemoryRoom, scope: Scope, keep: number): Promise<Plan<Archived[]>> {
  const now = room.now();
  const rows = (await allValues(room.store, [scope])).flatMap(({ stored, until }) =>
    until === undefined && !isExpired(stored, now) ? [stored] : [],
  );
  const open = rows.filter(isTouched);
  const going = new Map<string, { readonly row: Stored; readonly into?: string }>();
  for (const [best, ...others] of await groupsOf(open, now)) {
    if (best === undefined) continue;
    const same = others.filter((row) => holdsAll(best.memory.content, row.memory.content));
    if (same.length + 1 < ALIKE) continue;
    for (const row of same) going.set(row.memory.id, { row, into: best.memory.id });
  }
  const over = rows.length - going.size - keep;
  const least = open
    .filter(({ memory }) => !going.has(memory.id))
    .sort((one, other) => salience(one, now) - salience(other, now));
  for (const row of least.slice(0, Math.max(0, over))) going.set(row.memory.id, { row });
  const gone = [...going.values()];
  return {
    steps: gone.flatMap(({ row, into }) => stepsOf(room, row, into)),
    result: gone.map(({ row: { memory }, into }) => ({
      ...{ id: memory.id, content: memory.content, scope: memory.scope },
      ...(into !== undefined && { into }),
    })),
  };
}

/** It is past from now on, and says why; a long one leaves an abstract. */
function stepsOf(room: MemoryRoom, row: Stored, into = ""): CommitStep[] {
  const { memory } = row;
  const now = room.now();
  const tags = [...memory.tags, `${ARCHIVED}${into || "over"}`];
  const noted = { do: "amend", row: { ...row, memory: { ...memory, tags } }, was: memory.version };
  const steps = [written(noted as Parameters<typeof written>[0]), ending(row, now)];
  if (into !== "" || memory.content.length < LONG) return steps;
  const { key: _key, ...traits } = memory;
  const content = abstractOf(memory.content);
  const draft = { ...traits, content, tags: [`${ABSTRACT}${memory.id}`], same: sameness(content) };
  return [
    ...steps,
    written(insert({ ...draft, source: "archive" }, room.newId(), { ...room, now })),
  ];
}

/** Was it archived, rather than ended? */
export const isArchived = ({ tags }: Memory): boolean =>
  tags.some((tag) => tag.startsWith(ARCHIVED));

/** Its tags as they were, and the abstract that stands for it. */
export const unarchived = (tags: readonly string[]): string[] =>
  tags.filter((tag) => !tag.startsWith(ARCHIVED));
export const isAbstractOf = ({ tags }: Memory, id: string): boolean =>
  tags.includes(`${ABSTRACT}${id}`);
