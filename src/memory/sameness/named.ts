import { type Candidate } from "../../model/store.ts";
import { queryTerms } from "../../text/terms.ts";
import { canonical } from "./canonical.ts";
import { NEGATIONS } from "./canonical-words.ts";

/**
 * Of the memory's own words, the share that must be among those that name it, when all of the naming words are the memory's.
 * So 1 in 170 of LoCoMo's facts is taken for another, and that one says nearly the same (bench/named.ts). A fact wrongly
 * superseded is lost to recall; one left standing is found beside the new one.
 */
const LEAST = 0.6;

/** The memory that words of a distiller mean ("Ada works at Acme"), if it is clear which. */
export function named(words: string, candidates: readonly Candidate[]): Candidate | undefined {
  const asked = queryTerms(words).filter(({ loose }) => !loose);
  const given = new Set(asked.map(({ term }) => term));
  if (given.size === 0) return undefined;
  const fitting = candidates
    .filter(({ memory, terms }) => {
      const held = new Set(terms);
      return [...given].every((term) => held.has(term)) && saysAllOf(memory.content, words);
    })
    .map((candidate) => {
      const own = queryTerms(candidate.memory.content).filter(({ loose }) => !loose);
      return {
        candidate,
        share: own.filter(({ term }) => given.has(term)).length / Math.max(1, own.length),
      };
    })
    .filter(({ share }) => share >= LEAST)
    .sort((one, other) => other.share - one.share);
  const [best, second] = fitting;
  return best === undefined || second?.share === best.share ? undefined : best.candidate;
}

/** The names and figures of the words come in the memory in the same order, and it affirms what they affirm. */
function saysAllOf(content: string, words: string): boolean {
  const [own, given] = [tokensOf(content), tokensOf(words)];
  const names = new Set([...namesOf(content), ...namesOf(words)]);
  const telling = (token: string): boolean => /\d/.test(token) || names.has(token);
  const rest = own.filter(telling);
  let at = 0;
  for (const token of given.filter(telling)) {
    at = rest.indexOf(token, at) + 1;
    if (at === 0) return false;
  }
  return negated(own) === negated(given);
}

const tokensOf = (text: string): string[] => canonical(text).split(" ").map(unowned);
const unowned = (token: string): string => token.replace(/'s$/, "");
const namesOf = (text: string): string[] =>
  (text.match(/\p{Lu}[\p{L}']+/gu) ?? []).map((name) => unowned(name.toLowerCase()));
const negated = (tokens: readonly string[]): boolean =>
  tokens.filter((token) => NEGATIONS.has(token) || /^[不没未非]$/u.test(token)).length % 2 === 1;
