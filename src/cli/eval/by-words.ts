import { contentTerms } from "../../core/text/terms.ts";
import { rareness } from "../../memory/turns/question.ts";

/** Places of the texts that share words with a question, the best first, by BM25. */
export function byWords(texts: readonly string[]): (question: string) => number[] {
  const lists = texts.map((text) => contentTerms(text).terms);
  const middle = lists.flat().length / lists.length;
  return (question) => {
    const asked = [...new Set(contentTerms(question).terms)].map((term) => ({
      term,
      rare: rareness(lists.length, lists.filter((terms) => terms.includes(term)).length),
    }));
    const weigh = (terms: readonly string[]): number =>
      asked.reduce((sum, { term, rare }) => {
        const times = terms.filter((one) => one === term).length;
        return sum + (rare * times) / (times + 0.3 + (0.9 * terms.length) / middle);
      }, 0);
    const weights = lists.map((terms, at) => ({ at, weight: weigh(terms) }));
    const found = weights.filter(({ weight }) => weight > 0);
    return found.sort((one, other) => other.weight - one.weight).map(({ at }) => at);
  };
}
