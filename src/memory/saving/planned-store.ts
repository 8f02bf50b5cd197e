import type { Scope } from "../../core/identity.ts";
import { lessTrusted, type Stored } from "../../core/memory.ts";
import { queryTerms } from "../../core/text/terms.ts";
import type { Storage } from "../../storage/port.ts";
import { methods } from "../../storage/methods.ts";
import { saysChange } from "../recalling/outdated.ts";
import type { Draft } from "./draft.ts";
import { categoryFor } from "./same-and-category.ts";

/** Among so many of the likeliest are those that a fact makes untrue. */
const CANDIDATES = 60;

export type Lookups = Pick<Storage, "find" | "candidates" | "frequencies">;

/** What was asked once is known: all that many drafts look up can be asked for at once before. */
export function askedOnce(store: Lookups): Lookups {
  const known = new Map<string, unknown>();
  return methods(["find", "candidates", "frequencies"], (call, name, given) => {
    const asked = name + JSON.stringify(given);
    if (!known.has(asked)) known.set(asked, call(store));
    return known.get(asked);
  });
}

/**
 * The store as it will be once the steps planned so far are done: several drafts make one
 * transaction.
 */
export function plannedStore(store: Lookups) {
  const planned = new Map<string, Stored>();
  const ended = new Set<string>();
  const untouched = ({ memory: { id } }: Stored): boolean => !planned.has(id) && !ended.has(id);
  const own = (isMeant: (row: Stored) => boolean): Stored[] =>
    [...planned.values()].filter(isMeant);

  return {
    async byKey(key: string | undefined, scope: Scope): Promise<Stored | undefined> {
      if (key === undefined) return undefined;
      const [mine] = own(({ memory }) => memory.key === key && memory.scope === scope);
      if (mine !== undefined) return mine;
      const [found] = await store.find({ scopes: [scope], key });
      return found !== undefined && untouched(found) ? found : undefined;
    },
    byId: async (id: string, scopes: readonly Scope[]): Promise<Stored[]> =>
      (await store.find({ scopes, id })).filter(untouched),
    async same(digest: string, scopes: readonly Scope[]): Promise<Stored[]> {
      const mine = own(({ memory, same }) => same === digest && scopes.includes(memory.scope));
      return [...mine, ...(await store.find({ scopes, same: digest })).filter(untouched)];
    },
    /**
     * What stands in the scope and has words of it. Of what is told with it in one answer both
     * hold, unless it says that something is otherwise.
     */
    async akin(content: string, { scope, now }: { scope: Scope; now: number }): Promise<Stored[]> {
      const terms = queryTerms(content).map(({ term }) => ({ term, weight: 1 }));
      const mine = own(({ memory }) => memory.scope === scope && saysChange(content));
      if (terms.length === 0) return mine;
      const asked = { scopes: [scope], now, terms, limit: CANDIDATES };
      return [...(await store.candidates("memories", asked)).filter(untouched), ...mine];
    },
    categoryFor: (draft: { content: string; scope: Scope }) => categoryFor(store, draft),
    add: (row: Stored): unknown => planned.set(row.memory.id, row),
    end(id: string): void {
      planned.delete(id);
      ended.add(id);
    },
  };
}

export type PlannedStore = ReturnType<typeof plannedStore>;

/** A value said in this minute is said now; under a clock that was set back as well. */
const SAID_NOW = 60_000;

/** The value under a draft's key that began later than what the draft tells of. */
export async function laterThan(
  planned: PlannedStore,
  { key, scope, at, same, origin }: Draft,
  now: number,
): Promise<Stored | undefined> {
  const held = await planned.byKey(key, scope);
  if (held === undefined || at > now - SAID_NOW || at >= held.validFrom || held.same === same)
    return undefined;
  return lessTrusted(origin, held.memory.origin) ? undefined : held;
}
