import { present } from "../../base/guards.ts";
import { percent, tokens } from "../render/numbers.ts";
import { type Page, readable, table, fit, plain, wrap } from "../render/layout.ts";
import { type Canary, KINDS, type Survived } from "./canary.ts";

export interface Way {
  /** Whose: "Tidemark", or none. */
  readonly by: string;
  readonly name: string;
  readonly canaries: readonly Canary[];
  readonly survived: Survived;
}

export const nameOf = ({ by, name }: Pick<Way, "by" | "name">): string => `${by} ${name}`.trim();

/** What stands for one kind, or for all of them. */
export function tally({ canaries, survived: { inPrompt, inSearch } }: Way, kind?: string) {
  const many = (found: (at: number) => boolean | undefined): number =>
    canaries.filter((one, at) => (kind ?? one.kind) === one.kind && found(at)).length;
  return {
    planted: many(() => true),
    request: many((at) => inPrompt[at]),
    search: inSearch && many((at) => inSearch[at]),
    /** In the request or by one search. */
    answerable: many((at) => inPrompt[at] || inSearch?.[at]),
  };
}

const CAVEAT =
  "A canary counts as answerable when all that answers it stands close together, in the request as it would be sent next or in one of ten hits of one search. " +
  "That is text which is there or is not: whether a model reads and uses it is not measured, nor what a summary by a real model would say. The poor model is a script that is blind for a third of all sentences.";

/** Columns of a compactor's name. */
const NAME = 16;

export function report(
  ways: readonly Way[],
  { folds, window, seed }: { folds: number; window: number; seed: number },
  page: Page,
): string[] {
  const { paint, columns } = page;
  const all = ways.map((way) => ({ ...way, ...way.survived, ...tally(way) }));
  const planted = all[0]?.planted ?? 0;
  const share = (many: number | undefined): string =>
    many === undefined ? "–" : percent(many / Math.max(1, planted));
  const row = (
    what: string,
    say: (way: (typeof all)[number]) => string | number,
    beside: string | number = "",
  ): string[] => [what, String(beside), ...all.map((way) => String(say(way)))];
  const lines = table(
    [
      row("", ({ by }) => by).map(paint.dim),
      row("", ({ name }) => fit(plain(name), NAME), "planted").map(paint.dim),
      ...KINDS.map((kind) =>
        row(kind, (way) => tally(way, kind).answerable, all[0] && tally(all[0], kind).planted),
      ),
      row("all", ({ answerable }) => answerable, planted).map(paint.bold),
      row("answerable", ({ answerable }) => share(answerable)).map(paint.bold),
      [],
      row("in the request", ({ request }) => share(request)),
      row("by one search", ({ search }) => share(search)),
      row("folds made", ({ survived }) => survived.folds),
      row("tokens before a fold", ({ before }) => tokens(before)),
      row("tokens after it", ({ after }) => tokens(after)),
      row("would be refused", ({ invalid }) => invalid),
    ],
    { columns },
  );
  return present([
    wrap(
      `${paint.bold(`${planted} things said once`)}, ${folds === 1 ? "before a fold; looked for after it" : `before the first of ${folds} folds; looked for after the last`}. Window ${tokens(window)}, seed ${seed}.`,
      readable(page),
    ),
    "",
    lines,
    "",
    ways
      .flatMap((way) => remarks(way, folds).map((what) => `${nameOf(way)}: ${what}`))
      .flatMap((line) => wrap(plain(line), readable(page) - 2))
      .map((line) => paint.yellow(`  ${line}`)),
    wrap(CAVEAT, Math.min(100, columns - 2)).map(paint.dim),
  ]);
}

/** What went otherwise than it should: which request a provider would have refused first, too few folds, or too early ones. */
function remarks(
  { by, survived: { refused, stuck, folds: made, early } }: Way,
  folds: number,
): string[] {
  const few =
    by === ""
      ? `the conversation outgrew the window before fold ${folds}.`
      : `nothing more was folded before fold ${folds}, however much was said.`;
  return present([
    refused !== undefined && `a provider would refuse it ${refused}.`,
    stuck && "its last request would be refused, so nothing in it counts as answerable.",
    made < folds && few,
    early && "a fold came before all was said; a larger --window gives room.",
  ]);
}
