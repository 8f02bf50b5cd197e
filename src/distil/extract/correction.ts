import { isQuestion, specifics, telling } from "./specific.ts";
import { meanings } from "../cues/read.ts";

/** A correction is a sentence; what is longer is a text. */
const LONGEST = 400;
/** What a correction may open with; "no problem" and "no idea" open otherwise. */
const OPENS =
  /^\s*(?:no|nope|nah|wrong|nein|nee|falsch|doch|sorry|stop)\s*[,.!:;–—-]\s*|^\s*(?:不对?|错了?|不是)\s*[，,。.！!：:]\s*/iu;
/** "9443, not 8080"; "nicht 80, sondern 8080"; "use pnpm instead". */
const CONTRAST =
  /[,;]\s(?:no|not|kein\w*|nicht)\s\p{L}|[,;]\s(?:not|nicht)\s\p{N}|^not\b[^.;]{1,60},\s|\b(?:is|are|was)(?:n['’]t| not)\b[^.;]{1,60},\s(?:it['’]s|they['’]re|it)\b|\bnot\b[^.,;]{1,60}\sbut\s(?!it\b|i\b|we\b|they\b|that\b)|\b(?:nicht|kein\w*)\b[^.;]{1,60},?\s+sondern\b|\binstead(?: of)?\b|\brather than\b|\b(?:statt|anstatt|stattdessen)\b|而不是|而是|不是[^。；]{1,30}[，,]是|别用|不要用/iu;

const REBUKE =
  /^\s*(?:please |bitte |请)?(?:don['’]?t|do not|never|stop \w+ing|you should(?:n['’]t| not)?|you must(?:n['’]t| not)?|hör auf|lass das|du sollst|别|不要|应该)/iu;

/** Does the sentence say that something was wrong, and what is right? Thanks, remarks and a bare "no" do not. */
export function isCorrection(sentence: string): boolean {
  const text = sentence.trim();
  const means = meanings(text);
  const contrasts = means.has("corrects") || CONTRAST.test(text);
  if (
    text.length > LONGEST ||
    isQuestion(text) ||
    means.has("withdraws") ||
    !(contrasts || OPENS.test(text))
  )
    return false;
  const said = text.replace(OPENS, "");
  if (specifics(said) > 0) return true;
  // "No, go ahead with the next one" answers a question.
  return !means.has("thanks") && telling(said) > 1 && (contrasts || REBUKE.test(said));
}

/** Behind a reply, does the sentence tell how it should have been done? */
export function isRebuke(sentence: string): boolean {
  const [text, means] = [sentence.trim(), meanings(sentence)];
  return (
    text.length <= LONGEST &&
    !isQuestion(text) &&
    REBUKE.test(text) &&
    !means.has("thanks") &&
    !means.has("withdraws") &&
    (telling(text) > 1 || specifics(text) > 0)
  );
}
