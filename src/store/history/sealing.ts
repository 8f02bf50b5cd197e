import { digest } from "../../text/hash.ts";
import { type HistoryRow } from "./backup-rows.ts";
import { closedRow, type Cells, type Row } from "./cells.ts";
import { newCells } from "./keeping.ts";
import { pack, unpack } from "./media.ts";
import { type SealKey } from "../sqlite/seal.ts";

/** The rows of a history in plain text as a history with a key holds them. */
export function sealedRows(rows: readonly HistoryRow[], key: SealKey): HistoryRow[] {
  const { cells, note } = newCells(key);
  const media = new Map(
    rows.flatMap(({ table, row }) =>
      table === "media" ? [[row.hash, row.data as string] as const] : [],
    ),
  );
  const sealed = rows.flatMap(({ table, row }): HistoryRow[] => {
    if (table === "media" || table === "body_media") return [];
    return table === "body"
      ? sealedBody(cells, row, (hash) => media.get(hash))
      : [{ table, row: closedRow(cells, table, row) }];
  });
  return [...sealed, { table: "keeping", row: { name: "seal", value: JSON.stringify(note) } }];
}

function sealedBody(
  cells: Cells,
  { id, json: plain }: Row,
  media: (hash: string) => string | undefined,
): HistoryRow[] {
  const { json, media: packed } = pack(unpack(plain as string, media), (data) =>
    cells.close("key", "media", data),
  );
  const kept = cells.close("body", "body", json);
  const parts = [...packed].flatMap(([hash, data]) => [
    { table: "media", row: { hash, data } },
    { table: "body_media", row: { body: id, hash } },
  ]);
  return [{ table: "body", row: { id, hash: digest(kept), json: kept } }, ...parts];
}
