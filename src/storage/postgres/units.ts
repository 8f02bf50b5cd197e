import { parsed, asDict, asText } from "../../core/base.ts";
import type { Aside, NewEntry, SessionChange } from "../../core/history.ts";
import type { Change, Debt } from "../../core/memory.ts";
import type { Message } from "../../core/request.ts";
import { digest } from "../../core/text/cut.ts";
import { terms } from "../../core/text/terms.ts";
import { cuesOf } from "../../core/text/identifiers.ts";
import { entryAnchor, shownRow, termLines, type TurnRow, turnTerms } from "../rows.ts";
import { endedRow } from "../history-port.ts";
import type { IndexedPage } from "../search-index.ts";
import type { Unit } from "../port.ts";

/** A message stands by its digest, however many conversations hold it. */
function withBody<Of extends { readonly body: Message }>({ body, ...rest }: Of) {
  const json = JSON.stringify(body);
  return { ...rest, body: digest(json), json };
}

function sentChange({ session, entries, asides, forms, folds, ...change }: SessionChange) {
  const entry = (given: NewEntry, position: number) => ({
    ...withBody(given),
    position,
    anchor: entryAnchor(session, given),
  });
  return {
    ...change,
    session: {
      ...session,
      state: JSON.stringify(session.state),
      length: change.from + entries.length,
    },
    entries: entries.map((given, at) => entry(given, change.from + at)),
    asides: asides?.map((given: Aside) => withBody(given)),
    forms: forms?.map((form) => ({ ...form, entry: entry(form.entry, form.position) })),
    folds: folds?.map(({ from, length, shortened, pins, ...fold }) => ({
      ...fold,
      detail: JSON.stringify({ from, length, shortened, pins }),
    })),
  };
}

const sentMemory = (change: Change) =>
  change.do === "end"
    ? change
    : { ...change, row: { ...change.row, terms: terms(change.row.memory.content).join(" ") } };

/** Lines that are owed of a memory go with it. */
const sentDebt = (debt: Debt) =>
  debt.kind === "log"
    ? { ...debt, memory: asText(asDict(asDict(parsed(debt.text ?? "")).memory).id) }
    : debt;

const sentTurn = (row: TurnRow) => {
  const { found, length } = turnTerms(row);
  return { ...row, words: found, length, cues: cuesOf(row.text, row.role) };
};

const sentPage = ({ chunks, ...page }: IndexedPage) => ({
  ...page,
  chunks: chunks.map(({ passages }) => ({ ...shownRow(passages), terms: termLines(passages) })),
});

const withNulls = (texts: Readonly<Record<string, string | undefined>>): object =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text ?? null]));

/** A unit as the function of the database reads it: bodies, states and details are texts. */
export const sentUnit = ({
  session,
  memories,
  debts,
  notes,
  unchanged,
  turns,
  pages,
  ended,
  ...unit
}: Unit): object => ({
  ...unit,
  session: session && sentChange(session),
  memories: memories?.map(sentMemory),
  debts: debts?.map(sentDebt),
  ended: ended && endedRow(ended),
  turns: turns && { rows: turns.rows.map(sentTurn) },
  pages: pages?.map(sentPage),
  unchanged: unchanged && withNulls(unchanged),
  notes:
    (notes ?? turns?.read) &&
    withNulls({
      ...notes,
      ...(turns?.read !== undefined && { "turns read": `${turns.read}` }),
    }),
});
