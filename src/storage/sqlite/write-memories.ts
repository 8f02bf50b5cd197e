import type { Scope } from "../../core/identity.ts";
import type { Change, Stored } from "../../core/memory.ts";
import { terms } from "../../core/text/terms.ts";
import { splitTerms } from "../rows.ts";
import { COLUMNS, type MemoryRow, type Scopes, toColumns } from "./memory-rows.ts";
import type { Parts } from "./shared-file.ts";
import type { Sql } from "./sql.ts";
import type { TermIndex } from "./term-index.ts";
import type { VectorWriter } from "./nearest-vectors.ts";

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
export function memoryWriter(sql: Sql, index: TermIndex, beside: Beside) {
  const { numbers } = beside.scopes;
  const { run, rows, value, values } = sql;
  const changes = rowChanges(sql, index, beside);
  const apply = planned(sql, changes, beside);
  /** Every value of the ids that stand in these scopes, or in all; answers how many. */
  function remove(ids: readonly string[], visible?: readonly Scope[]): number {
    const allowed = visible && numbers(visible);
    const gone = [...new Set(ids)]
      .flatMap((id) => rows<HeldRow>(HELD, id))
      .filter(({ scope }) => allowed?.includes(scope) ?? true);
    gone.forEach(changes.erase);
    run`delete from debt where kind = 'log'
      and text ->> '$.memory.id' in (select value from json_each(${ids}))`;
    return gone.length;
  }
  return {
    remove,
    removeExpired: (now: number): number =>
      remove(values`select id from memory where expires_at <= ${now} and valid_to is null`),
    parts: {
      unchanged: (texts) =>
        Object.entries(texts).every(
          ([name, text]) => value`select text from note where name = ${name}` === text,
        ),
      memories: (all) => all.every(apply),
      notes(texts) {
        for (const [name, text] of Object.entries(texts))
          if (text === undefined) run`delete from note where name = ${name}`;
          else run`insert or replace into note (name, text) values (${name}, ${text})`;
      },
      used: ({ ids, scopes, at }) =>
        void run`update memory set uses = uses + 1, used_at = ${at} where valid_to is null
          and id in (select value from json_each(${ids}))
          and scope in (select value from json_each(${numbers(scopes)}))`,
      // Views that are behind, owed and paid.
      debts(owed) {
        for (const { kind, scope, at, text } of owed)
          run`insert or replace into debt (kind, scope, at, text)
            values (${kind}, ${scope}, ${at}, ${text})`;
      },
      paid: (debts) =>
        void run`delete from debt where id in
          (select value from json_each(${debts.map(({ id }) => id)}))`,
    } satisfies Partial<Parts>,
  };
}

type RowChanges = ReturnType<typeof rowChanges>;

/** Terms of past values have an owner of their own. */
export const ownerOf = ({ scope, validTo }: Pick<HeldRow, "scope" | "validTo">): string =>
  validTo === null ? `${scope}` : `${scope}p`;

/** One row at a time, with its words, its vector and its counts; to be run inside a transaction. */
function rowChanges({ run }: Sql, index: TermIndex, { scopes, vectors }: Beside) {
  const until = (at: number, row: number): unknown =>
    run`update memory set valid_to = max(valid_from, ${at}) where row = ${row}`;
  return {
    /** A value that holds from now on. */
    add(stored: Stored): void {
      const found = terms(stored.memory.content);
      const scope = scopes.number(stored.memory.scope);
      const columns = { ...toColumns(stored, scope, found), validTo: null };
      index.add(run(INSERT, columns).lastInsertRowid, ownerOf(columns), found);
      scopes.count(scope, 1);
    },
    /** It held until then. */
    until,
    retire(row: HeldRow, at: number): void {
      const found = splitTerms(row.terms);
      until(at, row.row);
      index.drop(row.row, ownerOf(row), found);
      index.add(row.row, ownerOf({ scope: row.scope, validTo: at }), found);
      vectors.retire(row.row);
      scopes.count(row.scope, -1);
    },
    erase(row: HeldRow): void {
      index.drop(row.row, ownerOf(row), splitTerms(row.terms));
      vectors.erase(row.row);
      run`delete from memory where row = ${row.row}`;
      if (row.validTo === null) scopes.count(row.scope, -1);
    },
  };
}

/** Carries out one planned change; false where the store is not what it was planned on. */
function planned(
  { row, rows, run, value }: Sql,
  { add, retire, until }: RowChanges,
  { scopes }: Beside,
): (change: Change) => boolean {
  const current = (id: string) => row<HeldRow>(`${HELD} and m.valid_to is null`, id);
  // Equal content under another key is another memory (two doors, one code); without a key it is
  // the same one. Two selects: joined by "or" they would read the whole scope.
  const isTaken = (scope: number, key?: string | null, same?: string): boolean =>
    value`select 1 from memory where scope = ${scope} and key = ${key} and valid_to is null
       union all select 1 from memory where scope = ${scope} and same = ${same}
         and valid_to is null and (key is null or ${key} is null)` !== undefined;
  const isFree = ({ memory: { id, scope, key }, same }: Stored): boolean =>
    current(id) === undefined && !isTaken(scopes.number(scope), key, same);

  function amended(given: Stored, old: HeldRow): boolean {
    const columns = toColumns(given, old.scope, []);
    // Another process may have given it a key since the plan was made; what is said again takes
    // none away.
    if (columns.key !== old.key && (old.key !== null || isTaken(old.scope, columns.key)))
      return false;
    run(`update memory set ${TRAITS} where row = @row`, { ...columns, row: old.row });
    return true;
  }

  function replaced(given: Stored, old: HeldRow): boolean {
    const { memory } = given;
    retire(old, given.validFrom);
    if (memory.key !== undefined && isTaken(scopes.number(memory.scope), memory.key)) return false;
    // Uses counted since the plan was made belong to the memory, not to the plan.
    add({ ...given, memory: { ...memory, uses: old.uses }, usedAt: old.usedAt });
    return true;
  }

  function resumed(given: Stored, was: number): boolean {
    const { id, scope } = given.memory;
    const [old, ...later] = rows<HeldRow>(
      `${HELD} and m.scope = ? and m.version >= ?`,
      ...[id, scopes.number(scope), was],
    );
    if (old?.version !== was || later.length > 0 || !isFree(given)) return false;
    until(given.validFrom, old.row);
    add(given);
    return true;
  }

  return (change) => {
    if (change.do === "insert") {
      if (!isFree(change.row)) return false;
      add(change.row);
      return true;
    }
    if (change.do === "resume") return resumed(change.row, change.was);
    const old = current(change.do === "end" ? change.id : change.row.memory.id);
    if (old?.version !== change.was) return false;
    if (change.do === "amend") return amended(change.row, old);
    if (change.do === "replace") return replaced(change.row, old);
    retire(old, change.at);
    return true;
  };
}
