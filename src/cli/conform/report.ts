import { defined } from "../../base/guards.ts";
import { type Io } from "../render/io.ts";
import { percent, tokens } from "../render/numbers.ts";
import { table } from "../render/table.ts";
import { fit, plain, wrap } from "../render/text.ts";
import { type Canary, KINDS, type Survived } from "./canary.ts";

export interface Way {
  /** Whose: "Tidemark", or none. */
  readonly by: string;
  readonly name: string;
  readonly canaries: readonly Canary[];
  readonly survived: Survived;
}

/** What stands for one kind, or for all of them. */
interface Tally {
  readonly planted: number;
  readonly request: number;
  readonly search?: number;
  /** In the request or by one search. */
  readonly answerable: number;
}

export function tally({ canaries, survived: { inPrompt, inSearch } }: Way, kind?: string): Tally {
  const chosen = canaries.flatMap((canary, at) =>
    kind === undefined || canary.kind === kind ? [at] : [],
  );
  const many = (list: readonly boolean[]): number =>
    chosen.filter((at) => list[at] === true).length;
  const either = inPrompt.map((found, at) => found || inSearch?.[at] === true);
  return {
    planted: chosen.length,
    request: many(inPrompt),
    ...defined({ search: inSearch === undefined ? undefined : many(inSearch) }),
    answerable: many(either),
  };
}

const CAVEAT =
  "A canary counts as answerable when all that answers it stands close together, in the request as it would be sent next or in one of ten hits of one search. " +
  "That is text which is there or is not: whether a model reads and uses it is not measured, nor what a summary by a real model would say. The poor model is a script that is blind for a third of all sentences.";

const LONG = {
  request: "in the request alone",
  before: "tokens before a fold",
  refused: "requests a provider would refuse",
};
/** The same where the long words would leave no room for the figures. */
const SHORT: typeof LONG = {
  request: "in the request",
  before: "tokens before",
  refused: "would be refused",
};
const WIDE = 78;
/** Columns of a compactor's name, and of all that stands beside it. */
const NAME = { least: 12, most: 22 };
const LABELS = 68;

export function report(
  ways: readonly Way[],
  { folds, window, seed }: { folds: number; window: number; seed: number },
  { paint, columns }: Io,
): string[] {
  const [first] = ways;
  const all = ways.map((way) => tally(way));
  const planted = all[0]?.planted ?? 0;
  const share = (many: number | undefined): string =>
    many === undefined ? "–" : percent(many / Math.max(1, planted));
  const of = (say: (survived: Survived) => string): string[] =>
    ways.map(({ survived }) => say(survived));
  const label = columns < WIDE ? SHORT : LONG;
  const bold = (row: readonly string[]): string[] => row.map(paint.bold);
  const lines = table(
    [
      ["", "", ...ways.map(({ by }) => by)].map(paint.dim),
      [
        "",
        "planted",
        ...ways.map(({ name }) =>
          fit(plain(name), Math.min(NAME.most, Math.max(NAME.least, columns - LABELS))),
        ),
      ].map(paint.dim),
      ...KINDS.map((kind) => [
        kind,
        ...(first === undefined ? [] : [String(tally(first, kind).planted)]),
        ...ways.map((way) => String(tally(way, kind).answerable)),
      ]),
      bold(["all", String(planted), ...all.map(({ answerable }) => String(answerable))]),
      bold(["answerable", "", ...all.map(({ answerable }) => share(answerable))]),
      [],
      [label.request, "", ...all.map(({ request }) => share(request))],
      ["by one search", "", ...all.map(({ search }) => share(search))],
      ["folds made", "", ...of(({ folds: made }) => String(made))],
      [label.before, "", ...of(({ before }) => tokens(before))],
      ["tokens after it", "", ...of(({ after }) => tokens(after))],
      [label.refused, "", ...of(({ invalid }) => String(invalid))],
    ],
    { columns },
  );
  return [
    ...wrap(
      `${paint.bold(`${planted} things said once`)}, ${folds === 1 ? "before a fold; looked for after it" : `before the first of ${folds} folds; looked for after the last`}. Window ${tokens(window)}, seed ${seed}.`,
      Math.min(100, columns),
    ),
    "",
    ...lines,
    "",
    ...ways.flatMap((way) => refusals(way, columns)).map(paint.yellow),
    ...ways
      .filter(({ survived }) => survived.folds < folds)
      .flatMap((way) =>
        said(
          way,
          way.by === ""
            ? `the conversation outgrew the window before fold ${folds}.`
            : `nothing more was folded before fold ${folds}, however much was said.`,
          columns,
        ),
      )
      .map(paint.yellow),
    ...ways
      .filter(({ survived }) => survived.early)
      .flatMap((way) =>
        said(way, "a fold came before all was said; a larger --window gives room.", columns),
      )
      .map(paint.yellow),
    ...wrap(CAVEAT, Math.min(100, columns - 2)).map((line) => paint.dim(line)),
  ];
}

/** Which request a provider would have refused first, and for what. */
function refusals(way: Way, columns: number): string[] {
  const { refused, stuck } = way.survived;
  return [
    ...(refused === undefined ? [] : said(way, `a provider would refuse it ${refused}.`, columns)),
    ...(stuck
      ? said(
          way,
          "its last request would be refused, so nothing in it counts as answerable.",
          columns,
        )
      : []),
  ];
}

const said = ({ by, name }: Way, what: string, columns: number): string[] =>
  wrap(plain(`${`${by} ${name}`.trim()}: ${what}`), Math.min(100, columns) - 2).map(
    (line) => `  ${line}`,
  );
