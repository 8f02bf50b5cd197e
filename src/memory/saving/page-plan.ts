import type { Scope } from "../../core/identity.ts";
import { isTrusted, lessTrusted, type Origin, type Stored } from "../../core/memory.ts";
import { mask } from "../../core/secrets/mask.ts";
import { head } from "../../core/text/cut.ts";
import type { KeptValue, Storage } from "../../storage/port.ts";
import type { PageEdits } from "../../workspace/pages/memory-page-diff.ts";
import { categoryUnder } from "../../workspace/pages/memory-page.ts";
import {
  contentFrom,
  type PageLine,
  shownText,
  wholeMark,
} from "../../workspace/pages/page-lines.ts";
import { LONGEST_CONTENT } from "./check.ts";
import { allValues, type CommitStep, currentOf, ending, type Plan, written } from "./commit.ts";
import { insert, type Moments, patched } from "./draft.ts";
import { categoryFor, GENERAL, sameness } from "./same-and-category.ts";

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
