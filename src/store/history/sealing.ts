import { digest } from "../../text/hash.ts";
import { type HistoryRow } from "./backup-rows.ts";
import { type Cells } from "./cells.ts";
import { newCells } from "./keeping.ts";
import { pack, unpack } from "./media.ts";
import { type Row } from "./salvaged-rows.ts";
import { type SealKey } from "../sqlite/seal.ts";

type How = "put" | "key" | "putJson";

/** Which texts of which table are closed, and how: the same that history-write.ts closes. */
const CLOSED: Readonly<Record<string, Readonly<Record<string, How>>>> = {
  entry: {
    chain: "key",
    content: "key",
    skeleton: "key",
    anchor: "key",
    head: "put",
    prefix: "put",
    thought: "key",
    name: "put",
    ref: "put",
  },
  aside: { content: "key", prefix: "put", thought: "key" },
  session: { label: "key", state: "putJson" },
  fold: { text: "put", summary: "put", detail: "putJson" },
  job: { error: "put" },
  pin: { text: "put" },
};

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
      : [{ table, row: sealedRow(cells, table, row) }];
  });
  return [...sealed, { table: "keeping", row: { name: "seal", value: JSON.stringify(note) } }];
}

function sealedBody(
  cells: Cells,
  { id, json: plain }: Row,
  media: (hash: string) => string | undefined,
): HistoryRow[] {
  const { json, media: packed } = pack(unpack(plain as string, media), (data) =>
    cells.key("media", data),
  );
  const kept = cells.putBody(json);
  const parts = [...packed].flatMap(([hash, data]) => [
    { table: "media", row: { hash, data } },
    { table: "body_media", row: { body: id, hash } },
  ]);
  return [{ table: "body", row: { id, hash: digest(kept), json: kept } }, ...parts];
}

function sealedRow(cells: Cells, table: string, row: Row): Row {
  const how = CLOSED[table] ?? {};
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "string" && how[name] !== undefined ? cells[how[name]](name, value) : value,
    ]),
  );
}
