import { breathe, breaths } from "../../core/base.ts";
import type { Scope } from "../../core/identity.ts";
import { leastOf, type Memory, type Stored } from "../../core/memory.ts";
import { denials, holdsMarks } from "../../core/text/identifiers.ts";
import { termSet } from "../../core/text/terms.ts";
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
import { insert, type Written } from "./draft.ts";
import { sameness } from "./same-and-category.ts";

/** Memories of one scope at most; what is over goes to the archive. */
const KEEP = 10_000;
/** Two wordings do no harm; from the third on the best is enough. */
const ALIKE = 3;
/** Share of the shorter one's words that the other has, too. */
const SHARED = 0.8;
/** A longer one leaves an abstract in its place. */
const LONG = 600;
/** Groups that share the wait for the disk. */
const TOGETHER = 16;
/** Rows of a commit: some ten milliseconds. */
const AT_ONCE = 6;
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

/** Makes one sentence of some that say the like; undefined where it has none. */
export type Merge = (contents: readonly string[]) => Promise<string | undefined>;

/** A person's words, wishes, policies and pages are never put together, and never too many. */
const isTouched = ({ memory }: Stored): boolean =>
  memory.source !== "manual" &&
  memory.kind !== "policy" &&
  memory.kind !== "record" &&
  !["rules", "lead", "wishes"].includes(toldAs(memory));

interface Worded {
  readonly row: Stored;
  readonly terms: ReadonlySet<string>;
  readonly weight: number;
}

/** Words that may be lost with a wording which has all words of what stays: "says", "today". */
const MORE = 2;

/** Does what stays hold every name, number, path, negation and day of what goes, and its words? */
function holdsAll(stays: string, goes: string, more = MORE): boolean {
  const [held, wanted] = [termSet(stays), termSet(goes)];
  const lost = wanted.difference(held).size;
  return (
    (lost === 0 || (lost <= more && held.isSubsetOf(wanted))) &&
    denials(stays) === denials(goes) &&
    holdsMarks(stays, goes)
  );
}

const alike = (one: Worded, other: Worded): boolean => {
  const [a, b] = [one.row.memory, other.row.memory];
  // A set of each two would keep the collector of garbage busy.
  let shared = 0;
  for (const term of one.terms) if (other.terms.has(term)) shared += 1;
  return (
    a.category === b.category &&
    a.kind === b.kind &&
    shared >= SHARED * Math.max(1, Math.min(one.terms.size, other.terms.size)) &&
    !outdates(a.content, b.content) &&
    !outdates(b.content, a.content)
  );
};

type Pause = ReturnType<typeof breaths>;

/** Those that may be touched, the best first. */
async function wordedOf(rows: readonly Stored[], now: number, pause: Pause): Promise<Worded[]> {
  const worded: Worded[] = [];
  for (const row of rows) {
    await pause();
    const terms = termSet(row.memory.content);
    if (isTouched(row)) worded.push({ row, terms, weight: salience(row, now) });
  }
  return worded.sort((one, other) => other.weight - one.weight);
}

/** Groups that say the like, the best of each first. */
async function groupsOf(worded: readonly Worded[], pause: Pause): Promise<Worded[][]> {
  const holding = new Map<string, number>();
  for (const { terms } of worded) {
    await pause();
    for (const term of terms) holding.set(term, (holding.get(term) ?? 0) + 1);
  }
  /** Those that say the like share one of the two rarest words that others have, nearly always. */
  const rarest = ({ terms }: Worded) =>
    [...terms]
      .filter((term) => holding.get(term) !== 1)
      .sort((a, b) => (holding.get(a) ?? 0) - (holding.get(b) ?? 0))
      .slice(0, 2);
  const begun = new Map<string, Worded[][]>();
  const groups: Worded[][] = [];
  for (const one of worded) {
    await pause();
    const names = rarest(one);
    const near = names.values().flatMap((name) => begun.get(name) ?? []);
    const found = near.find(([first]) => first && alike(first, one));
    if (found) found.push(one);
    else {
      const group = [one];
      groups.push(group);
      for (const name of names) begun.set(name, [...(begun.get(name) ?? []), group]);
    }
  }
  return groups.filter(({ length }) => length >= ALIKE);
}

/** Memories that go at once: into the best of a group, into a sentence of them, or as too many. */
interface Going {
  readonly rows: readonly Stored[];
  readonly best?: Stored;
  readonly said?: string;
}

/**
 * Puts together what says the like, and archives what is more than `keep`, a commit each group.
 * Nothing is taken out: what goes is past, and `restore` brings it back. `dry`: it only tells, and
 * asks no model.
 */
export async function consolidate(
  room: MemoryRoom,
  { keep = KEEP, dry = false, merge }: { keep?: number; dry?: boolean; merge?: Merge },
): Promise<Archived[]> {
  const all: Archived[] = [];
  for (const scope of (await room.rights()).where("change")) {
    const going = await goingIn(room, scope, { keep, ...(!dry && { merge }) });
    for (let at = 0; at < going.length; at += TOGETHER) {
      const some = going.slice(at, at + TOGETHER).map(async (one) => {
        const plan = (): Promise<Plan<Archived[]>> => planOf(room, one);
        return dry ? (await plan()).result : commit(room, plan);
      });
      all.push(...(await Promise.all(some)).flat());
    }
  }
  return all;
}

async function goingIn(
  room: MemoryRoom,
  scope: Scope,
  { keep, merge }: { keep: number; merge?: Merge | undefined },
): Promise<Going[]> {
  const now = room.now();
  const rows = (await allValues(room.store, [scope])).flatMap(({ stored, until }) =>
    until === undefined && !isExpired(stored, now) ? [stored] : [],
  );
  // One clock for all of it: each with its own would hold up others in turn.
  const pause = breaths();
  const worded = await wordedOf(rows, now, pause);
  const going: Going[] = [];
  const gone = new Set<Stored>();
  const left = () => worded.filter(({ row }) => !gone.has(row));
  // Rows that go may bring others together: a second time finds nothing.
  for (let before = -1; before < gone.size;) {
    before = gone.size;
    for (const group of await groupsOf(left(), pause)) {
      await pause();
      for (const part of await partsOf(group, merge)) {
        going.push(part);
        for (const row of part.rows) gone.add(row);
      }
    }
  }
  const over = rows.length - gone.size + going.filter(({ said }) => said).length - keep;
  const least = over > 0 ? left().slice(-over) : [];
  return [...going, ...least.map(({ row }) => ({ rows: [row] }))];
}

/** The best stays with what it holds whole; the rest is one sentence, if that holds it all. */
async function partsOf(group: readonly Worded[], merge: Merge | undefined): Promise<Going[]> {
  const [best, ...others] = group.map(({ row }) => row);
  if (best === undefined) return [];
  const { true: held = [], false: rest = [] } = Object.groupBy(others, ({ memory }) =>
    String(holdsAll(best.memory.content, memory.content)),
  );
  const texts = rest.map(({ memory }) => memory.content);
  const isOurs = rest.length > 1 && rest.every(({ memory }) => memory.origin !== "user");
  const said = isOurs ? await merge?.(texts) : undefined;
  const isWhole =
    said !== undefined &&
    holdsMarks(texts.join("\n"), said) &&
    texts.every((text) => holdsAll(said, text, 0));
  const merged: Going[] = isWhole ? [{ rows: rest, said }] : [];
  if (held.length + merged.length + 1 >= ALIKE)
    for (let at = 0; at < held.length; at += AT_ONCE)
      merged.push({ rows: held.slice(at, at + AT_ONCE), best });
  return merged;
}

/** Nothing where one of them has changed since it was read. */
async function planOf(room: MemoryRoom, { rows, best, said }: Going): Promise<Plan<Archived[]>> {
  // Other work has its turn between two groups.
  await breathe();
  const all = best === undefined ? rows : [best, ...rows];
  const isThere = async ({ memory: { id, scope, version } }: Stored): Promise<boolean> => {
    const [found] = await room.store.find({ scopes: [scope], id });
    return found?.memory.version === version;
  };
  const there = await Promise.all(all.map(isThere));
  const [first, ...others] = rows;
  if (first === undefined || there.includes(false)) return { steps: [], result: [] };
  const { content } = first.memory;
  const isLong = best === undefined && content.length >= LONG;
  const text = said ?? (isLong ? abstractOf(content) : undefined);
  const made = text === undefined ? undefined : standIn(room, [first, ...others], text);
  const into = said === undefined ? best?.memory.id : made?.row.memory.id;
  return {
    steps: [
      ...rows.flatMap((row) => [
        retagged(row, [...row.memory.tags, `${ARCHIVED}${into ?? "over"}`]),
        ending(row, room.now()),
      ]),
      ...(made === undefined ? [] : [written(made)]),
    ],
    result: rows.map(({ memory: { id, content: was, scope } }) => ({
      ...{ id, content: was, scope },
      ...(into !== undefined && { into }),
    })),
  };
}

/** A memory that stands for archived ones, trusted as the least of them. */
function standIn(room: MemoryRoom, rows: readonly [Stored, ...Stored[]], content: string): Written {
  const all = rows.map(({ memory }) => memory);
  const { key: _key, ...traits } = rows[0].memory;
  const draft = {
    ...{ ...traits, content, same: sameness(content), source: "archive" },
    origin: leastOf(all.map(({ origin }) => origin)),
    tags: all.map(({ id }) => `${ABSTRACT}${id}`),
  };
  return insert(draft, room.newId(), { ...room, now: room.now() });
}

const retagged = (row: Stored, tags: readonly string[]): CommitStep => {
  const { memory } = row;
  return written({
    do: "amend",
    row: { ...row, memory: { ...memory, tags } },
    was: memory.version,
  });
};

/** Was it archived, rather than ended? */
export const isArchived = ({ tags }: Memory): boolean =>
  tags.some((tag) => tag.startsWith(ARCHIVED));

/** Its tags as they were. */
export const unarchived = (tags: readonly string[]): string[] =>
  tags.filter((tag) => !tag.startsWith(ARCHIVED));

/** The memory that stands for it stands for the others from now on, or ends. */
export function released(row: Stored, id: string, at: number): CommitStep[] {
  const tags = row.memory.tags.filter((tag) => tag !== `${ABSTRACT}${id}`);
  if (tags.length === row.memory.tags.length) return [];
  return [tags.some((tag) => tag.startsWith(ABSTRACT)) ? retagged(row, tags) : ending(row, at)];
}
