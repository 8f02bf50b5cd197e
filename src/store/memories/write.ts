import type { Scope } from "../../model/identity.ts";
import type { Change, Debt, MemoryValues, Stored } from "../../model/store.ts";
import { terms } from "../../text/terms.ts";
import type { CategoryCounts, Member } from "./category-words.ts";
import type { Answering } from "../sqlite/busy.ts";
import type { Desk } from "../sqlite/database.ts";
import { COLUMNS, type MemoryRow, splitTerms, toColumns } from "../sqlite/memory-rows.ts";
import type { Scopes } from "../sqlite/scopes.ts";
import type { TermIndex } from "./term-index.ts";
import type { VectorWriter } from "../vectors/write.ts";

/** The store is not what the plan was made on; leaves the transaction, never the store. */
class Stale extends Error {}

const INSERT = `insert into memory (id, version, scope, key, content, same, terms, kind,
  category, importance, source, origin, tags, at, updated_at, stated_at, expires_at, uses,
  used_at, valid_from, valid_to, sorted)
  values (@id, @version, @scope, @key, @content, @same, @terms, @kind, @category, @importance,
    @source, @origin, @tags, @at, @updatedAt, @statedAt, @expiresAt, @uses, @usedAt, @validFrom,
    @validTo, @sorted)`;
/** Columns that belong neither to the value nor to what was counted meanwhile. */
const TRAITS = `key = @key, kind = @kind, category = @category, importance = @importance,
  source = @source, origin = @origin, tags = @tags, updated_at = @updatedAt,
  stated_at = @statedAt, expires_at = @expiresAt, sorted = @sorted`;

/** A row as it stands, its scope by number. */
type HeldRow = Omit<MemoryRow, "scope"> & { readonly scope: number };
const HELD = `select ${COLUMNS}, m.scope from memory m where m.id = ?`;

interface Beside {
  readonly scopes: Scopes;
  readonly vectors: VectorWriter;
  readonly categories: CategoryCounts;
}

/**
 * All that changes memories, each in a transaction of its own, or in the one that is open; `used`
 * and `keepNote` are one statement.
 */
export function memoryWriter(
  desk: Desk,
  index: TermIndex,
  beside: Beside,
): Answering<MemoryValues, "used" | "restore" | "keepNote" | "paid"> & {
  /** False when the store is not what the plan was made on. */
  readonly put: (changes: readonly Change[], debts?: readonly Debt[]) => boolean;
  /**
   * Takes every value of the ids that stand in these scopes, or in all; answers how many memories
   * that were.
   */
  readonly remove: (
    ids: readonly string[],
    visible: readonly Scope[] | undefined,
    debts?: readonly Debt[],
  ) => number;
} {
  const { numbers } = beside.scopes;
  const rows = rowChanges(desk, index, beside);
  const { rows: rowsOf, run, inOne } = desk;
  const all = rowsOf<HeldRow>(HELD);
  /** The rows of an id in these scopes, or in all. */
  const ownOf = (id: string, visible: readonly Scope[] | undefined): HeldRow[] => {
    const allowed = visible && numbers(visible);
    return all(id).filter(({ scope }) => allowed?.includes(scope) ?? true);
  };
  /** A memory has one current value, the latest. */
  function addLatest(stored: Stored): void {
    const other = all(stored.memory.id).find(({ validTo }) => validTo === null);
    if (other !== undefined && other.version > stored.memory.version)
      return rows.add(stored, other.validFrom);
    if (other !== undefined) rows.retire(other, stored.validFrom);
    rows.add(stored);
  }
  const apply = planned(desk, rows, beside);
  const { owe, dropDebts, dropLines } = debtStatements(desk);
  const putAll = inOne((changes: readonly Change[], debts?: readonly Debt[]) => {
    changes.forEach(apply);
    owe(debts);
  });
  const markUsed = run(
    `update memory set uses = uses + 1, used_at = ? where valid_to is null
     and id in (select value from json_each(?)) and scope in (select value from json_each(?))`,
  );
  return {
    used(ids, visible, at) {
      if (ids.length > 0) markUsed(at, ids, numbers(visible));
    },
    keepNote: noteKeeper(desk),
    paid: (debts) => void dropDebts(debts.map(({ id }) => id)),
    put(changes, debts) {
      try {
        putAll(changes, debts);
        return true;
      } catch (thrown) {
        if (thrown instanceof Stale) return false;
        throw thrown;
      }
    },
    remove: inOne((...[ids, visible, debts]: [readonly string[], ...Owing]): number => {
      const found = [...new Set(ids)].map((id) => ownOf(id, visible));
      found.flat().forEach(rows.erase);
      dropLines(ids);
      owe(debts);
      return found.filter(({ length }) => length > 0).length;
    }),
    restore: inOne((...[ids, values, visible, debts]: Parameters<MemoryValues["restore"]>) => {
      owe(debts);
      for (const id of new Set(ids)) ownOf(id, visible).forEach(rows.erase);
      for (const { stored, until } of values) {
        if (until === undefined) addLatest(stored);
        else rows.add(stored, until);
      }
    }),
  };
}

function noteKeeper({ run }: Desk) {
  const keep = run("insert or replace into note (name, text) values (?, ?)");
  const drop = run("delete from note where name = ?");
  return (name: string, text: string | undefined): void =>
    void (text === undefined ? drop(name) : keep(name, text));
}

/** Views that are behind, owed and paid. */
function debtStatements({ run }: Desk) {
  const addDebt = run(
    "insert or replace into debt (kind, scope, at, text) values (@kind, @scope, @at, @text)",
  );
  return {
    owe: (debts: readonly Debt[] = []): void =>
      debts.forEach((debt) => addDebt({ text: null, ...debt })),
    dropDebts: run("delete from debt where id in (select value from json_each(?))"),
    dropLines: run(
      `delete from debt where kind = 'log'
       and text ->> '$.memory.id' in (select value from json_each(?))`,
    ),
  };
}

type Owing = [visible: readonly Scope[] | undefined, debts?: readonly Debt[]];

type RowChanges = ReturnType<typeof rowChanges>;

/** Terms of past values have an owner of their own. */
export const ownerOf = ({ scope, validTo }: Pick<HeldRow, "scope" | "validTo">): string =>
  validTo === null ? `${scope}` : `${scope}p`;

/** One row at a time, with its words, its vector and its counts; to be run inside a transaction. */
function rowChanges({ run }: Desk, index: TermIndex, { scopes, vectors, categories }: Beside) {
  const insert = run(INSERT);
  const end = run("update memory set valid_to = max(valid_from, ?) where row = ?");
  const erase = run("delete from memory where row = ?");
  function count(current: Member, by: 1 | -1): void {
    scopes.count(current.scope, by);
    categories.count(current, by);
  }
  return {
    /**
     * A value; `until`: one that no longer holds, which takes no key and no place among the current
     * ones.
     */
    add(stored: Stored, until?: number): void {
      const found = terms(stored.memory.content);
      const columns = {
        ...toColumns(stored, scopes.number(stored.memory.scope), found),
        validTo: until === undefined ? null : Math.max(stored.validFrom, until),
      };
      index.add(insert(columns).lastInsertRowid, ownerOf(columns), found);
      if (until === undefined) count(columns, 1);
    },
    retire(row: HeldRow, at: number): void {
      const found = splitTerms(row.terms);
      end(at, row.row);
      index.drop(row.row, ownerOf(row), found);
      index.add(row.row, ownerOf({ scope: row.scope, validTo: at }), found);
      vectors.retire(row.row);
      count(row, -1);
    },
    erase(row: HeldRow): void {
      index.drop(row.row, ownerOf(row), splitTerms(row.terms));
      vectors.erase(row.row);
      erase(row.row);
      if (row.validTo === null) count(row, -1);
    },
  };
}

/**
 * Carries out one planned change. Throws Stale where the store is not what the plan was made on.
 */
function planned(
  { row, run }: Desk,
  { add, retire }: RowChanges,
  { scopes, categories }: Beside,
): (change: Change) => void {
  const amend = run(`update memory set ${TRAITS} where row = @row`);
  const current = row<HeldRow>(`${HELD} and m.valid_to is null`);
  // Equal content under another key is another memory (two doors, one code); without a key it is
  // the same one. Two selects: joined by "or" they would read the whole scope.
  const twin = row(
    `select 1 from memory where scope = @scope and key = @key and valid_to is null
     union all select 1 from memory where scope = @scope and same = @same and valid_to is null
       and (key is null or @key is null)`,
  );
  const isTaken = (scope: number, key: string | null, same: string | null = null): boolean =>
    twin({ scope, key, same }) !== undefined;

  function fresh(id: string, was: number): HeldRow {
    const held = current(id);
    if (held?.version !== was) throw new Stale();
    return held;
  }

  return (change) => {
    switch (change.do) {
      case "insert": {
        const { memory, same } = change.row;
        const scope = scopes.number(memory.scope);
        if (current(memory.id) !== undefined || isTaken(scope, memory.key ?? null, same))
          throw new Stale();
        return add(change.row);
      }
      case "amend": {
        const old = fresh(change.row.memory.id, change.was);
        const columns = toColumns(change.row, old.scope, []);
        // Another process may have given it a key since the plan was made; what is said again takes
        // none away.
        if (columns.key !== old.key && (old.key !== null || isTaken(old.scope, columns.key)))
          throw new Stale();
        if (old.category !== columns.category || old.sorted !== columns.sorted)
          categories.move(old, columns);
        return void amend({ ...columns, row: old.row });
      }
      case "replace": {
        const { memory } = change.row;
        const old = fresh(memory.id, change.was);
        retire(old, change.row.validFrom);
        if (memory.key !== undefined && isTaken(scopes.number(memory.scope), memory.key))
          throw new Stale();
        // Uses counted since the plan was made belong to the memory, not to the plan.
        return add({ ...change.row, memory: { ...memory, uses: old.uses }, usedAt: old.usedAt });
      }
      case "end":
        return retire(fresh(change.id, change.was), change.at);
      default:
        return change satisfies never;
    }
  };
}
