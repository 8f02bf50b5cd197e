import { present } from "../../base/guards.ts";
import { isTrusted } from "../../model/memory.ts";
import { readTokens } from "../../model/ports.ts";
import { marksOf } from "../../window/limits-and-marks.ts";
import { basename } from "node:path";
import { chart } from "../render/chart.ts";
import { count, money, percent, tokens } from "../render/numbers.ts";
import {
  type Page,
  readable,
  titled,
  table,
  fit,
  hung,
  padEnd,
  plain,
  width,
  wrap,
} from "../render/layout.ts";
import type { Played, Way } from "./figures.ts";

const TOLD = 10;
/** Columns before the chart's own. */
const AXIS = 7;

/** One played conversation as a person reads it. */
export function report(played: Played, page: Page): string[] {
  const { paint } = page;
  const { file, messages, steps, window, limit, model, format } = played;
  const provider = format === "anthropic" ? "Anthropic" : "OpenAI";
  return [
    ...wrap(plain(basename(file)), page.columns).map(paint.bold),
    ...wrap(
      `${count(messages, "message")}, ${provider} · ${count(steps.length, "request")} · window ${tokens(window)}, limit ${tokens(limit)} · ${plain(model)}`,
      page.columns,
    ).map(paint.dim),
    "",
    ...water(played, page),
    "",
    ...comparison(played, page),
    "",
    ...[...verdict(played, page), ...foldLines(played, page)].flatMap((line) =>
      wrap(line, readable(page)),
    ),
    "",
    ...memories(played, page),
    ...footnotes(played, page),
  ];
}

function water({ steps }: Played, { columns, paint }: Page): string[] {
  const marks = marksOf();
  const samples = steps.map(({ came, level, flushed, folded }) => ({
    came,
    sent: level,
    flushed,
    folded: folded !== undefined,
  }));
  const drawn = chart(samples, { columns, marks, paint });
  const legend = [
    `${paint.cyan("█")} sent`,
    `${paint.dim("░")} folded away`,
    `${paint.magenta("▼")} fold`,
    `${paint.green("F")} facts saved`,
  ];
  const requests = padEnd(`request 1 to ${steps.length}`, 22);
  return [...drawn, ...hung(" ".repeat(AXIS), requests + legend.join("  "), columns)];
}

function comparison(
  { with: ours, without: theirs, window }: Played,
  { paint, columns }: Page,
): string[] {
  const both = (what: string, say: (way: Way) => string): string[] => [
    what,
    say(ours),
    say(theirs),
  ];
  const rows = [
    ["", paint.bold("with Tidemark"), paint.bold("without")],
    both("refused, over the window", ({ refused, requests }) =>
      refused > 0 ? paint.red(`${refused} of ${requests}`) : paint.green("none"),
    ),
    both("largest request", ({ largest }) =>
      largest > window ? paint.red(tokens(largest)) : tokens(largest),
    ),
    both("tokens read", (way) => tokens(readTokens(way))),
    both("  from the prompt cache", (way) => percent(way.cacheRead / Math.max(1, readTokens(way)))),
    both("tokens written", ({ output }) => tokens(output)),
  ];
  if (ours.cost !== undefined && theirs.cost !== undefined)
    rows.push([
      "money",
      paint.bold(money(ours.cost)),
      `${money(theirs.cost)}${theirs.refused > 0 ? " *" : "  "}`,
    ]);
  return table(rows, { columns });
}

function verdict(
  { with: ours, without: theirs, window, model }: Played,
  { paint }: Page,
): string[] {
  const { cost: dearer = 0 } = ours;
  return present([
    theirs.refusedFrom !== undefined &&
      `Without Tidemark it would have ended at request ${theirs.refusedFrom}: "prompt is too long", ${tokens(window)} is all there is.`,
    theirs.refused > 0 &&
      theirs.cost !== undefined &&
      paint.dim("* what the whole history would cost, had a model with a window for it answered"),
    ours.cost === undefined && `No price is known for ${plain(model)}.`,
    theirs.cost !== undefined &&
      theirs.refused === 0 &&
      dearer > theirs.cost * 1.005 &&
      `Here Tidemark costs ${money(dearer - theirs.cost)} more: the history fits the window, and ${ours.cacheRead < theirs.cacheRead ? "each fold starts the cache anew" : "what it remembers is sent along"}.`,
  ]);
}

function foldLines({ steps, folds, limit, memoryCalls }: Played, { paint }: Page): string[] {
  const folded = steps.flatMap((step) => step.folded ?? []);
  const away = folded.reduce((sum, { before, after }) => sum + before - after, 0);
  const recovered = steps.filter((step) => step.recovered).length;
  const lands = folded.reduce((sum, { after }) => sum + after, 0) / folds / limit;
  const called =
    memoryCalls === 0 ? "asked no model" : `asked a model ${count(memoryCalls, "time")}`;
  return present([
    folds === 0
      ? "No fold was needed."
      : `${paint.magenta("▼")} ${count(folds, "fold")} took away ${tokens(away)} tokens, landed at ${percent(lands)} on average, ${called}.`,
    recovered > 0 && `${count(recovered, "request")} had to be made smaller after a refusal.`,
  ]);
}

function memories({ remembered, facts }: Played, page: Page): string[] {
  const { columns, paint } = page;
  if (remembered.length === 0) return ["Nothing was said that was worth remembering."];
  const top = remembered.slice(0, TOLD);
  const wide = readable(page);
  const whole = top.length === remembered.length;
  return present([
    titled(
      "What was remembered",
      `(${whole ? count(facts, "fact") : `the ${top.length} weightiest of ${count(facts, "fact")}`})`,
      page,
    ),
    top.flatMap(({ content, category, importance, origin }) => {
      const first = `  ${paint.dim(importance.toFixed(2))} ${isTrusted(origin) ? " " : paint.yellow("?")} `;
      const about = ` · ${fit(plain(category), Math.floor(wide / 2))}`;
      const lines = hung(first, plain(content), wide, 2);
      const last = lines.pop() ?? "";
      return [...lines, fit(last, wide - width(about)) + paint.dim(about)];
    }),
    top.some(({ origin }) => !isTrusted(origin)) &&
      hung(" ".repeat(AXIS), "? said by a tool: kept apart from what people said", columns).map(
        paint.dim,
      ),
  ]);
}

function footnotes(
  { notes, troubles, guessedModel, model, format }: Played,
  { columns, paint }: Page,
): string[] {
  const said = present([
    `Tokens are counted with the tokenizer o200k_base${format === "anthropic" ? "; Claude's own gives more for the same text" : ""}.`,
    guessedModel && `The file names no model: priced as ${plain(model)} (--model names another).`,
    notes.map((note) => `Note: ${plain(note)}.`),
  ]);
  const wide = readable({ columns });
  return [
    "",
    ...troubles
      .flatMap((trouble) => wrap(`! ${plain(trouble)}`, wide, 3))
      .map((line) => paint.yellow(line)),
    ...said.flatMap((line) => wrap(line, wide)).map(paint.dim),
  ];
}
