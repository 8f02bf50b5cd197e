import type { Scope } from "../../core/identity.ts";
import type { Origin } from "../../core/memory.ts";
import { flatWords } from "../../core/text/markdown.ts";
import { weightiest } from "../../memory/recalling/salience.ts";
import { carryOut, type CommitRoom, serially } from "../../memory/saving/commit.ts";
import { planPage } from "../../memory/saving/page-plan.ts";
import type { Ports } from "../../session/ports.ts";
import { copiesOf, keptCopies, readCopies } from "../../workspace/pages/log-and-page-copies.ts";
import {
  pageEdits,
  type PageEdits,
  pageTrouble,
  type PageTrouble,
  writtenAs,
} from "../../workspace/pages/memory-page-diff.ts";
import { PAGE, type PageCopy, readPage, writePage } from "../../workspace/pages/memory-page.ts";
import { readLine, wholeMark } from "../../workspace/pages/page-lines.ts";
import { owedFor } from "./log-and-conversation-pages.ts";

/**
 * Makes memory what a person made of MEMORY.md, and the page what memory is then. Whatever step it
 * dies at, the next look finds the same edits, and those that were done already change nothing.
 * Answers how many memories it changed and ended. Undefined: another program is at the page, which
 * is left to it.
 */
export async function syncPage(
  core: Ports,
  scope: Scope,
  origin: Origin = "user",
): Promise<Synced | undefined> {
  let before: string | undefined | false = false;
  for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
    const looked = await look(core, scope, { origin, before });
    if (looked === undefined || "ended" in looked) return looked;
    before = looked.text;
    // An editor empties a file, or moves it away, just before it writes it.
    await new Promise((go) => setTimeout(go, SETTLES_MS));
  }
  return undefined;
}

const UNCHANGED = { changed: 0, ended: 0 };
type Synced = typeof UNCHANGED;

/** ms between two looks that have to find the same before a page is taken for wrong. */
const SETTLES_MS = 200;
const MOST_LOOKS = 10;
/** ms an empty page is left to the program that may be about to fill it. */
const FILLS_MS = 60_000;

/** A page that is wrong is left alone until it was found the same twice. */
function look(
  core: Ports,
  scope: Scope,
  { origin, before }: { origin: Origin; before: string | undefined | false },
): Promise<Synced | undefined | { text: string | undefined }> {
  const { store, workspace, now } = core;
  return serially(store, () =>
    workspace.alone(async () => {
      const text = await workspace.pages.read(scope);
      const copies = readCopies(await store.note(copiesOf(scope)));
      const read = readPage(text ?? "");
      const written = writtenAs(read, copies);
      const edits = pageEdits(read, copies, written);
      // A program that writes the page means it.
      const trouble = origin === "user" ? pageTrouble(text, copies, { read, edits }) : undefined;
      const blank = workspace.pages.blankFor(scope, text, now());
      if (trouble !== undefined) {
        if (blank !== undefined && blank < FILLS_MS) return before === text ? undefined : { text };
        if (before !== text) return { text };
        await putAside(core, scope, trouble);
        const head = copies.at(-1)?.head ?? "";
        await write(core, scope, { text, copies, head, name: read.name });
        return UNCHANGED;
      }
      const done = await applied(core, scope, { edits, origin, written: written !== undefined });
      await write(core, scope, { ...read, text, copies });
      const { changed, ended: forgotten } = done;
      if (changed + forgotten > 0)
        core.emit({
          ...{ type: "notice", about: "reconciled", scope, changed, forgotten },
          text: "Memory was changed by hand or by another process.",
        });
      return done;
    }),
  );
}

async function applied(
  core: Ports,
  scope: Scope,
  { edits, ...how }: { edits: PageEdits; origin: Origin; written: boolean },
) {
  const { store, now, newId, options } = core;
  if (edits.changed.length + edits.gone.length + edits.added.length === 0) return UNCHANGED;
  const rule = {
    ...how,
    scope,
    newId,
    lifetimes: options.advanced?.lifetimes ?? {},
  };
  const owed: CommitRoom["owed"] = (events) => owedFor(core, events, { author: "page" });
  const { result } = await carryOut({ store, owed }, () =>
    planPage(store, edits, { ...rule, now: now() }),
  );
  // The page that is written next no longer says what was edited.
  await store.commit({}, { durable: true });
  return result;
}

/** A page as it stands, its last writings, and a person's own part of it. */
interface PageAsRead {
  readonly text: string | undefined;
  readonly copies: readonly PageCopy[];
  readonly head: string;
  readonly name: string | undefined;
}

/** Writes the page anew where it is not what memory says. */
async function write(
  { store, workspace, now }: Ports,
  scope: Scope,
  page: PageAsRead,
): Promise<void> {
  const { text, copies, head } = page;
  const rows = await weightiest(store, scope, { limit: PAGE.lines, now: now(), all: true });
  const ids = new Set(rows.map(({ memory }) => memory.id));
  const lifted = liftedIn(page, ids);
  const others = new Set(lifted.values()).difference(ids);
  const more = await Promise.all([...others].map((id) => store.find({ scopes: [scope], id })));
  const memories = [...rows, ...more.flat()].map(({ memory, validFrom }) => ({
    ...memory,
    at: validFrom,
  }));
  const next = writePage(memories, { head, lifted });
  if (text !== undefined && isStanding(page, text, next)) return;
  if (text === undefined && next.copy.lines.length === 0 && next.copy.head === "") return;
  // A page of before, or one that was written by hand alone.
  if (copies.length === 0 && text !== undefined && readPage(text).lines.length > 0)
    await workspace.pages.putAside(scope, now());
  // First how it is written, then the page: a process that dies in between leaves a page whose own
  // writing is still known.
  const all = [...copies.filter(({ name }) => name !== next.copy.name), next.copy];
  await store.commit({ notes: { [copiesOf(scope)]: keptCopies(all) } });
  await workspace.pages.write(scope, next.text);
}

/** Does the page say all that is to be written, however a formatter has laid it out since? */
function isStanding(
  { name, copies }: PageAsRead,
  text: string,
  next: ReturnType<typeof writePage>,
): boolean {
  const last = copies.at(-1);
  return (
    name !== undefined &&
    name === last?.name &&
    flatWords(last.head) === flatWords(next.copy.head) &&
    JSON.stringify(last.lines) === JSON.stringify(next.copy.lines) &&
    flatWords(text).replace(name, "") === flatWords(next.text).replace(next.copy.name, "")
  );
}

/** The memories that lines in a person's own part show. */
function liftedIn(
  { head, copies }: PageAsRead,
  ids: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const lifted = new Map<string, string>();
  const written = copies.flatMap(({ lines }) => lines);
  for (const row of head.split("\n")) {
    const { mark, text } = readLine(row) ?? {};
    if (mark === undefined) continue;
    // By its words a line is known whose mark was spoilt.
    const own =
      written.findLast((line) => line.mark === mark) ??
      written.findLast((line) => line.text === text);
    const known = own?.id ?? ids.values().find((one) => wholeMark(one).startsWith(mark));
    if (known !== undefined) lifted.set(mark, known);
  }
  return lifted;
}

const SAID: Readonly<Record<PageTrouble, string>> = {
  deleted: "was deleted or emptied as a whole",
  conflict: "holds the marks of a merge conflict",
  unreadable: "holds characters that cannot be read as text",
  emptied: "lost many lines at once, or was cut off",
};

async function putAside(
  { workspace, emit, now }: Ports,
  scope: Scope,
  trouble: PageTrouble,
): Promise<void> {
  const place = trouble === "deleted" ? undefined : await workspace.pages.putAside(scope, now());
  const where = place === undefined ? "" : ` It was put aside as ${place}.`;
  emit({
    type: "notice",
    about: "page",
    text:
      `MEMORY.md of ${scope} ${SAID[trouble]}, so nothing of memory was changed and the ` +
      `page was written anew.${where} Delete at most a third of its lines at once, and no ` +
      `more than five; "forget" takes away what is to go for good.`,
  });
}
