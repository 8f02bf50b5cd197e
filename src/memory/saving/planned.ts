import { type Scope } from "../../model/identity.ts";
import { type Candidate, type Store, type Stored } from "../../model/store.ts";
import { corrects } from "../../text/corrected.ts";
import { contentTerms, queryTerms } from "../../text/terms.ts";
import { type Step } from "./draft.ts";
import { named } from "../sameness/named.ts";

/** Among so many of the likeliest is the one that words name, or none is. */
const CANDIDATES = 30;

/** The store as it will be once the steps planned so far are done: several drafts make one transaction. */
export function plannedStore(store: Store) {
  const planned = new Map<string, Stored>();
  const ended = new Set<string>();
  const untouched = ({ memory }: Stored): boolean =>
    !planned.has(memory.id) && !ended.has(memory.id);
  const candidates = async (
    terms: readonly string[],
    { scope, now }: { scope: Scope; now: number },
  ): Promise<Candidate[]> => {
    if (terms.length === 0) return [];
    const weighted = terms.map((term) => ({ term, weight: 1 }));
    const asked = { scopes: [scope], now, terms: weighted, limit: CANDIDATES };
    return (await store.candidates(asked)).filter(untouched);
  };

  return {
    async byKey(key: string, scope: Scope): Promise<Stored | undefined> {
      const own = [...planned.values()].find(
        ({ memory }) => memory.key === key && memory.scope === scope,
      );
      if (own !== undefined) return own;
      const found = await store.byKey(key, scope);
      return found !== undefined && untouched(found) ? found : undefined;
    },
    async same(digest: string, scopes: readonly Scope[]): Promise<Stored[]> {
      const own = [...planned.values()].filter(
        ({ memory, same }) => same === digest && scopes.includes(memory.scope),
      );
      return [...own, ...(await store.same(digest, scopes)).filter(untouched)];
    },
    /** The memory that words describe without repeating them. */
    async named(words: string, place: { scope: Scope; now: number }): Promise<Stored | undefined> {
      const terms = queryTerms(words).map(({ term }) => term);
      return named(words, await candidates(terms, place));
    },
    /** What a correction makes untrue. */
    async corrected(correction: string, place: { scope: Scope; now: number }): Promise<Stored[]> {
      const { terms } = contentTerms(correction);
      if (terms.length === 0) return [];
      const own = [...planned.values()].filter(({ memory }) => memory.scope === place.scope);
      return [...(await candidates(terms, place)), ...own].filter(({ memory }) =>
        corrects(correction, memory.content),
      );
    },
    add: ({ row }: Step): unknown => planned.set(row.memory.id, row),
    end(id: string): void {
      planned.delete(id);
      ended.add(id);
    },
  };
}

export type PlannedStore = ReturnType<typeof plannedStore>;
