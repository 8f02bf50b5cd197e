import { describe, expect, it } from "vitest";
import { ancestorRoom, savedId } from "../support/ancestors.ts";

const names = "pynchy";

describe("Pynchy's tools", () => {
  it.each(["core", "daily", "conversation"])(
    "save_memory takes the category %s",
    async (category) => {
      const { tidemark, run } = await ancestorRoom({ names });
      const input = { key: "gate", content: "The gate opens at six.", category };
      const id = savedId(await run("save_memory", input));
      expect(await tidemark.memory.get(id)).toMatchObject({ key: "gate", category });
    },
  );

  it("recall_memories finds by any of the words, in one category if it is named, at most limit", async () => {
    const { run } = await ancestorRoom({ names });
    await run("save_memory", { content: "The gate opens at six.", category: "core" });
    await run("save_memory", { content: "The gate was painted green.", category: "daily" });
    const recall = (more: object) => run("recall_memories", { query: "gate zebra", ...more });
    expect(await recall({})).toMatch(/six[\s\S]*green|green[\s\S]*six/);
    expect(await recall({ category: "core" })).not.toContain("green");
    expect((await recall({ limit: 1 })).match(/^- /gm)).toHaveLength(1);
  });

  it("forget_memory takes a key, and says what was not there", async () => {
    const { tidemark, run } = await ancestorRoom({ names });
    await run("save_memory", { key: "gate", content: "The gate opens at six." });
    expect(await run("forget_memory", { key: "gate" })).toBe("Forgotten: 1.");
    expect(await run("forget_memory", { key: "gate" })).toMatch(/^Nothing was forgotten/);
    expect(await tidemark.memory.list()).toEqual([]);
  });

  it("list_memories has the newest first, of one category if it is named", async () => {
    const { run, clock } = await ancestorRoom({ names });
    for (const [at, category] of ["core", "daily", "core"].entries()) {
      await run("save_memory", { content: `Gate number ${at} is shut.`, category });
      clock.now += 1_000;
    }
    const numbers = async (input: object) =>
      (await run("list_memories", input)).match(/(?<=Gate number )\d/g);
    expect(await numbers({})).toEqual(["2", "1", "0"]);
    expect(await numbers({ category: "core" })).toEqual(["2", "0"]);
  });
});

describe("Pynchy's groups", () => {
  it("come from the host: one key in two of them is two memories, and neither recalls, lists or forgets the other's", async () => {
    const { tidemark, run } = await ancestorRoom({ names });
    const [one, other] = [tidemark.as({ agent: "one" }), tidemark.as({ agent: "other" })];
    await run("save_memory", { key: "gate", content: "Our gate opens at six." }, one);
    expect(await run("list_memories", {}, other)).toBe("Nothing was found.");
    expect(await run("forget_memory", { key: "gate" }, other)).toMatch(/^Nothing was forgotten/);
    await run("save_memory", { key: "gate", content: "Our gate opens at nine." }, other);
    expect(await run("recall_memories", { query: "gate" }, one)).not.toContain("nine");
    expect(await run("recall_memories", { query: "gate" }, other)).not.toContain("six");
  });
});
