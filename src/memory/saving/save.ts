import { defined } from "../../base/guards.ts";
import { type Scope } from "../../model/identity.ts";
import { type Memory, type MemoryKind, type Origin, lessTrusted } from "../../model/memory.ts";
import { type Change, type Store, type Stored } from "../../model/store.ts";
import { head } from "../../text/cut.ts";
import { LONGEST_CONTENT, wellFormed } from "./check.ts";
import { type JournalEvent, type Plan } from "./commit.ts";
import { plannedStore, type PlannedStore } from "./planned.ts";
import { type Draft, insert, type Moments, reinforce, replace, type Step } from "./draft.ts";
import { type Meaning } from "../meaning/meaning.ts";
import { sameness } from "../sameness/canonical.ts";

/** What a distiller found, ready to be remembered. */
export interface Fact {
  readonly content: string;
  readonly category?: string;
  readonly kind?: MemoryKind;
  readonly importance?: number;
  readonly key?: string;
  /** The key, or the words, of the memory this one makes untrue. */
  readonly supersedes?: string;
  /** It makes untrue what says the same with another value, or what it names as wrong. */
  readonly corrects?: true;
  readonly origin: Origin;
  readonly at?: number;
  readonly tags?: readonly string[];
}

export interface SavedFacts {
  readonly saved: Memory[];
  /** Facts that were there already: dropped, and no use of what they repeat. */
  readonly known: number;
  /** What they repeat. */
  readonly repeated: Memory[];
}

const eventOf = ({ event, row, change }: Step): JournalEvent => ({
  event,
  memory: row.memory,
  row,
  again: change.do === "amend" || undefined,
});

const planOf = <T>(steps: readonly Step[], result: T): Plan<T> => ({
  changes: steps.map(({ change }) => change),
  events: steps.map(eventOf),
  result,
});

/** The value held until then. */
export const ending = (
  row: Stored,
  until: number,
): { readonly change: Change; readonly event: JournalEvent } => ({
  change: { do: "end", id: row.memory.id, was: row.memory.version, at: until },
  event: { event: "superseded", memory: row.memory, row, until },
});

interface SaveRule extends Moments {
  readonly newId: () => string;
  /** The category of what was given none. */
  readonly categoryOf: (content: string, scope: Scope) => Promise<string>;
  /** Absent: one fact is what has equal words. */
  readonly meaning?: Pick<Meaning, "vectorOf" | "reach">;
}

/** The same key updates, the same words and other words for the same reinforce, else it is new. */
export async function planSave(store: Store, draft: Draft, rule: SaveRule): Promise<Plan<Memory>> {
  const step = await stepFor(plannedStore(store), draft, rule);
  return planOf([step], step.row.memory);
}

/**
 * Into another's scope. Nothing of what is there changes: keys are its owner's, and words that stand there already are confirmed.
 * The answer is the same either way, for what is there is out of the giver's sight.
 */
export async function planGift(store: Store, given: Draft, rule: SaveRule): Promise<Plan<Memory>> {
  const { key: _owners, ...draft } = given;
  const { same = sameness(draft.content) } = draft;
  const fresh = insert({ ...draft, same }, rule.newId(), rule);
  const equal = (await store.same(same, [draft.scope]))[0];
  const step = equal === undefined ? fresh : reinforce(draft, equal, rule);
  return planOf([step], fresh.row.memory);
}

async function stepFor(planned: PlannedStore, draft: Draft, rule: SaveRule): Promise<Step> {
  const keyed = draft.key === undefined ? undefined : await planned.byKey(draft.key, draft.scope);
  if (keyed !== undefined) {
    if (keyed.memory.content === draft.content) return reinforce(draft, keyed, rule);
    if (!lessTrusted(draft.origin, keyed.memory.origin)) return replace(draft, keyed, rule);
    const { key: _taken, ...keyless } = draft;
    return stepFor(planned, keyless, rule);
  }
  // Equal words under another key are another memory: two doors may have one code.
  const { same = sameness(draft.content) } = draft;
  const equal = (await planned.same(same, [draft.scope])).find(
    ({ memory }) => memory.key === undefined || draft.key === undefined,
  );
  if (equal !== undefined) return reinforce(draft, equal, rule);
  const alike = await alikeTo(planned, draft, { ...rule, scopes: [draft.scope] });
  if (alike !== undefined) return reinforce(draft, alike, rule);
  if (draft.category !== undefined) return insert({ ...draft, same }, rule.newId(), rule);
  return insert(
    { ...draft, same, category: await rule.categoryOf(draft.content, draft.scope), sorted: true },
    rule.newId(),
    rule,
  );
}

/** Words stay as they were first said; so those of a voice less trusted never stand for what a more trusted one says. */
function alikeTo(
  planned: PlannedStore,
  draft: Draft,
  { scopes, now, meaning }: Pick<SaveRule, "now" | "meaning"> & { scopes: readonly Scope[] },
): Promise<Stored | undefined> {
  const fits = (row: Stored): boolean =>
    !expired(row, now) &&
    (row.memory.key === undefined || draft.key === undefined) &&
    !lessTrusted(row.memory.origin, draft.origin);
  return planned.alike(draft.content, { scopes, now, meaning, fits });
}

/** All facts of one distilling as one plan. Empty ones are dropped: a fact is a model's word, not a program's. */
export async function planFacts(
  store: Store,
  facts: readonly Fact[],
  rule: SaveRule & { scope: Scope; scopes: readonly Scope[]; source: string },
): Promise<Plan<SavedFacts>> {
  const planned = plannedStore(store);
  const changes: Change[] = [];
  const events: JournalEvent[] = [];
  const saved = new Map<string, Memory>();
  const repeated = new Map<string, Memory>();
  let known = 0;
  const end = (old: Stored, until: number): void => {
    const { change, event } = ending(old, until);
    changes.push(change);
    events.push(event);
    planned.end(old.memory.id);
    saved.delete(old.memory.id);
  };
  for (const { supersedes, corrects = false, ...fact } of facts) {
    const content = head(wellFormed(fact.content), LONGEST_CONTENT);
    // A fact without words only ends what it supersedes.
    if (content.trim() === "") {
      const ended =
        supersedes === undefined ? undefined : await planned.byKey(supersedes, rule.scope);
      if (ended !== undefined) end(ended, fact.at ?? rule.now);
      continue;
    }
    // Injected text comes from every scope the reader has, so a repetition of any of them is no news.
    const same = sameness(content);
    const there = (await planned.same(same, rule.scopes)).filter((row) => !expired(row, rule.now));
    if (there.length > 0) {
      known += 1;
      for (const { memory } of there) repeated.set(memory.id, memory);
      continue;
    }
    const draft = draftOf({ ...fact, content }, same, rule);
    const { meaning: _none, ...worded } = rule;
    const standing =
      draft.key === undefined ? undefined : await planned.byKey(draft.key, draft.scope);
    // Read late: something else has been said of it since.
    if (standing !== undefined && standing.statedAt > draft.at) {
      known += 1;
      continue;
    }
    // A fact that makes something untrue says that it is not the same.
    const alike =
      supersedes === undefined && standing === undefined
        ? await alikeTo(planned, draft, rule)
        : undefined;
    if (alike !== undefined) {
      known += 1;
      repeated.set(alike.memory.id, alike.memory);
      continue;
    }
    const old =
      supersedes === undefined
        ? undefined
        : await superseded(planned, { words: supersedes, draft, now: rule.now });
    if (old !== undefined) end(old, draft.at);
    const wrong = corrects ? await planned.corrected(draft.content, rule) : [];
    for (const row of wrong)
      if (!lessTrusted(draft.origin, row.memory.origin) && row.statedAt <= draft.at)
        end(row, draft.at);
    const step = await stepFor(planned, draft, worded);
    planned.add(step);
    changes.push(step.change);
    events.push(eventOf(step));
    saved.set(step.row.memory.id, step.row.memory);
  }
  return {
    changes,
    events,
    result: { saved: [...saved.values()], known, repeated: [...repeated.values()] },
  };
}

const expired = ({ memory }: Stored, now: number): boolean =>
  memory.expiresAt !== undefined && memory.expiresAt <= now;

const draftOf = (
  { importance, at, ...fact }: Fact,
  same: string,
  { scope, source, now }: { scope: Scope; source: string; now: number },
): Draft => ({
  ...fact,
  same,
  ...defined({ importance: importance === undefined ? undefined : inRange(importance) }),
  scope,
  source,
  at: at ?? now,
});

const inRange = (importance: number): number =>
  Math.min(1, Math.max(0, Number.isFinite(importance) ? importance : 0.5));

/** What a fact makes untrue, unless the fact's own key updates it anyway or the old one is trusted more. */
async function superseded(
  planned: PlannedStore,
  { words, draft, now }: { words: string; draft: Draft; now: number },
): Promise<Stored | undefined> {
  if (words.trim() === "" || words === draft.key) return undefined;
  const old =
    (await planned.byKey(words, draft.scope)) ??
    (await planned.same(sameness(words), [draft.scope]))[0] ??
    (await planned.named(words, { scope: draft.scope, now }));
  if (old === undefined || (old.memory.key !== undefined && old.memory.key === draft.key))
    return undefined;
  return lessTrusted(draft.origin, old.memory.origin) || old.statedAt > draft.at ? undefined : old;
}
