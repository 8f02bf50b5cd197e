/** A row of what is true, as a copy or an archive holds it. */
export interface TableRow {
  readonly table: string;
  readonly row: Record<string, unknown>;
}
