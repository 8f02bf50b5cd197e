import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { run } from "../support/cli.ts";
import { freshFolder } from "../support/workspace.ts";

const QUESTION = "When did we change the port?";

/** A workspace in which a fact was said long ago, and the question asked three times since. */
async function asked(archive = false) {
  const workspace = freshFolder();
  const tidemark = await openTidemark({ workspace, listen: false, distil: "extractive", archive });
  const say = async (...texts: string[]) => {
    const messages = texts.map((content, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content,
    }));
    const turn = await tidemark.begin({ model: "claude-sonnet-5-5", max_tokens: 500, messages });
    await turn.end({ role: "assistant", content: "Let me look." });
  };
  await say("We changed the port to 5433 on Monday.");
  await say(QUESTION);
  await say("when did we change  the port");
  await say("Good morning!", "Hello!", QUESTION);
  return { workspace, tidemark };
}

describe.each([false, true])("a question that was asked before (archive: %s)", (archive) => {
  it("is no hit of its own search, in any place or spelling", async () => {
    const { workspace, tidemark } = await asked(archive);
    await tidemark.idle();
    for (const query of [QUESTION, "when did we change the port", "WHEN did we change the port??"])
      for (const places of [undefined, ["history" as const]]) {
        const hits = await tidemark.memory.search(query, places && { in: places });
        expect(hits[0]?.text).toContain("5433");
        for (const { text } of hits)
          expect(text).not.toMatch(/^\W*when did we change +the port\W*$/i);
      }
    const [tool] = tidemark.tools({ only: ["memory_search"] });
    const answer = String(await tool?.run({ query: QUESTION }));
    expect(answer).toContain("5433");
    expect(answer).not.toContain(QUESTION);
    await tidemark.close();
    const { out } = await run(["search", QUESTION, "--json", "--workspace", workspace]);
    expect(out).toContain("5433");
    expect((JSON.parse(out) as { text: string }[]).map(({ text }) => text)).not.toContain(QUESTION);
  });
});

describe("a statement", () => {
  it("is found by its own words: they are what is looked for", async () => {
    const { tidemark } = await asked();
    const hits = await tidemark.memory.search("we changed the port to 5433 on monday");
    expect(hits[0]?.text).toContain("5433");
    await tidemark.close();
  });
});
