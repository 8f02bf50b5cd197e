import { defined } from "../../base/guards.ts";
import {
  type Aside,
  type Entry,
  type Fold,
  type Job,
  type Session,
  type SessionState,
} from "../../model/history.ts";
import { type Cells } from "./cells.ts";

/** The rows of history.db as SQLite gives them, and what they mean. */
export interface SessionRow {
  id: string;
  root: string;
  label: string | null;
  imported: number;
  at: number;
  updated_at: number;
  confirmed: number;
  watermark: number;
  noted: number;
  length: number;
  state: string;
  revision: number;
}
export interface EntryRow {
  chain: string;
  content: string;
  skeleton: string;
  role: string;
  reply: number;
  head: string;
  prefix: string | null;
  thought: string | null;
  at: number;
}
export interface FoldRow {
  session: string;
  id: string;
  up_to: number;
  text: string;
  summary: string;
  messages: number;
  tokens_before: number;
  tokens_after: number;
  at: number;
  detail: string | null;
  undone_at: number | null;
}
export interface AsideRow {
  before: number;
  content: string;
  kind: Aside["kind"];
  id: string | null;
  at: number | null;
  json: string | null;
  hash: string | null;
}
export interface JobRow {
  id: string;
  session: string;
  first: number;
  last: number;
  attempts: number;
  error: string;
  not_before: number;
}

export const toSession = (cells: Cells, row: SessionRow): Session => ({
  id: row.id,
  root: row.root,
  ...defined({ label: row.label === null ? undefined : cells.get("label", row.label) }),
  imported: row.imported === 1,
  at: row.at,
  updatedAt: row.updated_at,
  confirmed: row.confirmed,
  watermark: row.watermark,
  noted: row.noted,
  state: JSON.parse(cells.getJson("state", row.state)) as SessionState,
  revision: row.revision,
});

export const toEntry = (cells: Cells, row: EntryRow): Entry => ({
  chain: cells.get("chain", row.chain),
  content: cells.get("content", row.content),
  skeleton: cells.get("skeleton", row.skeleton),
  role: row.role,
  reply: row.reply === 1,
  head: cells.get("head", row.head),
  ...defined({ prefix: row.prefix === null ? undefined : cells.get("prefix", row.prefix) }),
  ...defined({ thought: row.thought === null ? undefined : cells.get("thought", row.thought) }),
  at: row.at,
});

export const toFold = (cells: Cells, row: FoldRow): Fold => ({
  id: row.id,
  upTo: row.up_to,
  text: cells.get("text", row.text),
  summary: cells.get("summary", row.summary),
  messages: row.messages,
  before: row.tokens_before,
  after: row.tokens_after,
  at: row.at,
  ...(JSON.parse(cells.getJson("detail", row.detail ?? "{}")) as Pick<
    Fold,
    "from" | "length" | "shortened" | "pins" | "signed"
  >),
  ...defined({ undoneAt: row.undone_at === null ? undefined : row.undone_at }),
});

export const toAside = (
  cells: Cells,
  { before, kind, content, id, at }: AsideRow,
): Omit<Aside, "body"> => ({
  before,
  kind,
  content: cells.get("content", content),
  ...defined({ id: id === null ? undefined : id }),
  ...defined({ at: at === null ? undefined : at }),
});

export const toJob = (cells: Cells, row: JobRow): Job => ({
  id: row.id,
  session: row.session,
  from: row.first,
  to: row.last,
  attempts: row.attempts,
  error: cells.get("error", row.error),
  notBefore: row.not_before,
});

export interface BodyRow {
  json: string | null;
  hash: string | null;
  name: string | null;
  ref: string | null;
  at: number;
  role: string;
}
export const optional = (cells: Cells, row: BodyRow) => ({
  ...defined({ name: row.name === null ? undefined : cells.get("name", row.name) }),
  ...defined({ ref: row.ref === null ? undefined : cells.get("ref", row.ref) }),
});
