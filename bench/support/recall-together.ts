// Facts beside turns, and an embedder beside words: what the one takes from the other, by kind of question.
import { type Hit, openTidemark } from "../../src/index.ts";
import type { Embedder } from "../../src/core/request.ts";
import { conversations as notes } from "./facts.ts";
import { importConversation, type Conversation } from "./locomo.ts";
import { type Answered, figures } from "./recall-figures.ts";

const CATEGORIES = [
  "categories 1-4",
  "multi-hop",
  "temporal",
  "open-domain",
  "single-hop",
  "adversarial",
] as const;
const WAYS = ["turns", "facts", "all"] as const;
export type Way = (typeof WAYS)[number];

/** A fact stands for the turns it was noted of. */
const refsOf = (hit: Hit): string[] =>
  hit.from === "memory" ? hit.source.split(" ") : [hit.ref ?? ""];

const answersOf = (
  question: Conversation["questions"][number],
  hits: readonly Hit[],
): Answered => ({
  question,
  found: [...new Set(hits.flatMap(refsOf))].map((ref) => ({ ref, text: "" })),
  ms: 0,
});

/** Turns as imported, facts as an annotator noted them, with the weak embedder or by words alone. */
export async function together(
  conversations: readonly Conversation[],
  { embed }: { embed: Embedder | false },
): Promise<Record<Way, Answered[]>> {
  const found: Record<Way, Answered[]> = { turns: [], facts: [], all: [] };
  const noted = new Map(notes().map(({ id, observations }) => [id, observations]));
  for (const conversation of conversations) {
    const tidemark = await openTidemark({
      workspace: false,
      distil: "extractive",
      embed,
    });
    await importConversation(tidemark, conversation);
    const said = new Map(conversation.turns.map(({ ref, at }) => [ref, at]));
    for (const { text, turns } of noted.get(conversation.id) ?? []) {
      const at = said.get(turns[0] ?? "");
      await tidemark.memory.save({
        content: text,
        source: turns.join(" ") || "none",
        ...(at === undefined ? {} : { at }),
      });
    }
    // What was said comes into the index with the first search; its vectors come behind.
    await tidemark.memory.search("lighthouse", { in: ["history"] });
    await tidemark.idle();
    for (const question of conversation.questions) {
      found.turns.push(
        answersOf(question, await tidemark.memory.search(question.text, { in: ["history"] })),
      );
      found.facts.push(
        answersOf(question, await tidemark.memory.search(question.text, { in: ["memory"] })),
      );
      found.all.push(answersOf(question, await tidemark.memory.search(question.text)));
    }
    await tidemark.close();
  }
  return found;
}

/** rec@10 by kind of question, of each way. */
export function byCategory(found: Record<Way, Answered[]>) {
  return Object.fromEntries(
    WAYS.map((way) => {
      const measured = figures(found[way]);
      return [
        way,
        Object.fromEntries(CATEGORIES.map((category) => [category, measured[category]["rec@10"]])),
      ];
    }),
  ) as Record<Way, Record<(typeof CATEGORIES)[number], number>>;
}
