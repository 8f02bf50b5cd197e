import { either } from "../../core/base.ts";
import { contentTerms } from "../../core/text/terms.ts";
import { outdates, saysChange } from "../recalling/outdated.ts";
import { isCommon } from "../recalling/word-weights.ts";
import { isQuestion } from "./frames.ts";
import { isBrief, isRule, specifics, telling, UNSURE } from "./statements.ts";
import type { Fact } from "./task.ts";
import type { Turn } from "./transcript.ts";

/** "9443, not 8080"; "use pnpm instead"; "I meant the other one". */
const CONTRAST = either(
  /[,;]\s(?:not|no)\s(?!(?:one|doubt|time|matter|sure|only|even|just|to|that|problem)\b)\w/i,
  /\b(?:is|are|was)(?:n['’]t| not)\b[^.;]{1,60},\s(?:it|they)\b|\binstead\b(?! of \w+ing\b)/i,
  /\bi (?:meant|said)\b|(?:['’]s| is) (?:not|wrong)\b|\bshould have\b|\bno longer\b|\bundid\b/i,
  /^(?:actually|correction|i was wrong)\b|^not\b.+,/i,
);
const OPENS = /^(?:no|nope|nah|wrong|sorry)\s*[,.!:;–—-]\s*/i;

/** Does the sentence say that something was wrong, and what is right? What is longer is a text. */
export function isCorrection(sentence: string): boolean {
  const said = sentence.trim().replace(OPENS, "");
  if (sentence.length > 400 || isQuestion(sentence) || telling(said) < 2) return false;
  if (CONTRAST.test(said)) return !/^never mind\b/i.test(said);
  return said !== sentence.trim() && (specifics(said) > 0 || isRule(said));
}

/** Words by which a sentence is known to be about the same as another. */
const marksOf = (content: string): Set<string> =>
  new Set(contentTerms(content).terms.filter((term) => !isCommon(term)));

/**
 * Sentences of the user's that may make something untrue that is known or was said before, and that
 * no other rule keeps: without them the old word would stand alone. In doubt both are told, each
 * with its day; but not in a longer talk, where much is told in passing.
 */
export function overturning(
  turns: readonly Turn[],
  said: readonly Fact[],
  known: readonly Pick<Fact, "content" | "category">[],
): Fact[] {
  const kept = new Set(said.map(({ content }) => content));
  const brief = isBrief(turns);
  return turns.flatMap(({ heard, index }) =>
    (heard?.statements ?? []).flatMap((text): Fact[] => {
      const content = `User: ${text}`;
      const isOut = text.length > 200 || isQuestion(text) || UNSURE.test(text) || kept.has(content);
      if (isOut || !saysChange(content)) return [];
      const marks = brief ? marksOf(text) : new Set<string>();
      const old = [...said.filter(({ from: [at = 0] }) => at < index), ...known].findLast(
        (then) => outdates(content, then.content) || !marks.isDisjointFrom(marksOf(then.content)),
      );
      const { category = "core" } = old ?? {};
      const fact = { content, category, importance: 0.7, origin: "user", from: [index] } as const;
      return old === undefined ? [] : [fact];
    }),
  );
}
