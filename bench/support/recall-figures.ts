import { estimateTokens } from "../../src/core/tokens/estimate.ts";
import { contentTerms, terms } from "../../src/core/text/terms.ts";
import { percentile, round } from "../support.ts";
import type { Conversation, Question } from "./locomo.ts";

/** What one question got: references of the turns found, best first, with their texts. */
export interface Answered {
  readonly question: Question;
  readonly found: readonly { readonly ref: string; readonly text: string }[];
  readonly ms: number;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const percent = (values: readonly number[]): number => round(100 * mean(values));

function judged({ question: { evidence }, found }: Answered) {
  const ranks = evidence
    .map((id) => found.findIndex(({ ref }) => ref === id))
    .map((rank) => (rank < 0 ? Infinity : rank));
  const inTen = ranks.filter((rank) => rank < 10);
  const gain = inTen.reduce((sum, rank) => sum + 1 / Math.log2(rank + 2), 0);
  const ideal = Array.from(
    { length: Math.min(10, evidence.length) },
    (_, rank) => 1 / Math.log2(rank + 2),
  ).reduce((sum, value) => sum + value, 0);
  return {
    recall: inTen.length / evidence.length,
    any: inTen.length > 0 ? 1 : 0,
    gain: gain / ideal,
    reciprocal: inTen.length > 0 ? 1 / (Math.min(...ranks) + 1) : 0,
  };
}

/** The share of the evidence among the best that fit into so many tokens of text. */
function within({ question: { evidence }, found }: Answered, tokens: number): number {
  let used = 0;
  let held = 0;
  for (const { ref, text } of found) {
    used += estimateTokens(text);
    if (used > tokens) break;
    if (evidence.includes(ref)) held += 1;
  }
  return held / evidence.length;
}

const shareOf = (wanted: readonly string[], said: readonly string[]): number => {
  const known = new Set(said);
  return wanted.filter((term) => known.has(term)).length / Math.max(1, wanted.length);
};

/** The share of the facts' words that stand in a text: each once, and none that says nothing. */
export const wordsOfFacts = (facts: readonly string[], text: string): number =>
  shareOf(
    [...new Set(facts.flatMap((fact) => contentTerms(fact).terms))],
    contentTerms(text).terms,
  );

/** Each word of the facts as often as it stands there, stop words too. */
export const allWordsOfFacts = (facts: readonly string[], text: string): number =>
  shareOf(
    facts.flatMap((fact) => terms(fact)),
    terms(text),
  );

export function figures(answers: readonly Answered[]) {
  const of = (some: readonly Answered[]) => {
    const all = some.map(judged);
    return {
      questions: some.length,
      "rec@10": percent(all.map(({ recall }) => recall)),
      "any@10": percent(all.map(({ any }) => any)),
      "nDCG@10": percent(all.map(({ gain }) => gain)),
      "MRR@10": percent(all.map(({ reciprocal }) => reciprocal)),
    };
  };
  const category = (number: number) =>
    of(answers.filter(({ question }) => question.category === number));
  const ordinary = answers.filter(({ question }) => question.category !== 5);
  return {
    "categories 1-4": of(ordinary),
    "multi-hop": category(1),
    temporal: category(2),
    "open-domain": category(3),
    "single-hop": category(4),
    adversarial: category(5),
    "evidence within tokens": Object.fromEntries(
      [500, 1000, 2000].map((tokens) => [
        tokens,
        percent(ordinary.map((answer) => within(answer, tokens))),
      ]),
    ),
    ms: {
      p50: percentile(
        answers.map(({ ms }) => ms),
        0.5,
      ),
      p95: percentile(
        answers.map(({ ms }) => ms),
        0.95,
      ),
    },
  };
}

/** Of the sessions that hold evidence, the share that the first ten hits come from; in percent. */
export function sessionsFound(
  answers: readonly Answered[],
  conversations: readonly Conversation[],
): number {
  const sessions = new Map(
    conversations.map(({ questions, turns }) => [
      questions,
      new Map(turns.map(({ ref, session }) => [ref, session])),
    ]),
  );
  const of = new Map(
    [...sessions].flatMap(([questions, refs]) => questions.map((question) => [question, refs])),
  );
  const ordinary = answers.filter(({ question }) => question.category !== 5);
  return percent(
    ordinary.map(({ question, found }) => {
      const refs = of.get(question);
      const wanted = new Set(question.evidence.map((ref) => refs?.get(ref)));
      const met = new Set(found.slice(0, 10).map(({ ref }) => refs?.get(ref)));
      return [...wanted].filter((session) => met.has(session)).length / wanted.size;
    }),
  );
}
