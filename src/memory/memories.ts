import { shown, TidemarkError } from "../model/errors.ts";
import type { Scope } from "../model/identity.ts";
import {
  type ForgetTarget,
  type Hit,
  type InjectInput,
  LEAD_SOURCE,
  type ListOptions,
  type Memory,
  type MemoryPatch,
  type RecallOptions,
  type SaveInput,
} from "../model/memory.ts";
import { momentOf } from "../model/moment.ts";
import type { ReceiptLine } from "../workspace/lines/receipt-line.ts";
import { categoryFor } from "./categories/categories.ts";
import { checkChange, checkInjection, checkPatch, checkSave, checkScope } from "./saving/check.ts";
import { checkWhole } from "../model/checks.ts";
import { commit, ending, type Plan, written } from "./saving/commit.ts";
import { type Draft, patched } from "./saving/draft.ts";
import { type Manner, markUsed, recall } from "./recalling/recall.ts";
import { salient, type SalientOptions } from "./recalling/salience.ts";
import { promotable, promote } from "./saving/promote.ts";
import { valuesOf } from "./saving/values.ts";
import { undoEnd } from "./saving/undo.ts";
import { checkTarget, forget } from "./saving/forgetting.ts";
import { maskedTexts, type MemoryRoom } from "./saving/room.ts";
import { type Fact, planFacts, planGift, planSave, type SavedFacts } from "./saving/save.ts";
import { sameness } from "./sameness/canonical.ts";

/** Asked at the last moment, when no other process can store the same any more: the receipt, if one is due; undefined: store nothing. */
export type Due = () => Promise<{ readonly receipt?: ReceiptLine } | undefined>;

/** What one identity's memory answers. */
interface Reading {
  recall(query: string, options?: RecallOptions): Promise<Hit[]>;
  /** As `recall`, without counting use: for a caller that has yet to choose among the hits, and then says which were `used`. */
  look(query: string, options?: RecallOptions, manner?: Manner): Promise<Hit[]>;
  used(hits: readonly Hit[]): Promise<void>;
  /** `use`: it was read to be used. */
  get(id: string, options?: { use?: boolean }): Promise<Memory | undefined>;
  /** What a memory said before, the latest first. */
  past(id: string): Promise<Memory[]>;
  /** The memory that may be moved there, by its mover or by one who decides for it. */
  promotable(id: string, to: Scope): Promise<Memory>;
  byKey(key: string, options?: { scope?: Scope }): Promise<Memory | undefined>;
  list(options?: ListOptions): Promise<Memory[]>;
  /** Where what would be forgotten is kept. */
  scopesOf(target: ForgetTarget): Promise<Scope[]>;
  salient(options: SalientOptions): Promise<Memory[]>;
}

/** What may be done with it. */
interface Writing {
  save(input: string | SaveInput): Promise<Memory>;
  /** For work that no turn waits for, before `saveAll`: facts are known again in other words by vectors, where the embedder has a say. */
  ready(facts: readonly Fact[]): Promise<void>;
  /** What a distiller found, in one transaction; `scope` must be one of the identity's. */
  saveAll(facts: readonly Fact[], scope: Scope, source?: string, due?: Due): Promise<SavedFacts>;
  /** Ends a memory and saves what came of it, both or, where that one has ended before, neither. */
  conclude(open: Pick<Memory, "id" | "scope">, input?: SaveInput): Promise<boolean>;
  /** Tells the target something as a lead's word. */
  inject(input: InjectInput): Promise<Memory>;
  /** Moves a memory to where the identity may promote to; `due`: is it to be moved at the last moment, too? */
  promote(id: string, to: Scope, due?: (memory: Memory) => Promise<void>): Promise<Memory>;
  update(id: string, patch: MemoryPatch, options?: { version?: number }): Promise<Memory>;
  /** `asked`: the user wants this one gone, whose word it may be; it ends then, and its past stays. */
  forget(target: ForgetTarget, manner?: { asked?: (memory: Memory) => boolean }): Promise<number>;
  /** Brings back what ended within thirty days, by its id or the mark of its line; undefined where there is none. */
  undo(name: string): Promise<Memory | undefined>;
}

/** The memory of one identity. */
export type Memories = Reading & Writing;

export const createMemories = (room: MemoryRoom): Memories => ({
  ...reading(room),
  ...writing(room),
  ...savingFacts(room),
});

function reading(room: MemoryRoom): Reading {
  const { store, scopes, now } = room;
  const narrowed = (scope: string | undefined): readonly Scope[] =>
    scope === undefined ? scopes : scopes.filter((own) => own === scope);
  return {
    recall: (query, options) => recall(room, query, options),
    look: (query, options, manner) => recall(room, query, options, { ...manner, quiet: true }),
    used: (hits) => markUsed(room, hits),
    async get(id, { use = false } = {}) {
      if (typeof use !== "boolean")
        throw new TidemarkError("config", `get({ use }) must be true or false, got ${shown(use)}.`);
      const found = await store.get(String(id), scopes);
      if (use && found !== undefined) await store.used([found.memory.id], scopes, now());
      return found?.memory;
    },
    async past(id) {
      const values = await valuesOf(store, [id]);
      return values
        .filter(({ stored, until }) => until !== undefined && scopes.includes(stored.memory.scope))
        .map(({ stored }) => stored.memory)
        .reverse();
    },
    promotable: async (id, to) => (await promotable(room, String(id), to)).memory,
    async byKey(key, { scope } = {}) {
      const name = (await room.mask())(key);
      for (const own of narrowed(scope)) {
        const found = await store.byKey(name, own);
        if (found !== undefined) return found.memory;
      }
      return undefined;
    },
    async list({ limit = 100, scope, category, kind, after } = {}) {
      const rows = await store.list({
        scopes: narrowed(scope),
        now: now(),
        limit: checkWhole(limit, "limit", 100_000),
        category: category === undefined ? undefined : (await room.mask())(category),
        kind,
        after: after === undefined ? undefined : momentOf(after, "after"),
      });
      return rows.map(({ memory }) => memory);
    },
    async scopesOf(target) {
      const found = await store.find({ scopes, ...(await masked(room, checkTarget(target))) });
      return found.map(({ memory }) => memory.scope);
    },
    salient: (options) => salient(room, options),
  };
}

function writing(room: MemoryRoom): Omit<Writing, "ready" | "saveAll"> {
  const { store, scopes, now, rights } = room;

  async function draftFrom(input: unknown, more: Partial<Draft> = {}): Promise<Draft> {
    const checked = checkSave(input, { ...room, rights: await rights(), now: now() });
    const draft = await masked(room, { ...checked, ...more });
    await room.meaning?.prepare([draft.content]);
    return { ...draft, same: sameness(draft.content) };
  }

  async function keep(draft: Draft): Promise<Memory> {
    const plan = scopes.includes(draft.scope) ? planSave : planGift;
    const memory = await commit(room, () => plan(store, draft, ruleOf(room)));
    await announce(room, [memory]);
    return memory;
  }

  return {
    save: async (input) => keep(await draftFrom(input)),
    async conclude({ id }, input) {
      const draft = input && (await draftFrom(input));
      const saved = await commit(room, async (): Promise<Plan<Memory[] | undefined>> => {
        const open = await store.get(id, scopes);
        if (open === undefined) return { steps: [], result: undefined };
        const made = draft && (await planSave(store, draft, ruleOf(room)));
        const steps = [...(made?.steps ?? []), ending(open, now())];
        return { steps, result: made === undefined ? [] : [made.result] };
      });
      await announce(room, saved ?? []);
      return saved !== undefined;
    },
    /** A lead's word matters most where it is told, whatever was saved there before. */
    async inject(input) {
      const { to, content, category } = checkInjection(input);
      const scope = checkScope(to, { scopes, rights: await rights() }, "inject");
      const given = { content, category, scope, importance: 1 };
      return keep(await draftFrom(given, { source: LEAD_SOURCE }));
    },
    promote: (id, scope, due) => promote(room, String(id), { scope, due }),
    async update(id, patch, { version } = {}) {
      const changes = await masked(room, checkPatch(patch, now()));
      const { content } = changes;
      if (content !== undefined) await room.meaning?.prepare([content]);
      const asked = { content, version, origin: room.origin, rights: await rights() };
      const memory = await commit<Memory>(room, async () => {
        const old = await store.get(String(id), scopes);
        if (old === undefined)
          throw new TidemarkError(
            "not-found",
            `There is no memory ${JSON.stringify(id)} to update.`,
          );
        checkChange(old.memory, asked);
        const change = patched(old, changes, { ...room, now: now() });
        return { steps: [written(change)], result: change.row.memory };
      });
      await announce(room, [memory]);
      return memory;
    },
    forget: (target, { asked = () => false } = {}) => forget(room, target, asked),
    undo: async (name) =>
      undoEnd({ ...room, scopes: (await rights()).where("change") }, String(name)),
  };
}

const savingFacts = (room: MemoryRoom): Pick<Writing, "ready" | "saveAll"> => ({
  async ready(facts) {
    const { meaning } = room;
    if (meaning?.reach() === undefined) return;
    const mask = await room.mask();
    const texts = facts.map((fact) => maskedTexts(fact, mask).content);
    await meaning.prepare(texts.filter((content) => content.trim() !== ""));
  },
  async saveAll(given, named, source = "distilled", due) {
    const { store, scopes } = room;
    const scope = checkScope(named, { scopes, rights: await room.rights() });
    const mask = await room.mask();
    const facts = given.map((fact) => maskedTexts(fact, mask));
    // A turn may wait for this at the brim, so it does not wait for their vectors: those are made behind the conversation.
    const result = await commit(room, async (): Promise<Plan<SavedFacts>> => {
      const granted = due === undefined ? {} : await due();
      if (granted === undefined)
        return { steps: [], result: { saved: [], known: facts.length, repeated: [] } };
      const plan = await planFacts(store, facts, { ...ruleOf(room), scope, scopes, source });
      return { ...plan, receipt: granted.receipt };
    });
    await announce(room, result.saved);
    return result;
  },
});

const masked = async <T extends object>(room: MemoryRoom, texts: T): Promise<T> =>
  maskedTexts(texts, await room.mask());

const ruleOf = ({ store, now, newId, lifetimes, meaning }: MemoryRoom) => ({
  now: now(),
  newId,
  lifetimes,
  meaning,
  categoryOf: (content: string, scope: Scope): Promise<string> =>
    categoryFor(store, { content, scope }, meaning),
});

async function announce(room: MemoryRoom, memories: readonly Memory[]): Promise<void> {
  for (const { id, scope } of memories) room.listen({ type: "saved", id, scope });
  await room.meaning?.learn(memories);
}
