import {
  type Aside,
  type Fold,
  type Job,
  type Learnt,
  type NewForm,
  type SessionChange,
} from "../../model/history.ts";
import { type Connection } from "../sqlite/database.ts";
import { type Cells } from "./cells.ts";
import { ledgerTable } from "./ledger.ts";
import {
  type BodyWriter,
  bodyWriter,
  type EntryWriter,
  entryWriter,
  namesOf,
  type Numbers,
  type Prepare,
  rowNumbers,
} from "./entries.ts";

/** One change of one session as one transaction: all of it or nothing. False when the session has moved on meanwhile. */
export function historyWriter(
  database: Connection,
  cells: Cells,
): (change: SessionChange) => boolean {
  const put = statements(database, cells);
  const ledger = ledgerTable(database);
  const apply = (change: SessionChange): boolean => {
    const { session, from } = change;
    const known = put.known(session.id);
    if (known.revision !== session.revision - 1) return false;
    if (
      change.siblings !== undefined &&
      put.siblings.get(session.root, put.label(session.label)) !== change.siblings
    )
      return false;
    if (change.copyOf !== undefined) {
      put.copy.run({ to: session.id, of: change.copyOf, before: from });
      put.copyPins.run(session.id, change.copyOf);
      put.copyLearnt.run(session.id, change.copyOf, from);
      put.copyForms(session.id, change.copyOf, from);
    } else if (known.last >= from) {
      put.setAside(session.id, { from, last: known.last });
      put.cut.run(session.id, from);
    }
    for (const form of change.forms ?? []) put.form(change, form);
    change.chains?.chains.forEach((chain, index) =>
      put.chain(session.id, (change.chains?.from ?? 0) + index, chain),
    );
    change.entries.forEach((entry, index) => put.entry(change, entry, from + index));
    for (const aside of change.asides ?? []) put.aside(session, aside);
    for (const fold of change.folds ?? []) put.fold(session.id, fold);
    for (const job of change.jobs ?? []) put.job(job);
    for (const id of change.doneJobs ?? []) put.doneJob.run(id);
    for (const learnt of change.learnt ?? []) put.learnt(session.id, learnt);
    for (const id of change.undone?.folds ?? []) put.undo.run(change.undone?.at, session.id, id);
    if (change.ledger) ledger.put(session.root, change.ledger);
    put.session(change);
    return true;
  };
  const transaction = database.transaction(apply);
  return (change) => {
    if (change.durable !== true) return transaction.immediate(change);
    // FULL makes this commit wait for the disk, and with it every earlier one: the log is written in order.
    database.pragma("synchronous = FULL");
    try {
      return transaction.immediate(change);
    } finally {
      database.pragma("synchronous = NORMAL");
    }
  };
}

/** The statements that change a history. Each expects to run inside a transaction. */
function statements(database: Connection, cells: Cells) {
  const prepare: Prepare = (sql) => database.prepare(sql);
  const numbers = rowNumbers(prepare);
  const body = bodyWriter(prepare, cells);
  const entry = entryWriter(prepare, cells, body);
  return {
    ...sessionStatements(prepare, cells),
    ...copyStatements(prepare, numbers),
    ...besideStatements(prepare, cells, { numbers, body, entry }),
    ...foldStatements(prepare, cells),
    entry,
  };
}

function sessionStatements(prepare: Prepare, cells: Cells) {
  const { label } = namesOf(cells);
  const find = prepare(
    "select revision, (select max(position) from entry where session = id) from session where id = ?",
  ).raw();
  const putSession = prepare(
    `insert into session (id, root, label, imported, at, updated_at, confirmed, watermark, noted, length, state, revision)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (id) do update set updated_at = excluded.updated_at, confirmed = excluded.confirmed, watermark = excluded.watermark,
       noted = excluded.noted, length = excluded.length, state = excluded.state, revision = excluded.revision`,
  );
  const rechain = prepare("update entry set chain = ? where session = ? and position = ?");
  return {
    label,
    siblings: prepare("select count(*) from session where root = ? and label is ?").pluck(),
    /** Its revision, and where its last entry stands. */
    known: (session: string): { revision: number; last: number } => {
      const [revision, last] = (find.get(session) ?? [0, null]) as [number, number | null];
      return { revision, last: last ?? -1 };
    },
    cut: prepare("delete from entry where session = ? and position >= ?"),
    chain: (session: string, position: number, chain: string): void =>
      void rechain.run(cells.key("chain", chain), session, position),
    session: ({ session, from, entries }: SessionChange): void => {
      putSession.run(
        session.id,
        session.root,
        label(session.label),
        session.imported ? 1 : 0,
        session.at,
        session.updatedAt,
        session.confirmed,
        session.watermark,
        session.noted,
        from + entries.length,
        cells.putJson("state", JSON.stringify(session.state)),
        session.revision,
      );
    },
  };
}

/** What a branch takes over from the conversation it left. */
function copyStatements(prepare: Prepare, numbers: Numbers) {
  const copyForms = prepare(
    `insert into aside (session, before, content, kind, body, prefix, thought, id, number, at)
     select @to, before, content, kind, body, prefix, thought, id, @number + row_number() over (order by row), at
     from aside where session = @of and kind = 'form' and before < @before`,
  );
  return {
    copy: prepare(
      `insert into entry (session, position, chain, content, skeleton, role, reply, anchor, head, prefix, thought, at, name, ref, body)
       select @to, position, chain, content, skeleton, role, reply, anchor, head, prefix, thought, at, name, ref, body
       from entry where session = @of and position < @before order by position`,
    ),
    copyPins: prepare(
      "insert into pin (id, root, session, text) select id, root, ?, text from pin where session = ?",
    ),
    copyLearnt: prepare(
      "insert into learnt (session, memory, first, last) select ?, memory, first, last from learnt where session = ? and first < ?",
    ),
    copyForms: (to: string, of: string, before: number): void => {
      const { changes } = copyForms.run({ to, of, before, number: numbers.last() });
      if (changes > 0) numbers.take(changes);
    },
  };
}

/** What stands beside the line: replaced replies, other forms of a message, whole ones of cleared ones. */
function besideStatements(
  prepare: Prepare,
  cells: Cells,
  { numbers, body, entry: putEntry }: { numbers: Numbers; body: BodyWriter; entry: EntryWriter },
) {
  const { maybe } = namesOf(cells);
  const addAside = prepare(
    `insert into aside (session, before, content, kind, body, prefix, thought, id, number, at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
  );
  // A reply that was generated anew, a message that was rewritten: seen, so kept, but no longer in line. Another reply in its
  // place is what a search finds.
  const putBeside = prepare(
    `insert into aside (session, before, content, kind, body, prefix, thought, id, number, at)
     select session, position, content, @kind, body, prefix, thought, @id,
       case when @kind = 'form' or role <> 'assistant' then @number + row_number() over (order by position) end, coalesce(@at, at)
     from entry where session = @session and position >= @from and position < @to on conflict do nothing`,
  );
  const drop = prepare("delete from entry where session = ? and position = ?");
  return {
    setAside: (session: string, { from, last }: { from: number; last: number }): void => {
      const [to, number] = [last + 1, numbers.take(last + 1 - from)];
      putBeside.run({ session, from, to, kind: "replaced", id: null, at: null, number });
    },
    form: (change: SessionChange, { position, entry, id, at }: NewForm): void => {
      const session = change.session.id;
      const [from, to, number] = [position, position + 1, numbers.take(1)];
      putBeside.run({ session, from, to, kind: "form", id, at, number });
      drop.run(session, position);
      putEntry(change, entry, position);
    },
    aside: (session: SessionChange["session"], aside: Aside): void => {
      const { before, kind, prefix, thought, id, at = session.updatedAt } = aside;
      // Of a message that was cleared the whole is found, and of a reply that was made anew the newest.
      const number = kind === "condensed" ? numbers.take(1) + 1 : null;
      addAside.run(
        session.id,
        before,
        cells.key("content", aside.content),
        kind,
        body(aside.body),
        maybe("prefix", prefix),
        thought === undefined ? null : cells.key("thought", thought),
        id ?? null,
        number,
        at,
      );
    },
  };
}

function foldStatements(prepare: Prepare, cells: Cells) {
  const addFold = prepare(
    `insert into fold (session, id, up_to, text, summary, messages, tokens_before, tokens_after, at, detail)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (session, id) do nothing`,
  );
  const addLearnt = prepare(
    `insert into learnt (session, memory, first, last) values (?, ?, ?, ?)
     on conflict (session, memory) do update set first = min(first, excluded.first), last = max(last, excluded.last)`,
  );
  const addJob = prepare(
    `insert into job (id, session, first, last, attempts, error, not_before) values (?, ?, ?, ?, ?, ?, ?)
     on conflict (id) do update set attempts = excluded.attempts, error = excluded.error, not_before = excluded.not_before`,
  );
  return {
    fold: (session: string, fold: Fold): void =>
      void addFold.run(
        session,
        fold.id,
        fold.upTo,
        cells.put("text", fold.text),
        cells.put("summary", fold.summary),
        fold.messages,
        fold.before,
        fold.after,
        fold.at,
        cells.putJson("detail", detailOf(fold)),
      ),
    undo: prepare("update fold set undone_at = ? where session = ? and id = ?"),
    learnt: (session: string, { memory, first, last }: Learnt): void =>
      void addLearnt.run(session, memory, first, last),
    job: ({ id, session, from, to, attempts, error, notBefore }: Job): void =>
      void addJob.run(id, session, from, to, attempts, cells.put("error", error), notBefore),
    doneJob: prepare("delete from job where id = ?"),
  };
}

const detailOf = ({ from, length, shortened, pins, signed }: Fold): string =>
  JSON.stringify({ from, length, shortened, pins, signed });
