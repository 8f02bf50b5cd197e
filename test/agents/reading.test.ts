import Database from "better-sqlite3";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTidemark, type Tidemark } from "../../src/index.ts";
import { freshFolder } from "../support/anthropic.ts";

const open = (workspace: string): Promise<Tidemark> =>
  openTidemark({ workspace, distil: "extractive", listen: false });

async function said(tidemark: Tidemark, content: string): Promise<void> {
  const turn = await tidemark.begin({
    model: "m",
    max_tokens: 100,
    messages: [{ role: "user", content }],
  });
  await turn.end({
    role: "assistant",
    content: [{ type: "text", text: "I see." }],
    usage: { input_tokens: 1, output_tokens: 1 },
  });
}

/** Memories, sessions and how far each was read. */
function stored(workspace: string): unknown {
  const database = new Database(join(workspace, ".tidemark/tidemark.db"), { readonly: true });
  const memories = database.prepare("select id, content from memory order by row").all();
  const sessions = database.prepare("select * from session order by id").all();
  database.close();
  return { memories, sessions };
}

describe("reading memory", () => {
  it("takes nothing in: not from conversations that were not read yet either", async () => {
    const workspace = freshFolder();
    const tidemark = await open(workspace);
    await said(tidemark, "I drive a 2014 Honda Civic.");
    const before = stored(workspace);
    expect(await tidemark.memory.recall("Which car do I drive?")).toEqual([]);
    const found = await tidemark.memory.search("Which car do I drive?");
    expect(new Set(found.map(({ from }) => from))).toEqual(new Set(["history"]));
    expect(await tidemark.memory.list()).toEqual([]);
    expect(stored(workspace)).toEqual(before);
    await tidemark.close();
  });

  it("finds what every user said in an earlier process, and in the conversation before in this one", async () => {
    const workspace = freshFolder();
    const first = await open(workspace);
    await said(first.as({ user: "ada" }), "I drive a 2014 Honda Civic.");
    await said(first.as({ user: "bob" }), "I am allergic to peanuts.");
    await first.close();
    const second = await open(workspace);
    const found = async (user: string, question: string) =>
      (await second.as({ user }).memory.recall(question))
        .map(({ memory }) => memory?.content)
        .join();
    expect(await found("ada", "Which car do I drive?")).toContain("I drive a 2014 Honda Civic.");
    expect(await found("bob", "What am I allergic to?")).toContain("I am allergic to peanuts.");
    await said(second.as({ user: "bob" }), "I live in Turku.");
    await said(second.as({ user: "bob" }), "Good morning to you.");
    expect(await found("bob", "Where do I live?")).toContain("I live in Turku.");
    await second.close();
  });
});
