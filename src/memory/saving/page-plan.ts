import { type Scope } from "../../model/identity.ts";
import { isTrusted, type Origin, lessTrusted } from "../../model/memory.ts";
import { type Change, type KeptValue, type Store, type Stored } from "../../model/store.ts";
import { head } from "../../text/cut.ts";
import { type PageEdits } from "../../workspace/pages/page-edits.ts";
import { categoryUnder } from "../../workspace/pages/memory-page.ts";
import {
  contentFrom,
  type PageLine,
  shownText,
  wholeMark,
} from "../../workspace/pages/page-line.ts";
import { LONGEST_CONTENT, wellFormed } from "./check.ts";
import { type JournalEvent, type Plan } from "./commit.ts";
import { GENERAL } from "../categories/categories.ts";
import { insert, type Moments, patched } from "./draft.ts";
import { sameness } from "../sameness/canonical.ts";

/** What a person writes by hand is meant to be remembered. */
const BY_HAND = 0.9;
/** Lines of one look whose category is found: of a page full of them each would ask memory. */
const SORTED = 50;

interface PageRule extends Moments {
  readonly scope: Scope;
  readonly newId: () => string;
  readonly categoryOf: (content: string, scope: Scope) => Promise<string>;
  readonly mask: (text: string) => string;
  /** Whose edits they are. */
  readonly origin: Origin;
  /** All values of the scope; asked only where a line names a memory that its page did not show. */
  readonly values: () => Promise<readonly KeptValue[]>;
  /** There is a writing of the page to compare with. */
  readonly written: boolean;
}

/**
 * What a page's edits make of memory. A line counts as an edit of the value that it showed; where memory has another by now,
 * that one stays, and the person's words are kept beside it. Done twice it changes nothing more.
 */
export async function planPage(
  store: Store,
  edits: PageEdits,
  rule: PageRule,
): Promise<Plan<{ changed: number; ended: number }>> {
  const desk = new Desk(store, rule);
  for (const { line, text } of edits.changed) {
    const row = await desk.row(line.id);
    const content = wording(contentFrom(text, row?.memory.content ?? ""), rule);
    if (content === "" || row?.memory.content === content) continue;
    if (row === undefined) await desk.add(content, {});
    else if (shownText(row.memory.content) === line.text) await desk.change(row, content);
    else if (!(await desk.hasSaid(line.id, text)))
      await desk.add(content, { category: row.memory.category });
  }
  for (const { id, text } of edits.gone) {
    const row = await desk.row(id);
    if (row !== undefined && shownText(row.memory.content) === text) desk.end(row);
  }
  for (const line of edits.added) await desk.take(line);
  return desk.plan();
}

const wording = (text: string, { mask }: PageRule): string =>
  head(wellFormed(mask(text.replaceAll("<! --", "<!--"))), LONGEST_CONTENT).trim();

class Desk {
  readonly #store: Store;
  readonly #rule: PageRule;
  readonly #changes: Change[] = [];
  readonly #events: JournalEvent[] = [];
  readonly #said = new Set<string>();
  #values: Promise<readonly KeptValue[]> | undefined;

  constructor(store: Store, rule: PageRule) {
    this.#store = store;
    this.#rule = rule;
  }

  row(id: string): Promise<Stored | undefined> {
    return this.#store.get(id, [this.#rule.scope]);
  }

  async #of(isIt: (id: string) => boolean): Promise<KeptValue[]> {
    this.#values ??= this.#rule.values();
    return (await this.#values).filter(({ stored }) => isIt(stored.memory.id));
  }

  /** Is that what the memory showed once? */
  async hasSaid(id: string, text: string): Promise<boolean> {
    return (await this.#of((own) => own === id)).some(
      ({ stored }) => shownText(stored.memory.content) === text,
    );
  }

  async change(row: Stored, content: string): Promise<void> {
    const { origin: mine } = this.#rule;
    const { origin: theirs } = row.memory;
    // An agent's notes may not speak for its user; a person may for everybody, but not make a stranger's word trusted.
    if (mine !== "user" && lessTrusted(mine, theirs))
      return this.add(content, { category: row.memory.category });
    const next = patched(
      row,
      { content },
      { ...this.#rule, origin: isTrusted(theirs) ? mine : theirs },
    );
    this.#said.add(next.same);
    this.#changes.push({ do: "replace", row: next, was: row.memory.version });
    this.#events.push({ event: "updated", memory: next.memory, row: next });
  }

  end(row: Stored): void {
    const { origin, now } = this.#rule;
    if (origin !== "user" && lessTrusted(origin, row.memory.origin)) return;
    this.#changes.push({ do: "end", id: row.memory.id, was: row.memory.version, at: now });
    this.#events.push({ event: "superseded", memory: row.memory, row, until: now });
  }

  async add(
    content: string,
    { category, heading }: { category?: string; heading?: string },
  ): Promise<void> {
    const { scope, now, newId, origin, categoryOf } = this.#rule;
    const same = sameness(content);
    if (this.#said.has(same) || (await this.#store.same(same, [scope])).length > 0) return;
    this.#said.add(same);
    const given = category ?? categoryUnder(heading);
    const sorted =
      given === undefined && this.#events.length < SORTED
        ? { category: await categoryOf(content, scope), sorted: true as const }
        : { category: given ?? GENERAL };
    const { row, change } = insert(
      { content, same, scope, ...sorted, source: "manual", origin, importance: BY_HAND, at: now },
      newId(),
      this.#rule,
    );
    this.#changes.push(change);
    this.#events.push({ event: "saved", memory: row.memory, row });
  }

  /** A line that the page's writing does not know: new, or of a memory that it did not show. */
  async take({ text, dated, id, mark, heading, doubted }: PageLine): Promise<void> {
    const values =
      id === undefined && mark === undefined
        ? []
        : await this.#of(
            (own) => own === id || (mark !== undefined && wholeMark(own).startsWith(mark)),
          );
    const stands = values.find(({ until }) => until === undefined)?.stored;
    const said = values.some(({ stored }) =>
      [text, dated].includes(shownText(stored.memory.content)),
    );
    const content = wording(mark === undefined && id === undefined ? dated : text, this.#rule);
    if (content === "" || (stands !== undefined && said)) return;
    if (stands !== undefined)
      return this.change(stands, wording(contentFrom(text, stands.memory.content), this.#rule));
    // On a page that nothing is known of, a line that memory has ended is only old; to one that is known a person brought it back.
    const old = values.length > 0 && !this.#rule.written;
    if (!old && doubted !== true) await this.add(content, heading === undefined ? {} : { heading });
  }

  plan(): Plan<{ changed: number; ended: number }> {
    const ended = this.#changes.filter((change) => change.do === "end").length;
    return {
      changes: this.#changes,
      events: this.#events,
      result: { changed: this.#changes.length - ended, ended },
    };
  }
}
