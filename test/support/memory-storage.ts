import { reasonOf, TidemarkError } from "../../src/core/errors-and-events.ts";
import type * as history from "../../src/core/history.ts";
import type { Change, OwedDebt, Stored } from "../../src/core/memory.ts";
import type { Message, Spent } from "../../src/core/request.ts";
import type { TurnInfo } from "../../src/core/turns.ts";
import type { Belongings, ListedSession, Truth, Unit } from "../../src/storage/port.ts";
import type { Narrowing } from "../../src/storage/search-index.ts";

/** A value of a memory; rows count up in the order in which values came. */
type Value = Stored & { row: number; until?: number | undefined };
/** A message in line, or beside it, its body as JSON. */
type Line = Omit<history.NewEntry, "body"> & { row: number; json: string };
type Beside = Omit<history.Aside, "body"> & { row: number; json: string };
/** A conversation with all that is its own. */
interface Held {
  readonly session: history.Session;
  readonly lines: readonly Line[];
  readonly asides: readonly Beside[];
  readonly folds: readonly history.Fold[];
  readonly learnt: readonly history.Learnt[];
}
const isHolding = ({ lines }: Held, entry?: Pick<Line, "chain" | "at">): boolean =>
  lines.some(({ chain, at }) => chain === entry?.chain && at === entry.at);
type Pin = Belongings["pins"][number] & { readonly root: string };
/** Rows by a name of theirs, in the order in which they came. */
class Table<Row> extends Map<string | number, Row> {
  where(fits: (row: Row) => unknown = () => true): Row[] {
    return [...this.values()].filter(fits);
  }
  /** Those that fit are put anew, or taken out where they become nothing; answers how many. */
  change(fits: (row: Row) => unknown, next: (row: Row) => Row | undefined = () => undefined) {
    const meant = [...this].filter(([, row]) => fits(row));
    for (const [key, row] of meant) {
      const changed = next(row);
      if (changed === undefined) this.delete(key);
      else this.set(key, changed);
    }
    return meant.length;
  }
}

type Ranks = readonly (string | number)[];
/** In the order of the first rank, then of the next. */
const sorted = <One>(all: readonly One[], rank: (one: One) => Ranks): One[] =>
  all.toSorted((one, other) => {
    const [a, b] = [rank(one), rank(other)];
    const at = a.findIndex((own, place) => own !== b[place]);
    return at < 0 ? 0 : (a[at] ?? 0) < (b[at] ?? 0) ? -1 : 1;
  });
const bodyOf = ({ json }: { json: string }): Message => JSON.parse(json) as Message;
/** Without what only this storage knows of it. */
const storedOf = ({ row, until, ...stored }: Value): Stored => stored;

function tables() {
  let last = 0;
  const all = {
    values: new Table<Value>(),
    sessions: new Table<Held>(),
    jobs: new Table<history.Job>(),
    pins: new Table<Pin>(),
    spent: new Table<Belongings["spent"][number] & { readonly root: string }>(),
    notes: new Table<string>(),
    turns: new Table<TurnInfo>(),
    debts: new Table<OwedDebt>(),
  };
  /** No number is given twice, of a change that was taken back neither. */
  return { ...all, all: Object.values(all) as Table<unknown>[], next: () => (last += 1) };
}
type Tables = ReturnType<typeof tables>;

/** A `Truth` in plain Maps: what it holds lives as long as the object. */
export function memoryStorage(): Truth {
  const db = tables();
  const write = writer(db);
  return {
    ...readHistory(db),
    ...readMemories(db),
    async commit(unit) {
      const before = db.all.map((table) => [...table]);
      let stands = false;
      try {
        return (stands = write(unit));
      } catch (thrown) {
        throw new TidemarkError("history", `It could not be stored: ${reasonOf(thrown)}.`);
      } finally {
        for (const [at, table] of stands ? [] : db.all.entries()) {
          table.clear();
          for (const [key, row] of before[at] ?? []) table.set(key, row);
        }
      }
    },
    others: () => async () => undefined,
    close: async () => undefined,
  };
}

/** Carries out a unit; false where it was made on what is no longer so. */
function writer(db: Tables): (unit: Unit) => boolean {
  const { values, jobs, pins, notes, debts, next } = db;
  const plan = planned(db);
  const change = sessionWriter(db);
  function queue({ to, notBefore, ...job }: history.Job): boolean {
    const old = jobs.get(job.id) ?? { ...job, to, notBefore, attempts: 0 };
    if (!db.sessions.has(job.session) || old.attempts > 0) return false;
    return jobs.set(job.id, { ...old, to, notBefore: Math.min(notBefore, old.notBefore) }).size > 0;
  }
  function take({ job, next: taken }: NonNullable<Unit["taken"]>): boolean {
    const old = jobs.get(job.id);
    if (old?.attempts !== job.attempts || old.notBefore !== job.notBefore) return false;
    return jobs.set(job.id, { ...old, ...taken }).size > 0;
  }
  function spend({ root, lines }: NonNullable<Unit["spent"]>): void {
    for (const { purpose, spent } of lines) {
      const sums: Record<string, number> = { ...db.spent.get(`${root} ${purpose}`)?.spent };
      for (const [name, more] of Object.entries(spent)) sums[name] = more + (sums[name] ?? 0);
      db.spent.set(`${root} ${purpose}`, { root, purpose, spent: sums as unknown as Spent });
    }
  }
  function forget({ memories, expired = -Infinity, sessions }: NonNullable<Unit["gone"]>): void {
    const over = values.where(
      ({ memory, until }) => until === undefined && (memory.expiresAt ?? Infinity) <= expired,
    );
    const ids = [...(memories?.ids ?? []), ...over.map(({ memory }) => memory.id)];
    const isSeen = ({ memory: { scope } }: Value) => memories?.scopes?.includes(scope) ?? true;
    values.change((one) => ids.includes(one.memory.id) && isSeen(one));
    debts.change(({ kind, text = "" }) => {
      const line = kind === "log" && (JSON.parse(text) as { memory?: { id: string } });
      return line && ids.includes(line.memory?.id ?? "");
    });
    for (const id of sessions ?? []) db.sessions.delete(id);
    db.turns.change(({ conversation }) => sessions?.includes(conversation));
    for (const table of [jobs, pins] as Table<{ session?: string }>[])
      table.change(({ session = "" }) => sessions?.includes(session));
  }
  return ({ memories = [], session, queued, taken, pinned, unpinned, ...unit }) => {
    const { ids = [], scopes = [], at: usedAt } = unit.used ?? {};
    if (!memories.every(plan)) return false;
    const was = Object.entries(unit.unchanged ?? {});
    if (was.some(([name, text]) => notes.get(name) !== text)) return false;
    for (const [name, text] of Object.entries(unit.notes ?? {}))
      if (text === undefined) notes.delete(name);
      else notes.set(name, text);
    values.change(
      ({ memory: { id, scope }, until }) =>
        until === undefined && ids.includes(id) && scopes.includes(scope),
      (old) => ({ ...old, usedAt, memory: { ...old.memory, uses: old.memory.uses + 1 } }) as Value,
    );
    if (session && !change(session, memories.length > 0)) return false;
    if ((queued && !queue(queued)) || (taken && !take(taken))) return false;
    if (pinned) pins.set(pinName(pinned), pinned as Pin);
    const isOut = ({ id, root }: Pin) => id === unpinned?.id && root === unpinned.root;
    if (unpinned && pins.change(isOut) === 0) return false;
    if (unit.spent) spend(unit.spent);
    const turn = `${next()}`;
    if (unit.ended) db.turns.set(turn, { id: turn, ...unit.ended });
    if (unit.gone) forget(unit.gone);
    for (const debt of unit.debts ?? []) {
      if (debt.kind === "page")
        debts.change(({ kind, scope }) => kind === "page" && scope === debt.scope);
      const id = next();
      debts.set(id, { ...debt, id });
    }
    for (const { id } of unit.paid ?? []) debts.delete(id);
    return true;
  };
}
const pinName = ({ id, session = "" }: Pick<Pin, "id"> & { session?: string | undefined }) =>
  `${id} ${session}`;

/** Carries out one planned change of memory. */
function planned({ values, next }: Tables): (change: Change) => boolean {
  const current = (fits: (stored: Stored) => boolean): Value | undefined =>
    values.values().find((value) => value.until === undefined && fits(value));
  const isTaken = ({ memory: { scope, key } }: Stored, words?: string): boolean =>
    current(
      ({ memory, same }) =>
        memory.scope === scope &&
        ((key !== undefined && memory.key === key) ||
          (same === words && (memory.key === undefined || key === undefined))),
    ) !== undefined;
  const isFree = (row: Stored): boolean =>
    !current(({ memory }) => memory.id === row.memory.id) && !isTaken(row, row.same);
  const put = (stored: Stored, row = next()): boolean =>
    values.set(row, { ...stored, row }).size > 0;
  const end = (value: Value, at: number): boolean =>
    values.set(value.row, { ...value, until: Math.max(value.validFrom, at) }).size > 0;
  return (change) => {
    if (change.do === "insert") return isFree(change.row) && put(change.row);
    const id = change.do === "end" ? change.id : change.row.memory.id;
    if (change.do === "resume") {
      const { row, was } = change;
      const [last, ...later] = values.where(
        ({ memory }) =>
          memory.id === id && memory.scope === row.memory.scope && memory.version >= was,
      );
      if (last?.memory.version !== was || later.length > 0 || !isFree(row)) return false;
      return end(last, row.validFrom) && put(row);
    }
    const old = current(({ memory }) => memory.id === id);
    if (old?.memory.version !== change.was) return false;
    if (change.do === "end") return end(old, change.at);
    const { row } = change;
    const { version, content, scope, at, uses, key } = old.memory;
    if (change.do === "replace") {
      end(old, row.validFrom);
      if (row.memory.key !== undefined && isTaken(row)) return false;
      return put({ ...row, usedAt: old.usedAt, memory: { ...row.memory, uses } } as Stored);
    }
    const memory = { ...row.memory, version, content, scope, at, uses };
    if (memory.key !== key && (key !== undefined || isTaken({ ...row, memory }))) return false;
    const { statedAt, sorted: isSorted } = row;
    return values.set(old.row, { ...old, memory, statedAt, sorted: isSorted } as Value).size > 0;
  };
}

/** Carries out a change of one conversation. */
function sessionWriter({ sessions, jobs, pins, next }: Tables) {
  /** Once under its kind and place, but for forms. */
  const nameOf = ({ kind, content, before }: Beside): string => `${kind} ${before} ${content}`;
  const put = (asides: readonly Beside[], one: Beside): readonly Beside[] =>
    one.kind !== "form" && asides.some((other) => nameOf(other) === nameOf(one))
      ? asides
      : [...asides, one];
  /** A message leaves the line and stands beside it. Row 0: no search looks for it. */
  function out(
    asides: readonly Beside[],
    [before, { said, reply, chain, name, ref, ...line }]: readonly [number, Line],
    as: Pick<history.Aside, "kind" | "id" | "at">,
  ): readonly Beside[] {
    const { role, ...gone } = line;
    const row = as.kind === "form" || role !== "assistant" ? next() : 0;
    return put(asides, { ...gone, before, row, ...as, at: as.at ?? gone.at } as Beside);
  }
  const cut = (held: Held, isOut: (at: number) => boolean): readonly Beside[] =>
    [...held.lines.entries()]
      .filter(([at]) => isOut(at))
      .reduce((asides, line) => out(asides, line, { kind: "replaced" }), held.asides);
  function moved(held: Held, { from, places }: NonNullable<history.SessionChange["moved"]>): Held {
    const start = (at: number): number => places[at - from] ?? at;
    const end = (at: number): number =>
      at < from ? at : Math.min(start(at), (places[at - from - 1] ?? from - 1) + 1);
    const isOut = (at: number): boolean => at >= from && start(at) === start(at + 1);
    const lines: Line[] = [];
    for (const [at, line] of held.lines.entries())
      if (!isOut(at)) lines[start(at)] = at < from ? line : { ...line, row: next() };
    jobs.change(
      ({ session }) => session === held.session.id,
      (job) => ({ ...job, from: start(job.from), to: end(job.to) }),
    );
    jobs.change(({ from: first, to }) => first === to);
    return {
      ...{ ...held, lines },
      asides: cut(held, isOut).map((one) => ({ ...one, before: start(one.before) })),
      learnt: held.learnt.map((one) => ({ ...one, first: start(one.first), last: end(one.last) })),
    };
  }
  function copied(own: Held, source: Held, before: number): Held {
    for (const pin of pins.where(({ session }) => session === source.session.id)) {
      const copy = { ...pin, session: own.session.id };
      pins.set(pinName(copy), copy);
    }
    const anew = <One>(one: One) => ({ ...one, row: next() });
    const isForm = (one: Beside): boolean => one.kind === "form" && one.before < before;
    const learnt = source.learnt.filter(({ first }) => first < before);
    const lines = source.lines.slice(0, before).map(anew);
    return { ...own, learnt, lines, asides: source.asides.filter(isForm).map(anew) };
  }
  function based({ session, from, moved: move, copyOf = "" }: history.SessionChange): Held {
    const none: Held = { session, lines: [], asides: [], folds: [], learnt: [] };
    const own = sessions.get(session.id) ?? none;
    const source = sessions.get(copyOf);
    if (move) return moved(own, move);
    if (source) return copied(own, source, from);
    jobs.change(
      (job) => job.session === session.id && job.from < from && job.to > from,
      (job) => ({ ...job, to: from }),
    );
    return { ...own, asides: cut(own, (at) => at >= from), lines: own.lines.slice(0, from) };
  }
  const lineOf = ({ body, ...entry }: history.NewEntry): Line => ({
    ...{ ...entry, row: next(), json: JSON.stringify(body) },
  });
  return (change: history.SessionChange, isLearning: boolean): boolean => {
    const { session, siblings, unread = Infinity, undone, chains } = change;
    const { id, root, label } = session;
    const alike = sessions.where((one) => one.session.root === root && one.session.label === label);
    if ((sessions.get(id)?.session.revision ?? 0) !== session.revision - 1) return false;
    if (siblings !== undefined && alike.length !== siblings) return false;
    const shared = sessions.get(id)?.lines[unread];
    const isRead = (held: Held) => held.session.watermark > unread && isHolding(held, shared);
    if (sessions.where(isRead).length > 0) return false;
    const held = based(change);
    let { asides, learnt } = held;
    const lines = [...held.lines];
    for (const { position, entry, ...form } of change.forms ?? []) {
      const old = lines[position];
      if (old) asides = out(asides, [position, old], { kind: "form", ...form });
      lines[position] = lineOf(entry);
    }
    for (const [at, chain] of chains?.chains.entries() ?? []) {
      const place = at + (chains?.from ?? 0);
      if (lines[place]) lines[place] = { ...lines[place], chain };
    }
    lines.push(...change.entries.map(lineOf));
    for (const { body, at = session.updatedAt, ...one } of change.asides ?? []) {
      const row = one.kind === "condensed" ? next() : 0;
      asides = put(asides, { ...one, at, row, json: JSON.stringify(body) });
    }
    const known = new Set(held.folds.map((fold) => fold.id));
    const fresh = (change.folds ?? []).filter((fold) => !known.has(fold.id));
    const folds = [...held.folds, ...fresh].map((fold) =>
      undone?.folds.includes(fold.id) ? { ...fold, undoneAt: undone.at } : fold,
    );
    for (const job of change.jobs ?? []) {
      const { from, to } = jobs.get(job.id) ?? job;
      jobs.set(job.id, { ...job, from, to });
    }
    for (const job of change.doneJobs ?? []) if (!jobs.delete(job) && isLearning) return false;
    for (const one of change.learnt ?? []) {
      const old = learnt.find(({ memory }) => memory === one.memory) ?? one;
      const [first, last] = [Math.min(old.first, one.first), Math.max(old.last, one.last)];
      learnt = [...learnt.filter((other) => other !== old), { ...one, first, last }];
    }
    sessions.set(id, { session, lines, asides, folds, learnt });
    return true;
  };
}

function readHistory({ sessions, jobs, pins, spent, turns }: Tables) {
  const of = (root: string): Held[] => sessions.where(({ session }) => session.root === root);
  const linesOf = (id: string): readonly Line[] => sessions.get(id)?.lines ?? [];
  const stands = ({ undoneAt }: history.Fold): boolean => undoneAt === undefined;
  const listed = (all: readonly Held[]): ListedSession[] =>
    all.map(({ session, lines: { length }, folds }) => ({
      ...{ ...session, length, folds: folds.filter(stands).length },
    }));
  const latest = ({ session: { updatedAt, id } }: Held): Ranks => [-updatedAt, id];
  /** The 24 of which most is told, then the latest. */
  const best = (all: readonly Held[], tell: (held: Held) => number): Held[] =>
    sorted(all, (held) => [-tell(held), ...latest(held)])
      .filter((held) => tell(held) > 0)
      .slice(0, 24);
  return {
    async sessions(which) {
      if ("ids" in which) return listed(which.ids.flatMap((id) => sessions.get(id) ?? []));
      if ("holding" in which) {
        const kin = sessions.where((held) => isHolding(held, which.holding));
        return listed(best(kin, ({ session }) => 1 + session.watermark));
      }
      const { root, label } = which;
      const all = sorted(of(root), latest);
      const same = all.filter(({ session }) => session.label === label);
      if (!("said" in which))
        return listed(label === undefined ? all : same)
          .filter(({ noted, length }) => !which.unnoted || noted < length)
          .slice(0, which.limit);
      if (which.said.length === 0)
        return listed(same.filter(({ session }) => !session.imported).slice(0, 8));
      const told = ({ said, role, reply }: Line) =>
        which.said.includes(said) && (reply || role === "user") ? [said] : [];
      return listed(best(same, ({ lines }) => new Set(lines.flatMap(told)).size));
    },
    entries: async (id) => linesOf(id).map(({ json, row, name, ref, ...entry }) => entry),
    bodies: async (id, from, to) =>
      linesOf(id)
        .slice(from, to)
        .map(({ name, ref, at, role, json }) => ({ body: bodyOf({ json }), name, ref, at, role })),
    asides: async (id, kind) =>
      sorted(sessions.get(id)?.asides ?? [], ({ before }) => [before])
        .filter((one) => kind === undefined || one.kind === kind)
        .map(({ prefix, thought, row, json, ...one }) => ({ ...one, body: bodyOf({ json }) })),
    async folds(which) {
      const all = ("root" in which ? of(which.root) : sessions.where()).flatMap((held) =>
        held.folds.map((fold) => ({ session: held.session.id, fold })),
      );
      const latestFirst = sorted(all, ({ session, fold }) => [-fold.at, session]);
      if ("id" in which) return latestFirst.filter(({ fold }) => fold.id === which.id);
      if ("root" in which) return latestFirst;
      const own = all.filter((one) => one.session === which.session && stands(one.fold));
      return sorted(own, ({ fold }) => [fold.upTo, fold.at]);
    },
    async ended({ root, conversation, memory, since = 0, after, order, limit }) {
      const way = order === "latest" ? -1 : 1;
      const fit = turns.where(
        ({ id, at, told, recalled, ...turn }) =>
          turn.conversation === (conversation ?? turn.conversation) &&
          (root === undefined || sessions.get(turn.conversation)?.session.root === root) &&
          at >= since &&
          (after === undefined || (Number(id) - Number(after)) * way > 0) &&
          (memory === undefined || [...told, ...recalled.map((one) => one.id)].includes(memory)),
      );
      return sorted(fit, ({ id }) => [Number(id) * way]).slice(0, limit);
    },
    async learnt(which) {
      if ("memory" in which)
        return sorted(of(which.root), latest)
          .flatMap(({ session: { id }, learnt }) => learnt.map((one) => ({ ...one, session: id })))
          .filter(({ memory }) => memory === which.memory);
      const { session, from, to } = which;
      const all = sessions.get(session)?.learnt ?? [];
      const own = all.filter(({ first, last }) => last > from && first < to);
      return sorted(own, ({ first, memory }) => [first, memory]);
    },
    bindings: async (root, thoughts) => {
      const bound = of(root)
        .flatMap(({ lines, asides }) => [...lines, ...asides])
        .map(({ prefix = "", thought = "" }) => [thought, prefix] as const);
      return new Map(bound.filter(([own, prefix]) => prefix !== "" && thoughts.includes(own)));
    },
    async belongings(root) {
      const own = jobs.where(({ session }) => sessions.get(session)?.session.root === root);
      const held = pins.where((pin) => pin.root === root);
      return {
        jobs: sorted(own, ({ notBefore, id }) => [notBefore, id]),
        pins: sorted(held, (pin) => [pinName(pin)]).map(({ root: _, ...pin }) => pin),
        spent: spent.where((line) => line.root === root).map(({ root: _, ...line }) => line),
      };
    },
    async unindexed(limit, after = 0) {
      const all = sessions.where().flatMap(({ session: { id: session, root }, lines, asides }) => [
        ...lines.map((one, position) => ({ ...one, position, aside: false, session, root })),
        ...asides.map(({ before: position, at = 0, ...one }) => ({
          ...{ ...one, position, at, role: "", aside: true, session, root },
        })),
      ]);
      return sorted(all, ({ row }) => [row])
        .filter(({ row }) => row > after)
        .slice(0, limit)
        .map((one) => ({ ...one, body: bodyOf(one) }));
    },
  } satisfies Partial<Truth>;
}

function readMemories({ values, sessions, notes, debts }: Tables) {
  const orders = {
    updated: ({ memory }: Stored) => memory.updatedAt,
    stated: ({ statedAt }: Stored) => statedAt,
    importance: ({ memory }: Stored) => memory.importance,
    used: ({ memory }: Stored) => memory.uses,
  };
  const current = ({ scopes, now, asOf = Infinity }: Pick<Narrowing, "scopes" | "now" | "asOf">) =>
    values.where(
      ({ until = Infinity, validFrom, memory: { scope, expiresAt = Infinity } }) =>
        (asOf === Infinity ? until === Infinity : validFrom <= asOf && until > asOf) &&
        scopes.includes(scope) &&
        expiresAt > Math.min(now, asOf),
    );
  return {
    async find(which) {
      if ("order" in which) {
        const { category, kind, after = -Infinity, origins, limit } = which;
        const { value: most = Infinity, id: last = "" } = which.behind ?? {};
        const value = orders[which.order];
        const fit = current(which).filter(
          (one) =>
            one.memory.category === (category ?? one.memory.category) &&
            one.memory.kind === (kind ?? one.memory.kind) &&
            one.memory.updatedAt > after &&
            (origins?.includes(one.memory.origin) ?? true) &&
            (value(one) < most || (value(one) === most && one.memory.id > last)),
        );
        const best = sorted(fit, (one) => [-value(one), one.memory.id]);
        return best.slice(0, limit).map(storedOf);
      }
      const { scopes, past: isPastToo = false, ...named } = which;
      const asked = Object.entries(named).filter(([, value]) => value !== undefined);
      const fit = values.where(
        ({ until, memory, same }) =>
          asked.length > 0 &&
          (isPastToo || until === undefined) &&
          scopes.includes(memory.scope) &&
          asked.every(([name, value]) => ({ ...memory, same })[name as "id"] === value),
      );
      const found = fit.map(storedOf);
      return isPastToo ? [...new Map(found.map((one) => [one.memory.id, one])).values()] : found;
    },
    async values({ scopes, ids, after = { id: "", version: 0 }, limit }) {
      const fit = values.where(
        ({ memory: { id, version, scope } }) =>
          (scopes?.includes(scope) ?? true) &&
          (ids?.includes(id) ?? true) &&
          (id === after.id ? version > after.version : id > after.id),
      );
      return sorted(fit, ({ memory: { id, version } }) => [id, version])
        .slice(0, limit)
        .map((value) => ({ stored: storedOf(value), until: value.until }) as never);
    },
    async count({ root, ...of }) {
      const own = sessions.where(({ session }) => session.root === root);
      const chains = own.flatMap(({ lines }) => lines.map(({ chain }) => chain));
      const categories = [...Map.groupBy(current(of), ({ memory }) => memory.category)].map(
        ([name, { length: memories }]) => ({ name, memories }),
      );
      const mostFirst = sorted(categories, ({ name, memories }) => [-memories, name]);
      return { categories: mostFirst, messages: new Set(chains).size };
    },
    note: async (name) => notes.get(name),
    debts: async () => [...debts.values()],
  } satisfies Partial<Truth>;
}
