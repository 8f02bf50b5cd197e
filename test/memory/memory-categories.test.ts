import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { termsForCategory, nearest } from "../../src/memory/saving/same-and-category.ts";
import type { Scope } from "../../src/core/identity.ts";
import { openRoom } from "../support/memory-room.ts";

const SCOPE: Scope = "agent:probe";
const BAKING = [
  "Sourdough starter wants rye flour",
  "The sourdough loaf bakes with steam",
  "A rye loaf wants an old starter",
  "Feed the sourdough starter with flour at night",
];

describe("the category of what was given none", () => {
  it.each([
    ["We decided to keep the monorepo.", "decision"],
    ["Ada prefers tabs to spaces.", "preference"],
    ["Never deploy on Fridays.", "principle"],
    ["Restart the worker with systemctl, then tail its log.", "procedure"],
    ["The importer crashed on an empty file.", "incident"],
    ["Forgot to await the promise.", "mistake-pattern"],
    ["A lesson of the migration: measure before tuning.", "best-practice"],
    ["Login lives in src/auth/session.ts.", "codebase-knowledge"],
    ["Her birthday is in March.", "core"],
    ["Dentist at nine tomorrow.", "daily"],
    ["They discussed the choir for an hour.", "conversation"],
    ["Porto lies on the Douro.", "general"],
    ["Zyxw vutsr.", "general"],
    ["!!!", "general"],
  ])("is told by built-in words: %s → %s", async (content, category) => {
    expect(nearest(termsForCategory(content), [])).toBe(category);
    const { memories } = openRoom();
    expect((await memories.save(content)).category).toBe(category);
  });

  it("is the host's or the distiller's word where there is one", async () => {
    const { memories } = openRoom();
    expect(
      (
        await memories.save({
          content: "We decided to keep the monorepo.",
          category: "architecture",
        })
      ).category,
    ).toBe("architecture");
    const { saved } = await memories.saveAll(
      [
        { content: "We decided to move the office.", category: "office", origin: "user" },
        { content: "We decided to buy plants.", origin: "user" },
      ],
      "user:ada",
    );
    expect(saved.map(({ category }) => category)).toEqual(["office", "decision"]);
  });

  it("is that of the members that speak like it, whatever their name", async () => {
    const { memories } = openRoom();
    for (const content of BAKING) await memories.save({ content, category: "baking" });
    expect((await memories.save("This sourdough starter likes warm flour")).category).toBe(
      "baking",
    );
    expect((await memories.save("The harbour crane is red")).category).toBe("general");
  });

  it("is learnt from members of the same scope only", async () => {
    const { memories, store } = openRoom();
    for (const content of BAKING) await memories.save({ content, category: "baking" });
    const words = "This sourdough starter wants warm flour";
    expect((await memories.save({ content: words, scope: "user:ada" })).category).toBe("general");
    const bob = openRoom({ store, scopes: ["agent:bob"], home: "agent:bob", prefix: "b" });
    expect((await bob.memories.save(words)).category).toBe("general");
  });

  it("is not learnt from what was sorted by itself, so that a mistake does not breed", async () => {
    const { memories, store } = openRoom();
    for (let at = 0; at < 40; at += 1)
      await memories.save(`Ada prefers harbour number ${at} of the lantern coast`);
    expect(
      await store.frequencies("categories", { scope: SCOPE, terms: ["harbour", "lantern"] }),
    ).toEqual([]);
    expect((await memories.save("The harbour lantern coast is long")).category).toBe("general");
  });
});

describe("a search within a category", () => {
  it("finds its members, and where it holds no answer all others, and says so", async () => {
    const tidemark = await openTidemark({ workspace: false });
    await tidemark.memory.save("We decided that the port is 5433");
    await tidemark.memory.save({ content: "The port of staging is 5434", category: "core" });
    const found = async (category: string) =>
      (await tidemark.memory.recall("port", { category })).map(({ text, why }) => [
        text,
        why.category,
      ]);
    expect([await found("decision"), await found("core"), await found("nothing")]).toEqual([
      [["We decided that the port is 5433", 1]],
      [["The port of staging is 5434", 1]],
      expect.arrayContaining([["The port of staging is 5434", 0]]),
    ]);
    expect(await tidemark.memory.recall("volcano", { category: "core" })).toEqual([]);
    expect((await tidemark.memory.list({ category: "decision" })).length).toBe(1);
    await tidemark.memory.save("We decided that the jetty stays");
    expect(await tidemark.memory.categories()).toEqual([
      { name: "decision", memories: 2 },
      { name: "core", memories: 1 },
    ]);
    expect(await tidemark.as({ agent: "other" }).memory.categories()).toEqual([]);
    await tidemark.close();
  });
});
