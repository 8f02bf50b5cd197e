import { either } from "../../core/base.ts";
import { isQuestion, type Meaning, meanings, specifics, telling } from "./cues.ts";

/** A correction is a sentence; what is longer is a text. */
const LONGEST_CORRECTION = 400;
/** A correction may open so; "no problem" and "no idea" open otherwise. */
const OPENS = /^\s*(?:no|nope|nah|wrong|sorry|stop)\s*[,.!:;–—-]\s*/iu;
/** "9443, not 8080"; "use pnpm instead". */
const CONTRAST = either(
  /[,;]\snot\s\p{N}|^not\b[^.;]{1,60},\s/iu,
  /\b(?:is|are|was)(?:n['’]t| not)\b[^.;]{1,60},\s(?:it['’]s|they['’]re|it)\b/iu,
  /\bnot\b[^.,;]{1,60}\sbut\s(?!it\b|i\b|we\b|they\b|that\b)|\binstead(?: of)?\b/iu,
  /\brather than\b/iu,
);

/** "Use rgb values, no indices!" */
const RATHER =
  /[,;]\s(?:no|not)\s(?!(?:one|doubt|time|matter|longer|sure|only|even|just|to|that)\b)\p{L}/iu;
const REBUKE = either(
  /^\s*(?:please )?(?:don['’]?t|do not|never|stop \w+ing|you should(?:n['’]t| not)?)/iu,
  /^\s*(?:please )?(?:you must(?:n['’]t| not)?)/iu,
);

const isRemark = (text: string, means: ReadonlySet<Meaning>): boolean =>
  text.length <= LONGEST_CORRECTION && !isQuestion(text) && !means.has("withdraws");

/**
 * Does the sentence say that something was wrong, and what is right? Thanks, remarks and a bare
 * "no" do not.
 */
export function isCorrection(sentence: string): boolean {
  const [text, means] = [sentence.trim(), meanings(sentence)];
  const contrasts = means.has("corrects") || RATHER.test(text) || CONTRAST.test(text);
  if (!isRemark(text, means) || !(contrasts || OPENS.test(text))) return false;
  const said = text.replace(OPENS, "");
  // "No, go ahead with the next one" answers a question.
  return (
    specifics(said) > 0 ||
    (!means.has("thanks") && telling(said) > 1 && (contrasts || REBUKE.test(said)))
  );
}

/** Behind a reply, does the sentence tell how it should have been done? */
export function isRebuke(sentence: string): boolean {
  const text = sentence.trim();
  // Few begin so, and it is asked on every turn.
  if (!REBUKE.test(text)) return false;
  const means = meanings(sentence);
  const tells = telling(text) > 1 || specifics(text) > 0;
  return isRemark(text, means) && !means.has("thanks") && tells;
}
