import { type MemoryRoom } from "./saving/room.ts";
import { planEnd, checkTarget } from "./saving/forgetting.ts";
import { defined } from "../base/guards.ts";
import { TidemarkError } from "../model/errors.ts";
import { type Scope } from "../model/identity.ts";
import {
  type ForgetTarget,
  type Hit,
  type ListOptions,
  type Memory,
  type MemoryPatch,
  type RecallOptions,
  type SaveInput,
} from "../model/memory.ts";
import { momentOf } from "../model/moment.ts";
import { type Mask } from "../secrets/mask.ts";
import { type ReceiptLine } from "../workspace/receipt-line.ts";
import { categoryFor } from "./categories/categories.ts";
import { checkPatch, checkSave, checkScope, denied } from "./saving/check.ts";
import { checkWhole } from "../model/checks.ts";
import { commit, serially } from "./saving/commit.ts";
import { lessTrusted, patched } from "./saving/draft.ts";
import { maskedTexts } from "./saving/masked.ts";
import { type Manner, markUsed, recall } from "./recalling/recall.ts";
import { salient, type SalientOptions } from "./recalling/salience.ts";
import { undoEnd } from "./saving/undo.ts";
import { type Fact, planFacts, planSave, type SavedFacts } from "./saving/save.ts";

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
  get(id: string): Promise<Memory | undefined>;
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

export function createMemories(room: MemoryRoom): Memories {
  const {
    store,
    scopes,
    writes = scopes,
    home,
    now,
    newId,
    listen,
    lifetimes = {},
    origin = "host",
    meaning,
  } = room;
  const { alone = (work) => work() } = room;
  const shelf = { store, journal: room.journal, alone };

  const masking = async (): Promise<Mask> => (await room.mask?.()) ?? ((text) => text);
  const tell = (memory: Memory): unknown =>
    listen({ type: "saved", id: memory.id, scope: memory.scope });
  const categoryOf = (content: string, scope: Scope): Promise<string> =>
    categoryFor(store, { content, scope }, meaning);
  const rule = () => ({
    now: now(),
    newId,
    lifetimes,
    categoryOf,
    ...defined({ meaning }),
  });
  const narrowed = (scope: string | undefined): readonly Scope[] =>
    scope === undefined ? scopes : scopes.filter((own) => own === scope);

  return {
    async save(input) {
      const draft = maskedTexts(
        checkSave(input, { scopes, writes, home, origin, now: now() }),
        await masking(),
      );
      await meaning?.prepare([draft.content]);
      const memory = await commit(shelf, () => planSave(store, draft, rule()));
      tell(memory);
      await meaning?.learn([memory]);
      return memory;
    },

    async ready(facts) {
      if (meaning?.reach() === undefined) return;
      const mask = await masking();
      await meaning.prepare(
        facts
          .map((fact) => maskedTexts(fact, mask).content)
          .filter((content) => content.trim() !== ""),
      );
    },

    async saveAll(given, scope, source = "distilled", due) {
      const target = checkScope(scope, { scopes, writes });
      const mask = await masking();
      const facts = given.map((fact) => maskedTexts(fact, mask));
      // A turn may wait for this at the brim, so it does not wait for their vectors: those are made behind the conversation.
      const result = await commit(shelf, async () => {
        const asked = due === undefined ? {} : await due();
        if (asked === undefined)
          return {
            changes: [],
            events: [],
            result: { saved: [], known: facts.length, repeated: [] },
          };
        return {
          ...(await planFacts(store, facts, { ...rule(), scope: target, scopes, source })),
          receipt: asked.receipt,
        };
      });
      result.saved.forEach(tell);
      await meaning?.learn(result.saved);
      return result;
    },

    recall: (query, options) => recall(room, query, options),
    look: (query, options, manner = {}) => recall(room, query, options, { ...manner, quiet: true }),
    used: (hits) => markUsed(room, hits),

    get: async (id) => (await store.get(String(id), scopes))?.memory,

    async byKey(key, { scope, asOf } = {}) {
      const written = (await masking())(key);
      for (const own of narrowed(scope)) {
        const found = await store.byKey(written, own, asOf);
        if (found !== undefined) return found.memory;
      }
      return undefined;
    },

    async list({ limit = 100, scope, category: named, kind, after } = {}) {
      const category = named === undefined ? undefined : (await masking())(named);
      const rows = await store.list({
        scopes: narrowed(scope),
        now: now(),
        limit: checkWhole(limit, "limit", 100_000),
        ...defined({ category, kind }),
        ...defined({ after: after === undefined ? undefined : momentOf(after, "after") }),
      });
      return rows.map(({ memory }) => memory);
    },

    async update(id, patch, { version } = {}) {
      const changes = maskedTexts(checkPatch(patch), await masking());
      if (changes.content !== undefined) await meaning?.prepare([changes.content]);
      const memory = await commit(shelf, async () => {
        const old = await store.get(String(id), scopes);
        if (old === undefined)
          throw new TidemarkError(
            "not-found",
            `There is no memory ${JSON.stringify(id)} to update.`,
          );
        if (!writes.includes(old.memory.scope)) throw denied("change", old.memory.scope, writes);
        if (changes.content !== undefined && lessTrusted(origin, old.memory.origin))
          throw new TidemarkError(
            "scope-denied",
            `Memory ${id} is the word of the ${old.memory.origin}, which words of origin "${origin}" may not overwrite: save them as a memory of their own.`,
          );
        if (version !== undefined && version !== old.memory.version)
          throw new TidemarkError(
            "conflict",
            `Memory ${id} is at version ${old.memory.version}, not ${version}: read it again and repeat the change on what it says now.`,
          );
        const row = patched(old, changes, { now: now(), lifetimes, origin });
        return {
          changes: [{ do: "replace", row, was: old.memory.version }],
          events: [{ event: "updated", memory: row.memory, row }],
          result: row.memory,
        };
      });
      tell(memory);
      await meaning?.learn([memory]);
      return memory;
    },

    async forget(given, { asked = () => false } = {}) {
      // It is known by what was written down of it.
      const target = maskedTexts(checkTarget(given), await masking());
      const theirs: Memory[] = [];
      const removed = await serially(store, () =>
        alone(async () => {
          const seen = await store.find({ scopes, ...target });
          const found = seen.filter(({ memory }) => writes.includes(memory.scope));
          const [kept] = seen;
          if (kept !== undefined && found.length === 0)
            throw denied("forget from", kept.memory.scope, writes);
          if (kept === undefined) return 0;
          const mine = found.flatMap(({ memory }) =>
            lessTrusted(origin, memory.origin) ? [] : [memory],
          );
          theirs.push(
            ...found.flatMap(({ memory }) =>
              lessTrusted(origin, memory.origin) && asked(memory) ? [memory] : [],
            ),
          );
          if (mine.length === 0 && theirs.length === 0)
            throw new TidemarkError(
              "scope-denied",
              `Memory ${kept.memory.id} is the word of the ${kept.memory.origin}, which words of origin "${origin}" may not end: only the user's own message may ask for that.`,
            );
          if (mine.length === 0) return 0;
          await room.journal(mine.map((memory) => ({ event: "forgotten", memory })));
          return store.remove(
            mine.map(({ id }) => id),
            writes,
          );
        }),
      );
      return (
        removed +
        (theirs.length === 0
          ? 0
          : await commit(shelf, () => planEnd(store, theirs, { writes, at: now() })))
      );
    },

    undo: (name) => undoEnd({ ...shelf, scopes: writes, now }, String(name)),

    scopesOf: async (target) =>
      (await store.find({ scopes, ...maskedTexts(checkTarget(target), await masking()) })).map(
        ({ memory }) => memory.scope,
      ),

    salient: (asked, options) =>
      salient(
        room,
        scopes.filter((own) => asked.includes(own)),
        { ...options, now: now() },
      ),
  };
}
