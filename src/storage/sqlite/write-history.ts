import type { Aside, NewEntry, NewForm, SessionChange } from "../../core/history.ts";
import type { Message } from "../../core/request.ts";
import { digest } from "../../core/text/cut.ts";
import { entryAnchor } from "../rows.ts";
import { FOLD, type HistorySql, SESSION } from "./sql.ts";

const ENTRY =
  "session, position, chain, content, said, role, reply, anchor, prefix, thought, at, " +
  "name, ref, body";
const ASIDE = "session, before, content, kind, body, prefix, thought, id, number, at";

/**
 * One change of one session, within the transaction that is open. False when the session has moved
 * on meanwhile; `learns`: memories change with it.
 */
export function sessionWriter(
  sql: HistorySql,
): (change: SessionChange, learns: boolean) => boolean {
  const { run, row, value } = sql;
  const put = messageWriter(sql);
  const putBeside = besideWriter(sql);
  const putSession = sql.put(
    "session",
    `${SESSION}, length`,
    `on conflict (id) do update set updated_at = excluded.updated_at,
      confirmed = excluded.confirmed, watermark = excluded.watermark,
       noted = excluded.noted, length = excluded.length, state = excluded.state,
         revision = excluded.revision`,
  );
  function stands({ session, siblings, unread }: SessionChange, revision: number): boolean {
    if (revision !== session.revision - 1) return false;
    const count = (): unknown =>
      value`select count(*) from session where root = ${session.root} and label = ${session.label}`;
    if (siblings !== undefined && count() !== siblings) return false;
    return (
      unread === undefined ||
      value`select 1 from entry own join entry other using (chain, at) join session s
           on s.id = other.session and s.watermark > other.position
         where own.session = ${session.id} and own.position = ${unread} limit 1` === undefined
    );
  }
  return (change, learns) => {
    const { session, from } = change;
    const { id } = session;
    const { revision = 0, last = -1 } =
      row<{ revision: number; last: number }>`select revision, (select coalesce(max(position), -1)
         from entry where session = id) as last from session where id = ${id}` ?? {};
    if (!stands(change, revision)) return false;
    if (change.moved) put.move(id, change.moved);
    else if (change.copyOf !== undefined) put.copy(id, change.copyOf, from);
    else if (last >= from) {
      put.setAside(id, from, last + 1);
      // The messages that stand there from now on are distilled with the rest.
      run`update job set last = ${from}
         where session = ${id} and last > ${from} and first < ${from}`;
    }
    for (const form of change.forms ?? []) put.form(change, form);
    if (change.chains)
      run`update entry set chain = named.value from json_each(${change.chains.chains}) named
         where session = ${id} and position = ${change.chains.from} + named.key`;
    change.entries.forEach((entry, index) => put.entry(change, entry, from + index));
    for (const aside of change.asides ?? []) put.aside(session, aside);
    if (!putBeside(change, learns)) return false;
    putSession({ ...session, length: from + change.entries.length });
    return true;
  };
}

/** A message is stored once, however many conversations hold it. */
const bodyWriter =
  ({ value }: HistorySql) =>
  (message: Message): number => {
    const json = JSON.stringify(message);
    const hash = digest(json);
    return (
      value<number>`insert into body (hash, json) values (${hash}, ${json})
        on conflict (hash) do nothing returning id` ??
      value<number>`select id from body where hash = ${hash}` ??
      0
    );
  };

/** The place where entries stood. */
interface Range {
  readonly session: string;
  readonly from: number;
  readonly to: number;
}

/** Messages in line; and what stands beside it: replaced replies, other forms of a message. */
function messageWriter(sql: HistorySql) {
  const { run, value } = sql;
  /**
   * Numbers that no entry and no aside has or will have: takes so many, and answers the one before
   * the first.
   */
  const take = (count: number): number =>
    (value<number>`update sqlite_sequence set seq = seq + ${count} where name = 'entry'
       returning seq` ??
      // Before its first entry a file counts none yet.
      value<number>`insert into sqlite_sequence (name, seq) values ('entry', ${count})
         returning seq` ??
      count) - count;
  const body = bodyWriter(sql);
  const addEntry = sql.put("entry", ENTRY);
  const addAside = sql.put("aside", ASIDE, "on conflict do nothing");
  /**
   * Entries leave the line and stand beside it. A reply that was generated anew, a message that was
   * rewritten: seen, so kept. Another reply in its place is what a search finds.
   */
  function moveOut(place: Range, as: { kind: Aside["kind"]; id?: string; at?: number }): void {
    const number = take(place.to - place.from);
    run(
      `insert into aside (${ASIDE}) select session, position, content, @kind, body, prefix,
        thought, @id,
         case when @kind = 'form' or role <> 'assistant'
           then @number + row_number() over (order by position) end, coalesce(@at, at)
       from entry where session = @session and position >= @from and position < @to
         on conflict do nothing`,
      { id: null, at: null, ...place, ...as, number },
    );
    run(
      "delete from entry where session = @session and position >= @from and position < @to",
      place,
    );
  }

  const entry = ({ session }: SessionChange, given: NewEntry, position: number): void =>
    addEntry({
      ...given,
      session: session.id,
      position,
      anchor: entryAnchor(session, given),
      body: body(given.body),
    });
  return {
    entry,
    /**
     * What a branch takes over from the conversation it left: of all before a place, what stands in
     * line, pins, what was learnt, other forms.
     */
    copy(to: string, of: string, before: number): void {
      const place = { to, of, before, number: take(0) };
      for (const copy of COPIES) run(copy, place);
      take(run(COPY_FORMS, place).changes);
    },
    move(session: string, { from, places }: NonNullable<SessionChange["moved"]>): void {
      for (const [at, place] of places.entries())
        if (place === places[at + 1]) moveOut(rowAt(session, from + at), { kind: "replaced" });
      shiftEntries(sql, { session, from, places, number: take(places.length) });
    },
    setAside: (session: string, from: number, to: number): void =>
      moveOut({ session, from, to }, { kind: "replaced" }),
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
        number: aside.kind === "condensed" ? take(1) + 1 : undefined,
      }),
  };
}

const rowAt = (session: string, from: number): Range => ({ session, from, to: from + 1 });

const COPIES = [
  `insert into entry (${ENTRY}) select ${ENTRY.replace("session", "@to")} from entry
    where session = @of and position < @before order by position`,
  `insert into pin (id, root, session, text) select id, root, @to, text from pin
    where session = @of`,
  `insert into learnt (session, memory, first, last) select @to, memory, first, last
    from learnt where session = @of and first < @before`,
];
const COPY_FORMS = `insert into aside (${ASIDE}) select ${ASIDE.replace("session", "@to").replace(
  "number",
  "@number + row_number() over (order by row)",
)}
  from aside where session = @of and kind = 'form' and before < @before`;

/** Folds, jobs, and what was learnt; false where another process has done a job. */
function besideWriter({ run, put }: HistorySql) {
  const addFold = put("fold", FOLD, "on conflict (session, id) do nothing");
  const addJob = put(
    "job",
    "id, session, first as from, last as to, attempts, error, not_before as notBefore",
    "on conflict (id) do update set attempts = excluded.attempts, error = " +
      "excluded.error, not_before = excluded.not_before",
  );
  const addLearnt = put(
    "learnt",
    "session, memory, first, last",
    "on conflict (session, memory) do update set first = min(first, excluded.first), " +
      "last = max(last, excluded.last)",
  );
  return (change: SessionChange, learns: boolean): boolean => {
    const session = change.session.id;
    for (const fold of change.folds ?? []) {
      const { from, length, shortened, pins } = fold;
      addFold({ ...fold, session, detail: { from, length, shortened, pins } });
    }
    for (const job of change.jobs ?? []) addJob({ ...job });
    for (const id of change.doneJobs ?? [])
      // Another process has done it, and stored what it taught.
      if (run`delete from job where id = ${id}`.changes === 0 && learns) return false;
    for (const learnt of change.learnt ?? []) addLearnt({ ...learnt, session });
    for (const id of change.undone?.folds ?? [])
      run`update fold set undone_at = ${change.undone?.at}
        where session = ${session} and id = ${id}`;
    return true;
  };
}

/** Places that name an entry, and whether a range starts or ends there. */
const STEPS = [
  ["entry", "position", "starts"],
  ["aside", "before", "starts"],
  ...["learnt", "job"].flatMap((table) => [
    [table, "first", "starts"],
    [table, "last", "ends"],
  ]),
].flatMap(([table = "", column = "", list = ""]) => [
  `update ${table} set ${table === "entry" ? "row = @number + moved.key + 1, " : ""}
     ${column} = -1 - moved.value from json_each(@${list}) moved
   where session = @session and ${column} = @from + moved.key`,
  `update ${table} set ${column} = -1 - ${column} where session = @session and ${column} < 0`,
]);
const EMPTY = "delete from job where session = @session and first = last";

/**
 * Entries move, and so does what names their places. What moved is read anew by the search index.
 * Each steps aside first, so that none meets another on its way.
 */
function shiftEntries(
  { run }: HistorySql,
  given: { session: string; from: number; number: number; places: readonly number[] },
): void {
  const { places, ...place } = given;
  // A range ends behind the last that stands of it.
  const ends = places.map((next, at) => Math.min(next, (places[at - 1] ?? place.from - 1) + 1));
  const lists = { starts: JSON.stringify(places), ends: JSON.stringify(ends) };
  for (const step of [...STEPS, EMPTY]) run(step, { ...place, ...lists });
}
