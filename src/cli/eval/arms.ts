import type { Embedder } from "../../core/request.ts";
import { openTidemark } from "../../tidemark/open-tidemark.ts";
import { byWords } from "./by-words.ts";
import { estimate } from "./chance.ts";
import type { QuizQuestion, Quiz } from "./questions.ts";

export const HITS = 10;

/** The share of what was wanted among the hits, and 1 ÷ the first one's place. */
function scored({ wanted, type }: QuizQuestion, found: readonly unknown[]) {
  const ranks = wanted.map((id) => found.indexOf(id)).filter((at) => at >= 0 && at < HITS);
  const reciprocal = 1 / (Math.min(...ranks) + 1);
  return { type, recall: ranks.length / wanted.length, reciprocal };
}
export type Scores = readonly ReturnType<typeof scored>[];

export const wordsAlone = (quizzes: readonly Quiz[]): Scores =>
  quizzes.flatMap(({ facts, questions }) => {
    const find = byWords(facts.map(({ text }) => text));
    return questions.map((one) => {
      const found = find(one.text).map((at) => facts[at]?.id);
      return scored(one, found);
    });
  });

/** Memory as it recalls, with an embedder or none, each quiz in a workspace of its own. */
export async function recalled(
  quizzes: readonly Quiz[],
  embedder: Embedder | false,
): Promise<Scores> {
  const scores = [];
  for (const { facts, questions } of quizzes) {
    const embed = embedder && (await embeddedBefore(embedder, [...facts, ...questions]));
    const asOf = Date.now();
    const now = () => asOf;
    const tidemark = await openTidemark({ workspace: false, embed, now, listen: false });
    const names = new Map<string, string>();
    for (const { id, text: content, at } of facts)
      names.set((await tidemark.memory.save({ content, at })).id, id);
    await tidemark.idle();
    for (const one of questions) {
      // What held at a moment is asked without counting a use, which would move later hits.
      const hits = await tidemark.memory.recall(one.text, { limit: HITS, asOf });
      const found = hits.map(({ id }) => names.get(id));
      scores.push(scored(one, found));
    }
    await tidemark.close();
  }
  return scores;
}

/** Each text once, and before: a slow server costs time and no hit, and its refusal is told. */
export async function embeddedBefore(
  embedder: Embedder,
  given: readonly { readonly text: string }[],
): Promise<Embedder> {
  const known = new Map<string, Float32Array | readonly number[]>();
  const embed: Embedder["embed"] = async (texts, signal) => {
    const open = [...new Set(texts)].filter((text) => !known.has(text));
    const made = open.length > 0 ? await embedder.embed(open, signal) : [];
    made.forEach((vector, at) => known.set(open[at] ?? "", vector));
    return texts.map((text) => known.get(text) ?? []);
  };
  await embed(given.map(({ text }) => text.trim()));
  return { ...embedder, embed };
}

/** For all questions, and for those of each type, how each way to find memories did. */
export function rowsOf(arms: ReadonlyMap<string, Scores>) {
  const types = new Set([...arms.values()].flat().map(({ type }) => type));
  return [undefined, ...types].flatMap((type) =>
    [...arms].map(([way, scores]) => {
      const own = scores.filter((one) => type === undefined || one.type === type);
      const recall = estimate(own.map((one) => one.recall));
      const reciprocal = estimate(own.map((one) => one.reciprocal));
      return { type: type ?? "all", way, questions: own.length, recall, reciprocal };
    }),
  );
}
