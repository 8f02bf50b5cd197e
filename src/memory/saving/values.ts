import { breathe } from "../../base/async.ts";
import { defined } from "../../base/guards.ts";
import { type Scope } from "../../model/identity.ts";
import { type KeptValue, type Store } from "../../model/store.ts";

const PAGE = 500;

/** Every value a store keeps of these scopes, of all when none are named; no page is read beyond `most`. Others have their turn between two pages. */
export async function allValues(
  store: Store,
  scopes?: readonly Scope[],
  most = Infinity,
): Promise<KeptValue[]> {
  const found: KeptValue[] = [];
  for (;;) {
    const last = found.at(-1)?.stored.memory;
    const page = await store.values({
      limit: PAGE,
      ...defined({ scopes, after: last && { id: last.id, version: last.version } }),
    });
    found.push(...page);
    if (page.length < PAGE || found.length >= most) return found;
    await breathe();
  }
}

/** By the memory they are values of. */
export const byMemory = (values: readonly KeptValue[]): Map<string, KeptValue[]> =>
  Map.groupBy(values, ({ stored }) => stored.memory.id);

export const currentOf = (values: readonly KeptValue[]): KeptValue | undefined =>
  values.find(({ until }) => until === undefined);

/** The values as told, with the use that was counted. */
export function withUse(told: readonly KeptValue[], counted: readonly KeptValue[]): KeptValue[] {
  const before = currentOf(counted) ?? counted.at(-1);
  if (before === undefined) return [...told];
  const { memory, usedAt } = before.stored;
  return told.map(({ stored, ...rest }) => ({
    ...rest,
    stored: {
      ...stored,
      memory: { ...stored.memory, uses: memory.uses },
      ...defined({ usedAt }),
    },
  }));
}
