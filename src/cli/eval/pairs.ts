import { type Identity, scopesOf } from "../../core/identity.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";
import { piecesOfPage } from "../../workspace/documents/chunks.ts";
import { byWords } from "./by-words.ts";
import { dice } from "./chance.ts";
import { ownQuiz } from "./questions.ts";

/** A text that asks, and one that answers. */
export interface Pair {
  readonly question: string;
  readonly answer: string;
}

/** Questions and words said, with their memories; headings, with what stands under them. */
export async function pairsOf(tidemark: Tidemark, identity: Identity): Promise<Pair[]> {
  const { facts, questions } = await ownQuiz(tidemark);
  const texts = new Map(facts.map(({ id, text }) => [id, text]));
  const pairs = questions.flatMap(({ text: question, wanted }) =>
    wanted.map((id): Pair => ({ question, answer: texts.get(id) ?? "" })),
  );
  for (const [id, answer] of texts)
    for (const { text } of (await tidemark.memory.past(id))?.said.slice(0, 1) ?? [])
      pairs.push({ question: text, answer });
  for (const { text } of await tidemark.workspace.files(scopesOf(identity)))
    for (const piece of piecesOfPage(text))
      pairs.push({ question: piece.heading, answer: piece.text });
  return pairs.filter(({ question, answer }) => question.trim() !== "" && answer !== question);
}

const OTHERS = 4;

/** For each pair the answers that share most words and are none to it, and as many by chance. */
export function withOthers(pairs: readonly Pair[]): (Pair & { readonly others: string[] })[] {
  const texts = [...new Set(pairs.map(({ answer }) => answer))];
  const find = byWords(texts);
  const random = dice();
  return pairs.map((pair) => {
    const right = new Set(
      pairs.filter(({ question }) => question === pair.question).map(({ answer }) => answer),
    );
    const drawn = texts.map(() => Math.floor(random() * texts.length));
    const [near, far] = [find(pair.question), drawn].map((places) =>
      places
        .flatMap((at) => texts[at] ?? [])
        .filter((text) => !right.has(text))
        .slice(0, OTHERS),
    );
    return { ...pair, others: [near ?? [], far ?? []].flat() };
  });
}
