import { UsageError, shortId, type Verb } from "../input/flags.ts";
import { conversationNamed } from "./conversations.ts";
import { opened } from "../input/workspace-of-verb.ts";
import { paint, plain, table } from "../render/layout.ts";
import { money, percent, tokens } from "../render/numbers.ts";
import { minuteOf } from "../../core/memory.ts";
import type { StatsOptions, TurnSums } from "../../session/options/history-api.ts";

const HEAD = ["ended", "level", "mark", "read", "cached", "written", "cost", "ms", "fold"];

/** What each of the last hundred turns of a conversation was, the latest first. */
export const turns: Verb = {
  says: "what each turn of a conversation was: size, tokens, money, memories",
  takes: "CONVERSATION",
  examples: ["tidemark turns 1a2b3c4", "tidemark turns desk --json"],
  run: opened(async ({ history }, given) => {
    const found = await history.turns(await conversationNamed(history, given.line));
    const rows = found.map((turn) => [
      ...[minuteOf(turn.at), percent(turn.used / turn.limit), turn.mark, tokens(turn.read)],
      ...[tokens(turn.cached), tokens(turn.written), cost(turn.dollars), String(turn.ms)],
      ...[turn.fold === undefined ? "" : shortId(turn.fold), String(turn.told.length)],
      String(turn.recalled.length),
    ]);
    const lines =
      rows.length === 0
        ? ["No turn of it has ended yet."]
        : table([[...HEAD, "told", "recalled"].map(paint.dim), ...rows], 2);
    return { found, lines };
  }),
};

const cost = (dollars: number | undefined): string =>
  dollars === undefined ? "?" : money(dollars);

const BY = ["day", "model", "conversation"] as const;

export const SUMS: NonNullable<Verb["flags"]> = {
  since: { takes: "DAY", says: "sums of the turns from a day on, such as 2026-11-01" },
  by: { takes: "WHAT", says: "sums of turns by day, model or conversation" },
};

/** Undefined where no sums are asked for. */
export function sumsAsked({ read, text }: Parameters<Verb["run"]>[0]): StatsOptions | undefined {
  const by = read("by", "day, model or conversation", (word) => BY.find((one) => one === word), BY);
  const since = text("since");
  const at = since === undefined ? 0 : Date.parse(`${since}T00:00`);
  if (Number.isNaN(at)) throw new UsageError(`--since takes a day, such as 2026-11-01.`);
  return by === undefined && since === undefined ? undefined : { since: at, by: by ?? "day" };
}

export const sumLines = (sums: readonly TurnSums[]): string[] =>
  table(
    [
      ["", "turns", "read", "cached", "written", "cost", "folds", "ms"].map(paint.dim),
      ...sums.map(({ name, turns: count, dollars, folds, ms, ...sum }) => [
        ...[plain(name === "" ? "no model" : name), String(count), tokens(sum.read)],
        ...[tokens(sum.cached), tokens(sum.written), money(dollars), String(folds), String(ms)],
      ]),
    ],
    2,
  );
