import { basename } from "node:path";
import { present } from "../../base/guards.ts";
import { isTrusted } from "../../model/memory.ts";
import { readTokens } from "../../model/ports.ts";
import { marksOf } from "../../window/limits-and-marks.ts";
import { chart } from "../render/chart.ts";
import { hung, type TextPage, plain, readable, table, titled, wrap } from "../render/layout.ts";
import { count, money, percent, tokens } from "../render/numbers.ts";
import type { Played } from "./play.ts";

const MEMORIES_SHOWN = 10;
const FOLDS_SHOWN = 12;
const CHART_INDENT = " ".repeat(7);

/** One played conversation as a person reads it. */
export function report(played: Played, page: TextPage): string[] {
  const { paint, columns } = page;
  const { file, messages, steps, window, limit, model, format } = played;
  const provider = format === "anthropic" ? "Anthropic" : "OpenAI";
  const sizes = `window ${tokens(window)}, limit ${tokens(limit)} · ${plain(model)}`;
  const about = `${count(messages, "message")}, ${provider} · ${count(steps.length, "request")}`;
  return [
    ...wrap(plain(basename(file)), columns).map(paint.bold),
    ...wrap(`${about} · ${sizes}`, columns).map(paint.dim),
    "",
    ...water(played, page),
    "",
    ...figures(played, page),
    "",
    ...foldLines(played, page),
    "",
    ...memories(played, page),
    ...footnotes(played, page),
  ];
}

function water({ steps }: Played, { columns, paint }: TextPage): string[] {
  const samples = steps.map(({ came, level, flushed, folded }) => ({
    came,
    sent: level,
    flushed,
    folded: folded !== undefined,
  }));
  const legend = [
    `requests 1 to ${steps.length}:`,
    `${paint.cyan("█")} sent`,
    `${paint.dim("░")} folded away`,
    `${paint.magenta("▼")} fold`,
    `${paint.green("F")} facts saved`,
  ];
  return [
    ...chart(samples, { columns, marks: marksOf(), paint }),
    ...hung(CHART_INDENT, legend.join("  "), columns),
  ];
}

function figures(
  { usage, dollars, steps, refused, window, unfolded, model }: Played,
  page: TextPage,
) {
  const { paint, columns } = page;
  const read = readTokens(usage);
  const largest = Math.max(...steps.map((step) => step.tokens));
  return table(
    [
      ["largest request", `${tokens(largest)} of ${tokens(window)}`],
      ...(refused > 0 ? [["over the window", paint.red(`${refused}`)]] : []),
      ["last request, nothing folded", tokens(unfolded)],
      ["tokens read", tokens(read)],
      ["  from the prompt cache", percent(usage.cacheRead / Math.max(1, read))],
      ["tokens written", tokens(usage.output)],
      ["money", dollars === undefined ? `no price for ${plain(model)}` : money(dollars)],
    ],
    { columns },
  );
}

function foldLines({ steps }: Played, { paint, columns }: TextPage): string[] {
  const folded = steps.flatMap(({ request, folded: fold }) => (fold ? [{ request, ...fold }] : []));
  if (folded.length === 0) return ["No fold was needed."];
  const shown = folded.slice(0, FOLDS_SHOWN).flatMap(({ request, messages, before, after }) => {
    const freed = `${tokens(before)} → ${tokens(after)} tokens`;
    const text = `request ${request}: ${count(messages, "message")}, ${freed}`;
    return hung(`  ${paint.magenta("▼")} `, text, columns);
  });
  const more = folded.length - FOLDS_SHOWN;
  return present([
    paint.bold(count(folded.length, "fold")),
    shown,
    more > 0 && paint.dim(`  … and ${more} more; --json has all`),
  ]);
}

function memories({ remembered }: Played, page: TextPage): string[] {
  const { paint } = page;
  if (remembered.length === 0) return ["Nothing was said that was worth remembering."];
  const top = remembered.slice(0, MEMORIES_SHOWN);
  const all = count(remembered.length, "fact");
  const wide = readable(page);
  return present([
    titled("What was remembered", `(the ${top.length} weightiest of ${all})`, page),
    top.flatMap(({ content, importance, origin }) => {
      const doubt = isTrusted(origin) ? " " : paint.yellow("?");
      return hung(`  ${paint.dim(importance.toFixed(2))} ${doubt} `, plain(content), wide, 2);
    }),
    top.some(({ origin }) => !isTrusted(origin)) &&
      hung(CHART_INDENT, "? said by a tool: kept apart from what people said", wide).map(paint.dim),
  ]);
}

function footnotes({ notes, troubles, format }: Played, page: TextPage): string[] {
  const { paint } = page;
  const wide = readable(page);
  const more = format === "anthropic" ? "; Claude's own gives more for the same text" : "";
  const said = present([
    `Tokens are counted with the tokenizer o200k_base${more}.`,
    notes.map((note) => `Note: ${plain(note)}.`),
  ]);
  return [
    "",
    ...troubles.flatMap((one) => wrap(`! ${plain(one)}`, wide, 3)).map(paint.yellow),
    ...said.flatMap((line) => wrap(line, wide)).map(paint.dim),
  ];
}
