import { type Usage } from "../model/ports.ts";
import { clip, oneLine } from "../text/one-line.ts";
import { saying } from "../text/says.ts";
import { bareWords, withoutSpeaker } from "../text/speaker.ts";
import { estimateTokens } from "../tokens/estimate.ts";
import { type Distilled, type DistilTask, type Fact } from "./distiller.ts";
import { factsFound } from "./extract/found.ts";
import { readTranscript } from "./extract/transcript.ts";
import { meanings } from "./cues/read.ts";
import { type Part, partLines, renderParts } from "./headings.ts";

/** A summary made again, with what was missing named to the model. Undefined: no usable answer came. */
export type Again = (missing: readonly string[]) => Promise<{ summary: string; usage?: Usage } | undefined>;
type Point = Pick<Fact, "content" | "category">;
type Whole = Distilled & { readonly summary: string };

/** What a summary may go over its bound. */
const OVER = 1.25;
/** Another call is worth it for so many points; fewer are copied into the summary by code. */
const WORTH_A_CALL = 4;
const NAMED = 240;
/** Share of a point's words that one line must hold to say it. */
const SAYS = 0.5;

const PARTS: Readonly<Record<string, Part>> = { "open-request": "open", principle: "rules", correction: "rules" };

/**
 * A model's word is final: code adds no fact beside it but what the user asked in so many words to
 * remember. Rules, corrections and open requests that it missed are named to it once, and what is
 * still missing stands in the summary.
 */
export async function withoutGaps(task: DistilTask, first: Whole, again?: Again): Promise<Whole> {
  task.answered?.();
  const found = factsFound(readTranscript(task.messages, task.dialect), { messages: task.messages, factsFrom: 0 });
  const points: Point[] = found.filter(({ category = "" }) => PARTS[category] !== undefined);
  const facts = [...first.facts, ...toRemember(found, task, first.facts)];
  const told = facts.map(({ content }) => content);
  if (task.lasting !== true) return { ...first, facts };
  let { summary, usage } = first;
  let lost = missing(points, summary, told);
  if (again !== undefined && task.hurry?.aborted !== true && lost.length >= WORTH_A_CALL) {
    const second = await again(lost.map(({ content }) => clip(oneLine(content), NAMED)));
    usage = sum(usage, second?.usage);
    const left = second === undefined ? lost : missing(points, second.summary, told);
    if (second !== undefined && left.length < lost.length) [summary, lost] = [second.summary, left];
  }
  const most = Math.floor(task.summaryTokens * OVER);
  // What the last summary had is copied, and no reason for a call.
  lost.unshift(...missing(stoodBefore(task), summary, told));
  return { ...first, facts, summary: filled(shortened(summary, most), lost, most), ...(usage === undefined ? {} : { usage }) };
}

/** Rules of the last summary: they hold until the user takes them back. */
const stoodBefore = ({ previous = "" }: DistilTask): Point[] =>
  partLines(previous).flatMap(({ part, text }) => (part === "rules" ? [{ content: text, category: "principle" }] : []));

/** What the user asked to remember, in the user's sentence, where no fact of the model says it. */
const toRemember = (found: readonly Fact[], { factsFrom }: DistilTask, facts: readonly Fact[]): Fact[] =>
  found.filter(
    ({ content, from }) => from.some((at) => at >= factsFrom) && meanings(withoutSpeaker(content)).has("remember") && !saying(facts.map((fact) => fact.content), SAYS)(content),
  );

const missing = (points: readonly Point[], summary: string, told: readonly string[]): Point[] => {
  const says = saying([...partLines(summary).map(({ text }) => text), ...told], SAYS);
  return points.filter(({ content }) => !says(content));
};

/** The summary with the points under their headings, as far as there is room. */
function filled(summary: string, points: readonly Point[], tokens: number): string {
  let whole = summary;
  for (const { content, category = "" } of points) {
    const part = PARTS[category] ?? "rules";
    const line = { part, text: clip(oneLine(bareWords(content)), NAMED) };
    const next = renderParts([...partLines(whole), line]);
    if (estimateTokens(next) <= tokens) whole = next;
  }
  return whole;
}

/** Whole lines from the beginning, where a model wrote far more than it was asked for. */
function shortened(summary: string, tokens: number): string {
  if (estimateTokens(summary) <= tokens) return summary;
  const lines = summary.split("\n");
  let room = tokens;
  return lines.filter((line) => (room -= estimateTokens(line) + 1) > 0).join("\n");
}

const sum = (one: Usage | undefined, other: Usage | undefined): Usage | undefined =>
  one === undefined || other === undefined
    ? (one ?? other)
    : { input: one.input + other.input, cacheWrite: one.cacheWrite + other.cacheWrite, cacheRead: one.cacheRead + other.cacheRead, output: one.output + other.output };
