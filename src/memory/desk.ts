import { type Scope } from "../model/identity.ts";
import { type Store, type Stored } from "../model/store.ts";
import { queryTerms } from "../text/terms.ts";
import { type Step } from "./draft.ts";
import { named } from "./named.ts";

/** Among so many of the likeliest is the one that words name, or none is. */
const CANDIDATES = 30;

/** The store as it will be once the steps planned so far are done: several drafts make one transaction. */
export function openDesk(store: Store) {
  const planned = new Map<string, Stored>();
  const ended = new Set<string>();
  const untouched = ({ memory }: Stored): boolean => !planned.has(memory.id) && !ended.has(memory.id);

  return {
    async byKey(key: string, scope: Scope): Promise<Stored | undefined> {
      const own = [...planned.values()].find(({ memory }) => memory.key === key && memory.scope === scope);
      if (own !== undefined) return own;
      const found = await store.byKey(key, scope);
      return found !== undefined && untouched(found) ? found : undefined;
    },
    async same(digest: string, scopes: readonly Scope[]): Promise<Stored[]> {
      const own = [...planned.values()].filter(({ memory, same }) => same === digest && scopes.includes(memory.scope));
      return [...own, ...(await store.same(digest, scopes)).filter(untouched)];
    },
    /** The memory that words describe without repeating them. */
    async named(words: string, scope: Scope, now: number): Promise<Stored | undefined> {
      const terms = queryTerms(words).map(({ term }) => ({ term, weight: 1 }));
      if (terms.length === 0) return undefined;
      return named(words, (await store.candidates({ scopes: [scope], now, terms, limit: CANDIDATES })).filter(untouched));
    },
    note: ({ row }: Step): unknown => planned.set(row.memory.id, row),
    end(id: string): void {
      planned.delete(id);
      ended.add(id);
    },
  };
}

export type Desk = ReturnType<typeof openDesk>;
