import { either } from "../../core/base.ts";
import { clip, oneLine } from "../../core/text/cut.ts";
import { bareWords, contentWords, saying, withoutSpeaker } from "../../core/text/sentences.ts";
import { estimateTokens } from "../../core/tokens/estimate.ts";
import { factsFound } from "./extractive.ts";
import { type PartLine, partLines, renderParts, type SummaryPart } from "./instruction.ts";
import type { Distilled, DistilTask, Fact } from "./task.ts";
import { readTranscript } from "./transcript.ts";
import { REMEMBER } from "./statements.ts";

type Whole = Distilled & { readonly summary: string };

/** A summary may go over its bound by so much. */
const OVER = 1.25;
const NAMED = 240;
/** Share of a point's words that one line must hold to say it. */
const SAYS = 0.5;

/** A rule that says by its first words, or by these, that it is to stand. */
const STATED = either(
  /^(?:(?:and|also|but|so|ok|okay|please|oh|one more thing)[,:]? )*(?:always|never|whenever)\b/i,
  /\b(?:from now on|from here on|going forward|in (?:the )?future|every time you)\b/i,
);

const PARTS: Readonly<Record<string, SummaryPart>> = {
  "open-request": "open",
  principle: "rules",
  correction: "rules",
};

/**
 * A model's word is final: code adds no fact beside it but what the user asked in so many words to
 * remember, or stated as a rule. Corrections and open requests that it missed are put into the
 * summary.
 */
export function withoutGaps(task: DistilTask, first: Whole): Whole {
  const found = factsFound(readTranscript(task.messages, task.dialect), { factsFrom: 0 });
  const isTold = saying(
    first.facts.map(({ content }) => content),
    SAYS,
  );
  // An explicit wish is kept in the user's own sentence, where no fact of the model says it.
  const asked = found.filter(
    ({ content, category, from }) =>
      from.some((at) => at >= task.factsFrom) &&
      ((category === "principle" && STATED.test(withoutSpeaker(content))) ||
        REMEMBER.test(withoutSpeaker(content))) &&
      !isTold(content) &&
      !first.facts.some((fact) => isOfOne(fact, { content, from })),
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
  const lost = missing(points, first.summary);
  // Rules of the last summary hold until the user takes them back.
  const stood = missing(
    partLines(task.previous ?? "").filter(({ part }) => part === "rules"),
    first.summary,
  );
  return {
    ...first,
    facts,
    summary: filled(first.summary, [...stood, ...lost], Math.floor(task.summaryTokens * OVER)),
  };
}

/** Both rest on one message and have a word in common: the model has put it in its own words. */
function isOfOne(fact: Pick<Fact, "content" | "from">, found: typeof fact): boolean {
  const words = new Set(contentWords(bareWords(found.content)));
  return (
    fact.from.some((at) => found.from.includes(at)) &&
    contentWords(fact.content).some((word) => words.has(word))
  );
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
