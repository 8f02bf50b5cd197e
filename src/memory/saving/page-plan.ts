import type { Stored } from "../../model/changes.ts";
import type { KeptValue, Storage } from "../../model/storage.ts";
import type { Scope } from "../../model/identity.ts";
import { isTrusted, type Origin, lessTrusted } from "../../model/memory.ts";
import { head } from "../../text/cut.ts";
import type { PageEdits } from "../../workspace/pages/page-edits.ts";
import { categoryUnder } from "../../workspace/pages/memory-page.ts";
import { wholeMark } from "../../workspace/lines/short-name.ts";
import { contentFrom, type PageLine, shownText } from "../../workspace/pages/page-line.ts";
import { LONGEST_CONTENT } from "./check.ts";
import { ending, type Plan, type CommitStep, written } from "./commit.ts";
import { categoryFor, GENERAL } from "../categories/categories.ts";
import { insert, type Moments, patched } from "./draft.ts";
import { allValues, currentOf } from "./values.ts";
import { sameness } from "../sameness/canonical.ts";
import { mask } from "../../secrets/mask.ts";

/** Lines written by hand are meant to be remembered. */
const BY_HAND = 0.9;
/** Lines of one look whose category is found: of a page full of them each would ask memory. */
const SORTED = 50;

interface PageRule extends Moments {
  readonly scope: Scope;
  readonly newId: () => string;
  /** The edits' origin. */
  readonly origin: Origin;
  /** There is a writing of the page to compare with. */
  readonly written: boolean;
}

/**
 * What a page's edits make of memory. A line counts as an edit of the value that it showed; where
 * memory has another by now, that one stays, and the person's words are kept beside it. Done twice
 * it changes nothing more.
 */
export async function planPage(
  store: Storage,
  edits: PageEdits,
  rule: PageRule,
): Promise<Plan<{ changed: number; ended: number }>> {
  const desk = createDesk(store, rule);
  const rowOf = async (id: string): Promise<Stored | undefined> =>
    (await store.find({ scopes: [rule.scope], id }))[0];
  for (const { line, text } of edits.changed) {
    const row = await rowOf(line.id);
    const content = wording(contentFrom(text, row?.memory.content ?? ""));
    if (content === "" || row?.memory.content === content) continue;
    if (row === undefined) await desk.add(content);
    else if (shownText(row.memory.content) === line.text) await desk.change(row, content);
    else {
      // Is that what the memory showed once?
      const values = await desk.valuesOf((own) => own === line.id);
      if (!values.some(({ stored }) => shownText(stored.memory.content) === text))
        await desk.add(content, row.memory.category);
    }
  }
  for (const { id, text } of edits.gone) {
    const row = await rowOf(id);
    if (row !== undefined && shownText(row.memory.content) === text) desk.end(row);
  }
  for (const line of edits.added) await take(desk, line, rule);
  const ended = desk.steps.filter(({ change }) => change.do === "end").length;
  return { steps: desk.steps, result: { changed: desk.steps.length - ended, ended } };
}

const wording = (text: string): string =>
  head(mask(text.replaceAll("<! --", "<!--")).toWellFormed(), LONGEST_CONTENT).trim();

type Desk = ReturnType<typeof createDesk>;

function createDesk(store: Storage, rule: PageRule) {
  const { scope, now, newId, origin: mine } = rule;
  const steps: CommitStep[] = [];
  const said = new Set<string>();
  let all: Promise<KeptValue[]> | undefined;
  // An agent's notes may not speak for its user; a person may for everybody, but not make a
  // stranger's word trusted.
  const mayTouch = (theirs: Origin): boolean => mine === "user" || !lessTrusted(mine, theirs);

  async function add(content: string, given?: string, origin = mine): Promise<void> {
    const same = sameness(content);
    if (said.has(same) || (await store.find({ scopes: [scope], same })).length > 0) return;
    said.add(same);
    const sorted =
      given === undefined && steps.length < SORTED
        ? { category: await categoryFor(store, { content, scope }), sorted: true as const }
        : { category: given ?? GENERAL };
    const words = { content, same, scope, ...sorted, source: "manual", origin };
    steps.push(written(insert({ ...words, importance: BY_HAND, at: now }, newId(), rule)));
  }

  return {
    steps,
    add,
    async change(row: Stored, content: string): Promise<void> {
      const { origin: theirs, category } = row.memory;
      if (!mayTouch(theirs)) return add(content, category);
      const origin = isTrusted(theirs) ? mine : theirs;
      const change = patched(row, { content }, { ...rule, origin });
      said.add(change.row.same);
      steps.push(written(change));
    },
    end(row: Stored): void {
      if (mayTouch(row.memory.origin)) steps.push(ending(row, now));
    },
    /**
     * All values are read once, and only where a line names a memory that its page did not show.
     */
    async valuesOf(isIt: (id: string) => boolean): Promise<KeptValue[]> {
      all ??= allValues(store, [scope]);
      return (await all).filter(({ stored }) => isIt(stored.memory.id));
    },
  };
}

/** Formatters put a backslash before what could be read as emphasis. */
const unescaped = (text: string): string =>
  text.replace(/`[^`]*`|\\([*_])/g, (all, char: string | undefined) => char ?? all);

/** A line that the page's writing does not know: new, or of a memory that it did not show. */
async function take(
  desk: Desk,
  { text, dated, mark, heading, doubted }: PageLine,
  rule: PageRule,
): Promise<void> {
  const values =
    mark === undefined ? [] : await desk.valuesOf((own) => wholeMark(own).startsWith(mark));
  const stands = currentOf(values)?.stored;
  const said = values.some(({ stored }) =>
    [text, dated].includes(shownText(stored.memory.content)),
  );
  const content = wording(mark === undefined ? unescaped(dated.replace(/^\[[ xX]\] /, "")) : text);
  if (content === "" || (stands !== undefined && said)) return;
  if (stands !== undefined)
    return desk.change(stands, wording(contentFrom(text, stands.memory.content)));
  // On a page that nothing is known of, a line that memory has ended is only old; to one that is
  // known a person brought it back.
  const old = values.length > 0 && !rule.written;
  if (old) return;
  if (doubted !== true) await desk.add(content, categoryUnder(heading));
  // It was a tool's word when the page was written, in a database that is gone.
  else if (!rule.written) await desk.add(content, categoryUnder(heading), "untrusted");
}
