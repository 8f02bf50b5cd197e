import type { Row } from "./cells.ts";
import type { Connection } from "../sqlite/database.ts";

/** How a table is walked where a plain reading of it breaks off. */
export interface Table {
  readonly name: string;
  /** The column its rows stand in order of. */
  readonly key: string;
  /** The key is a number: what lies behind a broken page is reached by halving. */
  readonly counted?: true;
}

/** So many broken look-ups a table; then the rest of it is given up. */
const PATIENCE = 20_000;
const HIGHEST = 2 ** 40;

/** Each row that can be read, some of them twice; true when all could. `found` takes a row. */
export function readRows(
  source: Connection,
  { name, key, counted }: Table,
  columns: readonly string[],
  found: (row: Row) => void,
): boolean {
  const all = columns.join(", ");
  return counted === true
    ? byHalves(source, { name, key, all }, found)
    : fromBothEnds(source, { name, key, all }, found);
}

interface Way {
  readonly name: string;
  readonly key: string;
  readonly all: string;
}

function byHalves(source: Connection, { name, key, all }: Way, found: (row: Row) => void): boolean {
  const between = prepared(
    source,
    `select ${all} from ${name} where ${key} between ? and ? order by ${key}`,
  );
  if (between === undefined) return false;
  let broken = 0;
  const walk = (from: number, to: number): void => {
    if (from > to || broken > PATIENCE) return;
    let last = from;
    try {
      for (const row of between.iterate(from, to) as IterableIterator<Row>) {
        found(row);
        last = Number(row[key]);
      }
    } catch {
      broken += 1;
      if (last >= to) return;
      const middle = Math.floor((last + to) / 2);
      // Several rows may share a key: the last one is read again.
      walk(last, middle);
      walk(middle + 1, to);
    }
  };
  walk(0, highest(source, name, key));
  return broken === 0;
}

/** Once for all look-ups: undefined where not even its table can be read. */
function prepared(source: Connection, sql: string) {
  try {
    return source.prepare(sql);
  } catch {
    return undefined;
  }
}

function highest(source: Connection, name: string, key: string): number {
  try {
    return (source.prepare(`select max(${key}) from ${name}`).pluck().get() as number | null) ?? 0;
  } catch {
    return HIGHEST;
  }
}

function fromBothEnds(
  source: Connection,
  { name, key, all }: Way,
  found: (row: Row) => void,
): boolean {
  let whole = true;
  for (const order of ["asc", "desc"]) {
    try {
      for (const row of source
        .prepare(`select ${all} from ${name} order by ${key} ${order}`)
        .iterate() as IterableIterator<Row>)
        found(row);
      return whole;
    } catch {
      whole = false;
    }
  }
  return whole;
}

/** The rows that hold one of these values in this column, looked up one by one. */
export function lookUp(
  source: Connection,
  table: string,
  {
    names,
    column,
    values,
  }: { names: readonly string[]; column: string; values: readonly unknown[] },
  found: (row: Row) => void,
): void {
  const equal = prepared(source, `select ${names.join(", ")} from ${table} where ${column} = ?`);
  for (const value of values) {
    try {
      for (const row of equal?.iterate(value) ?? []) found(row as Row);
    } catch {
      // That one is lost.
    }
  }
}
