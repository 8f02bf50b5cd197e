import { type Identity, scopesOf } from "../../core/identity.ts";
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
