import { sentences } from "../../text/sentences.ts";
import { asks, awaits, defers, rules, states, unhurried } from "./cues.ts";
import { stems } from "./request-words.ts";

/** Put off, and to be done by whoever listens: nothing is told in it. */
const putsOff = (sentence: string): boolean => (defers(sentence) && (asks(sentence) || !states(sentence))) || ((awaits(sentence) || unhurried(sentence)) && asks(sentence) && !rules(sentence.replace(WHENEVER, "")));
/** Else a word of rules. */
const WHENEVER = /\bwhenever (?=you|we|it|that)/iu;
/** "Not now." and "Eilt nicht." say this of the request beside them. */
const leans = (sentence: string): boolean => (defers(sentence) || unhurried(sentence)) && stems(sentence).size < 2;

/** What of a text is put off, in its own words. "" where nothing is. */
export function putOffIn(text: string): string {
  const parts = sentences(text).filter(({ code }) => !code).map(({ text: sentence }) => sentence);
  const taken = new Set<number>();
  parts.forEach((sentence, at) => {
    if (!leans(sentence)) {
      if (putsOff(sentence)) taken.add(at);
      return;
    }
    const beside = [at, at - 1, at + 1].find((place) => asks(parts[place] ?? "") && stems(parts[place] ?? "").size > 0);
    if (beside !== undefined) taken.add(beside).add(at);
  });
  return parts.filter((_, at) => taken.has(at)).join(" ");
}

export const isPutOff = (text: string): boolean => putOffIn(text) !== "";
