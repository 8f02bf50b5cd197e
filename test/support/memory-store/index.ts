import { TidemarkError, reasonOf } from "../../../src/model/errors.ts";
import type { Scope } from "../../../src/model/identity.ts";
import type {
  CandidateQuery,
  CategoryWords,
  Listing,
  Store,
  Stored,
} from "../../../src/model/store.ts";
import { queryTerms } from "../../../src/text/terms.ts";
import { memoryPages } from "./pages.ts";
import { memoryTurns } from "./turns.ts";
import { candidateOf, memoryValues, sees, type Value } from "./values.ts";
import { memoryVectors } from "./vectors.ts";

const ORDERS = {
  updated: ({ memory }: Stored) => memory.updatedAt,
  stated: ({ statedAt }: Stored) => statedAt,
  importance: ({ memory }: Stored) => memory.importance,
  used: ({ memory }: Stored) => memory.uses,
} as const;
/** As SQLite compares: the letters of ASCII without their case. */
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const highest = (
  values: readonly Value[],
  trait: (stored: Stored) => number,
  limit: number,
): Value[] =>
  [...values]
    .sort(
      ({ stored: one }, { stored: other }) =>
        trait(other) - trait(one) || (one.memory.id < other.memory.id ? -1 : 1),
    )
    .slice(0, limit);

/** The store port without a file or a database: for tests and agents that leave nothing behind. Words by minisearch. */
export function openMemoryStore(): Store {
  const values = memoryValues();
  let closed = false;
  const ask = async <T>(work: () => T): Promise<T> => {
    if (closed) throw new TidemarkError("store", "The memory index in memory was closed.");
    try {
      return work();
    } catch (thrown) {
      throw thrown instanceof TidemarkError
        ? thrown
        : new TidemarkError("store", `The memory index in memory failed: ${reasonOf(thrown)}.`, {
            cause: thrown,
          });
    }
  };
  const current = (scopes: readonly Scope[]): Value[] =>
    values.inScopes(scopes).filter(({ until }) => until === undefined);

  function list({
    scopes,
    limit,
    after,
    origins,
    order = "updated",
    ...narrowing
  }: Listing): Stored[] {
    const seen = values
      .inScopes(scopes)
      .filter(sees(narrowing))
      .filter(
        ({ stored: { memory } }) =>
          (after === undefined || memory.updatedAt > after) &&
          (origins === undefined || origins.includes(memory.origin)),
      );
    return highest(seen, ORDERS[order], limit).map(({ stored }) => stored);
  }

  function candidates({
    scopes,
    terms,
    together = [],
    least = 0,
    limit,
    ...narrowing
  }: CandidateQuery) {
    const weights = new Map<number, number>();
    const add = (rows: readonly number[], weight: number): void =>
      rows.forEach((row) => weights.set(row, (weights.get(row) ?? 0) + weight));
    const past = narrowing.asOf !== undefined;
    for (const { term, weight } of terms) add(values.holding(scopes, term, past), weight);
    for (const [at, one] of together.entries()) {
      const rows = new Set(values.holding(scopes, one.term, past));
      for (const other of together.slice(at + 1))
        add(
          values.holding(scopes, other.term, past).filter((row) => rows.has(row)),
          one.weight + other.weight,
        );
    }
    const seen = sees(narrowing);
    return [...weights]
      .filter(([, weight]) => weight >= least)
      .sort(([row, weight], [otherRow, other]) => other - weight || otherRow - row)
      .flatMap(([row]) => values.row(row) ?? [])
      .filter(seen)
      .slice(0, limit)
      .map(candidateOf);
  }

  function categories(scope: Scope, terms: readonly string[]): CategoryWords[] {
    const found = new Map<string, { members: number; holding: number[] }>();
    for (const { stored } of current([scope])) {
      if (stored.sorted === true) continue;
      const entry = found.get(stored.memory.category) ?? {
        members: 0,
        holding: terms.map(() => 0),
      };
      const own = new Set(queryTerms(stored.memory.content).map(({ term }) => term));
      found.set(stored.memory.category, {
        members: entry.members + 1,
        holding: entry.holding.map((count, at) => count + (own.has(terms[at] ?? "") ? 1 : 0)),
      });
    }
    return [...found]
      .filter(([, { holding }]) => holding.some((count) => count > 0))
      .map(([category, entry]) => ({ category, ...entry }));
  }

  const notes = new Map<string, string>();
  function remove(ids: readonly string[], scopes: readonly Scope[]): number {
    return [...new Set(ids)].filter((id) => {
      const own = values.ofId(id).filter(({ stored }) => scopes.includes(stored.memory.scope));
      own.forEach(values.erase);
      return own.length > 0;
    }).length;
  }

  return {
    put: (changes) => ask(() => values.put(changes)),
    get: (id, scopes) =>
      ask(() => {
        const found = values.current(id)?.stored;
        return found !== undefined && scopes.includes(found.memory.scope) ? found : undefined;
      }),
    byKey: (key, scope) =>
      ask(() => current([scope]).find(({ stored }) => stored.memory.key === key)?.stored),
    same: (digest, scopes) =>
      ask(() =>
        current(scopes)
          .filter(({ stored }) => stored.same === digest)
          .sort((one, other) => one.row - other.row)
          .map(({ stored }) => stored),
      ),
    find: ({ scopes, id, key, source }) =>
      ask(() => {
        if (id === undefined && key === undefined && source === undefined) return [];
        const matching = values
          .inScopes(scopes)
          .filter(
            ({ stored: { memory } }) =>
              (id === undefined || memory.id === id) &&
              (key === undefined || memory.key === key) &&
              (source === undefined || memory.source === source),
          )
          .sort((one, other) => one.row - other.row);
        return [...new Map(matching.map(({ stored }) => [stored.memory.id, stored])).values()];
      }),
    list: (listing) => ask(() => list(listing)),
    frequencies: (scopes, terms, past = false) =>
      ask(() => ({
        documents: current(scopes).length,
        holding: terms.map((term) => values.holding(scopes, term, past).length),
      })),
    beginning: (scopes, start, limit) =>
      ask(() =>
        [
          ...new Set(
            values
              .inScopes(scopes)
              .flatMap(({ until, terms }) =>
                until === undefined ? terms.filter((term) => term.startsWith(start)) : [],
              ),
          ),
        ]
          .sort()
          .slice(0, limit),
      ),
    categories: (scope, terms) => ask(() => categories(scope, terms)),
    candidates: (query) => ask(() => candidates(query)),
    containing: ({ scopes, text, limit, ...narrowing }) =>
      ask(() =>
        highest(
          values
            .inScopes(scopes)
            .filter(sees(narrowing))
            .filter(({ stored }) => lower(stored.memory.content).includes(lower(text))),
          ORDERS.updated,
          limit,
        ).map(candidateOf),
      ),
    used: (ids, scopes, at) =>
      ask(() => {
        for (const value of current(scopes)) {
          const { memory } = value.stored;
          if (ids.includes(memory.id))
            value.stored = {
              ...value.stored,
              memory: { ...memory, uses: memory.uses + 1 },
              usedAt: at,
            };
        }
      }),
    remove: (ids, scopes) => ask(() => remove(ids, scopes)),
    removeExpired: (now) =>
      ask(() => {
        const over = values
          .all()
          .filter(
            ({ stored, until }) =>
              until === undefined && (stored.memory.expiresAt ?? Infinity) <= now,
          )
          .map(({ stored }) => stored.memory.id);
        over.flatMap(values.ofId).forEach(values.erase);
        return over.length;
      }),
    values: (page) => ask(() => values.page(page)),
    restore: (ids, kept, scopes) => ask(() => values.restore(ids, kept, scopes)),
    note: (name) => ask(() => notes.get(name)),
    keepNote: (name, text) =>
      ask(() => {
        if (text === undefined) notes.delete(name);
        else notes.set(name, text);
      }),
    count: (scopes, now) => ask(() => current(scopes).filter(sees({ now })).length),
    turns: memoryTurns(ask),
    pages: memoryPages(ask),
    vectors: memoryVectors(values, ask),
    close: async () => void (closed = true),
  };
}
