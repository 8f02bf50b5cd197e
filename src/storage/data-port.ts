import type { Dict } from "../core/base.ts";

/** A value that rows of data are found and grouped by. */
export type DataMember = string | number | boolean;

/** Rows with just these members; a name is a word of ASCII letters, digits and "_". */
interface DataAsked {
  readonly repository: string;
  readonly where: Partial<Readonly<Record<string, DataMember>>>;
  readonly limit: number;
}

/** That of the key, or those behind or before it in the order of bytes, the nearest first. */
export interface DataRows extends DataAsked {
  readonly at: "=" | ">" | "<";
  readonly key: string;
}

/** One sum for each value of the member `by`, of the numbers among the members `of`. */
export interface DataSums extends DataAsked {
  readonly by?: string | undefined;
  readonly of?: string | undefined;
}

/** A row is put in the place of the one of its key; without `value` that is taken out. */
export interface DataChange {
  readonly repository: string;
  readonly key: string;
  readonly value?: Dict;
  /** The one that is there now; null: there is none. */
  readonly was?: Dict | null;
}

/** Rows that have the value `group`, and their numbers, left out where there are none. */
export interface DataSum {
  readonly group?: DataMember;
  readonly count: number;
  readonly sum?: number;
  readonly min?: number;
  readonly max?: number;
}
