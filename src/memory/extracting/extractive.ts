import { breathe } from "../../core/base.ts";
import { QUOTED } from "../../core/memory.ts";
import { oneLine } from "../../core/text/cut.ts";
import { bareWords, fitting } from "../../core/text/sentences.ts";
import { estimateTokens } from "../../core/tokens/estimate.ts";
import { overturning } from "./corrections.ts";
import { type PartLine, partLines, renderParts, type SummaryPart } from "./instruction.ts";
import { answered, recordOf } from "./outcomes.ts";
import { sayings } from "./statements.ts";
import type { Distiller, DistilTask, Fact } from "./task.ts";
import { readTranscript, type Turn } from "./transcript.ts";

/** Messages read in one go, before others have their turn. */
const PART = 400;

/**
 * The distiller without a model: the same input always gives the same facts and summary, in time
 * linear in the text. It quotes and never rewords, so what it keeps is true as far as it was said.
 */
export const extractive: Distiller = async (task) => {
  const { messages, dialect, known = [] } = task;
  const turns: Turn[] = [];
  const told: Fact[] = [];
  for (let from = 0; from < messages.length; from += PART) {
    await breathe();
    task.signal.throwIfAborted();
    const part = readTranscript(messages.slice(from, from + PART), dialect, from);
    await breathe();
    turns.push(...part);
    told.push(...sayings(part), ...answered(part));
  }
  const said = [...told, ...overturning(turns, told, known)];
  await breathe();
  const facts = factsFound(turns, task, said).map((fact) => ({ ...fact, tags: [QUOTED] }));
  return { facts, summary: story(turns, said, task), by: "extractive" };
};

/** Of ten messages one line at most. */
const SHARE = 0.1;
const LEAST_LINES = 6;

/** The weightiest facts the next session would act on, in the order in which they were said. */
export function factsFound(
  turns: readonly Turn[],
  { factsFrom, record }: Pick<DistilTask, "factsFrom" | "record">,
  said: readonly Fact[] = [...sayings(turns), ...answered(turns)],
): Fact[] {
  if (turns.length <= factsFrom) return [];
  const most = Math.max(LEAST_LINES, Math.ceil((turns.length - factsFrom) * SHARE));
  const fresh = said.filter(({ from }) => from.some((index) => index >= factsFrom));
  const weighty = fresh.toReversed().sort((a, b) => b.importance - a.importance);
  const kept = new Set(weighty.slice(0, most));
  return [...fresh.filter((fact) => kept.has(fact)), ...recordOf(turns, record)];
}

/** Facts of all other categories are rules. */
const PARTS: Readonly<Record<string, SummaryPart>> = {
  decision: "decisions",
  "open-request": "open",
  outcome: "done",
};
/** Tokens of all headings together, at most. */
const HEADS = 40;

/**
 * What the conversation needs to go on, as a story: asked, ruled, decided, done. It holds names and
 * figures where they stand in a sentence, never for their own sake. Of what does not fit the
 * weightiest stays, of the same weight the newest.
 */
function story(
  turns: readonly Turn[],
  said: readonly Fact[],
  { previous = "", summaryTokens }: Pick<DistilTask, "previous" | "summaryTokens">,
): string {
  const stood = partLines(previous);
  const records = recordOf(turns, { open: stood.find(({ part }) => part === "open")?.text });
  const isOpen = records.some(({ category }) => category === "open-request");
  const last = turns.findLast(({ speaker, text }) => speaker === "assistant" && text !== "");
  const state = last?.text.replace(/```[\s\S]*?(?:```|$)|[*#`>|]+|-{3,}/g, " ") ?? "";
  const line = (part: SummaryPart, text: string, value: number, at: number) => ({
    ...{ part, text: oneLine(bareWords(text)), at },
    value: value + (0.15 * at) / Math.max(1, turns.length),
  });
  const lines = [
    // Open requests are told anew; where the work stood is history by now.
    ...stood
      .filter(({ part }) => part !== "open" || !isOpen)
      .map(({ part, text }, at) =>
        line(part === "state" ? "done" : part, text, 0.6, at - stood.length),
      ),
    ...[...said, ...records].map(({ content, category = "", importance, from: [at = 0] }) =>
      line(PARTS[category] ?? "rules", content, importance, at),
    ),
    ...turns
      .filter(({ speaker, asked }) => speaker === "user" && asked !== "")
      .map(({ asked, index }) =>
        line("done", `Asked: ${fitting(oneLine(asked), 200)}`, 0.45, index),
      ),
    line("state", fitting(oneLine(state), 360), 1.8, turns.length),
  ];
  const kept = new Map<string, PartLine & { readonly at: number }>();
  let room = summaryTokens - HEADS;
  for (const one of lines.sort((a, b) => b.value - a.value || b.at - a.at)) {
    const cost = estimateTokens(one.text) + 2;
    if (one.text === "" || cost > room || kept.has(one.text)) continue;
    room -= cost;
    kept.set(one.text, one);
  }
  return renderParts([...kept.values()].sort((a, b) => a.at - b.at));
}
