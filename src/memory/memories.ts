import { completed, type CompleteRoom, maskedTexts, type MemoryRoom } from "./saving/room.ts";
import { checkTarget, forget } from "./saving/forgetting.ts";
import { defined } from "../base/guards.ts";
import { shown, TidemarkError } from "../model/errors.ts";
import { type Scope } from "../model/identity.ts";
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
import { type ReceiptLine } from "../workspace/lines/receipt-line.ts";
import { categoryFor } from "./categories/categories.ts";
import { checkChange, checkInjection, checkPatch, checkSave, checkScope } from "./saving/check.ts";
import { checkWhole } from "../model/checks.ts";
import { commit, type Plan } from "./saving/commit.ts";
import { type Draft, patched } from "./saving/draft.ts";
import { type Manner, markUsed, recall } from "./recalling/recall.ts";
import { salient, type SalientOptions } from "./recalling/salience.ts";
import { promotable, promote } from "./saving/promote.ts";
import { valuesOf } from "./saving/values.ts";
import { undoEnd } from "./saving/undo.ts";
import {
  ending,
  type Fact,
  planFacts,
  planGift,
  planSave,
  type SavedFacts,
} from "./saving/save.ts";

/** Asked at the last moment, when no other process can store the same any more: the receipt, if one is due; undefined: store nothing. */
export type Due = () => Promise<{ readonly receipt?: ReceiptLine } | undefined>;

/** The memory of one identity. */
export interface Memories {
  save(input: string | SaveInput): Promise<Memory>;
  /** For work that no turn waits for, before `saveAll`: facts are known again in other words by vectors, where the embedder has a say. */
  ready(facts: readonly Fact[]): Promise<void>;
  /** What a distiller found, in one transaction; `scope` must be one of the identity's. */
  saveAll(facts: readonly Fact[], scope: Scope, source?: string, due?: Due): Promise<SavedFacts>;
  recall(query: string, options?: RecallOptions): Promise<Hit[]>;
  /** As `recall`, without counting use: for a caller that has yet to choose among the hits, and then says which were `used`. */
  look(query: string, options?: RecallOptions, manner?: Manner): Promise<Hit[]>;
  used(hits: readonly Hit[]): Promise<void>;
  /** Ends a memory and saves what came of it, both or, where that one has ended before, neither. */
  conclude(open: Pick<Memory, "id" | "scope">, input?: SaveInput): Promise<boolean>;
  /** `use`: it was read to be used. */
  get(id: string, options?: { use?: boolean }): Promise<Memory | undefined>;
  /** What a memory said before, the latest first. */
  past(id: string): Promise<Memory[]>;
  /** Tells the target something as a lead's word. */
  inject(input: InjectInput): Promise<Memory>;
  /** Moves a memory to where the identity may promote to; `due`: is it to be moved at the last moment, too? */
  promote(id: string, to: Scope, due?: (memory: Memory) => Promise<void>): Promise<Memory>;
  /** The memory that may be moved there, by its mover or by one who decides for it. */
  promotable(id: string, to: Scope): Promise<Memory>;
  byKey(key: string, options?: { scope?: Scope; asOf?: number }): Promise<Memory | undefined>;
  list(options?: ListOptions): Promise<Memory[]>;
  update(id: string, patch: MemoryPatch, options?: { version?: number }): Promise<Memory>;
  /** `asked`: the user wants this one gone, whose word it may be; it ends then, and its past stays. */
  forget(target: ForgetTarget, manner?: { asked?: (memory: Memory) => boolean }): Promise<number>;
  /** Brings back what ended within thirty days, by its id or the mark of its line; undefined where there is none. */
  undo(name: string): Promise<Memory | undefined>;
  /** Where what would be forgotten is kept. */
  scopesOf(target: ForgetTarget): Promise<Scope[]>;
  salient(scopes: readonly Scope[], options: SalientOptions): Promise<Memory[]>;
}

export function createMemories(given: MemoryRoom): Memories {
  const room = completed(given);
  const { store, scopes } = room;
  return {
    save: (input) => save(room, input),
    ready: (facts) => embedFacts(room, facts),
    saveAll: (facts, scope, source = "distilled", due) =>
      saveFacts(room, facts, { scope, source, due }),
    conclude: ({ id }, input) => conclude(room, id, input),
    recall: (query, options) => recall(room, query, options),
    look: (query, options, manner = {}) => recall(room, query, options, { ...manner, quiet: true }),
    used: (hits) => markUsed(room, hits),
    get: (id, options) => get(room, String(id), options),
    past: (id) => past(room, id),
    inject: (input) => inject(room, input),
    promote: (id, scope, due) => promote(room, String(id), { scope, due }),
    promotable: async (id, to) => (await promotable(room, String(id), to)).memory,
    byKey: (key, options) => byKey(room, key, options),
    list: (options) => list(room, options),
    update: (id, patch, options) => update(room, id, patch, options),
    forget: (target, { asked = () => false } = {}) => forget(room, target, asked),
    undo: async (name) =>
      undoEnd({ ...room, scopes: (await room.rights()).where("change") }, String(name)),
    scopesOf: async (target) =>
      (await store.find({ scopes, ...(await masked(room, checkTarget(target))) })).map(
        ({ memory }) => memory.scope,
      ),
    salient: (asked, options) =>
      salient(
        room,
        scopes.filter((own) => asked.includes(own)),
        { ...options, now: room.now() },
      ),
  };
}

async function save(room: CompleteRoom, input: string | SaveInput): Promise<Memory> {
  return keep(room, await draftFrom(room, input));
}

const draftFrom = async (room: CompleteRoom, input: string | SaveInput): Promise<Draft> =>
  prepared(room, checkSave(input, { ...room, rights: await room.rights(), now: room.now() }));

async function prepared(room: CompleteRoom, checked: Draft): Promise<Draft> {
  const draft = await masked(room, checked);
  await room.meaning?.prepare([draft.content]);
  return draft;
}

async function keep(room: CompleteRoom, draft: Draft): Promise<Memory> {
  const plan = room.scopes.includes(draft.scope) ? planSave : planGift;
  const memory = await commit(room, () => plan(room.store, draft, ruleOf(room)));
  await announce(room, [memory]);
  return memory;
}

interface Concluded {
  readonly ended: boolean;
  readonly saved?: Memory;
}

async function conclude(room: CompleteRoom, id: string, input?: SaveInput): Promise<boolean> {
  const draft = input === undefined ? undefined : await draftFrom(room, input);
  const { ended, saved } = await commit(room, async (): Promise<Plan<Concluded>> => {
    const open = await room.store.get(id, room.scopes);
    if (open === undefined) return { changes: [], events: [], result: { ended: false } };
    const made = draft && (await planSave(room.store, draft, ruleOf(room)));
    const end = ending(open, room.now());
    return {
      changes: [...(made?.changes ?? []), end.change],
      events: [...(made?.events ?? []), end.event],
      result: { ended: true, saved: made?.result },
    };
  });
  if (saved !== undefined) await announce(room, [saved]);
  return ended;
}

/** A lead's word matters most where it is told, whatever was saved there before. */
async function inject(room: CompleteRoom, input: InjectInput): Promise<Memory> {
  const { to, content, category } = checkInjection(input);
  const scope = checkScope(to, { ...room, rights: await room.rights() }, "inject");
  const rule = { ...room, rights: await room.rights(), now: room.now() };
  const draft = checkSave({ content, category, scope, importance: 1 }, rule);
  return keep(room, await prepared(room, { ...draft, source: LEAD_SOURCE }));
}

async function get(
  room: CompleteRoom,
  id: string,
  { use = false }: { use?: boolean } = {},
): Promise<Memory | undefined> {
  if (typeof use !== "boolean")
    throw new TidemarkError("config", `get({ use }) must be true or false, got ${shown(use)}.`);
  const found = await room.store.get(id, room.scopes);
  if (use && found !== undefined) await room.store.used([id], room.scopes, room.now());
  return found?.memory;
}

async function embedFacts(room: CompleteRoom, facts: readonly Fact[]): Promise<void> {
  if (room.meaning?.reach() === undefined) return;
  const mask = await room.mask();
  await room.meaning.prepare(
    facts.map((fact) => maskedTexts(fact, mask).content).filter((content) => content.trim() !== ""),
  );
}

async function saveFacts(
  room: CompleteRoom,
  given: readonly Fact[],
  { scope, source, due }: { scope: Scope; source: string; due: Due | undefined },
): Promise<SavedFacts> {
  const { store, scopes } = room;
  const target = checkScope(scope, { scopes, rights: await room.rights() });
  const mask = await room.mask();
  const facts = given.map((fact) => maskedTexts(fact, mask));
  // A turn may wait for this at the brim, so it does not wait for their vectors: those are made behind the conversation.
  const result = await commit(room, async () => {
    const granted = due === undefined ? {} : await due();
    if (granted === undefined)
      return { changes: [], events: [], result: { saved: [], known: facts.length, repeated: [] } };
    const rule = { ...ruleOf(room), scope: target, scopes, source };
    return { ...(await planFacts(store, facts, rule)), receipt: granted.receipt };
  });
  await announce(room, result.saved);
  return result;
}

async function past({ store, scopes }: CompleteRoom, id: string): Promise<Memory[]> {
  const values = await valuesOf(store, [id]);
  return values
    .filter(({ stored, until }) => until !== undefined && scopes.includes(stored.memory.scope))
    .map(({ stored }) => stored.memory)
    .reverse();
}

async function byKey(
  room: CompleteRoom,
  key: string,
  { scope, asOf }: { scope?: Scope; asOf?: number } = {},
): Promise<Memory | undefined> {
  const written = (await room.mask())(key);
  for (const own of narrowed(room, scope)) {
    const found = await room.store.byKey(written, own, asOf);
    if (found !== undefined) return found.memory;
  }
  return undefined;
}

async function list(
  room: CompleteRoom,
  { limit = 100, scope, category, kind, after }: ListOptions = {},
): Promise<Memory[]> {
  const rows = await room.store.list({
    scopes: narrowed(room, scope),
    now: room.now(),
    limit: checkWhole(limit, "limit", 100_000),
    ...defined({
      category: category === undefined ? undefined : (await room.mask())(category),
      kind,
      after: after === undefined ? undefined : momentOf(after, "after"),
    }),
  });
  return rows.map(({ memory }) => memory);
}

async function update(
  room: CompleteRoom,
  id: string,
  patch: MemoryPatch,
  { version }: { version?: number } = {},
): Promise<Memory> {
  const { store, now, lifetimes, origin } = room;
  const changes = await masked(room, checkPatch(patch, now()));
  if (changes.content !== undefined) await room.meaning?.prepare([changes.content]);
  const rights = await room.rights();
  const memory = await commit<Memory>(room, async () => {
    const old = await store.get(String(id), room.scopes);
    if (old === undefined)
      throw new TidemarkError("not-found", `There is no memory ${JSON.stringify(id)} to update.`);
    checkChange({ rights, origin }, old.memory, { content: changes.content, version });
    const row = patched(old, changes, { now: now(), lifetimes, origin });
    return {
      changes: [{ do: "replace", row, was: old.memory.version }],
      events: [{ event: "updated", memory: row.memory, row }],
      result: row.memory,
    };
  });
  await announce(room, [memory]);
  return memory;
}

const masked = async <T extends object>(room: CompleteRoom, texts: T): Promise<T> =>
  maskedTexts(texts, await room.mask());

const narrowed = ({ scopes }: CompleteRoom, scope: string | undefined): readonly Scope[] =>
  scope === undefined ? scopes : scopes.filter((own) => own === scope);

const ruleOf = ({ store, now, newId, lifetimes, meaning }: CompleteRoom) => ({
  now: now(),
  newId,
  lifetimes,
  categoryOf: (content: string, scope: Scope): Promise<string> =>
    categoryFor(store, { content, scope }, meaning),
  ...defined({ meaning }),
});

async function announce(room: CompleteRoom, memories: readonly Memory[]): Promise<void> {
  for (const { id, scope } of memories) room.listen({ type: "saved", id, scope });
  await room.meaning?.learn(memories);
}
