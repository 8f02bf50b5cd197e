import type { Aside, Fold, Job, NewEntry, NewForm, SessionChange } from "../../core/history.ts";
import type { Message, SpentLine } from "../../core/request.ts";
import { digest } from "../../core/text/cut.ts";
import { anchorOf, FOLD, type HistoryDesk, pack, SESSION } from "./message-rows.ts";
import { mover } from "./shift-entries.ts";

const ENTRY =
  "session, position, chain, content, said, role, reply, anchor, prefix, thought, at, " +
  "name, ref, body";
const ASIDE = "session, before, content, kind, body, prefix, thought, id, number, at";

/**
 * One change of one session, within the transaction that is open. False when the session has moved
 * on meanwhile; `learns`: memories change with it.
 */
export function sessionWriter(
  desk: HistoryDesk,
): (change: SessionChange, learns: boolean) => boolean {
  const put = { ...messageStatements(desk), ...foldStatements(desk) };
  const known = desk.row<{ revision: number; last: number }>(
    `select revision, (select coalesce(max(position), -1) from entry where session = id) as last
      from session where id = ?`,
  );
  const countOf = desk.value("select count(*) from session where root = ? and label = ?");
  const isRead = desk.value(
    `select 1 from entry own join entry other using (chain, at) join session s
        on s.id = other.session and s.watermark > other.position
     where own.session = ? and own.position = ? limit 1`,
  );
  const putSession = desk.put(
    "session",
    `${SESSION}, length`,
    `on conflict (id) do update set updated_at = excluded.updated_at,
      confirmed = excluded.confirmed, watermark = excluded.watermark,
       noted = excluded.noted, length = excluded.length, state = excluded.state,
         revision = excluded.revision`,
  );
  return (change, learns) => {
    const { session, from, siblings, unread } = change;
    const { revision = 0, last = -1 } = known(session.id) ?? {};
    if (revision !== session.revision - 1) return false;
    if (siblings !== undefined && countOf(session.root, session.label ?? "") !== siblings)
      return false;
    if (unread !== undefined && isRead(session.id, unread) !== undefined) return false;
    if (change.moved) put.move(session.id, change.moved);
    else if (change.copyOf !== undefined) put.copy(session, change.copyOf, from);
    else if (last >= from) {
      put.setAside(session.id, from, last);
      put.clipJobs({ session: session.id, from });
    }
    for (const form of change.forms ?? []) put.form(change, form);
    if (change.chains) put.chains(session.id, change.chains);
    change.entries.forEach((entry, index) => put.entry(change, entry, from + index));
    for (const aside of change.asides ?? []) put.aside(session, aside);
    for (const fold of change.folds ?? []) put.fold(session.id, fold);
    for (const job of change.jobs ?? []) put.job(job);
    for (const id of change.doneJobs ?? [])
      // Another process has done it, and stored what it taught.
      if (put.doneJob(id).changes === 0 && learns) return false;
    for (const learnt of change.learnt ?? []) put.learnt({ ...learnt, session: session.id });
    for (const id of change.undone?.folds ?? []) put.undo(change.undone?.at, session.id, id);
    putSession({ ...session, length: from + change.entries.length });
    return true;
  };
}

/** A message is stored once, however many conversations hold it. */
function bodyWriter({ run, value }: HistoryDesk): (message: Message) => number {
  const add = run("insert into body (hash, json) values (?, ?) on conflict (hash) do nothing");
  const find = value<number>("select id from body where hash = ?");
  const addMedia = run(
    "insert into media (hash, data) values (?, ?) on conflict (hash) do nothing",
  );
  const addUse = run("insert into body_media (body, hash) values (?, ?)");
  return (message) => {
    const { json, media } = pack(message);
    const hash = digest(json);
    const { changes, lastInsertRowid } = add(hash, json);
    const id = (changes === 0 ? find(hash) : undefined) ?? Number(lastInsertRowid);
    if (changes > 0)
      for (const [key, data] of media) {
        addMedia(key, data);
        addUse(id, key);
      }
    return id;
  };
}

/** Messages in line; and what stands beside it: replaced replies, other forms of a message. */
function messageStatements(desk: HistoryDesk) {
  const { run, value, put } = desk;
  const advance = value<number>(
    "update sqlite_sequence set seq = seq + ? where name = 'entry' returning seq",
  );
  // Before its first entry a file counts none yet.
  const begin = value<number>(
    "insert into sqlite_sequence (name, seq) values ('entry', ?) returning seq",
  );
  /**
   * Numbers that no entry and no aside has or will have: takes so many, and answers the one before
   * the first.
   */
  const take = (count: number): number => (advance(count) ?? begin(count) ?? count) - count;
  const body = bodyWriter(desk);
  const move = mover(desk);
  const addEntry = put("entry", ENTRY);
  const addAside = put("aside", ASIDE, "on conflict do nothing");
  // A reply that was generated anew, a message that was rewritten: seen, so kept, but no longer in
  // line. Another reply in its place is what a search finds.
  const putBeside = run(
    `insert into aside (${ASIDE}) select session, position, content, @kind, body, prefix,
      thought, @id,
       case when @kind = 'form' or role <> 'assistant'
         then @number + row_number() over (order by position) end, coalesce(@at, at)
     from entry where session = @session and position >= @from and position < @to
       on conflict do nothing`,
  );
  const cut = run(
    "delete from entry where session = @session and position >= @from and position < @to",
  );
  const rechain = run(
    `update entry set chain = named.value from json_each(@chains) named
     where session = @session and position = @from + named.key`,
  );
  /** Entries leave the line and stand beside it. */
  function moveOut(
    place: { session: string; from: number; to: number },
    as: { kind: Aside["kind"]; id?: string; at?: number },
  ): void {
    putBeside({ id: null, at: null, ...place, ...as, number: take(place.to - place.from) });
    cut(place);
  }

  const entry = ({ session }: SessionChange, given: NewEntry, position: number): void =>
    addEntry({
      ...given,
      session: session.id,
      position,
      anchor: isFound(given) ? anchorOf(session.root, session.label, given.said) : null,
      body: body(given.body),
    });
  return {
    entry,
    chains(session: string, { from, chains }: NonNullable<SessionChange["chains"]>): void {
      rechain({ session, from, chains: JSON.stringify(chains) });
    },
    copy: copier(desk, take),
    move(session: string, { from, places }: NonNullable<SessionChange["moved"]>): void {
      for (const [at, place] of places.entries())
        if (place === places[at + 1]) moveOut(rowAt(session, from + at), { kind: "replaced" });
      move({ session, from, places, number: take(places.length) });
    },
    setAside: (session: string, from: number, last: number): void =>
      moveOut({ session, from, to: last + 1 }, { kind: "replaced" }),
    form(change: SessionChange, { position, entry: form, id, at }: NewForm): void {
      moveOut(rowAt(change.session.id, position), { kind: "form", id, at });
      entry(change, form, position);
    },
    aside: ({ id: session, updatedAt }: SessionChange["session"], aside: Aside): void =>
      addAside({
        ...aside,
        at: aside.at ?? updatedAt,
        session,
        body: body(aside.body),
        // A search finds the newest of replies made anew.
        number: aside.kind === "condensed" ? take(1) + 1 : null,
      }),
  };
}

const rowAt = (session: string, from: number) => ({ session, from, to: from + 1 });

/** A conversation is found by the user's words and by replies that were had here. */
const isFound = ({ said, role, reply }: NewEntry): boolean =>
  said !== "" && (reply || role === "user");

/**
 * What a branch takes over from the conversation it left: of all before a place, what stands in
 * line, pins, what was learnt, other forms.
 */
function copier({ run }: HistoryDesk, take: (count: number) => number) {
  const copies = [
    `insert into entry (${ENTRY}) select ${ENTRY.replace("session", "@to")} from entry
      where session = @of and position < @before order by position`,
    `insert into pin (id, root, session, text) select id, root, @to, text from pin
      where session = @of`,
    `insert into learnt (session, memory, first, last) select @to, memory, first, last
      from learnt where session = @of and first < @before`,
  ].map(run);
  const copyForms = run(
    `insert into aside (${ASIDE}) select ${ASIDE.replace("session", "@to").replace(
      "number",
      "@number + row_number() over (order by row)",
    )}
     from aside where session = @of and kind = 'form' and before < @before`,
  );
  return ({ id: to }: SessionChange["session"], of: string, before: number): void => {
    for (const copy of copies) copy({ to, of, before });
    take(copyForms({ to, of, before, number: take(0) }).changes);
  };
}

function foldStatements({ run, put }: HistoryDesk) {
  const addFold = put("fold", FOLD, "on conflict (session, id) do nothing");
  const addJob = put(
    "job",
    "id, session, first as from, last as to, attempts, error, not_before as notBefore",
    "on conflict (id) do update set attempts = excluded.attempts, error = " +
      "excluded.error, not_before = excluded.not_before",
  );
  return {
    fold: (session: string, fold: Fold): void => {
      const { from, length, shortened, pins } = fold;
      addFold({ ...fold, session, detail: { from, length, shortened, pins } });
    },
    undo: run("update fold set undone_at = ? where session = ? and id = ?"),
    learnt: put(
      "learnt",
      "session, memory, first, last",
      "on conflict (session, memory) do update set first = min(first, excluded.first), " +
        "last = max(last, excluded.last)",
    ),
    job: (job: Job): void => addJob({ ...job }),
    // What stands there from now on is distilled with the rest.
    clipJobs: run(
      "update job set last = @from where session = @session and last > @from and first < @from",
    ),
    doneJob: run("delete from job where id = ?"),
  };
}

const SUMS = ["calls", "input", "cache_write", "cache_read", "output", "dollars", "unpriced"];

/** Calls by root and purpose: sums, so that they never grow beyond a line for each. */
export function spentTable({ rows, put: putInto }: HistoryDesk) {
  const add = putInto(
    "spent",
    `root, purpose, ${SUMS.join(", ")}`,
    "on conflict (root, purpose) do update set " +
      `${SUMS.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")}`,
  );
  const all = rows<Pick<SpentLine, "purpose"> & SpentLine["spent"]>(
    `select purpose, calls, input, cache_write as cacheWrite, cache_read as cacheRead, output,
     dollars, unpriced from spent where root = ? order by purpose`,
  );
  return {
    add({ root, lines }: { root: string; lines: readonly SpentLine[] }): void {
      for (const { purpose, spent } of lines)
        add({
          ...{ ...spent, root, purpose },
          ...{ cache_write: spent.cacheWrite, cache_read: spent.cacheRead },
        });
    },
    of: (root: string): SpentLine[] =>
      all(root).map(({ purpose, ...spent }) => ({ purpose, spent })),
  };
}
