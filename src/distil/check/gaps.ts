import { together } from "../../dialect/common/replies.ts";
import type { Usage } from "../../model/ports.ts";
import { clip, oneLine } from "../../text/cut.ts";
import { saying } from "../../text/content-words.ts";
import { bareWords, withoutSpeaker } from "../../text/sentences.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import type { Distilled, DistilTask } from "../task/distiller.ts";
import { factsFound } from "../extract/extractive.ts";
import { readTranscript } from "../extract/transcript.ts";
import { meanings } from "../extract/cues.ts";
import { type SummaryPart, type PartLine, partLines, renderParts } from "../task/instruction.ts";

/**
 * A summary made again, with what was missing named to the model. Undefined: no usable answer came.
 */
type Again = (
  missing: readonly string[],
) => Promise<{ summary: string; usage?: Usage | undefined } | undefined>;
type Whole = Distilled & { readonly summary: string };

/** A summary may go over its bound by so much. */
const OVER = 1.25;
/** Another call is worth it for so many points; fewer are copied into the summary by code. */
const WORTH_A_CALL = 4;
const NAMED = 240;
/** Share of a point's words that one line must hold to say it. */
const SAYS = 0.5;

const PARTS: Readonly<Record<string, SummaryPart>> = {
  "open-request": "open",
  principle: "rules",
  correction: "rules",
};

/**
 * A model's word is final: code adds no fact beside it but what the user asked in so many words to
 * remember. Rules, corrections and open requests that it missed are named to it once, and what is
 * still missing stands in the summary.
 */
export async function withoutGaps(task: DistilTask, first: Whole, again?: Again): Promise<Whole> {
  task.answered?.();
  const found = factsFound(readTranscript(task.messages, task.dialect), {
    messages: task.messages,
    factsFrom: 0,
  });
  const isTold = saying(
    first.facts.map(({ content }) => content),
    SAYS,
  );
  // A wish to remember is kept in the user's own sentence, where no fact of the model says it.
  const asked = found.filter(
    ({ content, from }) =>
      from.some((at) => at >= task.factsFrom) &&
      meanings(withoutSpeaker(content)).has("remember") &&
      !isTold(content),
  );
  const facts = [...first.facts, ...asked];
  if (task.summaryTokens === 0) return { ...first, facts };
  const points = found.flatMap(({ content, category = "" }): PartLine[] =>
    PARTS[category] === undefined ? [] : [{ part: PARTS[category], text: content }],
  );
  const missing = (wanted: readonly PartLine[], text: string): PartLine[] => {
    const lines = partLines(text).map((line) => line.text);
    const says = saying([...lines, ...facts.map(({ content }) => content)], SAYS);
    return wanted.filter((point) => !says(point.text));
  };
  let { summary, usage } = first;
  let lost = missing(points, summary);
  if (again !== undefined && task.hurry?.aborted !== true && lost.length >= WORTH_A_CALL) {
    const second = await again(lost.map(({ text }) => clip(oneLine(text), NAMED)));
    usage = sum(usage, second?.usage);
    const left = missing(points, second?.summary ?? "");
    if (second !== undefined && left.length < lost.length) [summary, lost] = [second.summary, left];
  }
  // Rules of the last summary hold until the user takes them back: they are copied, and no reason
  // for a call.
  const stood = missing(
    partLines(task.previous ?? "").filter(({ part }) => part === "rules"),
    summary,
  );
  return {
    ...first,
    facts,
    summary: filled(summary, [...stood, ...lost], Math.floor(task.summaryTokens * OVER)),
    usage,
  };
}

/**
 * The summary with the points under their headings, as far as there is room; its first lines where
 * a model wrote far more than it was asked for.
 */
function filled(summary: string, points: readonly PartLine[], tokens: number): string {
  let room = tokens;
  let whole =
    estimateTokens(summary) <= tokens
      ? summary
      : summary
          .split("\n")
          .filter((line) => (room -= estimateTokens(line) + 1) > 0)
          .join("\n");
  for (const { part, text } of points) {
    const next = renderParts([
      ...partLines(whole),
      { part, text: clip(oneLine(bareWords(text)), NAMED) },
    ]);
    if (estimateTokens(next) <= tokens) whole = next;
  }
  return whole;
}

export const sum = (one: Usage | undefined, other: Usage | undefined): Usage | undefined =>
  one === undefined || other === undefined ? (one ?? other) : together(one, other);
