import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { byWords, rank, strategyOf } from "../../src/memory/recalling/rank.ts";
import { openRoom, START } from "../support/memory-room.ts";
import { ancestorRoom } from "../support/ancestors.ts";

const names = "synthorg";
const HOUR = 3_600_000;

describe("SynthOrg's ranking", () => {
  it("is 0.7 relevance and 0.3 exp(−0.01 an hour); 0.1 more relevance where it is personal", async () => {
    const { memories, store } = openRoom();
    await memories.save("tea");
    const [stored] = await store.find({ scopes: ["agent:probe"], source: "manual" });
    if (stored === undefined) throw new Error("nothing was saved");
    const candidate = { ...stored, same: "tea", terms: ["tea"] };
    const shared = { ...candidate, memory: { ...stored.memory, scope: "org:acme" as const } };
    const score = (hours: number, one = candidate as typeof shared | typeof candidate) =>
      rank([one], () => byWords(0.5), START + hours * HOUR, strategyOf(names))[0]?.score;
    expect(score(10)).toBeCloseTo(0.42 + 0.3 * Math.exp(-0.1), 10);
    expect(score(10, shared)).toBeCloseTo(0.35 + 0.3 * Math.exp(-0.1), 10);
    expect(score(-10, shared), "a moment to come counts as now").toBeCloseTo(0.65, 10);
  });

  it("shows nothing of a combined score below 0.3", async () => {
    const { tidemark, clock } = await ancestorRoom({ advanced: { ranking: names } });
    await tidemark.memory.save("The kiln is lit on Mondays.");
    const asked = "kiln zebra xylophone harbour lantern meadow violin";
    expect(await tidemark.memory.recall(asked)).toHaveLength(1);
    clock.now += 1_000 * HOUR;
    expect(await tidemark.memory.recall(asked)).toEqual([]);
  });
});

describe("SynthOrg's entries", () => {
  it("have tags, an end, and are asked for since and as of a moment", async () => {
    const { tidemark, clock } = await ancestorRoom();
    const start = clock.now;
    const saved = await tidemark.memory.save({
      content: "The kiln is lit on Mondays.",
      tags: ["kiln"],
      until: start + 10 * HOUR,
    });
    expect(saved).toMatchObject({ tags: ["kiln"], expiresAt: start + 10 * HOUR });
    clock.now += HOUR;
    await tidemark.memory.save("The kiln was mended.");
    expect(await tidemark.memory.list({ after: start })).toMatchObject([
      { content: "The kiln was mended." },
    ]);
    expect(await tidemark.memory.recall("kiln", { asOf: start })).toHaveLength(1);
  });
});

describe("SynthOrg's tools", () => {
  it("search_memory finds, at most limit of them; recall_memory reads one by its id", async () => {
    const { tidemark, run } = await ancestorRoom({ names });
    const { id } = await tidemark.memory.save("The kiln is lit on Mondays.");
    await tidemark.memory.save("The kiln was mended.");
    const found = await run("search_memory", { query: "kiln", limit: 1 });
    expect(found.match(/^- \[/gm)).toHaveLength(1);
    expect(await run("recall_memory", { id })).toContain("The kiln is lit on Mondays.");
  });

  it("compact_context folds the conversation, and says in words when there is nothing to gain", async () => {
    const { tidemark, run } = await ancestorRoom({ names, window: { keepLast: 2 } });
    expect(await run("compact_context", {})).toMatch(/^Nothing was folded: /);
    const messages = Array.from({ length: 9 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: `${at} ${"The kiln log was read line by line. ".repeat(60)}`,
    }));
    await tidemark.begin({ model: "claude-sonnet-5-5", max_tokens: 100, messages });
    expect(await run("compact_context", {})).toMatch(/^Folded \d+ messages into a summary\.$/);
  });
});

describe("SynthOrg's strategies", () => {
  it.each([
    ["context", "context", true, false],
    ["tool_based", "tools", false, false],
    ["self_editing", "self-edit", false, true],
  ] as const)("%s is inject: %j", async (_, inject, facts, blocks) => {
    const { tidemark, run } = await ancestorRoom({ names, inject });
    await tidemark.memory.save("The kiln is lit on Mondays.");
    const messages = [{ role: "user", content: "Hello" }];
    const { request } = await tidemark.begin({ model: "m", max_tokens: 100, messages });
    expect(JSON.stringify(request).includes("lit on Mondays")).toBe(facts);
    const appended = await run("core_memory_append", { block: "memory", text: "Kiln: Mondays." });
    expect(appended.startsWith("Done.")).toBe(blocks);
  });
});

describe("SynthOrg's organisation", () => {
  it.each(["core_policy", "adr", "procedure", "convention"])(
    "has a %s that people write, workers read and nobody overwrites unseen",
    async (category) => {
      const { tidemark, clock } = await ancestorRoom({ identity: { agent: "w", org: "acme" } });
      const human = tidemark.as({ role: "human" });
      const input = {
        content: "Kilns cool for a night.",
        key: "kiln",
        category,
        scope: "org:acme",
      };
      await expect(tidemark.memory.save(input)).rejects.toMatchObject({ code: "scope-denied" });
      const { id } = await human.memory.save(input);
      const before = clock.now;
      clock.now += HOUR;
      await human.memory.save({ ...input, content: "Kilns cool for two nights." });
      expect(await tidemark.memory.get(id)).toMatchObject({ category, version: 2 });
      const past = await tidemark.memory.recall("kilns cool", { asOf: before });
      expect(past.map(({ content }) => content)).toEqual(["Kilns cool for a night."]);
    },
  );
});

describe("SynthOrg's organisation facts", () => {
  it("core_policy is people's alone, adr the seniors' too, an unknown category or role nobody's; each value is audited", async () => {
    const { tidemark } = await ancestorRoom({ identity: { agent: "w", org: "acme" } });
    const by = (role: string) => tidemark.as({ agent: "w", org: "acme", role });
    const policy = {
      category: "core_policy" as const,
      content: "Kilns cool for a night.",
      author: "Ada",
    };
    const adr = {
      category: "adr" as const,
      content: "Kilns are fired with gas.",
      author: "Bob",
      key: "fuel",
    };
    for (const role of ["worker", "senior", "astronaut"])
      await expect(by(role).org.write(policy)).rejects.toMatchObject({ code: "scope-denied" });
    await by("human").org.write(policy);
    await expect(by("astronaut").org.write(adr)).rejects.toMatchObject({ code: "scope-denied" });
    await by("senior").org.write(adr);
    await by("senior").org.write({ ...adr, content: "Kilns are electric.", author: "Cleo" });
    const rumour = { ...adr, category: "rumour" } as unknown as typeof adr;
    await expect(by("human").org.write(rumour)).rejects.toMatchObject({ code: "config" });
    const audited = (await tidemark.org.audit()).map(({ did, author }) => `${did} by ${author}`);
    expect(audited.sort()).toEqual(["changed by Cleo", "wrote by Ada", "wrote by Bob"]);
  });
});

describe("SynthOrg's levels", () => {
  it.each([
    ["none", []],
    ["session", []],
    ["project", ["The kiln of the project is red."]],
    ["persistent", ["The kiln of ada is blue.", "The kiln of the project is red."]],
  ] as const)("%s keeps of one session for the next what it says", async (level, kept) => {
    const identity = { agent: "w", user: "ada", project: "kilns" };
    const { tidemark, workspace } = await ancestorRoom({
      identity,
      levels: { default: level },
    });
    const save = (content: string, scope: "user:ada" | "project:kilns") =>
      tidemark.memory.save({ content, scope }).catch(() => undefined);
    await save("The kiln of ada is blue.", "user:ada");
    await save("The kiln of the project is red.", "project:kilns");
    await tidemark.close();
    const next = await openTidemark({ workspace, identity, embed: false, distil: "extractive" });
    expect((await next.memory.list()).map(({ content }) => content).sort()).toEqual(kept);
    await next.close();
  });
});

describe("SynthOrg's maintenance", () => {
  it("puts three of a category together, keeps the best and gives the others back; a pair stays", async () => {
    const { tidemark, run } = await ancestorRoom();
    for (const content of [
      "The kiln service listens on port 4000.",
      "The kiln service listens on the port 4000.",
      "The kiln service listens on port 4000 there.",
      "The oven service listens on port 5000.",
      "The oven service listens on the port 5000.",
    ])
      await run("memory_save", { content, category: "fact" });
    const told = await tidemark.tidy({ dryRun: true });
    const { archived } = await tidemark.tidy();
    expect(archived).toEqual(told.archived);
    expect(archived).toHaveLength(2);
    expect(await tidemark.memory.list()).toHaveLength(3);
    for (const { id, content } of archived)
      expect(await tidemark.memory.restore(id)).toMatchObject({ id, content });
  });

  it("takes out all that has expired, however many, and lets nothing fresh pass that is not asked for", async () => {
    const { tidemark, clock } = await ancestorRoom();
    const until = clock.now + HOUR;
    const kilns = Array.from({ length: 1_100 }, (_, at) => `Kiln ${at} is warm.`);
    await Promise.all(kilns.map((content) => tidemark.memory.save({ content, until })));
    await tidemark.memory.save("Lanterns hang over the harbour.");
    clock.now += 2 * HOUR;
    expect((await tidemark.tidy()).expired).toBe(1_100);
    expect(await tidemark.memory.recall("which violin plays in the meadow?")).toEqual([]);
  });
});
