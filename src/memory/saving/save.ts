import type { Scope } from "../../core/identity.ts";
import { lessTrusted, type Memory, type Stored } from "../../core/memory.ts";
import { head } from "../../core/text/cut.ts";
import type { Storage } from "../../storage/port.ts";
import { LONGEST_CONTENT } from "./check.ts";
import { type CommitStep, ending, isExpired, type Plan, written } from "./commit.ts";
import {
  backdated,
  type Draft,
  insert,
  type Moments,
  patched,
  reinforce,
  replace,
  type Traits,
  type Written,
} from "./draft.ts";
import { leftOf, outdates } from "../recalling/outdated.ts";
import {
  askedOnce,
  laterThan,
  type Lookups,
  plannedStore,
  type PlannedStore,
  sameness,
} from "./same-and-category.ts";

/** A distiller's fact, ready to be remembered. */
export interface Fact extends Traits, Pick<Memory, "content" | "origin"> {
  /** Where it goes, if not where all of them go. */
  readonly scope?: Scope;
  /** The key, or the very words, of the memory this one makes untrue. */
  readonly supersedes?: string;
  /** Memories that it makes untrue, and that it says again, by their ids. */
  readonly replaces?: readonly string[];
  readonly confirms?: readonly string[];
  readonly at?: number;
  /** The messages that it is taken from, counted in the order in which they were said. */
  readonly from?: readonly number[];
}

export interface SavedFacts {
  readonly saved: Memory[];
  /** Memories the facts repeat. */
  readonly repeated: Memory[];
}

type SaveRule = Moments & { readonly newId: () => string };

/** The same key updates, the same words reinforce, else it is new: in the order given. */
export async function planSaves(
  store: Storage,
  drafts: readonly Draft[],
  rule: SaveRule,
): Promise<Plan<Memory[]>> {
  const held = askedOnce(store);
  await Promise.all(drafts.flatMap((draft) => placing(plannedStore(held), draft)));
  const planned = plannedStore(held);
  const [steps, result]: [CommitStep[], Memory[]] = [[], []];
  for (const draft of drafts) {
    const late = await laterThan(planned, draft, rule.now);
    const changes = late ? backdated(draft, late, rule) : [await changeFor(planned, draft, rule)];
    for (const { row } of changes) planned.add(row);
    steps.push(...changes.map(written));
    result.push(...changes.slice(0, 1).map(({ row }) => row.memory));
  }
  return { steps, result };
}

/** All that is asked before a draft has its place, at once. */
const placing = (planned: PlannedStore, draft: Draft): Promise<unknown>[] => [
  planned.byKey(draft.key, draft.scope),
  planned.same(draft.same, [draft.scope]),
  ...(draft.category === undefined ? [planned.categoryFor(draft)] : []),
];

/**
 * Into another's scope. Nothing of what is there changes: keys are its owner's, and words that
 * stand there already are confirmed. The answer is the same either way, for what is there is out of
 * the giver's sight.
 */
export async function planGift(
  store: Storage,
  given: Draft,
  rule: SaveRule,
): Promise<Plan<Memory>> {
  const draft = { ...given, key: undefined };
  const fresh = insert(draft, rule.newId(), rule);
  const [equal] = await store.find({ scopes: [draft.scope], same: draft.same });
  const change = equal === undefined ? fresh : reinforce(draft, equal, rule);
  return { steps: [written(change)], result: fresh.row.memory };
}

async function changeFor(planned: PlannedStore, draft: Draft, rule: SaveRule): Promise<Written> {
  const keyed = await planned.byKey(draft.key, draft.scope);
  if (keyed !== undefined) {
    if (keyed.memory.content === draft.content) return reinforce(draft, keyed, rule);
    if (!lessTrusted(draft.origin, keyed.memory.origin)) return replace(draft, keyed, rule);
    return changeFor(planned, { ...draft, key: undefined }, rule);
  }
  // Equal words under another key are another memory: two doors may have one code.
  const equal = (await planned.same(draft.same, [draft.scope])).find(
    ({ memory }) => memory.key === undefined || draft.key === undefined,
  );
  if (equal !== undefined) return reinforce(draft, equal, rule);
  if (draft.category !== undefined) return insert(draft, rule.newId(), rule);
  const category = await planned.categoryFor(draft);
  return insert({ ...draft, category, sorted: true }, rule.newId(), rule);
}

interface FactsRule extends SaveRule {
  readonly scope: Scope;
  /** All that the identity reads. */
  readonly scopes: readonly Scope[];
  readonly source: string;
  /** Memories that the facts take the place of. */
  readonly replaced: readonly string[];
}

/**
 * All facts of one distilling as one plan. Empty ones are dropped: a fact is a model's word, not a
 * program's.
 */
export async function planFacts(
  store: Storage,
  facts: readonly Fact[],
  rule: FactsRule,
): Promise<Plan<SavedFacts>> {
  const held = askedOnce(store);
  await Promise.all(facts.map((fact) => lookedUp(held, fact, rule)));
  const planned = plannedStore(held);
  const steps: CommitStep[] = [];
  const saved = new Map<string, Memory>();
  const breaths = new Map<string, number>();
  const repeated = new Map<string, Memory>();
  const end = (old: Stored, until: number): void => {
    steps.push(ending(old, until));
    planned.end(old.memory.id);
    saved.delete(old.memory.id);
  };
  /** A fact that tells several things keeps those that still hold. */
  const cut = (old: Stored, { content, at }: Draft, isWhole: boolean): void => {
    const left = leftOf(old.memory.content, content);
    if (left === "" || (isWhole && left === undefined)) end(old, at);
    if (!left) return;
    const { row, ...change } = patched(old, { content: left }, { ...rule, ...old.memory, now: at });
    planned.add(row);
    steps.push(written({ ...change, row }));
  };
  for (const id of rule.replaced) {
    const [old] = await store.find({ scopes: [rule.scope], id });
    if (old !== undefined) end(old, rule.now);
  }
  // Of one conversation the later message has the last word.
  for (const fact of facts.toSorted((one, other) => saidIn(one) - saidIn(other))) {
    const draft = draftOf(fact, rule);
    const { supersedes, replaces = [], confirms = [] } = fact;
    for (const id of replaces) {
      const [row] = await planned.byId(id, [rule.scope, draft.scope]);
      if (row !== undefined && overrules(draft, row)) cut(row, draft, true);
    }
    for (const id of confirms) {
      const [row] = await planned.byId(id, [rule.scope, draft.scope]);
      if (row !== undefined) steps.push(written(reinforce(draft, row, rule)));
    }
    // A fact without words only ends what it supersedes.
    if (draft.content.trim() === "") {
      const ended = await planned.byKey(supersedes, draft.scope);
      if (ended !== undefined && overrules(draft, ended)) end(ended, draft.at);
      continue;
    }
    const akin = await planned.akin(draft.content, { ...rule, scope: draft.scope });
    const again = (await repeatedBy(planned, draft, rule)) ?? overtakenBy(akin, draft);
    if (again !== undefined) {
      for (const { memory } of again) repeated.set(memory.id, memory);
      continue;
    }
    const old = await superseded(planned, supersedes, draft);
    if (old !== undefined) end(old, draft.at);
    for (const row of akin) {
      const { id } = row.memory;
      // What is said in one breath stands together.
      const isBeside = breaths.get(id) === saidIn(fact);
      if (isBeside || id === old?.memory.id || isOf(draft.key, row) || !overrules(draft, row))
        continue;
      cut(row, draft, false);
    }
    const change = await changeFor(planned, draft, rule);
    planned.add(change.row);
    steps.push(written(change));
    saved.set(change.row.memory.id, change.row.memory);
    breaths.set(change.row.memory.id, saidIn(fact));
  }
  return {
    steps,
    result: { saved: [...saved.values()], repeated: [...repeated.values()] },
  };
}

/** All that will be asked about a fact, at once. */
function lookedUp(held: Lookups, fact: Fact, rule: FactsRule): Promise<unknown> {
  const draft = draftOf(fact, rule);
  const { scope, same, content } = draft;
  const planned = plannedStore(held);
  const { byKey, byId } = planned;
  const { supersedes: old, replaces = [], confirms = [] } = fact;
  return Promise.all(
    [
      placing(planned, draft),
      planned.same(same, rule.scopes),
      planned.akin(content, { ...rule, scope }),
      old && [byKey(old, scope), planned.same(sameness(old), [scope])],
      ...[...replaces, ...confirms].map((id) => byId(id, [rule.scope, scope])),
    ].flat(),
  );
}

/** The last message that it is taken from; -1 for a fact that names none. */
const saidIn = ({ from = [] }: Fact): number => Math.max(-1, ...from);

/**
 * Which memories a fact repeats; none of them where it was read too late to say anything.
 * Undefined: it is news.
 */
async function repeatedBy(
  planned: PlannedStore,
  draft: Draft,
  rule: FactsRule,
): Promise<readonly Stored[] | undefined> {
  // Injected text comes from every scope the reader has, so a repetition of any of them is no news.
  const there = await planned.same(draft.same, rule.scopes);
  const standing = there.filter((row) => !isExpired(row, rule.now));
  if (standing.length > 0) return standing;
  const keyed = await planned.byKey(draft.key, draft.scope);
  // Read late: something else has been said of it since.
  return keyed !== undefined && keyed.statedAt > draft.at ? [] : undefined;
}

/** Something else has been said of it since. */
function overtakenBy(akin: readonly Stored[], draft: Draft): readonly Stored[] | undefined {
  const isOvertaken = akin.some(
    ({ statedAt, memory }) =>
      statedAt > draft.at &&
      !lessTrusted(memory.origin, draft.origin) &&
      outdates(memory.content, draft.content),
  );
  return isOvertaken ? [] : undefined;
}

function draftOf(
  {
    content: said,
    importance,
    at,
    scope: own,
    supersedes: _1,
    replaces: _2,
    confirms: _3,
    ...fact
  }: Fact,
  { scope, source, now }: FactsRule,
): Draft {
  const content = head(said.toWellFormed(), LONGEST_CONTENT);
  return {
    ...fact,
    content,
    same: sameness(content),
    importance: importance === undefined ? undefined : inRange(importance),
    scope: own ?? scope,
    source,
    at: at ?? now,
  };
}

const inRange = (importance: number): number =>
  Math.min(1, Math.max(0, Number.isFinite(importance) ? importance : 0.5));

/**
 * What a fact makes untrue, unless the fact's own key updates it anyway or the old one is trusted
 * more.
 */
async function superseded(
  planned: PlannedStore,
  words = "",
  draft: Draft,
): Promise<Stored | undefined> {
  const { key, scope } = draft;
  if (words.trim() === "" || words === key) return undefined;
  const old =
    (await planned.byKey(words, scope)) ?? (await planned.same(sameness(words), [scope]))[0];
  const updates = key !== undefined && old?.memory.key === key;
  return old !== undefined && !updates && overrules(draft, old) ? old : undefined;
}

const isOf = (key: string | undefined, { memory }: Stored): boolean =>
  key !== undefined && memory.key === key;

/** It is trusted as much as the memory, and said no earlier. */
const overrules = ({ origin, at }: Draft, { memory, statedAt }: Stored): boolean =>
  !lessTrusted(origin, memory.origin) && statedAt <= at;
