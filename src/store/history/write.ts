import {
  type Aside,
  type Fold,
  type Job,
  type Learnt,
  type NewEntry,
  type NewForm,
  type SessionChange,
} from "../../model/history.ts";
import { type Message } from "../../model/request.ts";
import { digest } from "../../text/hash.ts";
import { type Connection } from "../sqlite/database.ts";
import { anchorOf } from "./anchor.ts";
import { type Cells } from "./cells.ts";
import { ledgerTable } from "./ledger.ts";
import { pack } from "./media.ts";

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

function statements(database: Connection, cells: Cells) {
  const label = (text: string | undefined): string | null =>
    text === undefined ? null : cells.key("label", text);
  const maybe = (column: string, text: string | undefined): string | null =>
    text === undefined ? null : cells.put(column, text);
  const prepare = (sql: string) => database.prepare(sql);
  const addBody = prepare(
    "insert into body (hash, json) values (?, ?) on conflict (hash) do nothing",
  );
  const findBody = prepare("select id from body where hash = ?").pluck();
  const find = prepare(
    "select revision, (select max(position) from entry where session = id) from session where id = ?",
  ).raw();
  const addMedia = prepare(
    "insert into media (hash, data) values (?, ?) on conflict (hash) do nothing",
  );
  const addUse = prepare("insert into body_media (body, hash) values (?, ?)");
  const addEntry = prepare(
    `insert into entry (session, position, chain, content, skeleton, role, reply, anchor, head, prefix, thought, at, name, ref, body)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
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
  const copyForms = prepare(
    `insert into aside (session, before, content, kind, body, prefix, thought, id, number, at)
     select @to, before, content, kind, body, prefix, thought, id, @number + row_number() over (order by row), at
     from aside where session = @of and kind = 'form' and before < @before`,
  );
  const takeNumbers = prepare(
    "update sqlite_sequence set seq = seq + ? where name = 'entry' returning seq",
  ).pluck();
  /** The number before so many that no entry and no aside has or will have. */
  const numbers = (count: number): number =>
    ((takeNumbers.get(count) as number | undefined) ?? count) - count;
  const drop = prepare("delete from entry where session = ? and position = ?");
  const rechain = prepare("update entry set chain = ? where session = ? and position = ?");
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
  const putSession = prepare(
    `insert into session (id, root, label, imported, at, updated_at, confirmed, watermark, noted, length, state, revision)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (id) do update set updated_at = excluded.updated_at, confirmed = excluded.confirmed, watermark = excluded.watermark,
       noted = excluded.noted, length = excluded.length, state = excluded.state, revision = excluded.revision`,
  );

  const body = (message: Message): number => {
    const { json, media } = pack(message, (data) => cells.key("media", data));
    const kept = cells.putBody(json);
    const hash = digest(kept);
    const { changes, lastInsertRowid } = addBody.run(hash, kept);
    if (changes === 0) return findBody.get(hash) as number;
    const id = Number(lastInsertRowid);
    for (const [key, data] of media) {
      addMedia.run(key, data);
      addUse.run(id, key);
    }
    return id;
  };

  const putEntry = ({ session }: SessionChange, entry: NewEntry, position: number): void => {
    // By place: to find a value by its name takes longer than to store it.
    addEntry.run(
      session.id,
      position,
      cells.key("chain", entry.chain),
      cells.key("content", entry.content),
      cells.key("skeleton", entry.skeleton),
      entry.role,
      entry.reply ? 1 : 0,
      entry.reply
        ? cells.key("anchor", anchorOf(session.root, session.label, entry.content))
        : null,
      cells.put("head", entry.head),
      maybe("prefix", entry.prefix),
      entry.thought === undefined ? null : cells.key("thought", entry.thought),
      entry.at,
      maybe("name", entry.name),
      maybe("ref", entry.ref),
      body(entry.body),
    );
  };

  return {
    label,
    siblings: prepare("select count(*) from session where root = ? and label is ?").pluck(),
    /** Its revision, and where its last entry stands. */
    known: (session: string): { revision: number; last: number } => {
      const [revision, last] = (find.get(session) ?? [0, null]) as [number, number | null];
      return { revision, last: last ?? -1 };
    },
    copyPins: prepare(
      "insert into pin (id, root, session, text) select id, root, ?, text from pin where session = ?",
    ),
    copyLearnt: prepare(
      "insert into learnt (session, memory, first, last) select ?, memory, first, last from learnt where session = ? and first < ?",
    ),
    copy: prepare(
      `insert into entry (session, position, chain, content, skeleton, role, reply, anchor, head, prefix, thought, at, name, ref, body)
       select @to, position, chain, content, skeleton, role, reply, anchor, head, prefix, thought, at, name, ref, body
       from entry where session = @of and position < @before order by position`,
    ),
    setAside: (session: string, { from, last }: { from: number; last: number }): void =>
      void putBeside.run({
        session,
        from,
        to: last + 1,
        kind: "replaced",
        id: null,
        at: null,
        number: numbers(last + 1 - from),
      }),
    copyForms: (to: string, of: string, before: number): void => {
      const { changes } = copyForms.run({ to, of, before, number: numbers(0) });
      if (changes > 0) takeNumbers.get(changes);
    },
    chain: (session: string, position: number, chain: string): void =>
      void rechain.run(cells.key("chain", chain), session, position),
    form: (change: SessionChange, { position, entry, id, at }: NewForm): void => {
      const session = change.session.id;
      putBeside.run({
        session,
        from: position,
        to: position + 1,
        kind: "form",
        id,
        at,
        number: numbers(1),
      });
      drop.run(session, position);
      putEntry(change, entry, position);
    },
    cut: prepare("delete from entry where session = ? and position >= ?"),
    entry: putEntry,
    aside: (session: SessionChange["session"], aside: Aside): void => {
      const { before, kind, prefix, thought, id, at = session.updatedAt } = aside;
      // Of a message that was cleared the whole is found, and of a reply that was made anew the newest.
      const number = kind === "condensed" ? numbers(1) + 1 : null;
      const content = cells.key("content", aside.content);
      const bound = [
        maybe("prefix", prefix),
        thought === undefined ? null : cells.key("thought", thought),
      ];
      addAside.run(
        session.id,
        before,
        content,
        kind,
        body(aside.body),
        ...bound,
        id ?? null,
        number,
        at,
      );
    },
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
    learnt: (session: string, { memory, first, last }: Learnt): void =>
      void addLearnt.run(session, memory, first, last),
    undo: prepare("update fold set undone_at = ? where session = ? and id = ?"),
    job: (job: Job): void =>
      void addJob.run(
        job.id,
        job.session,
        job.from,
        job.to,
        job.attempts,
        cells.put("error", job.error),
        job.notBefore,
      ),
    doneJob: prepare("delete from job where id = ?"),
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

const detailOf = ({ from, length, shortened, pins, signed }: Fold): string =>
  JSON.stringify({ from, length, shortened, pins, signed });
