import { type Scope } from "../../model/identity.ts";
import { type Origin } from "../../model/memory.ts";
import { type Stored } from "../../model/store.ts";
import { categoryFor } from "../../memory/categories.ts";
import { serially } from "../../memory/commit.ts";
import { weightiest } from "../../memory/salience.ts";
import { planPage } from "../../memory/page-plan.ts";
import { allValues } from "../../memory/values.ts";
import { PAGE, type PageCopy, readPage, writePage } from "../../workspace/memory-page.ts";
import { pageEdits, type PageTrouble, troubleOf, writtenAs } from "../../workspace/page-edits.ts";
import { readLine, wholeMark } from "../../workspace/page-line.ts";
import { type Core } from "../core.ts";
import { journal } from "./journal.ts";

export type PageRoom = Pick<
  Core,
  "store" | "workspace" | "emit" | "now" | "newId" | "mask" | "off" | "options" | "embedding"
>;

/** Another process may be faster; who loses so often meets a program that has gone wild. */
const ATTEMPTS = 10;

/**
 * Makes memory what a person made of MEMORY.md, and the page what memory is then. Whatever step it dies at, the next look
 * finds the same edits, and those that were done already change nothing. True: memory is another now.
 */
export async function syncPage(
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
      const trouble = origin === "user" ? troubleOf(text, copies, { read, edits }) : undefined;
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
      room.emit({ type: "reconciled", scope, changed: done.changed, forgotten: done.ended });
      return true;
    }),
  );
}

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
    lifetimes: options.lifetimes ?? {},
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
