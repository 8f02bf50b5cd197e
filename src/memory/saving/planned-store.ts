import type { Scope } from "../../core/identity.ts";
import type { Stored } from "../../core/memory.ts";
import { queryTerms } from "../../core/text/terms.ts";
import type { Storage } from "../../storage/port.ts";
import type { Candidate } from "../../storage/search-index.ts";
import { saysChange } from "./outdated.ts";
import { canonical, categoryFor } from "./same-and-category.ts";

/** Among so many of the likeliest is the one that words name, or none is. */
const CANDIDATES = 60;

/**
 * The store as it will be once the steps planned so far are done: several drafts make one
 * transaction.
 */
export function plannedStore(store: Storage) {
  const planned = new Map<string, Stored>();
  const ended = new Set<string>();
  const untouched = ({ memory: { id } }: Stored): boolean => !planned.has(id) && !ended.has(id);
  const own = (isMeant: (row: Stored) => boolean): Stored[] =>
    [...planned.values()].filter(isMeant);
  const candidates = async (
    terms: readonly string[],
    { scope, now }: { scope: Scope; now: number },
  ): Promise<Candidate[]> => {
    if (terms.length === 0) return [];
    const weighted = terms.map((term) => ({ term, weight: 1 }));
    const asked = { scopes: [scope], now, terms: weighted, limit: CANDIDATES };
    return (await store.candidates("memories", asked)).filter(untouched);
  };

  return {
    async byKey(key: string | undefined, scope: Scope): Promise<Stored | undefined> {
      if (key === undefined) return undefined;
      const [mine] = own(({ memory }) => memory.key === key && memory.scope === scope);
      if (mine !== undefined) return mine;
      const [found] = await store.find({ scopes: [scope], key });
      return found !== undefined && untouched(found) ? found : undefined;
    },
    byId: async (id: string, scope: Scope): Promise<Stored[]> =>
      (await store.find({ scopes: [scope], id })).filter(untouched),
    async same(digest: string, scopes: readonly Scope[]): Promise<Stored[]> {
      const mine = own(({ memory, same }) => same === digest && scopes.includes(memory.scope));
      return [...mine, ...(await store.find({ scopes, same: digest })).filter(untouched)];
    },
    /** The memory that words describe without repeating them. */
    async named(words: string, place: { scope: Scope; now: number }): Promise<Stored | undefined> {
      const terms = queryTerms(words).map(({ term }) => term);
      return named(words, await candidates(terms, place));
    },
    /**
     * What stands in the scope and has words of it. Of what is told with it in one answer both
     * hold, unless it says that something is otherwise.
     */
    async akin(content: string, place: { scope: Scope; now: number }): Promise<Stored[]> {
      const terms = queryTerms(content).map(({ term }) => term);
      const mine = own(({ memory }) => memory.scope === place.scope && saysChange(content));
      return [...(await candidates(terms, place)), ...mine];
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

/**
 * Of the memory's own words, the share that must be among those that name it, when all of the
 * naming words are the memory's. So 1 in 170 of LoCoMo's facts is taken for another, and that one
 * says nearly the same. A fact wrongly superseded is lost to recall; one left standing is found
 * beside the new one.
 */
const LEAST_NAMED = 0.6;

/** The memory that words of a distiller mean ("Ada works at Acme"), if it is clear which. */
function named(words: string, candidates: readonly Candidate[]): Candidate | undefined {
  const given = new Set(firmTerms(words));
  if (given.size === 0) return undefined;
  const [best, second] = candidates
    .filter(
      ({ memory, terms }) => given.isSubsetOf(new Set(terms)) && saysAllOf(memory.content, words),
    )
    .map((candidate) => {
      const own = firmTerms(candidate.memory.content);
      const share = own.filter((term) => given.has(term)).length / Math.max(1, own.length);
      return { candidate, share };
    })
    .filter(({ share }) => share >= LEAST_NAMED)
    .sort((one, other) => other.share - one.share);
  return best === undefined || second?.share === best.share ? undefined : best.candidate;
}

const firmTerms = (text: string): string[] =>
  queryTerms(text).flatMap(({ term, loose }) => (loose ? [] : [term]));

/**
 * The names and figures of the words come in the memory in the same order, and it affirms what they
 * affirm.
 */
function saysAllOf(content: string, words: string): boolean {
  const [own, given] = [tokensOf(content), tokensOf(words)];
  const names = new Set([...namesOf(content), ...namesOf(words)]);
  const telling = (token: string): boolean => /\d/.test(token) || names.has(token);
  const rest = own.filter(telling);
  let at = 0;
  for (const token of given.filter(telling)) {
    at = rest.indexOf(token, at) + 1;
    if (at === 0) return false;
  }
  return negated(own) === negated(given);
}

const tokensOf = (text: string): string[] => canonical(text).split(" ").map(unowned);
const unowned = (token: string): string => token.replace(/'s$/, "");
const namesOf = (text: string): string[] =>
  (text.match(/\p{Lu}[\p{L}']+/gu) ?? []).map((name) => unowned(name.toLowerCase()));
const NEGATION = /^(?:not|never|no|nor|neither|hardly|barely|without|cannot|.*n't)$/;
const negated = (tokens: readonly string[]): boolean =>
  tokens.filter((token) => NEGATION.test(token)).length % 2 === 1;
