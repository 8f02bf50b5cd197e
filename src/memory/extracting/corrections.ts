import { either } from "../../core/base.ts";
import { isQuestion } from "./frames.ts";
import { isRule, specifics, telling, THANKS } from "./statements.ts";

/** "9443, not 8080"; "use pnpm instead"; "not any more". */
const CONTRAST = either(
  /[,;]\s(?:not|no)\s(?!(?:one|doubt|time|matter|sure|only|even|just|to|that|problem)\b)\w/i,
  /\b(?:is|are|was)(?:n['’]t| not)\b[^.;]{1,60},\s(?:it['’]s|they['’]re|it)\b|\bno longer\b/i,
  /\binstead\b(?! of \w+ing\b)|\brather than\b|\bany ?more\b|\bany longer\b|\bmisunderstood\b/i,
  /\bi (?:meant|said)\b|\bthat(?:['’]s| is) not\b|(?:['’]s| is) wrong\b|\bshould have\b|\bundid\b/i,
  /^(?:actually|correction|i was wrong)\b|^not\b.+,/i,
);
const OPENS = /^(?:no|nope|nah|wrong|sorry)\s*[,.!:;–—-]\s*/i;
const REBUKE =
  /^(?:please )?(?:don['’]?t|do not|never|stop \w+ing) (?!mind|mention|worry|it['’]s)\w+/i;
/** A correction is a sentence; what is longer is a text. */
const LONGEST_CORRECTION = 400;

/** Does the sentence say that something was wrong, and what is right? */
export function isCorrection(sentence: string): boolean {
  const text = sentence.trim();
  const said = text.replace(OPENS, "");
  if (text.length > LONGEST_CORRECTION || isQuestion(text) || /\bnever mind\b/i.test(text))
    return false;
  if (telling(said) < 2 || (THANKS.test(text) && specifics(said) === 0)) return false;
  return CONTRAST.test(text) || (said !== text && (specifics(said) > 0 || isRule(said, "short")));
}

/** Behind a reply, does the sentence tell how it should have been done? */
export const isRebuke = (sentence: string): boolean =>
  REBUKE.test(sentence.trim()) && !THANKS.test(sentence) && telling(sentence) > 1;
