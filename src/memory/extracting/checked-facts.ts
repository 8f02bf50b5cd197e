import { either } from "../../core/base.ts";
import { bareWords, contentWords, saying, withoutSpeaker } from "../../core/text/sentences.ts";
import { factsFound } from "./extractive.ts";
import type { DistilTask, Fact } from "./task.ts";
import { readTranscript } from "./transcript.ts";
import { REMEMBER } from "./statements.ts";

/** Share of a point's words that one line must hold to say it. */
const SAYS = 0.5;

/** A rule that says by its first words, or by these, that it is to stand. */
const STATED = either(
  /^(?:(?:and|also|but|so|ok|okay|please|oh|one more thing)[,:]? )*(?:always|never|whenever)\b/i,
  /\b(?:from now on|from here on|going forward|in (?:the )?future|every time you)\b/i,
);

/**
 * A model's word is final: code adds no fact beside it but what the user asked in so many words to
 * remember, or stated as a rule, in the user's own sentence, where no fact of the model says it.
 */
export function withAsked(task: DistilTask, told: readonly Fact[]): readonly Fact[] {
  const isTold = saying(
    told.map(({ content }) => content),
    SAYS,
  );
  const asked = factsFound(readTranscript(task.messages, task.dialect), { factsFrom: 0 }).filter(
    ({ content, category, from }) =>
      from.some((at) => at >= task.factsFrom) &&
      ((category === "principle" && STATED.test(withoutSpeaker(content))) ||
        REMEMBER.test(withoutSpeaker(content))) &&
      !isTold(content) &&
      !told.some((fact) => isOfOne(fact, { content, from })),
  );
  return [...told, ...asked];
}

/** Both rest on one message and have a word in common: the model has put it in its own words. */
function isOfOne(fact: Pick<Fact, "content" | "from">, found: typeof fact): boolean {
  const words = new Set(contentWords(bareWords(found.content)));
  return (
    fact.from.some((at) => found.from.includes(at)) &&
    contentWords(fact.content).some((word) => words.has(word))
  );
}
