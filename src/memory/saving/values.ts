import type { Stored } from "../../model/changes.ts";
import type { KeptValue, Storage } from "../../model/storage.ts";
import { breathe } from "../../base/async.ts";
import type { Scope } from "../../model/identity.ts";

const PAGE = 500;

/**
 * Every value a store keeps of these scopes, of all when none are named. Others have their
 * turn between two pages.
 */
export const allValues = (store: Storage, scopes?: readonly Scope[]): Promise<KeptValue[]> =>
  pagesOf(store, { scopes });

/** Every value of these memories, wherever they are or were. */
export const valuesOf = async (store: Storage, ids: readonly string[]): Promise<KeptValue[]> =>
  ids.length === 0 ? [] : pagesOf(store, { ids });

async function pagesOf(
  store: Storage,
  of: { readonly scopes?: readonly Scope[]; readonly ids?: readonly string[] },
): Promise<KeptValue[]> {
  const found: KeptValue[] = [];
  for (;;) {
    const page = await store.values({ ...of, limit: PAGE, after: found.at(-1)?.stored.memory });
    found.push(...page);
    if (page.length < PAGE) return found;
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
