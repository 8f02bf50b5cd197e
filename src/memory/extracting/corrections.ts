import { either } from "../../core/base.ts";
import { withoutSpeaker } from "../../core/text/sentences.ts";
import { contentTerms } from "../../core/text/terms.ts";
import { outdates, saysChange } from "../recalling/outdated.ts";
import { isCommon } from "../recalling/word-weights.ts";
import { isQuestion } from "./frames.ts";
import { isBrief, isOrder, isRule, specifics, telling, THANKS, UNSURE } from "./statements.ts";
import type { Fact } from "./task.ts";
import type { Turn } from "./transcript.ts";

/** "9443, not 8080"; "use pnpm instead"; "not any more". */
const CONTRAST = either(
  /[,;]\s(?:not|no)\s(?!(?:one|doubt|time|matter|sure|only|even|just|to|that|problem|way)\b)\w/i,
  /\b(?:is|are|was)(?:n['’]t| not)\b[^.;]{1,60},\s(?:it['’]s|they['’]re|it)\b|\bno longer\b/i,
  /\binstead\b(?! of \w+ing\b)|\brather than\b|\bany ?more\b|\bany longer\b|\bmisunderstood\b/i,
  /\bi (?:meant|said)\b|\bthat(?:['’]s| is) not\b|(?:['’]s| is) wrong\b|\bshould have\b|\bundid\b/i,
  /^(?:actually|correction|i was wrong)\b|^not\b.+,/i,
);
const OPENS = /^(?:no|nope|nah|wrong|sorry)\s*[,.!:;–—-]\s*/i;

/** Does the sentence say that something was wrong, and what is right? What is longer is a text. */
export function isCorrection(sentence: string): boolean {
  const text = sentence.trim();
  const said = text.replace(OPENS, "");
  if (text.length > 400 || isQuestion(text) || /\bnever mind\b/i.test(text)) return false;
  if (telling(said) < 2 || (THANKS.test(text) && specifics(said) === 0)) return false;
  return CONTRAST.test(text) || (said !== text && (specifics(said) > 0 || isRule(said)));
}

const tellingIn = (text: string): Set<string> =>
  new Set(contentTerms(withoutSpeaker(text)).terms.filter((term) => !isCommon(term)));

/**
 * Sentences of the user's that may make something untrue that is known or was said before, and that
 * no other rule keeps: without them the old word would stand alone. In doubt both are told, each
 * with its day; but not in a longer talk, where much is told in passing.
 */
export const overturning = (
  turns: readonly Turn[],
  said: readonly Fact[],
  known: readonly Pick<Fact, "content" | "category">[],
): Fact[] =>
  turns.flatMap(({ heard, index }) =>
    (heard?.statements ?? []).flatMap((text): Fact[] => {
      const content = `User: ${text}`;
      const isLoose = text.length > 200 || UNSURE.test(text) || isOrder(text);
      if (isLoose || !saysChange(content)) return [];
      if (said.some((fact) => text.includes(withoutSpeaker(fact.content)))) return [];
      const words = isBrief(turns) ? tellingIn(text) : new Set<string>();
      const before = said.filter(({ from }) => from.every((at) => at < index));
      const old = [...before, ...known].findLast(
        (then) => outdates(content, then.content) || !words.isDisjointFrom(tellingIn(then.content)),
      );
      if (old === undefined) return [];
      const { category = "core" } = old;
      return [{ content, category, importance: 0.7, origin: "user", from: [index] }];
    }),
  );
