import { defined } from "../core/base.ts";
import { TidemarkError } from "../core/errors-and-events.ts";
import type { Scope } from "../core/identity.ts";
import {
  type Category,
  type ForgetTarget,
  type Hit,
  type InjectInput,
  LEAD_SOURCE,
  type ListOptions,
  type Memory,
  type MemoryPatch,
  QUOTED,
  type RecallOptions,
  type SaveInput,
} from "../core/memory.ts";
import { categoryName, NON_INFERABLE } from "../core/memory-kinds.ts";
import { termSet } from "../core/text/terms.ts";
import { mask, maskingSlowly } from "../core/secrets/mask.ts";
import type { KeptValue } from "../storage/port.ts";
import { pageOf } from "./recalling/page.ts";
import { type Manner, markUsed, recall } from "./recalling/recall.ts";
import { salient, type SalientOptions } from "./recalling/salience.ts";
import { checkChange, checkPatch, checkSave, checkScope } from "./saving/check.ts";
import {
  allValues,
  commit,
  ending,
  maskedTexts,
  type MemoryRoom,
  type Plan,
  type Put,
  valuesNamed,
  valuesOf,
  written,
} from "./saving/commit.ts";
import { consolidate } from "./saving/consolidate.ts";
import { type Draft, patched } from "./saving/draft.ts";
import { type Fate, forget, promotable, promote, undoEnd } from "./saving/forget-and-promote.ts";
import { copyFor, retract } from "./saving/publish.ts";
import { sameness } from "./saving/same-and-category.ts";
import { type Fact, planFacts, planGift, planSaves, type SavedFacts } from "./saving/save.ts";

/** The memory of one identity: what it answers, and what may be done with it. */
export const createMemories = (room: MemoryRoom) => ({
  ...reading(room),
  ...saving(room),
  ...changing(room),
  ...savingFacts(room),
});

export interface PastValue {
  readonly memory: Memory;
  /** Absent: it holds. ms since epoch. */
  readonly until?: number;
}

/** Words of a text by which memories are looked for, the last ones. */
const MOST_TERMS = 300;
/** Facts of who the user is, known whatever a text says: one who moves names no old town. */
const OF_USER = 8;

export type Memories = ReturnType<typeof createMemories>;

function reading(room: MemoryRoom) {
  const { store, scopes, now } = room;
  const narrowed = (scope: string | undefined): readonly Scope[] =>
    scope === undefined ? scopes : scopes.filter((own) => own === scope);
  const page = ({ scope, ...options }: Parameters<typeof pageOf>[1] = {}) =>
    pageOf({ store, now, scopes: narrowed(scope) }, options);
  return {
    recall: (query: string, options?: RecallOptions): Promise<Hit[]> =>
      recall(room, query, options),
    /**
     * As `recall`, without counting use: for a caller that has yet to choose among the hits, and
     * then says which were `used`.
     */
    look: (query: string, options?: RecallOptions, manner?: Manner) =>
      recall(room, query, options, { ...manner, quiet: true }),
    used: (hits: readonly Hit[]) => markUsed(room, hits),
    /** `use`: it was read to be used. */
    async get(id: string, { use = false } = {}): Promise<Memory | undefined> {
      const [found] = await store.find({ scopes, id: String(id) });
      if (use && found !== undefined)
        await store.commit({ used: { ids: [found.memory.id], scopes, at: now() } });
      return found?.memory;
    },
    /** All values in sight, the latest first; none where the latest is out of it. */
    async past(id: string): Promise<PastValue[]> {
      const values = (await valuesOf(store, [id]))
        .reverse()
        .map(({ stored: { memory }, until }) => ({ memory, ...defined({ until }) }));
      const isSeen = ({ memory }: PastValue): boolean => scopes.includes(memory.scope);
      return values.slice(0, 1).some(isSeen) ? values.filter(isSeen) : [];
    },
    /** Every value in sight, past ones too, by memory, the earliest first. */
    values: async (scope?: Scope): Promise<KeptValue[]> => {
      const seen = narrowed(scope);
      return seen.length === 0 ? [] : allValues(store, seen);
    },
    named: (name: string): Promise<KeptValue[]> => valuesNamed(room, name),
    /** The memory that may be moved there, by its mover or by one who decides for it. */
    promotable: async (id: string, to: Scope) => (await promotable(room, String(id), to)).memory,
    async byKey(key: string, { scope }: { scope?: Scope } = {}): Promise<Memory | undefined> {
      const name = mask(key);
      for (const own of narrowed(scope)) {
        const [found] = await store.find({ scopes: [own], key: name });
        if (found !== undefined) return found.memory;
      }
      return undefined;
    },
    list: async ({ after, ...options }: ListOptions = {}): Promise<Memory[]> =>
      (await page({ ...options, changedAfter: after })).memories,
    page,
    categories: async (): Promise<readonly Category[]> =>
      (await store.count({ scopes, now: now(), root: "" })).categories,
    salient: (options: SalientOptions) => salient(room, options),
    /** The memories that share most with a text, beside what was quoted or who the user is. */
    async akin(text: string, limit: number, isQuoted: boolean): Promise<Memory[]> {
      const terms = [...termSet(text)].slice(-MOST_TERMS);
      const { documents, holding } = await store.frequencies("memories", { scopes, terms });
      const weighted = terms.flatMap((term, at) => {
        const held = holding[at] ?? 0;
        return held > 0 ? { term, weight: Math.log(1 + documents / held) } : [];
      });
      const asked = { scopes, now: now(), terms: weighted, limit };
      const akin = await store.candidates("memories", asked);
      const who = { scopes: [room.home], now: now(), category: "identity", limit: OF_USER };
      const named = isQuoted ? [] : await store.find({ ...who, order: "importance" });
      const once = new Map([...akin, ...named].map(({ memory }) => [memory.id, memory]));
      return [...once.values()].filter(({ tags }) => isQuoted || !tags.includes(QUOTED));
    },
  };
}

/** So many drafts in one transaction hold up nothing else: some ten milliseconds. */
const SAVED_TOGETHER = 32;

function saving(room: MemoryRoom) {
  const { store, scopes, now, rights } = room;

  async function draftFrom(input: unknown, more: Partial<Draft> = {}): Promise<Draft> {
    const checked = checkSave(input, { ...room, rights: await rights(), now: now() });
    const draft = await masked({ ...checked, ...more });
    await room.meaning?.prepare([draft.content]);
    return { ...draft, same: sameness(draft.content) };
  }

  /** Drafts that wait for their turn: they are stored in one transaction. */
  let waiting: { drafts: Draft[]; kept?: Promise<Memory[]> } = { drafts: [] };

  function keepAll(group: typeof waiting): Promise<Memory[]> {
    const plan = (): Promise<Plan<Memory[]>> => {
      if (waiting === group) waiting = { drafts: [] };
      return planSaves(store, group.drafts, ruleOf(room));
    };
    return commit(room, plan, { announce: (memories) => announce(room, memories) });
  }
  async function keep(draft: Draft): Promise<Memory> {
    if (!scopes.includes(draft.scope))
      return commit(room, () => planGift(store, draft, ruleOf(room)), {
        announce: (memory) => announce(room, [memory]),
      });
    if (waiting.drafts.length >= SAVED_TOGETHER) waiting = { drafts: [] };
    const group = waiting;
    const at = group.drafts.push(draft) - 1;
    const { [at]: memory } = await (group.kept ??= keepAll(group));
    if (memory === undefined) throw new Error("A draft was not planned.");
    return memory;
  }

  return {
    async save(input: string | SaveInput): Promise<Memory> {
      const memory = await keep(await draftFrom(input));
      const text = adviceOn(memory).trim();
      if (text !== "") room.listen({ type: "notice", about: "inferable", text, id: memory.id });
      return memory;
    },
    /** Ends a memory and saves its outcome: both, or neither where that one has ended before. */
    async conclude({ id }: Pick<Memory, "id">, input?: SaveInput): Promise<boolean> {
      const draft = input && (await draftFrom(input));
      const plan = async (): Promise<Plan<Memory[] | undefined>> => {
        const [open] = await store.find({ scopes, id });
        if (open === undefined) return { steps: [], result: undefined };
        const made = draft && (await planSaves(store, [draft], ruleOf(room)));
        const steps = [...(made?.steps ?? []), ending(open, now())];
        return { steps, result: made?.result ?? [] };
      };
      const saved = await commit(room, plan, {
        announce: (memories = []) => announce(room, memories),
      });
      return saved !== undefined;
    },
    /** A copy for a group, of the same origin; the same published again is one. */
    async publish(id: string, scope: Scope): Promise<Memory> {
      const { given, ...more } = await copyFor(room, id, scope);
      return keep(await draftFrom(given, more));
    },
    /** A lead's word matters most where it is told, whatever was saved there before. */
    async inject(input: InjectInput): Promise<Memory> {
      const { to, content, category } = input;
      const scope = checkScope(to, { scopes, rights: await rights() }, { act: "inject" });
      const given = { content, category, scope, importance: 1 };
      return keep(await draftFrom(given, { source: LEAD_SOURCE }));
    },
  };
}

function changing(room: MemoryRoom) {
  const { store, scopes, now, rights } = room;

  return {
    /** Moves a memory to where the identity may promote to; `due` may refuse at the last moment. */
    promote: (id: string, scope: Scope, due?: (memory: Memory) => Promise<void>, held?: Memory) =>
      promote(room, String(id), { scope, due, held }),
    async update(
      id: string,
      patch: MemoryPatch,
      { version }: { version?: number } = {},
    ): Promise<Memory> {
      const changes = await masked(checkPatch(patch, now()));
      const { content } = changes;
      if (content !== undefined) await room.meaning?.prepare([content]);
      const asked = { content, version, origin: room.origin, rights: await rights() };
      const plan = async (): Promise<Plan<Memory>> => {
        const [old] = await store.find({ scopes, id: String(id) });
        if (old === undefined)
          throw new TidemarkError(
            "not-found",
            `There is no memory ${JSON.stringify(id)} to update.`,
          );
        checkChange(old.memory, asked);
        const change = patched(old, changes, { ...room, now: now() });
        return { steps: [written(change)], result: change.row.memory };
      };
      return commit(room, plan, { announce: (memory) => announce(room, [memory]) });
    },
    /** Takes out what `fateOf` does not keep; how many, and those it keeps. */
    forget: (
      target: ForgetTarget,
      fateOf: (memory: Memory) => Fate = () => "gone",
      version?: number,
    ) => forget(room, target, { fateOf, version }),
    /** Ends a memory of these scopes, with tags that say who did and why; its past stays. */
    retract: (id: string, within: readonly Scope[], tags: readonly string[]) =>
      retract(room, { scopes: within, id }, tags),
    /** Brings back a memory ended within thirty days, by its id or the mark of its line. */
    undo: (name: string) => undoEnd(room, String(name)),
    /** Brings back what went to the archive, by its id. */
    restore: (id: string) => undoEnd(room, String(id), { archived: true }),
    consolidate: (how: Parameters<typeof consolidate>[1]) => consolidate(room, how),
  };
}

const savingFacts = (room: MemoryRoom) => ({
  /**
   * Stores a distiller's facts in one transaction; the scope must be one of the identity's.
   * `replaced`: memories that the facts take the place of.
   */
  async saveAll(
    given: readonly Fact[],
    named: Scope,
    source = "distilled",
    { replaced = [], put }: { replaced?: readonly string[]; put?: Put<SavedFacts> } = {},
  ): Promise<SavedFacts> {
    const { store, scopes } = room;
    const scope = checkScope(named, { scopes, rights: await room.rights() });
    const facts = await Promise.all(given.map(masked));
    // A turn may wait for this at the brim, so it does not wait for their vectors: those are made
    // behind the conversation.
    const plan = (): Promise<Plan<SavedFacts>> =>
      planFacts(store, facts, { ...ruleOf(room), scope, scopes, source, replaced });
    return commit(room, plan, { announce: ({ saved }) => announce(room, saved), put });
  },
});

/** Knowledge of code wants the word that code does not say it. */
export const adviceOn = ({ category, tags }: Memory): string =>
  category === "codebase-knowledge" && !tags.includes(NON_INFERABLE)
    ? ` Forget it if code or documents say it; else tag it "${NON_INFERABLE}".`
    : "";

async function masked<T extends { category?: string | undefined }>(texts: T): Promise<T> {
  const { category } = texts;
  const named = category === undefined ? texts : { ...texts, category: categoryName(category) };
  return maskingSlowly((known) => maskedTexts(named, known));
}

const ruleOf = ({ now, newId, lifetimes }: MemoryRoom) => ({
  now: now(),
  newId,
  lifetimes,
});

async function announce(room: MemoryRoom, memories: readonly Memory[]): Promise<void> {
  for (const { id, scope, content } of memories) room.listen({ type: "saved", id, scope }, content);
  await room.meaning?.learn(memories);
}
