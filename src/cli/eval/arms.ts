import type { Embedder } from "../../core/request.ts";
import { unit } from "../../core/vectors.ts";
import type { Strategy } from "../../memory/recalling/rank.ts";
import { openTidemark } from "../../tidemark/open-tidemark.ts";
import type { Quiz, QuizQuestion } from "./questions.ts";

export const HITS = 10;

/** The share of what was wanted among the hits, and 1 ÷ the first one's place. */
function scored({ wanted, type }: QuizQuestion, found: readonly unknown[]) {
  const ranks = wanted.map((id) => found.indexOf(id)).filter((at) => at >= 0);
  const reciprocal = 1 / (Math.min(...ranks) + 1);
  return { type, recall: ranks.length / wanted.length, reciprocal };
}
type Scores = readonly ReturnType<typeof scored>[];

/** Memory as it recalls, with an embedder or none, each quiz in a workspace of its own. */
export async function recalled(
  quizzes: readonly Quiz[],
  embedder: Embedder | false,
  ranking?: Strategy,
): Promise<Scores> {
  const scores = [];
  for (const { facts, questions } of quizzes) {
    const embed = embedder && (await embeddedBefore(embedder, [...facts, ...questions]));
    const asOf = Date.now();
    const now = () => asOf;
    const ranked = ranking && { advanced: { ranking } };
    const tidemark = await openTidemark({ workspace: false, embed, now, listen: false, ...ranked });
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

/** Vectors of length 1 by their texts, each asked for once. */
export async function vectorsOf({ embed }: Embedder, texts: readonly string[]) {
  const asked = [...new Set(texts)];
  const made = await embed(asked);
  return new Map(asked.map((text, at) => [text, unit(Float32Array.from(made[at] ?? []))]));
}

/** What is asked before, a slow server answers without costing a hit, and its refusal is told. */
async function embeddedBefore(
  embedder: Embedder,
  given: readonly { readonly text: string }[],
): Promise<Embedder> {
  const known = await vectorsOf(
    embedder,
    given.map(({ text }) => text.trim()),
  );
  const embed = async (texts: readonly string[]) =>
    Promise.all(
      texts.map(async (text) => known.get(text) ?? (await embedder.embed([text]))[0] ?? []),
    );
  return { ...embedder, embed };
}

/** A mean of shares, and between which two it lies 95 times of 100, by its standard error. */
function estimate(values: readonly number[]) {
  const mean = meanOf(values);
  const apart = 1.96 * Math.sqrt(meanOf(values.map((one) => (one - mean) ** 2)) / values.length);
  return { mean, low: Math.max(0, mean - apart), high: Math.min(1, mean + apart) };
}
export type Estimate = ReturnType<typeof estimate>;

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

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
