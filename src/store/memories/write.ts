import { type Scope } from "../../model/identity.ts";
import { type Change, type KeptValue, type Stored } from "../../model/store.ts";
import { terms } from "../../text/terms.ts";
import { type CategoryCounts } from "./category-words.ts";
import { type Connection, insertOf } from "../sqlite/database.ts";
import { type MemoryRow, splitTerms, toColumns } from "../sqlite/memory-rows.ts";
import { type Scopes } from "../sqlite/scopes.ts";
import { type TermIndex } from "./term-index.ts";
import { type VectorWriter } from "../vectors/write.ts";

/** The store is not what the plan was made on; leaves the transaction, never the store. */
class Stale extends Error {}

const COLUMNS =
  "id, version, scope, key, content, same, terms, kind, category, importance, source, origin, tags, at, updated_at, stated_at, expires_at, uses, used_at, valid_from, sorted".split(
    ", ",
  );
/** Of them, what belongs neither to the value nor to what was counted meanwhile. */
const TRAITS =
  "key = @key, kind = @kind, category = @category, importance = @importance, source = @source, origin = @origin, tags = @tags, updated_at = @updated_at, stated_at = @stated_at, expires_at = @expires_at, sorted = @sorted";

interface MemoryWriter {
  used(ids: readonly string[], visible: readonly Scope[], at: number): void;
  /** False when the store is not what the plan was made on. */
  put(changes: readonly Change[]): boolean;
  /** Takes every value of the ids that stand in these scopes; answers how many memories that were. */
  remove: Removal & { immediate: Removal };
  restore: Restoring & { immediate: Restoring };
}
type Restoring = (
  ids: readonly string[],
  values: readonly KeptValue[],
  visible?: readonly Scope[],
) => void;
type Removal = (ids: readonly string[], visible: readonly Scope[]) => number;

interface Beside {
  readonly scopes: Scopes;
  readonly vectors: VectorWriter;
  readonly categories: CategoryCounts;
}

/** All that changes memories. Each function expects to run inside a transaction. */
export function memoryWriter(database: Connection, index: TermIndex, beside: Beside): MemoryWriter {
  const rows = rowChanges(database, index, beside);
  const valuesOf = database.prepare("select * from memory where id = ?");
  const all = (id: string): MemoryRow[] => valuesOf.all(id) as MemoryRow[];
  /** The rows of an id in these scopes, or in all. */
  const ownOf = (id: string, visible: readonly Scope[] | undefined): MemoryRow[] => {
    const allowed = visible && new Set(beside.scopes.numbers(visible));
    return all(id).filter((row) => allowed?.has(row.scope) ?? true);
  };
  /** A memory has one current value, the latest. */
  function addLatest(stored: Stored): void {
    const other = all(stored.memory.id).find((row) => row.valid_to === null);
    if (other !== undefined && other.version > stored.memory.version)
      return rows.addPast(stored, other.valid_from);
    if (other !== undefined) rows.retire(other, stored.validFrom);
    rows.add(stored);
  }
  const apply = planned(database, rows, beside);
  const putAll = database.transaction((changes: readonly Change[]) => changes.forEach(apply));
  const markUsed = database.prepare(
    `update memory set uses = uses + 1, used_at = ? where valid_to is null
     and id in (select value from json_each(?)) and scope in (select value from json_each(?))`,
  );
  return {
    used(ids, visible, at) {
      const numbers = JSON.stringify(beside.scopes.numbers(visible));
      if (ids.length > 0) markUsed.run(at, JSON.stringify(ids), numbers);
    },
    put(changes: readonly Change[]): boolean {
      try {
        putAll.immediate(changes);
        return true;
      } catch (thrown) {
        if (thrown instanceof Stale) return false;
        throw thrown;
      }
    },
    remove: database.transaction((ids: readonly string[], visible: readonly Scope[]): number => {
      let gone = 0;
      for (const id of new Set(ids)) {
        const found = ownOf(id, visible);
        found.forEach(rows.erase);
        if (found.length > 0) gone += 1;
      }
      return gone;
    }),
    restore: database.transaction<Restoring>((ids, values, visible) => {
      for (const id of new Set(ids)) ownOf(id, visible).forEach(rows.erase);
      for (const { stored, until } of values) {
        if (until === undefined) addLatest(stored);
        else rows.addPast(stored, until);
      }
    }),
  };
}

type RowChanges = ReturnType<typeof rowChanges>;

/** One row at a time, with its words, its vector and its counts. */
function rowChanges(
  database: Connection,
  index: TermIndex,
  { scopes, vectors, categories }: Beside,
) {
  const insert = database.prepare(insertOf("memory", COLUMNS));
  const insertPast = database.prepare(insertOf("memory", [...COLUMNS, "valid_to"]));
  const end = database.prepare("update memory set valid_to = max(valid_from, ?) where row = ?");
  const erase = database.prepare("delete from memory where row = ?");
  return {
    add(stored: Stored): void {
      const { memory, sorted } = stored;
      const scope = scopes.number(memory.scope);
      const found = terms(memory.content);
      const { lastInsertRowid } = insert.run(toColumns(stored, scope, found));
      index.add(lastInsertRowid, `${scope}`, found);
      scopes.count(scope, 1);
      const { category, content } = memory;
      categories.count({ scope, category, content, sorted: sorted === true ? 1 : 0 }, 1);
    },
    /** A value that no longer holds, as it was when it still did: it takes no key and no place among the current ones. */
    addPast(stored: Stored, until: number): void {
      const scope = scopes.number(stored.memory.scope);
      const found = terms(stored.memory.content);
      const past = {
        ...toColumns(stored, scope, found),
        valid_to: Math.max(stored.validFrom, until),
      };
      index.add(insertPast.run(past).lastInsertRowid, `${scope}p`, found);
    },
    retire(row: MemoryRow, at: number): void {
      const found = splitTerms(row.terms);
      end.run(at, row.row);
      index.drop(row.row, `${row.scope}`, found);
      index.add(row.row, `${row.scope}p`, found);
      vectors.retire(row.row);
      scopes.count(row.scope, -1);
      categories.count(row, -1);
    },
    erase(row: MemoryRow): void {
      const past = row.valid_to !== null;
      index.drop(row.row, past ? `${row.scope}p` : `${row.scope}`, splitTerms(row.terms));
      vectors.erase(row.row);
      erase.run(row.row);
      if (past) return;
      scopes.count(row.scope, -1);
      categories.count(row, -1);
    },
  };
}

/** Carries out one planned change. Throws Stale where the store is not what the plan was made on. */
function planned(
  database: Connection,
  { add, retire }: RowChanges,
  { scopes, vectors, categories }: Beside,
): (change: Change) => void {
  const amend = database.prepare(`update memory set ${TRAITS} where row = @row`);
  const current = database.prepare("select * from memory where id = ? and valid_to is null");
  // Equal content under another key is another memory (two doors, one code); without a key it is the same one. Two selects:
  // joined by "or" they would read the whole scope.
  const twin = database.prepare(
    `select 1 from memory where scope = @scope and key = @key and valid_to is null
     union all select 1 from memory where scope = @scope and same = @same and valid_to is null and (key is null or @key is null)`,
  );
  const keyed = database.prepare(
    "select 1 from memory where scope = @scope and key = @key and valid_to is null",
  );
  const isTaken = (scope: number, key: string | null): boolean =>
    keyed.get({ scope, key }) !== undefined;

  function fresh(id: string, was: number): MemoryRow {
    const row = current.get(id) as MemoryRow | undefined;
    if (row?.version !== was) throw new Stale();
    return row;
  }

  return (change) => {
    switch (change.do) {
      case "insert": {
        const { memory, same } = change.row;
        const equal = { scope: scopes.number(memory.scope), same, key: memory.key ?? null };
        if (current.get(memory.id) !== undefined || twin.get(equal) !== undefined)
          throw new Stale();
        return add(change.row);
      }
      case "amend": {
        const old = fresh(change.row.memory.id, change.was);
        const columns = toColumns(change.row, old.scope, []);
        // Another process may have given it a key since the plan was made; what is said again takes none away.
        if (columns.key !== old.key && (old.key !== null || isTaken(old.scope, columns.key)))
          throw new Stale();
        const amended = (): void => void amend.run({ ...columns, row: old.row });
        if (old.category === columns.category && old.sorted === columns.sorted) return amended();
        categories.move(old, columns);
        return vectors.retell(old.row, amended);
      }
      case "replace": {
        const { memory } = change.row;
        const old = fresh(memory.id, change.was);
        retire(old, change.row.validFrom);
        if (memory.key !== undefined && isTaken(scopes.number(memory.scope), memory.key))
          throw new Stale();
        // What was counted since the plan was made belongs to the memory, not to the plan.
        return add({
          ...change.row,
          memory: { ...memory, uses: old.uses },
          usedAt: old.used_at ?? undefined,
        });
      }
      case "end":
        return retire(fresh(change.id, change.was), change.at);
      default:
        return change satisfies never;
    }
  };
}
