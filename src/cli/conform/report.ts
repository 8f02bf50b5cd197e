import { type Io } from "../io.ts";
import { percent, tokens } from "../render/numbers.ts";
import { table } from "../render/table.ts";
import { wrap } from "../render/text.ts";
import { type Canary, KINDS } from "./canary.ts";
import { type Survived } from "./judge.ts";

export interface Way {
  /** Whose: "Tidemark", or nobody's. */
  readonly by: string;
  readonly name: string;
  readonly canaries: readonly Canary[];
  readonly survived: Survived;
}

/** What stands for one kind, or for all of them. */
export interface Tally {
  readonly planted: number;
  readonly request: number;
  readonly recall?: number;
  /** In the request or by recall. */
  readonly answerable: number;
}

export function tally({ canaries, survived: { inPrompt, inRecall } }: Way, kind?: string): Tally {
  const chosen = canaries.flatMap((canary, at) => (kind === undefined || canary.kind === kind ? [at] : []));
  const many = (list: readonly boolean[]): number => chosen.filter((at) => list[at] === true).length;
  const either = inPrompt.map((found, at) => found || inRecall?.[at] === true);
  return { planted: chosen.length, request: many(inPrompt), ...(inRecall === undefined ? {} : { recall: many(inRecall) }), answerable: many(either) };
}

const CAVEAT =
  "A canary counts as answerable when all that answers it stands close together, in the request as it would be sent next or in one of ten hits of recall. " +
  "That is text which is there or is not: whether a model reads and uses it is not measured, nor what a summary by a real model would say. The poor model is a script that is blind for a third of all sentences.";

export function report(ways: readonly Way[], { folds, window, seed }: { folds: number; window: number; seed: number }, { paint, columns }: Io): string[] {
  const [first] = ways;
  const all = ways.map((way) => tally(way));
  const planted = all[0]?.planted ?? 0;
  const share = (many: number | undefined): string => (many === undefined ? "–" : percent(many / Math.max(1, planted)));
  const of = (say: (survived: Survived) => string): string[] => ways.map(({ survived }) => say(survived));
  const [owners = "", names = "", ...rest] = table(
    [
      ["", "", ...ways.map(({ by }) => by)],
      ["", "planted", ...ways.map(({ name }) => name)],
      ...KINDS.map((kind) => [kind, ...(first === undefined ? [] : [String(tally(first, kind).planted)]), ...ways.map((way) => String(tally(way, kind).answerable))]),
      ["all", String(planted), ...all.map(({ answerable }) => String(answerable))],
      ["answerable", "", ...all.map(({ answerable }) => share(answerable))],
      ["in the request alone", "", ...all.map(({ request }) => share(request))],
      ["by recall alone", "", ...all.map(({ recall }) => share(recall))],
      ["folds made", "", ...of(({ folds: made }) => String(made))],
      ["tokens before a fold", "", ...of(({ before }) => tokens(before))],
      ["tokens after it", "", ...of(({ after }) => tokens(after))],
      ["requests a provider would refuse", "", ...of(({ invalid }) => String(invalid))],
    ],
    { gap: 3 },
  );
  const kinds = KINDS.length;
  return [
    `${paint.bold(`${planted} things said once`)}, before the first of ${folds} folds; looked for after the last. Window ${tokens(window)}, seed ${seed}.`,
    "",
    paint.dim(owners),
    paint.dim(names),
    ...rest.slice(0, kinds),
    ...rest.slice(kinds, kinds + 2).map((line) => paint.bold(line)),
    "",
    ...rest.slice(kinds + 2),
    "",
    ...ways.flatMap((way) => refusals(way, columns)).map(paint.yellow),
    ...ways.filter(({ survived }) => survived.folds < folds).map(({ by, name }) => paint.yellow(`  ${by} ${name}: the conversation outgrew the window before fold ${folds}.`.replace(/ {3}/, "  "))),
    ...ways.filter(({ survived }) => survived.early).map(({ by, name }) => paint.yellow(`  ${by} ${name}: a fold came before all was said; a larger --window gives room.`.replace(/ {3}/, "  "))),
    ...wrap(CAVEAT, Math.min(100, columns - 2)).map((line) => paint.dim(line)),
  ];
}

/** Which request a provider would have refused first, and for what. */
function refusals({ by, name, survived: { refused, stuck } }: Way, columns: number): string[] {
  const who = `${by} ${name}`.trim();
  const said = [...(refused === undefined ? [] : [`${who}: a provider would refuse it ${refused}.`]), ...(stuck ? [`${who}: its last request would be refused, so nothing in it counts as answerable.`] : [])];
  return said.flatMap((one) => wrap(one, Math.min(100, columns) - 2)).map((line) => `  ${line}`);
}
