// What survives when the extractive distiller folds the start of a real conversation, beside a baseline of its size.
//   npx node bench/extractive.ts [--files tuned|held-out|all]
// Transcripts lie outside the repository; TIDEMARK_DATA names another folder of them.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { anthropic } from "../src/dialect/anthropic/anthropic.ts";
import type { Dialect } from "../src/dialect/common/dialect.ts";
import { openaiChat } from "../src/dialect/openai/chat.ts";
import { extractive } from "../src/distil/extract/extractive.ts";
import type { Message } from "../src/model/request.ts";
import { estimateTokens } from "../src/tokens/estimate.ts";
import { baselines } from "./support/extractive-baselines.ts";
import { flatten, kept, namesUsed, requestTexts } from "./support/extractive-measure.ts";

const folder = process.env["TIDEMARK_DATA"] ?? "../shared/data/agents";
/** Looked at while the distiller was tuned. All others were held out until the figures were taken. */
const TUNED = [
  "claude-code-258c7280",
  "claude-code-short",
  "claude-code-sub-nt-a2898e3",
  "claude-code-sub-nt-aa84377",
  "claude-code-tool_hea",
  "swe-agent--1867-function_calling_replace-install-1",
  "tau-airline-task0-trial3",
  "tau-airline-task3-trial0",
  "tau-airline-task4-trial2",
];
const CUTS = [0.4, 0.6, 0.8];
const SHARES = [0.3, 0.1];
/** The tail a fold keeps: what is used only there needs no summary. */
const KEEP_LAST = 4;
/** Of the whole room, what the summary may take; facts, weightiest first, fill the rest. */
const SUMMARY_SHARE = 0.8;

const option = process.argv.indexOf("--files");
const wanted = option < 0 ? "all" : process.argv[option + 1];
const isTuned = (file: string) => TUNED.some((name) => file.startsWith(`${name}.`));
const files = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .filter((file) =>
    wanted === "tuned" ? isTuned(file) : wanted === "held-out" ? !isTuned(file) : true,
  )
  .sort();

interface Row {
  file: string;
  tuned: boolean;
  cut: number;
  share: number;
  way: string;
  names: number;
  namesKept: number;
  requests: number;
  requestsKept: number;
  tokens: number;
  budget: number;
  ms: number;
}
const rows: Row[] = [];

for (const file of files) {
  const read = JSON.parse(readFileSync(join(folder, file), "utf8")) as
    { messages?: Message[] } | Message[];
  const all = Array.isArray(read) ? read : (read.messages ?? []);
  const dialect: Dialect = file.includes(".openai.") ? openaiChat : anthropic;
  const messages = all.slice(dialect.preamble(all));
  const at = (cut: number) => {
    let seam = Math.max(1, Math.round(messages.length * cut));
    while (seam < messages.length && !dialect.opensTail(messages, seam)) seam += 1;
    return seam;
  };
  const seams = CUTS.map((cut) => [cut, at(cut)] as const).filter(
    ([, seam], index, list) =>
      seam + KEEP_LAST < messages.length && list.findIndex(([, other]) => other === seam) === index,
  );
  for (const share of SHARES) {
    let previous: string | undefined;
    let from = 0;
    for (const [cut, seam] of seams) {
      const prefix = messages.slice(0, seam);
      const tokens = estimateTokens(flatten(prefix, dialect));
      const budget = Math.round(tokens * share);
      const names = namesUsed(prefix, messages.slice(seam + KEEP_LAST), dialect);
      const requests = requestTexts(prefix, dialect);
      const note = (way: string, text: string, ms: number) =>
        rows.push({
          file,
          tuned: isTuned(file),
          cut,
          share,
          way,
          ...kept(text, names, requests),
          tokens: estimateTokens(text),
          budget,
          ms,
        });

      const run = async (
        way: string,
        range: readonly Message[],
        summaryTokens: number,
        older?: string,
      ) => {
        const started = performance.now();
        const { summary = "", facts } = await extractive({
          dialect,
          messages: range,
          factsFrom: 0,
          summaryTokens,
          signal: new AbortController().signal,
          ...(older === undefined ? {} : { previous: older }),
        });
        const ms = performance.now() - started;
        let text = summary;
        if (summaryTokens < budget)
          for (const { content } of [...facts].sort((a, b) => b.importance - a.importance)) {
            const more = `${text}\n${content}`;
            if (estimateTokens(more) <= budget) text = more;
          }
        note(way, text, ms);
        return summary;
      };
      await run("summary and facts", prefix, Math.floor(budget * SUMMARY_SHARE));
      await run("summary alone", prefix, budget);
      // Fold upon fold: the older summary and what came since, as a session does it.
      previous = await run("fold upon fold", messages.slice(from, seam), budget, previous);
      from = seam;
      for (const [way, text] of Object.entries(baselines(prefix, dialect, budget)))
        note(way, text, 0);
    }
  }
}

const mean = (values: readonly number[]) =>
  values.length === 0
    ? null
    : Math.round((1000 * values.reduce((sum, value) => sum + value, 0)) / values.length) / 1000;
function figures(chosen: readonly Row[]) {
  const named = chosen.filter(({ names }) => names > 0);
  const asked = chosen.filter(({ requests }) => requests > 0);
  const sum = (list: readonly Row[], member: "names" | "namesKept" | "requests" | "requestsKept") =>
    list.reduce((total, row) => total + row[member], 0);
  return {
    folds: chosen.length,
    identifiers: mean(named.map((row) => row.namesKept / row.names)),
    identifiersPooled: mean([sum(named, "namesKept") / sum(named, "names")]),
    requests: mean(asked.map((row) => row.requestsKept / row.requests)),
    requestsPooled: mean([sum(asked, "requestsKept") / sum(asked, "requests")]),
    fill: mean(chosen.map((row) => row.tokens / row.budget)),
    overBudget: chosen.filter((row) => row.tokens > row.budget).length,
    slowestMs: Math.round(Math.max(...chosen.map(({ ms }) => ms))),
  };
}
const results: Record<string, unknown> = {};
for (const group of ["all", "held-out", "tuned"] as const) {
  const chosen = rows.filter(({ tuned }) =>
    group === "all" ? true : tuned === (group === "tuned"),
  );
  if (chosen.length === 0) continue;
  results[group] = Object.fromEntries(
    SHARES.map((share) => [
      `folded to ${share * 100} %`,
      Object.fromEntries(
        [...new Set(rows.map(({ way }) => way))].map((way) => [
          way,
          figures(chosen.filter((row) => row.share === share && row.way === way)),
        ]),
      ),
    ]),
  );
}
for (const [group, shares] of Object.entries(results))
  for (const [share, ways] of Object.entries(shares as Record<string, Record<string, unknown>>)) {
    console.log(`\n${group}, ${share}`);
    console.table(ways);
  }
if (process.argv.includes("--rows"))
  console.table(
    rows.map(({ file, ...row }) => ({ file: file.slice(0, 34), ...row, ms: Math.round(row.ms) })),
  );

if (wanted === "all" && process.env["TIDEMARK_DATA"] === undefined)
  writeFileSync(
    "bench/results/extractive.json",
    `${JSON.stringify(
      {
        command: "npx node bench/extractive.ts",
        data: "../shared/data/agents, cut after 40, 60 and 80 % of the messages (moved on to the next seam), the prefix folded",
        identifiers:
          "share of the identifiers of the prefix used again (by user, assistant or in a call's input) later than the four messages kept, that stand whole in the output",
        requests:
          "share of user messages with at least 80 % of their distinct content words, or all of their identifiers, in the output",
        mean: "identifiers, requests: mean over folds; …Pooled: all counts together",
        rule: "all ways have the same room (share of the prefix in estimated tokens); 'summary and facts' gives the summary 80 % of it and facts, weightiest first, the rest",
        heldOut: "files not looked at while tuning: all but those listed under tunedOn",
        tunedOn: TUNED,
        results,
      },
      null,
      2,
    )}\n`,
  );
