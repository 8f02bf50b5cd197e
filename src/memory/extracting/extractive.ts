import { breathe } from "../../core/base.ts";
import { QUOTED } from "../../core/memory.ts";
import { oneLine } from "../../core/text/cut.ts";
import { bareWords, fitting } from "../../core/text/sentences.ts";
import { estimateTokens } from "../../core/tokens/estimate.ts";
import { overturning } from "./corrections.ts";
import { type PartLine, partLines, renderParts, type SummaryPart } from "./instruction.ts";
import { answered, plain, recordOf } from "./outcomes.ts";
import { sayings } from "./statements.ts";
import type { Distiller, DistilTask, Fact } from "./task.ts";
import { readTranscript, type Turn } from "./transcript.ts";

/** Messages read in one go, before others have their turn. */
const PART = 400;
/** Facts of all other categories are rules. */
const PARTS: Readonly<Record<string, SummaryPart>> = {
  decision: "decisions",
  "open-request": "open",
  outcome: "done",
};
/** Tokens of all headings together, at most. */
const HEADS = 40;

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

/** The next session acts on these; they stand in the order in which they were said. */
export const factsFound = (
  turns: readonly Turn[],
  { factsFrom, record }: Pick<DistilTask, "factsFrom" | "record">,
  said: readonly Fact[] = [...sayings(turns), ...answered(turns)],
): Fact[] =>
  turns.length <= factsFrom
    ? []
    : [
        ...said.filter(({ from }) => from.some((index) => index >= factsFrom)),
        ...recordOf(turns, record),
      ];

/**
 * The story that a conversation needs to go on: asked, ruled, decided, done. It holds names and
 * figures where they stand in a sentence, never for their own sake. Of what does not fit the
 * weightiest stays, of the same weight the newest.
 */
function story(
  turns: readonly Turn[],
  said: readonly Fact[],
  { previous = "", summaryTokens }: Pick<DistilTask, "previous" | "summaryTokens">,
): string {
  const stood = partLines(previous);
  const told = [...said, ...recordOf(turns, { open: stood.find(isOpen)?.text })];
  const isAnew = told.some(({ category }) => category === "open-request");
  const last = turns.findLast(({ speaker, text }) => speaker === "assistant" && text !== "");
  const state = plain(last?.text.replace(/```[\s\S]*?(?:```|$)/g, " ") ?? "");
  const line = (part: SummaryPart, text: string, weight: number) => ({ part, text, weight });
  const lines = [
    // Open requests are told anew; where the work stood is history by now.
    ...stood
      .filter((one) => !isOpen(one) || !isAnew)
      .map(({ part, text }) => line(part === "state" ? "done" : part, text, 0.6)),
    ...turns
      .filter(({ speaker, asked }) => speaker === "user" && asked !== "")
      .map(({ asked }) => line("done", `Asked: ${fitting(oneLine(asked), 200)}`, 0.45)),
    ...told.map(({ content, category = "", importance }) =>
      line(PARTS[category] ?? "rules", bareWords(content), importance),
    ),
    line("state", fitting(oneLine(state), 360), 1),
  ];
  const kept = new Set([""]);
  let room = summaryTokens - HEADS;
  const weighty = lines.toReversed().sort((a, b) => b.weight - a.weight);
  const fit = new Set(
    weighty.filter(({ text }) => {
      const cost = estimateTokens(text) + 2;
      if (cost > room || kept.has(text)) return false;
      room -= cost;
      return kept.add(text);
    }),
  );
  return renderParts(lines.filter((one) => fit.has(one)));
}
const isOpen = ({ part }: PartLine): boolean => part === "open";
