import { breathe } from "../../base/async.ts";
import type { Scope } from "../../model/identity.ts";
import type { KeptValue, Store, Stored } from "../../model/store.ts";

const PAGE = 500;

/**
 * Every value a store keeps of these scopes, of all when none are named; no page is read beyond
 * `most`. Others have their turn between two pages.
 */
export const allValues = (
  store: Store,
  scopes?: readonly Scope[],
  most?: number,
): Promise<KeptValue[]> => pagesOf(store, { scopes }, most);

/** Every value of these memories, wherever they are or were. */
export const valuesOf = async (store: Store, ids: readonly string[]): Promise<KeptValue[]> =>
  ids.length === 0 ? [] : pagesOf(store, { ids });

async function pagesOf(
  store: Store,
  of: { readonly scopes?: readonly Scope[]; readonly ids?: readonly string[] },
  most = Infinity,
): Promise<KeptValue[]> {
  const found: KeptValue[] = [];
  for (;;) {
    const page = await store.values({ ...of, limit: PAGE, after: found.at(-1)?.stored.memory });
    found.push(...page);
    if (page.length < PAGE || found.length >= most) return found;
    await breathe();
  }
}

/** By the memory they are values of. */
export const byMemory = (values: readonly KeptValue[]): Map<string, KeptValue[]> =>
  Map.groupBy(values, ({ stored }) => stored.memory.id);

/** Scopes that hold values of the memory: a promoted one has left its past behind. */
export const placesOf = (values: readonly KeptValue[]): Scope[] => [
  ...new Set(values.map(({ stored }) => stored.memory.scope)),
];

export const currentOf = (values: readonly KeptValue[]): KeptValue | undefined =>
  values.find(({ until }) => until === undefined);

export const isExpired = ({ memory: { expiresAt } }: Stored, now: number): boolean =>
  expiresAt !== undefined && expiresAt <= now;
