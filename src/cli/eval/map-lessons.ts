import { type Identity, scopesOf } from "../../core/identity.ts";
import { add, dot } from "../../core/vectors.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";
import { piecesOfPage } from "../../workspace/documents/chunks.ts";

/** A text that asks, and one that answers. */
export interface Pair {
  readonly question: string;
  readonly answer: string;
}

/** Words said, with what was remembered of them; headings, with what stands under them. */
export async function pairsOf(
  { memory, workspace }: Tidemark,
  identity: Identity,
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const { id, content: answer } of await memory.list({ limit: 100_000 }))
    for (const { text: question } of (await memory.past(id))?.said.slice(0, 1) ?? [])
      pairs.push({ question, answer });
  for (const { text } of await workspace.files(scopesOf(identity)))
    for (const { heading: question, text: answer } of piecesOfPage(text))
      pairs.push({ question, answer });
  return pairs.filter(({ question, answer }) => question.trim() !== "" && answer !== question);
}

/** A question, what answers it, and what does not; each of length 1. */
interface Lesson {
  readonly question: Float32Array;
  readonly answer: Float32Array;
  readonly others: readonly Float32Array[];
}

const ROUNDS = 3;
/** How far one lesson moves a weight, of a hundred directions, and how sure it asks to be. */
const [RATE, HEAT] = [1, 0.1];

/**
 * A weight for each direction of an embedder, by logistic regression: what tells answers from what
 * only looks like them counts more. A whole matrix asks for more pairs than anyone has.
 */
export function train(lessons: readonly Lesson[]): Float32Array {
  const directions = lessons[0]?.question.length ?? 0;
  const weights = new Float32Array(directions).fill(1);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { question, answer, others } of lessons)
      for (const other of others) {
        const apart = answer.slice();
        add(apart, other, -1);
        const signs = question.map((value, at) => value * (apart[at] ?? 0));
        const doubt = 1 / (1 + Math.exp(dot(weights, signs) / HEAT));
        add(weights, signs, (RATE * doubt * directions) / 100);
      }
  // Two vectors are weighed, each by the root.
  return weights.map((weight) => Math.sqrt(Math.max(0, weight)));
}
