import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { present } from "../../core/base.ts";
import { isTrusted } from "../../core/memory.ts";
import { readTokens } from "../../core/request.ts";
import { marksOf } from "../../session/options/marks-and-usage.ts";
import { Failure, lineOf, type Verb } from "../input/flags.ts";
import {
  fit,
  hung,
  plain,
  readable,
  table,
  type TextPage,
  titled,
  wrap,
} from "../render/layout.ts";
import { count, money, percent, tokens } from "../render/numbers.ts";
import { play, type Played } from "../replay/play.ts";
import { readConversations } from "../transcripts/read.ts";

/** One request as it was sent: how much of the limit it filled, and what happened before. */
export interface Sample {
  readonly level: number;
  readonly flushed: boolean;
  readonly folded: boolean;
}

const BARS = "▁▂▃▄▅▆▇█";
const CHART_WIDTH = 70;

/** The water level over the requests of a conversation, in eighths of the limit. */
export function chart(samples: readonly Sample[], { paint }: Pick<TextPage, "paint">): string[] {
  const marks = marksOf();
  const points = squeezed(samples, Math.min(CHART_WIDTH, samples.length));
  const event = ({ folded, flushed }: Sample): string =>
    folded ? paint.magenta("▼") : paint.green(flushed ? "F" : " ");
  const bar = ({ level }: Sample): string => {
    const calm = level >= marks.compact ? paint.yellow : paint.cyan;
    const eighth = Math.max(1, Math.min(BARS.length, Math.round(level * BARS.length)));
    return (level >= marks.brim ? paint.red : calm)(BARS.charAt(eighth - 1));
  };
  return [points.map(event).join("").trimEnd(), points.map(bar).join("")].map(
    (line) => CHART_INDENT + line,
  );
}

/**
 * As many points as there is room for: the highest level of each stretch, and all that happened in
 * it.
 */
function squeezed(samples: readonly Sample[], room: number): Sample[] {
  return Array.from({ length: room }, (_, index) => {
    const part = samples.slice(
      Math.floor((index * samples.length) / room),
      Math.floor(((index + 1) * samples.length) / room),
    );
    return {
      level: Math.max(...part.map(({ level }) => level)),
      flushed: part.some(({ flushed }) => flushed),
      folded: part.some(({ folded }) => folded),
    };
  });
}

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
  const samples = steps.map(({ level, flushed, folded }) => ({
    ...{ level, flushed, folded: folded !== undefined },
  }));
  const legend = [
    `requests 1 to ${steps.length}:`,
    `${paint.cyan("█")} share of the limit`,
    `${paint.magenta("▼")} fold`,
    `${paint.green("F")} facts saved`,
  ];
  return [...chart(samples, { paint }), ...hung(CHART_INDENT, legend.join("  "), columns)];
}

function figures(
  { usage, dollars, steps, refused, window, unfolded, model }: Played,
  { paint }: TextPage,
) {
  const read = readTokens(usage);
  const largest = Math.max(...steps.map((step) => step.tokens));
  return table([
    ["largest request", `${tokens(largest)} of ${tokens(window)}`],
    ...(refused > 0 ? [["over the window", paint.red(`${refused}`)]] : []),
    ["last request, nothing folded", tokens(unfolded)],
    ["tokens read", tokens(read)],
    ["  from the prompt cache", percent(usage.cacheRead / Math.max(1, read))],
    ["tokens written", tokens(usage.output)],
    ["money", dollars === undefined ? `no price for ${fit(plain(model), 40)}` : money(dollars)],
  ]);
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

/** Plays conversations that were had through Tidemark, and shows what it would have done. */
export const replay: Verb = {
  flags: {
    window: { takes: "N", says: "the window to play at: 16k, 200k, 1m (default: the model's)" },
    model: { takes: "NAME", says: "count and price as this model (default: the file's own)" },
    branches: { says: "play what was dropped by a rewind, too" },
  },
  needs: "a file",
  examples: [
    "tidemark replay session.jsonl --window 200k",
    "tidemark replay conversation.json --window 16k --workspace ./replayed",
    "tidemark replay logs/*.jsonl --json > figures.json",
  ],
  async run(given, io) {
    if (io.env.TIDEMARK === "off")
      throw new Failure("TIDEMARK=off is set, so nothing would be folded; unset it to replay.");
    const kept = given.text("workspace");
    const settings = {
      identity: given.identity,
      model: given.text("model"),
      window: given.tokens("window"),
    };
    const stop = (): never => process.exit(130);
    process.once("SIGINT", stop);
    const conversations: Played[] = [];
    const failed: { file: string; error: string }[] = [];
    for (const file of given.words) {
      const workspace = kept ?? mkdtempSync(join(tmpdir(), "tidemark-replay-"));
      const clear = (): void => {
        if (kept === undefined) rmSync(workspace, { recursive: true, force: true });
      };
      process.once("exit", clear);
      try {
        for (const one of readConversations(file, given.on("branches"))) {
          const played = await play(one, { ...settings, ...given.place, workspace, file });
          conversations.push(played);
          if (!given.on("json")) for (const line of [...report(played, io), ""]) io.say(line);
        }
      } catch (thrown) {
        const error = lineOf(thrown);
        failed.push({ file, error });
        io.warn(`tidemark: ${error.startsWith(file) ? error : `${file}: ${error}`}`);
      } finally {
        clear();
        process.off("exit", clear);
      }
    }
    process.off("SIGINT", stop);
    const end =
      kept === undefined
        ? "Played in a folder that is gone again; --workspace DIR keeps it."
        : `Kept in ${kept}; "tidemark recall" and "tidemark search" look into it.`;
    return {
      found: { conversations, failed },
      lines: conversations.length > 0 ? [io.paint.dim(end)] : [],
      code: failed.length > 0 ? 1 : 0,
    };
  },
};
