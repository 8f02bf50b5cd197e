import type { Row } from "./desk.ts";
import { type Connection, valueOf } from "../sqlite/database.ts";

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
  const select = `select ${columns.join(", ")} from ${name}`;
  const way = { source, select, key, found };
  return counted === true ? byHalves(way, highest(source, name, key)) : fromBothEnds(way);
}

interface Way {
  readonly source: Connection;
  readonly select: string;
  readonly key: string;
  readonly found: (row: Row) => void;
}

function byHalves({ source, select, key, found }: Way, end: number): boolean {
  const between = prepared(source, `${select} where ${key} between ? and ? order by ${key}`);
  if (between === undefined) return false;
  let broken = 0;
  const walk = (from: number, to: number): void => {
    if (from > to || broken > PATIENCE) return;
    let last = from;
    try {
      for (const row of between.iterate(from, to)) {
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
  walk(0, end);
  return broken === 0;
}

/** Once for all look-ups: undefined where not even its table can be read. */
function prepared(source: Connection, sql: string) {
  try {
    return source.prepare<unknown[], Row>(sql);
  } catch {
    return undefined;
  }
}

function highest(source: Connection, name: string, key: string): number {
  try {
    return valueOf(source, `select coalesce(max(${key}), 0) from ${name}`);
  } catch {
    return HIGHEST;
  }
}

function fromBothEnds({ source, select, key, found }: Way): boolean {
  for (const order of ["asc", "desc"]) {
    try {
      const sorted = source.prepare<[], Row>(`${select} order by ${key} ${order}`);
      for (const row of sorted.iterate()) found(row);
      return order === "asc";
    } catch {
      // From the other end what lies behind is reached.
    }
  }
  return false;
}

/** The rows that hold one of these values in this column, looked up one by one. */
export function lookUp(
  source: Connection,
  select: string,
  values: readonly unknown[],
  found: (row: Row) => void,
): void {
  const equal = prepared(source, select);
  for (const value of values) {
    try {
      for (const row of equal?.iterate(value) ?? []) found(row);
    } catch {
      // That one is lost.
    }
  }
}
