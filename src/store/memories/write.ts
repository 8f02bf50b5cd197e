import { defined } from "../../base/guards.ts";
import { type Scope } from "../../model/identity.ts";
import { type Change, type KeptValue, type Stored } from "../../model/store.ts";
import { terms } from "../../text/terms.ts";
import { type CategoryCounts } from "./category-words.ts";
import { type Connection } from "../sqlite/database.ts";
import { type MemoryRow, splitTerms, toColumns } from "../sqlite/memory-rows.ts";
import { type Scopes } from "../sqlite/scopes.ts";
import { type TermIndex } from "./term-index.ts";
import { type VectorWriter } from "../vectors/write.ts";

/** The store is not what the plan was made on; leaves the transaction, never the store. */
class Stale extends Error {}

const COLUMNS = [
  "id",
  "version",
  "scope",
  "key",
  "content",
  "same",
  "terms",
  "kind",
  "category",
  "importance",
  "source",
  "origin",
  "tags",
  "at",
  "updated_at",
  "stated_at",
  "expires_at",
  "uses",
  "used_at",
  "valid_from",
  "sorted",
] as const;
/** `scope` and `content` belong to the value, uses to what was counted meanwhile. */
const TRAITS = [
  "key",
  "kind",
  "category",
  "importance",
  "source",
  "origin",
  "tags",
  "updated_at",
  "stated_at",
  "expires_at",
  "sorted",
] as const;

interface MemoryWriter {
  /** False when the store is not what the plan was made on. */
  put(changes: readonly Change[]): boolean;
  /** Takes every value of the ids that stand in these scopes; answers how many memories that were. */
  remove: Removal & { immediate: Removal };
  restore: Restoring & { immediate: Restoring };
}
type Restoring = (ids: readonly string[], values: readonly KeptValue[]) => void;
type Removal = (ids: readonly string[], visible: readonly Scope[]) => number;

/** All that changes memories. Each function expects to run inside a transaction. */
export function memoryWriter(
  database: Connection,
  index: TermIndex,
  {
    scopes,
    vectors,
    categories,
  }: { scopes: Scopes; vectors: VectorWriter; categories: CategoryCounts },
): MemoryWriter {
  const insert = database.prepare(
    `insert into memory (${COLUMNS.join(", ")}) values (${COLUMNS.map((column) => `@${column}`).join(", ")})`,
  );
  const insertPast = database.prepare(
    `insert into memory (${COLUMNS.join(", ")}, valid_to) values (${COLUMNS.map((column) => `@${column}`).join(", ")}, max(@valid_from, @valid_to))`,
  );
  const amend = database.prepare(
    `update memory set ${TRAITS.map((trait) => `${trait} = @${trait}`).join(", ")} where row = @row`,
  );
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
  const end = database.prepare("update memory set valid_to = max(valid_from, ?) where row = ?");
  const valuesOf = database.prepare("select * from memory where id = ?");
  const erase = database.prepare("delete from memory where row = ?");

  function fresh(id: string, was: number): MemoryRow {
    const row = current.get(id) as MemoryRow | undefined;
    if (row?.version !== was) throw new Stale();
    return row;
  }

  function add(stored: Stored): void {
    const scope = scopes.number(stored.memory.scope);
    const found = terms(stored.memory.content);
    const { lastInsertRowid } = insert.run(toColumns(stored, scope, found));
    index.add(lastInsertRowid, `${scope}`, found);
    scopes.count(scope, 1);
    categories.count(
      {
        scope,
        category: stored.memory.category,
        content: stored.memory.content,
        sorted: stored.sorted === true ? 1 : 0,
      },
      1,
    );
  }

  /** A value that no longer holds, as it was when it still did: it takes no key and no place among the current ones. */
  function addPast(stored: Stored, until: number): void {
    const scope = scopes.number(stored.memory.scope);
    const found = terms(stored.memory.content);
    const { lastInsertRowid } = insertPast.run({
      ...toColumns(stored, scope, found),
      valid_to: until,
    });
    index.add(lastInsertRowid, `${scope}p`, found);
  }

  function retire(row: MemoryRow, at: number): void {
    const found = splitTerms(row.terms);
    end.run(at, row.row);
    index.drop(row.row, `${row.scope}`, found);
    index.add(row.row, `${row.scope}p`, found);
    vectors.retire(row);
    scopes.count(row.scope, -1);
    categories.count(row, -1);
  }

  function apply(change: Change): void {
    switch (change.do) {
      case "insert": {
        const { memory, same } = change.row;
        const scope = scopes.number(memory.scope);
        if (
          current.get(memory.id) !== undefined ||
          twin.get({ scope, same, key: memory.key ?? null }) !== undefined
        )
          throw new Stale();
        return add(change.row);
      }
      case "amend": {
        const old = fresh(change.row.memory.id, change.was);
        const columns = toColumns(change.row, old.scope, []);
        if (
          columns.key !== old.key &&
          keyed.get({ scope: old.scope, key: columns.key }) !== undefined
        )
          throw new Stale();
        vectors.amend(old, columns);
        categories.move(old, columns);
        amend.run({
          row: old.row,
          ...Object.fromEntries(TRAITS.map((trait) => [trait, columns[trait]])),
        });
        return;
      }
      case "replace": {
        const old = fresh(change.row.memory.id, change.was);
        retire(old, change.row.validFrom);
        if (
          change.row.memory.key !== undefined &&
          keyed.get({ scope: old.scope, key: change.row.memory.key }) !== undefined
        )
          throw new Stale();
        // What was counted since the plan was made belongs to the memory, not to the plan.
        return add({
          ...change.row,
          memory: { ...change.row.memory, uses: old.uses },
          ...defined({ usedAt: old.used_at === null ? undefined : old.used_at }),
        });
      }
      case "end":
        return retire(fresh(change.id, change.was), change.at);
      default:
        return change satisfies never;
    }
  }

  function erased(rows: readonly MemoryRow[]): void {
    for (const row of rows) {
      index.drop(
        row.row,
        row.valid_to === null ? `${row.scope}` : `${row.scope}p`,
        splitTerms(row.terms),
      );
      vectors.erase(row);
      erase.run(row.row);
      if (row.valid_to !== null) continue;
      scopes.count(row.scope, -1);
      categories.count(row, -1);
    }
  }

  const putAll = database.transaction((changes: readonly Change[]) => changes.forEach(apply));

  return {
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
      const allowed = new Set(scopes.numbers(visible));
      let gone = 0;
      for (const id of new Set(ids)) {
        const rows = (valuesOf.all(id) as MemoryRow[]).filter((row) => allowed.has(row.scope));
        erased(rows);
        if (rows.length > 0) gone += 1;
      }
      return gone;
    }),
    restore: database.transaction((ids: readonly string[], values: readonly KeptValue[]): void => {
      for (const id of new Set(ids)) erased(valuesOf.all(id) as MemoryRow[]);
      for (const { stored, until } of values) {
        if (until === undefined) add(stored);
        else addPast(stored, until);
      }
    }),
  };
}
