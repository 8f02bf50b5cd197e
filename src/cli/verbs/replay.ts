import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { present } from "../../core/base.ts";
import { isTrusted } from "../../core/memory.ts";
import { readTokens } from "../../core/request.ts";
import { marksOf } from "../../session/options/save-and-fold-marks.ts";
import { Failure, lineOf, type Verb } from "../input/flags.ts";
import { fit, paint, plain, table, titled } from "../render/layout.ts";
import { count, money, percent, tokens } from "../render/numbers.ts";
import { play, type Played, type PlayStep } from "../replay/play.ts";
import { heldAt } from "../transcripts/held.ts";

/** One request as it was sent: how much of the limit it filled, and what happened before. */
export type Sample = Pick<PlayStep, "level" | "flushed" | "folded">;

const BARS = "▁▂▃▄▅▆▇█";
const CHART_WIDTH = 70;

/** The water level over the requests of a conversation, in eighths of the limit. */
export function chart(samples: readonly Sample[]): string[] {
  const marks = marksOf();
  const room = Math.min(CHART_WIDTH, samples.length);
  const place = (at: number): number => Math.floor((at * samples.length) / room);
  // Where there is no room for each: the highest of a stretch, and all that happened in it.
  const points = Array.from({ length: room }, (_, at) => samples.slice(place(at), place(at + 1)));
  const event = (part: readonly Sample[]): string => {
    if (part.some(({ folded }) => folded)) return paint.magenta("▼");
    return part.some(({ flushed }) => flushed) ? paint.green("F") : " ";
  };
  const bar = (part: readonly Sample[]): string => {
    const level = Math.max(...part.map((one) => one.level));
    const calm = level >= marks.compact ? paint.yellow : paint.cyan;
    const eighth = Math.max(1, Math.min(BARS.length, Math.round(level * BARS.length)));
    return (level >= marks.brim ? paint.red : calm)(BARS.charAt(eighth - 1));
  };
  return [points.map(event), points.map(bar)].map((line) => CHART_INDENT + line.join("").trimEnd());
}

const MEMORIES_SHOWN = 10;
const FOLDS_SHOWN = 12;
const CHART_INDENT = " ".repeat(7);
/** Columns of a memory's text: some two lines. */
const LONGEST_SHOWN = 170;

/** One played conversation as a person reads it. */
function report(played: Played): string[] {
  const { file, messages, steps, window, limit, model, format } = played;
  const provider = format === "anthropic" ? "Anthropic" : "OpenAI";
  return [
    paint.bold(plain(basename(file))),
    paint.dim(
      `${count(messages, "message")}, ${provider} · ${count(steps.length, "request")} · ` +
        `window ${tokens(window)}, limit ${tokens(limit)} · ${plain(model)}`,
    ),
    "",
    ...chart(steps),
    `${CHART_INDENT}requests 1 to ${steps.length}:  ${paint.cyan("█")} share of the limit  ` +
      `${paint.magenta("▼")} fold  ${paint.green("F")} facts saved`,
    "",
    ...figures(played),
    "",
    ...foldLines(played),
    "",
    ...memories(played),
    ...footnotes(played),
  ];
}

function figures({ usage, dollars, steps, refused, window, unfolded, model }: Played): string[] {
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

function foldLines({ steps }: Played): string[] {
  const folded = steps.flatMap(({ request, folded: fold }) => (fold ? [{ request, ...fold }] : []));
  if (folded.length === 0) return ["No fold was needed."];
  const more = folded.length - FOLDS_SHOWN;
  return present([
    paint.bold(count(folded.length, "fold")),
    folded
      .slice(0, FOLDS_SHOWN)
      .map(
        ({ request, messages, before, after }) =>
          `  ${paint.magenta("▼")} request ${request}: ${count(messages, "message")}, ` +
          `${tokens(before)} → ${tokens(after)} tokens`,
      ),
    more > 0 && paint.dim(`  … and ${more} more; --json has all`),
  ]);
}

function memories({ remembered }: Played): string[] {
  if (remembered.length === 0) return ["Nothing was said that was worth remembering."];
  const top = remembered.slice(0, MEMORIES_SHOWN);
  const all = count(remembered.length, "fact");
  return present([
    titled("What was remembered", `(the ${top.length} weightiest of ${all})`),
    top.map(({ content, importance, origin }) => {
      const doubt = isTrusted(origin) ? " " : paint.yellow("?");
      const text = fit(plain(content), LONGEST_SHOWN);
      return `  ${paint.dim(importance.toFixed(2))} ${doubt} ${text}`;
    }),
    top.some(({ origin }) => !isTrusted(origin)) &&
      paint.dim(`${CHART_INDENT}? said by a tool: kept apart from what people said`),
  ]);
}

function footnotes({ notes, troubles, format }: Played): string[] {
  const more = format === "anthropic" ? "; Claude's own gives more for the same text" : "";
  return [
    "",
    ...troubles.map((one) => paint.yellow(`! ${plain(one)}`)),
    paint.dim(`Tokens are counted with the tokenizer o200k_base${more}.`),
    ...notes.map((note) => paint.dim(`Note: ${plain(note)}.`)),
  ];
}

/** Plays conversations that were had through Tidemark, and shows what it would have done. */
export const replay: Verb = {
  says: "play a saved conversation: folds, tokens, cost",
  takes: "FILE…",
  words: "some",
  flags: {
    window: { takes: "N", says: "the window to play at: 16k, 200k, 1m (default: the model's)" },
    model: { takes: "NAME", says: "count and price as this model (default: the file's own)" },
  },
  examples: [
    "tidemark replay session.jsonl --window 200k",
    "tidemark replay conversation.json --window 16k --workspace ./replayed",
    "tidemark replay logs/*.jsonl --json > figures.json",
  ],
  async run(given, io) {
    if (io.env.TIDEMARK === "off")
      throw new Failure("TIDEMARK=off is set, so nothing would be folded; unset it to replay.");
    const { identity, place } = given;
    const game = { ...place, identity, model: given.text("model"), window: given.tokens("window") };
    const kept = given.text("workspace");
    const home = kept ?? mkdtempSync(join(tmpdir(), "tidemark-replay-"));
    const clear = (): void => {
      if (kept === undefined) rmSync(home, { recursive: true, force: true });
    };
    const stop = (): never => process.exit(130);
    process.once("exit", clear).once("SIGINT", stop);
    const conversations: Played[] = [];
    const failed: { file: string; error: string }[] = [];
    for (const [nth, file] of given.words.entries()) {
      const workspace = kept ?? join(home, `${nth}`);
      const before = conversations.length;
      try {
        for await (const one of heldAt(file, identity)) {
          if ("wrong" in one) io.warn(`tidemark: ${plain(one.wrong)}`);
          if (!("conversation" in one)) continue;
          const played = await play(one.conversation, { ...game, workspace, file });
          conversations.push(played);
          if (!given.on("json")) [...report(played), ""].forEach(io.say);
        }
        if (conversations.length === before)
          throw new Failure(`${file}: no conversation is in it that could be played.`);
      } catch (thrown) {
        const error = lineOf(thrown);
        failed.push({ file, error });
        io.warn(`tidemark: ${error.startsWith(file) ? error : `${file}: ${error}`}`);
      }
    }
    clear();
    process.off("exit", clear).off("SIGINT", stop);
    const end =
      kept === undefined
        ? "Played in a folder that is gone again; --workspace DIR keeps it."
        : `Kept in ${kept}; "tidemark recall" and "tidemark search" look into it.`;
    return {
      found: { conversations, failed },
      lines: conversations.length > 0 ? [paint.dim(end)] : [],
      code: failed.length > 0 ? 1 : 0,
    };
  },
};
