import { type TidemarkEvent } from "../../model/events.ts";
import { degraded } from "../../model/errors.ts";
import { journal } from "./journal.ts";
import { type Scope } from "../../model/identity.ts";
import { type Origin } from "../../model/memory.ts";
import { type Stored, type Store } from "../../model/store.ts";
import { categoryFor } from "../../memory/categories/categories.ts";
import { serially } from "../../memory/saving/commit.ts";
import { weightiest } from "../../memory/recalling/salience.ts";
import { planPage } from "../../memory/saving/page-plan.ts";
import { allValues } from "../../memory/saving/values.ts";
import { PAGE, type PageCopy, readPage, writePage } from "../../workspace/pages/memory-page.ts";
import {
  pageEdits,
  type PageTrouble,
  pageTrouble,
  writtenAs,
} from "../../workspace/pages/page-edits.ts";
import { readLine, wholeMark } from "../../workspace/pages/page-line.ts";
import { type Core } from "../session/core.ts";

type PageRoom = Pick<
  Core,
  "store" | "workspace" | "emit" | "now" | "newId" | "mask" | "off" | "options" | "embedding"
>;

/** Another process may be faster; to lose so often is to meet a program that has gone wild. */
const ATTEMPTS = 10;

/**
 * Makes memory what a person made of MEMORY.md, and the page what memory is then. Whatever step it dies at, the next look
 * finds the same edits, and those that were done already change nothing. True: memory is another now.
 */
async function syncPage(
  room: PageRoom,
  scope: Scope,
  by: { origin?: Origin } = {},
): Promise<boolean> {
  const looked = await look(room, scope, by);
  if (typeof looked === "boolean") return looked;
  // An editor empties a file, or moves it away, just before it writes it.
  await new Promise((go) => setTimeout(go, SETTLES_MS));
  return (await look(room, scope, { ...by, settled: true })) === true;
}

/** ms a page is given to become what it was not at the first look. */
const SETTLES_MS = 100;

/** What was found to be wrong with the page, where it has not had its time to settle yet. */
function look(
  room: PageRoom,
  scope: Scope,
  { origin = "user", settled = false }: { origin?: Origin; settled?: boolean },
): Promise<boolean | PageTrouble> {
  return serially(room.store, () =>
    room.workspace.alone(async () => {
      const { text, copies } = await room.workspace.pages.read(scope);
      const read = readPage(text ?? "");
      const written = writtenAs(read, copies);
      const edits = pageEdits(read, copies, written);
      // A program that writes the page means it.
      const trouble = origin === "user" ? pageTrouble(text, copies, { read, edits }) : undefined;
      if (trouble !== undefined && !settled) return trouble;
      if (trouble !== undefined) await putAside(room, scope, trouble);
      const done =
        trouble === undefined
          ? await applied(room, scope, { edits, origin, written: written !== undefined })
          : { changed: 0, ended: 0 };
      const head = trouble === undefined ? read.head : (copies.at(-1)?.head ?? "");
      await write(room, scope, {
        text,
        copies,
        head,
        named: trouble === undefined ? edits.named : new Map(),
      });
      if (done.changed + done.ended === 0) return false;
      room.emit(reconciledNotice(scope, done.changed, done.ended));
      return true;
    }),
  );
}

export const reconciledNotice = (
  scope: Scope,
  changed: number,
  forgotten: number,
): TidemarkEvent => ({
  type: "notice",
  about: "reconciled",
  text: "Memory was changed by hand or by another process.",
  scope,
  changed,
  forgotten,
});

type Edits = ReturnType<typeof pageEdits>;

async function applied(
  room: PageRoom,
  scope: Scope,
  { edits, origin, written }: { edits: Edits; origin: Origin; written: boolean },
) {
  const { store, workspace, now, newId, options, embedding } = room;
  if (edits.changed.length + edits.gone.length + edits.added.length === 0)
    return { changed: 0, ended: 0 };
  const mask = await room.mask();
  const rule = {
    scope,
    newId,
    mask,
    origin,
    written,
    lifetimes: options.advanced?.lifetimes ?? {},
    categoryOf: (content: string) => categoryFor(store, { content, scope }, embedding?.meaning),
    values: () => allValues(store, [scope]),
  };
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { changes, events, result } = await planPage(store, edits, { ...rule, now: now() });
    if (changes.length === 0) return result;
    await journal(workspace, events, { author: "page" });
    if (await store.put(changes)) return result;
  }
  return { changed: 0, ended: 0 };
}

/** Writes the page anew where it is not what memory says. */
async function write(
  { store, workspace, now }: PageRoom,
  scope: Scope,
  {
    text,
    copies,
    head,
    named,
  }: {
    text: string | undefined;
    copies: readonly PageCopy[];
    head: string;
    named: ReadonlyMap<string, string>;
  },
): Promise<void> {
  const rows = await weightiest(store, scope, { limit: PAGE.lines, now: now(), all: true });
  const lifted = await liftedIn(
    head,
    named,
    rows.map(({ memory }) => memory.id),
    copies,
  );
  const more = await Promise.all([...new Set(lifted.values())].map((id) => store.get(id, [scope])));
  const known = new Set(rows.map(({ memory }) => memory.id));
  const all = [
    ...rows,
    ...more.flatMap((row: Stored | undefined) =>
      row === undefined || known.has(row.memory.id) ? [] : [row],
    ),
  ];
  const memories = all.map(({ memory, validFrom }) => ({ ...memory, at: validFrom }));
  const next = writePage(memories, { head, lifted });
  if (next.text === text && copies.at(-1)?.name === next.copy.name) return;
  if (text === undefined && next.copy.lines.length === 0 && next.copy.head === "") return;
  // A page of before, or one that was written by hand alone.
  if (copies.length === 0 && text !== undefined && readPage(text).lines.length > 0)
    await workspace.pages.putAside(scope, now());
  await workspace.pages.write(scope, {
    text: next.text,
    copies: [...copies.filter(({ name }) => name !== next.copy.name), next.copy],
  });
}

/** The memories that lines in a person's own part show. */
async function liftedIn(
  head: string,
  named: ReadonlyMap<string, string>,
  ids: readonly string[],
  copies: readonly PageCopy[],
): Promise<Map<string, string>> {
  const lifted = new Map<string, string>();
  for (const row of head.split("\n")) {
    const { id, mark = id } = readLine(row) ?? {};
    if (mark === undefined) continue;
    const known =
      named.get(mark) ??
      copies.flatMap(({ lines }) => lines).findLast((line) => line.mark === mark)?.id ??
      ids.find((one) => one === id || wholeMark(one).startsWith(mark));
    if (known !== undefined) lifted.set(mark, known);
  }
  return lifted;
}

const SAID: Readonly<Record<PageTrouble, string>> = {
  deleted: "was deleted or emptied as a whole",
  conflict: "holds the marks of a merge conflict",
  unreadable: "holds characters that cannot be read as text",
  emptied: "lost many lines at once",
};

async function putAside(
  { workspace, emit, now }: PageRoom,
  scope: Scope,
  trouble: PageTrouble,
): Promise<void> {
  const place = trouble === "deleted" ? undefined : await workspace.pages.putAside(scope, now());
  const where = place === undefined ? "" : ` It was put aside as ${place}.`;
  emit({
    type: "notice",
    about: "page",
    text: `MEMORY.md of ${scope} ${SAID[trouble]}, so nothing of memory was changed and the page was written anew.${where} Delete at most a third of its lines at once, and no more than five; "forget" takes away what is to go for good.`,
  });
}

export type Room = PageRoom & Pick<Core, "timer" | "background" | "off">;

/**
 * Changes show at once, as long as writing pages has not taken two seconds more than a tenth of the time. Of more changes, as an
 * import makes, the page is written now and then, and before it is read.
 */
const MOST_MS = 2_000;
const SHARE = 0.1;
const BREATH_MS = 100;

interface Late {
  /** What writing pages has taken, as of then. */
  spent: number;
  as: number;
  readonly waiting: Set<Scope>;
  cancel?: (() => void) | undefined;
}
const late = new WeakMap<Store, Late>();

function lateOf({ store }: Room): Late {
  const known = late.get(store) ?? { spent: 0, as: performance.now(), waiting: new Set() };
  late.set(store, known);
  const now = performance.now();
  known.spent = Math.max(0, known.spent - SHARE * (now - known.as));
  known.as = now;
  return known;
}

/** Trouble with a page leaves memory as it is. */
async function gently(room: Room, scope: Scope, by?: { origin: Origin }): Promise<boolean> {
  const [state, start] = [lateOf(room), performance.now()];
  try {
    state.waiting.delete(scope);
    return await syncPage(room, scope, by);
  } catch (thrown) {
    room.emit(degraded("MEMORY.md", thrown));
    return false;
  } finally {
    state.spent += performance.now() - start;
  }
}

/** Reads the page where it was written to since. */
export async function lookAtPage(room: Room, scope: Scope): Promise<boolean> {
  if (room.off) return false;
  const changed = await room.workspace.pages.changed(scope).catch(() => true);
  return changed || lateOf(room).waiting.has(scope) ? gently(room, scope) : false;
}

/** Shows on the pages what was changed in memory. Memory stands without them. */
export async function showOnPages(
  room: Room,
  scopes: Iterable<Scope>,
  by?: { origin: Origin },
): Promise<void> {
  if (room.off) return;
  const state = lateOf(room);
  for (const scope of new Set(scopes)) {
    if (by === undefined && lateOf(room).spent >= MOST_MS) state.waiting.add(scope);
    else await gently(room, scope, by);
  }
  if (state.waiting.size > 0)
    state.cancel ??= room.timer(BREATH_MS, () => room.background.run(showLate(room)));
}

/** What has not been shown yet. */
export async function showLate(room: Room): Promise<void> {
  const state = lateOf(room);
  state.cancel?.();
  state.cancel = undefined;
  for (const scope of state.waiting) await gently(room, scope);
}
