import fc from "fast-check";
import { expect, it } from "vitest";
import type { Tidemark } from "../../src/index.ts";
import { estimateTokens } from "../../src/core/tokens/estimate.ts";
import { openRoom } from "../support/talk.ts";

const page = async (tidemark: Tidemark, input: Record<string, unknown>): Promise<string> =>
  (await tidemark
    .tools({ tokens: 300 })
    .find(({ name }) => name === "memory_read")
    ?.run(input)) ?? "";

/** All pages of a conversation, one behind the other, and how many there were. */
async function pages(tidemark: Tidemark, conversation: string): Promise<string[]> {
  const found: string[] = [];
  for (let number = 1; ; number += 1) {
    const text = await page(tidemark, { conversation, page: number });
    if (text.startsWith("Error:")) return found;
    expect(text).toContain(`page="${number}"`);
    found.push(text);
  }
}

it("shows an imported conversation word for word, with who said it", async () => {
  const { tidemark } = await openRoom({ workspace: false });
  const said = [
    { role: "user", name: "Ada", text: "I adopted a greyhound." },
    { role: "assistant", text: "Lovely! What is it called?" },
    { role: "user", name: "two\nlines]", text: "Zephyr. ".repeat(400) },
  ];
  await tidemark.history.import({ id: "old/1", messages: said });
  const [hit] = await tidemark.memory.search("adopted greyhound", { in: ["history"] });
  expect(hit?.text).toContain("greyhound");
  const all = await pages(tidemark, "old/1");
  expect(all.length).toBeGreaterThan(2);
  expect(all[0]).toContain("#1 Ada: I adopted a greyhound.");
  expect(all[0]).toContain("#2 assistant: Lovely! What is it called?");
  expect(all.join("").match(/Zephyr\./g)).toHaveLength(400);
  for (const one of all) expect(estimateTokens(one)).toBeLessThan(350);
});

it("leaves out nothing of any text, and shows nothing twice", async () => {
  const { tidemark } = await openRoom({ workspace: false });
  const unit = fc.constantFrom("🦆", "word ", "\n", "港口", "x", "a".repeat(700), "1,2 ");
  const text = fc.array(unit, { maxLength: 60 }).map((units) => units.join("").trim());
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 12 }),
      fc.uuid(),
      async (texts, id) => {
        await tidemark.history.import({
          id,
          messages: texts.map((one) => ({ role: "user", text: one })),
        });
        const bare = (one: string): string => one.replace(/\s+/g, "");
        const shown = (await pages(tidemark, id))
          .map((one) => one.split("\n").slice(3, -1).join("\n"))
          .join("\n");
        expect(bare(shown)).toBe(
          bare(texts.map((one, at) => `#${at + 1} user: ${one}`).join("\n")),
        );
      },
    ),
    { numRuns: 40 },
  );
});
