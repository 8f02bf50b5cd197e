import { breathe } from "../../core/base.ts";
import { QUOTED } from "../../core/memory.ts";
import { oneLine } from "../../core/text/cut.ts";
import { bareWords, contentWords, fitting } from "../../core/text/sentences.ts";
import { estimateTokens } from "../../core/tokens/estimate.ts";
import { type PartLine, partLines, renderParts, type SummaryPart } from "./instruction.ts";
import { answered, recordOf } from "./outcomes.ts";
import type { Distiller, DistilTask, Fact } from "./task.ts";
import { isWork, readTranscript, subjectOf, type Turn, worked, writes } from "./transcript.ts";
import { sayings } from "./statements.ts";

/** Messages read in one go, before others have their turn. */
const PART = 400;

/**
 * The distiller without a model: the same input always gives the same facts and summary, in time
 * linear in the text. It quotes and never rewords, so what it keeps is true as far as it was said.
 */
export const extractive: Distiller = async (task) => {
  const { messages, dialect, previous = "", summaryTokens } = task;
  const turns: Turn[] = [];
  const said: Fact[] = [];
  for (let from = 0; from < messages.length; from += PART) {
    await breathe();
    task.signal.throwIfAborted();
    const part = readTranscript(messages.slice(from, from + PART), dialect, from);
    await breathe();
    turns.push(...part);
    said.push(...sayings(part), ...answered(part));
  }
  await breathe();
  const facts = factsFound(turns, task, said).map((fact) => ({ ...fact, tags: [QUOTED] }));
  const summary = summaryTokens <= 0 ? "" : story(turns, said, { previous, summaryTokens });
  return { facts, summary, by: "extractive" };
};

/** Of a hundred messages so many lines at most: people say more of themselves without tools. */
const SHARE = { chat: 0.15, work: 0.07 } as const;
const LEAST_LINES = 6;
/** Share of distinct words two facts have in common from which they count as one. */
const SAME = 0.75;

/** The weightiest facts the next session would act on, none that says what another says. */
export function factsFound(
  turns: readonly Turn[],
  { factsFrom, record }: Pick<DistilTask, "factsFrom" | "record">,
  said: readonly Fact[] = [...sayings(turns), ...answered(turns)],
): Fact[] {
  const share = isWork(turns) ? SHARE.work : SHARE.chat;
  const most = Math.max(LEAST_LINES, Math.ceil((turns.length - factsFrom) * share));
  const inTurn = said
    .map((fact, at) => ({ fact, at, words: new Set(contentWords(fact.content)) }))
    .filter(({ fact }) => fact.from.some((index) => index >= factsFrom))
    .sort((a, b) => b.fact.importance - a.fact.importance || b.at - a.at);
  const kept: typeof inTurn = [];
  for (const one of inTurn) {
    const isSaid = kept.some(({ words }) => {
      const shared = words.intersection(one.words).size;
      return shared >= SAME * Math.max(1, words.size + one.words.size - shared);
    });
    if (!isSaid && kept.length < most) kept.push(one);
  }
  const facts = kept.sort((a, b) => a.at - b.at).map(({ fact }) => fact);
  return turns.length <= factsFrom ? [] : [...facts, ...recordOf(turns, record)];
}

const FILES = 12;
const ASKED = 200;
const SAID = 360;
/** A line that competes for room: `value` decides which stay, `at` in which order they stand. */
interface StoryLine extends PartLine {
  readonly value: number;
  readonly at: number;
}
/** Facts of all other categories are rules. */
const PARTS: Readonly<Record<string, SummaryPart>> = {
  decision: "decisions",
  "open-request": "open",
  outcome: "done",
};

/**
 * What the conversation needs to go on, as a story: asked, ruled, decided, tried, done. It holds
 * names and figures where they stand in a sentence, never for their own sake.
 */
function story(
  turns: readonly Turn[],
  said: readonly Fact[],
  { previous, summaryTokens }: Required<Pick<DistilTask, "previous" | "summaryTokens">>,
): string {
  const stood = partLines(previous);
  const open = stood.find(({ part }) => part === "open")?.text;
  const records = recordOf(turns, { open });
  const line = (part: SummaryPart, text: string, value: number, at = turns.length): StoryLine => ({
    ...{ part, text: oneLine(bareWords(text)), at },
    value: value + (0.15 * at) / Math.max(1, turns.length),
  });
  const last = turns.findLast(({ speaker, text }) => speaker === "assistant" && text !== "");
  const state = last?.text.replace(/```[\s\S]*?(?:```|$)|[*#`>|]+|-{3,}/g, " ") ?? "";
  const made = turns.flatMap(({ steps }) => steps.filter((step) => worked(step) && writes(step)));
  const files = [...new Set(made.flatMap((step) => subjectOf(step) ?? []))];
  const lines = [
    // Open requests are told anew; where the work stood is history by now.
    ...stood.flatMap(({ part, text }, at): StoryLine[] =>
      part === "open" && records.some(({ category }) => category === "open-request")
        ? []
        : [line(part === "state" ? "done" : part, text, 0.6, at - stood.length)],
    ),
    ...[...said, ...records].map(({ content, category = "", importance, from }) =>
      line(PARTS[category] ?? "rules", content, importance, from[0]),
    ),
    ...turns.flatMap(({ speaker, asked, index }) =>
      speaker !== "user" || asked === ""
        ? []
        : [line("done", `Asked: ${fitting(oneLine(asked), ASKED)}`, 0.45, index)],
    ),
    line("done", files.length === 0 ? "" : `Files changed: ${files.slice(-FILES).join(", ")}`, 0.7),
    line("state", fitting(oneLine(state), SAID), 1.8),
  ];
  return within(lines, summaryTokens);
}

/** Tokens of all headings together, at most. */
const HEADS = 40;

/** The weightiest lines that fit, each once, in their parts and in the order in which they came. */
function within(lines: readonly StoryLine[], tokens: number): string {
  const kept = new Map<string, StoryLine>();
  let room = tokens - HEADS;
  for (const line of [...lines].sort((a, b) => b.value - a.value || b.at - a.at)) {
    const cost = estimateTokens(line.text) + 2;
    if (line.text === "" || cost > room || kept.has(line.text.toLowerCase())) continue;
    room -= cost;
    kept.set(line.text.toLowerCase(), line);
  }
  return renderParts([...kept.values()].sort((a, b) => a.at - b.at));
}
