import { defined } from "../core/base.ts";
import { isOfGroup } from "../core/identity.ts";
import type { Change, Stored } from "../core/memory.ts";
import type { Storage, Unit } from "./port.ts";
import { byIndex } from "./methods.ts";
import { type Counted, LISTED_BY, type Listing, type Weighed } from "./search-index.ts";

interface Levelled {
  /** The store of the workspace. */
  readonly kept: Storage;
  /** Dies with the process. */
  readonly own: Storage;
  /** Memories of groups are written to `kept`, too, else they are only read there. */
  readonly through: boolean;
}

/**
 * Memories of groups stand in `kept`, and are found there by their words; conversations, and
 * memories of agents and users, in `own`.
 */
export function levelStorage(parts: Levelled): Storage {
  const { kept, own } = parts;
  const both = async <Asked extends Pick<Listing, "scopes">, Told>(
    asked: Asked,
    ask: (store: Storage, asked: Asked) => Promise<readonly Told[]>,
  ): Promise<Told[]> => {
    const groups = { ...asked, scopes: asked.scopes.filter(isOfGroup) };
    return (await Promise.all([ask(own, asked), ask(kept, groups)])).flat();
  };
  return {
    ...own,
    commit: committing(parts),
    async find(which) {
      const rows = await both(which, (store, asked) => store.find(asked));
      if (!("order" in which)) return rows;
      const value = LISTED_BY[which.order];
      return rows
        .sort((one, other) => value(other) - value(one) || byId(one, other))
        .slice(0, which.limit);
    },
    async values(page) {
      const { scopes, limit } = page;
      const groups = { ...page, ...(scopes && { scopes: scopes.filter(isOfGroup) }) };
      const all = await Promise.all([own.values(page), kept.values(groups)]);
      return all
        .flat()
        .sort((one, other) => byId(one.stored, other.stored))
        .slice(0, limit);
    },
    async count(of) {
      const groups = { ...of, scopes: of.scopes.filter(isOfGroup), root: "" };
      const [near, far] = await Promise.all([own.count(of), kept.count(groups)]);
      return { ...near, categories: [...near.categories, ...far.categories] };
    },
    frequencies: byIndex<Counted>({
      async memories(asked) {
        const told = await both(asked, async (store, of) => [
          await store.frequencies("memories", of),
        ]);
        return {
          documents: told.reduce((sum, { documents }) => sum + documents, 0),
          holding: asked.terms.map((_, at) =>
            told.reduce((sum, { holding }) => sum + (holding[at] ?? 0), 0),
          ),
        };
      },
      categories: (asked) => (isOfGroup(asked.scope) ? kept : own).frequencies("categories", asked),
      turns: (asked) => own.frequencies("turns", asked),
      pages: (asked) => own.frequencies("pages", asked),
    }),
    candidates: byIndex<Weighed>({
      memories: (asked) => both(asked, (store, of) => store.candidates("memories", of)),
      turns: (asked) => own.candidates("turns", asked),
      pages: (asked) => own.candidates("pages", asked),
    }),
  };
}

const byId = ({ memory: { id: one } }: Stored, { memory: { id: other } }: Stored): number =>
  one < other ? -1 : Number(one > other);

/** Carries out a unit, the part of groups first, for it outlives the rest. */
function committing({ kept, own, through }: Levelled): Storage["commit"] {
  /** The memories of `own`, which all come this way. */
  const mine = new Set<string>();
  return async (unit, how) => {
    const [near, far]: [Change[], Change[]] = [[], []];
    for (const change of unit.memories ?? []) {
      if (change.do === "end") {
        (mine.has(change.id) ? near : far).push(change);
        continue;
      }
      const { row } = change;
      const { id, scope, updatedAt: at } = row.memory;
      const isGroups = isOfGroup(scope);
      const moves = "was" in change && mine.has(id) === isGroups;
      (isGroups ? far : near).push(moves ? { do: "insert", row } : change);
      if (moves) (isGroups ? near : far).push({ do: "end", id, was: change.was, at });
      if (!isGroups) mine.add(id);
    }
    const { memories, used, gone, debts = [] } = unit;
    const lost = gone?.memories && { memories: gone.memories };
    const part: Unit = defined({ memories: memories && far, used, gone: lost });
    const isAsked = Object.keys(part).length > 0 || how?.durable === true;
    const owed = Map.groupBy(debts, ({ scope }) => isOfGroup(scope));
    if (through && isAsked && !(await kept.commit({ ...part, debts: owed.get(true) ?? [] }, how)))
      return false;
    const rest = { ...unit, ...defined({ memories: memories && near }) };
    const stands = await own.commit({ ...rest, debts: owed.get(false) ?? [] }, how);
    if (stands)
      for (const { row } of far.filter((one) => one.do === "insert")) mine.delete(row.memory.id);
    return stands;
  };
}
