import { endOfRun } from "../../core/base.ts";
import { withoutSpeaker } from "../../core/text/sentences.ts";
import { contentTerms } from "../../core/text/terms.ts";

/** A sentence names what is over behind one of these words, or before the last of them. */
const OVER = [
  /\b(?:no longer|not|instead of|rather than|stopped|quit|gave up)\b([^.,;:!?]+)/giu,
  /\b(?:(?:is|are|was|were)n['’]t|(?:switched|moved|migrated|changed) from)\b([^.,;:!?]+)/giu,
  /([^.,;:!?]+)\bany ?(?:more|longer)\b/giu,
];
const WHY = /\b(?:but|to|because|since)\b/iu;
/** Of an earlier statement, the share that is said to be over, or told again beside that. */
const NAMED = 0.5;
const AGAIN = 0.7;

const termsOf = (text: string): readonly string[] => contentTerms(withoutSpeaker(text)).terms;
const isOfSelf = (text: string): boolean => /\b(?:i|we)\b/iu.test(text);

/** Does it say that what an earlier statement tells is over? */
function ends(later: string, earlier: string): boolean {
  const old = new Set(termsOf(earlier));
  const again = old.intersection(new Set(termsOf(later))).size;
  const isSame = isOfSelf(later) === isOfSelf(earlier);
  return OVER.flatMap((over) => [...later.matchAll(over)]).some(([, part = ""]) => {
    const over = new Set(termsOf(part.split(WHY, 1)[0] ?? ""));
    if (over.size === 0 || !over.isSubsetOf(old)) return false;
    const isAbout = over.size >= NAMED * old.size || [...over][0] === [...old][0];
    return (isSame && isAbout) || again >= AGAIN * old.size;
  });
}

/** Words that may stand in one of two sayings only. */
const BESIDE = /^(?:user|now|actually|currently|again|sorry|correction|no|wrong|was)$/iu;
const TIE = /^(?:is|are|was|on|at|in|by|under|over|to|costs?|runs?|starts?|moved|has|have)$/iu;
const FIGURE = /\p{N}|^(?:two|three|four|five|six|seven|eight|nine|ten|\p{L}+day)$/iu;
/** Words of a value at most. */
const VALUE = 3;

/** Do both say one thing of one subject in the same words, with another figure, day or name? */
function differsInValue(later: string, earlier: string): boolean {
  const [now = [], then = []] = [later, earlier].map((text) =>
    (text.match(/[\p{L}\p{N}]+(?:['’.,:][\p{L}\p{N}]+)*/gu) ?? []).filter(
      (one) => !BESIDE.test(one),
    ),
  );
  const isEqual = (at: number): boolean =>
    now.at(at) !== undefined && now.at(at)?.toLowerCase() === then.at(at)?.toLowerCase();
  const from = endOfRun(0, isEqual);
  const end = endOfRun(
    0,
    (at) => isEqual(-1 - at) && at < Math.min(now.length, then.length) - from,
  );
  const values = [now, then].map((words) => words.slice(from, words.length - end));
  const isName = /^(?:is|are)$/iu.test(now[from - 1] ?? "");
  const isValue = (words: readonly string[]): boolean =>
    words.length > 0 && words.length <= VALUE && words.some((word) => FIGURE.test(word));
  const isNames = (words: readonly string[]): boolean =>
    words.length > 0 && words.length <= VALUE && words.every((word) => /^\p{Lu}/u.test(word));
  return (
    now.slice(0, from).some((word) => TIE.test(word)) &&
    (values.every(isValue) || (isName && values.every(isNames)))
  );
}

/** Does the later statement make the earlier one untrue? */
export const corrects = (later: string, earlier: string): boolean =>
  ends(later, earlier) || differsInValue(later, earlier);
