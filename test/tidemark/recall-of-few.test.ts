import { describe, expect, it } from "vitest";
import { assistant, openRoom, tell, user } from "../support/talk.ts";

/** What was told, a question that shares its telling word, and the answer. */
const TOLD = [
  ["My cat is called Whiskerino, by the way.", "What is my cat called", "Whiskerino"],
  ["I live in Porto.", "where do I live", "Porto"],
  ["I am allergic to shellfish.", "what am I allergic to?", "shellfish"],
  ["Ulrike is my boss.", "tell me who my boss is", "Ulrike"],
  ["We have two kids, Leo and Ida.", "how many kids do we have", "Leo"],
] as const;
const STRANGERS = [
  "How do I bake bread?",
  "What is the capital of France?",
  "Write me a haiku about rain.",
  "What's the difference between a dog and a wolf?",
  "Where is my package?",
  "Is my essay any good?",
];

describe.each([1, 2, 3, 5])("where %i things were told", (many) => {
  it.each(["turns", "facts"])("a question finds its own of few %s, others none", async (kind) => {
    const { tidemark } = await openRoom({ recall: undefined, inject: "tools" });
    const told = [...TOLD, ...TOLD].slice(many, 2 * many);
    for (const [said] of told)
      if (kind === "turns") await tell(tidemark, [user(said)], assistant("Noted."));
      else await tidemark.memory.save({ content: said });
    const ask = async (words: string): Promise<string> =>
      JSON.stringify((await tell(tidemark, [user(words)])).request);
    for (const [, question, answer] of told) {
      expect(await ask(question)).toContain(answer);
      const [first] = await tidemark.memory.search(question);
      expect(first?.text).toContain(answer);
    }
    for (const words of STRANGERS) expect(await ask(words)).not.toContain("<tidemark-recall>");
  });
});
