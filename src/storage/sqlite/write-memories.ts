import type { Scope } from "../../core/identity.ts";
import type { Change, Debt, Stored } from "../../core/memory.ts";
import { terms } from "../../core/text/terms.ts";
import type { Desk } from "./database-file.ts";
import { COLUMNS, type MemoryRow, type Scopes, splitTerms, toColumns } from "./memory-rows.ts";
import type { Parts } from "./shared-file.ts";
import type { TermIndex } from "./term-index.ts";
import type { VectorWriter } from "./write-vectors.ts";

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
}

/** All that changes memories, within the transaction that is open. */
export function memoryWriter(desk: Desk, index: TermIndex, beside: Beside) {
  const { numbers } = beside.scopes;
  const rows = rowChanges(desk, index, beside);
  const { run, values } = desk;
  const all = desk.rows<HeldRow>(HELD);
  const apply = planned(desk, rows, beside);
  const { owe, dropDebts, dropLines } = debtStatements(desk);
  const expired = values<string>(
    "select id from memory where expires_at <= ? and valid_to is null",
  );
  const markUsed = run(
    `update memory set uses = uses + 1, used_at = ? where valid_to is null
     and id in (select value from json_each(?)) and scope in (select value from json_each(?))`,
  );
  const keepNote = run("insert or replace into note (name, text) values (?, ?)");
  const dropNote = run("delete from note where name = ?");
  /** Every value of the ids that stand in these scopes, or in all; answers how many. */
  function remove(ids: readonly string[], visible?: readonly Scope[]): number {
    const allowed = visible && numbers(visible);
    const gone = [...new Set(ids)]
      .flatMap((id) => all(id))
      .filter(({ scope }) => allowed?.includes(scope) ?? true);
    gone.forEach(rows.erase);
    dropLines(ids);
    return gone.length;
  }
  return {
    remove,
    removeExpired: (now: number): number => remove(expired(now)),
    parts: {
      memories: (changes) => changes.every(apply),
      notes(texts) {
        for (const [name, text] of Object.entries(texts))
          if (text === undefined) dropNote(name);
          else keepNote(name, text);
      },
      used({ ids, scopes, at }) {
        if (ids.length > 0) markUsed(at, ids, numbers(scopes));
      },
      debts: owe,
      paid: (debts) => dropDebts(debts.map(({ id }) => id)),
    } satisfies Partial<Parts>,
  };
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

type RowChanges = ReturnType<typeof rowChanges>;

/** Terms of past values have an owner of their own. */
export const ownerOf = ({ scope, validTo }: Pick<HeldRow, "scope" | "validTo">): string =>
  validTo === null ? `${scope}` : `${scope}p`;

/** One row at a time, with its words, its vector and its counts; to be run inside a transaction. */
function rowChanges({ run }: Desk, index: TermIndex, { scopes, vectors }: Beside) {
  const insert = run(INSERT);
  const end = run("update memory set valid_to = max(valid_from, ?) where row = ?");
  const erase = run("delete from memory where row = ?");
  return {
    /** A value that holds from now on. */
    add(stored: Stored): void {
      const found = terms(stored.memory.content);
      const scope = scopes.number(stored.memory.scope);
      const columns = { ...toColumns(stored, scope, found), validTo: null };
      index.add(insert(columns).lastInsertRowid, ownerOf(columns), found);
      scopes.count(scope, 1);
    },
    /** It held until then. */
    until: end,
    retire(row: HeldRow, at: number): void {
      const found = splitTerms(row.terms);
      end(at, row.row);
      index.drop(row.row, ownerOf(row), found);
      index.add(row.row, ownerOf({ scope: row.scope, validTo: at }), found);
      vectors.retire(row.row);
      scopes.count(row.scope, -1);
    },
    erase(row: HeldRow): void {
      index.drop(row.row, ownerOf(row), splitTerms(row.terms));
      vectors.erase(row.row);
      erase(row.row);
      if (row.validTo === null) scopes.count(row.scope, -1);
    },
  };
}

/** What stands in the way of a plan. */
function standing({ row }: Desk, scopes: Scopes) {
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
  const isFree = ({ memory: { id, scope, key }, same }: Stored): boolean =>
    current(id) === undefined && !isTaken(scopes.number(scope), key ?? null, same);

  function fresh(id: string, was: number): HeldRow | undefined {
    const held = current(id);
    return held?.version === was ? held : undefined;
  }

  return { isTaken, isFree, fresh };
}

/** Carries out one planned change; false where the store is not what it was planned on. */
function planned(
  desk: Desk,
  { add, retire, until }: RowChanges,
  { scopes }: Beside,
): (change: Change) => boolean {
  const { rows, run } = desk;
  const amend = run(`update memory set ${TRAITS} where row = @row`);
  const { isTaken, isFree, fresh } = standing(desk, scopes);
  const since = rows<HeldRow>(`${HELD} and m.scope = ? and m.version >= ?`);
  function amended(given: Stored, was: number): boolean {
    const old = fresh(given.memory.id, was);
    if (old === undefined) return false;
    const columns = toColumns(given, old.scope, []);
    // Another process may have given it a key since the plan was made; what is said again takes
    // none away.
    if (columns.key !== old.key && (old.key !== null || isTaken(old.scope, columns.key)))
      return false;
    amend({ ...columns, row: old.row });
    return true;
  }

  function replaced(given: Stored, was: number): boolean {
    const { memory } = given;
    const old = fresh(memory.id, was);
    if (old === undefined) return false;
    retire(old, given.validFrom);
    if (memory.key !== undefined && isTaken(scopes.number(memory.scope), memory.key)) return false;
    // Uses counted since the plan was made belong to the memory, not to the plan.
    add({ ...given, memory: { ...memory, uses: old.uses }, usedAt: old.usedAt });
    return true;
  }

  function resumed(given: Stored, was: number): boolean {
    const { id, scope } = given.memory;
    const [old, ...later] = since(id, scopes.number(scope), was);
    if (old?.version !== was || later.length > 0 || !isFree(given)) return false;
    until(given.validFrom, old.row);
    add(given);
    return true;
  }

  function ended(id: string, was: number, at: number): boolean {
    const old = fresh(id, was);
    if (old !== undefined) retire(old, at);
    return old !== undefined;
  }

  return (change) => {
    switch (change.do) {
      case "insert":
        if (!isFree(change.row)) return false;
        add(change.row);
        return true;
      case "amend":
        return amended(change.row, change.was);
      case "replace":
        return replaced(change.row, change.was);
      case "resume":
        return resumed(change.row, change.was);
      case "end":
        return ended(change.id, change.was, change.at);
      default:
        return change satisfies never;
    }
  };
}
