import type { VectorStorage } from "../../src/storage/port.ts";
import { describe, expect, it } from "vitest";
import { createMemories } from "../../src/memory/memories.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { ALL_SALIENT, DAY, HOUR, openRoom, START } from "../support/memory-room.ts";

const WORDS =
  "garden river mountain copper lantern violin harbour meadow thunder biscuit pepper marble".split(
    " ",
  );
const unrelated = (n: number): string =>
  `${WORDS[n % 12]} ${WORDS[(n * 5 + 1) % 12]} number ${n} beside the ${WORDS[(n * 7 + 3) % 12]}`;

describe("recall", () => {
  it("finds the cat, in the first session and in a crowd", async () => {
    const { memories } = openRoom();
    await memories.save("My cat's name is Whiskerino.");
    for (let n = 0; n < 50; n += 1) await memories.save(unrelated(n));
    const [hit, ...rest] = await memories.recall("what is my cat called?");
    expect(rest).toEqual([]);
    expect(hit).toMatchObject({
      from: "memory",
      text: "My cat's name is Whiskerino.",
      source: "manual",
      memory: { scope: "agent:probe" },
    });
    expect(hit?.why.words).toBeGreaterThanOrEqual(0.25);
    expect(hit?.score).toBeGreaterThan(0.25);
  });

  it("finds what is told in a word that is used for the one that was asked", async () => {
    const { memories } = openRoom();
    const told = ["The wedding of Lamia and Joost is on 9 May.", "Ada's attorney is Mr. Lund."];
    for (const one of told) await memories.save(one);
    const asked = ["When is Lamia getting married?", "Who is my lawyer?"];
    const found = await Promise.all(asked.map((one) => memories.recall(one)));
    expect(found.map(([hit]) => hit?.text)).toEqual(told);
  });

  it("finds other forms of a word, other cases and accents, and Chinese inside a sentence", async () => {
    const { memories } = openRoom();
    await memories.save("We deployed the migrations on Tuesday");
    await memories.save("Le Café est fermé");
    await memories.save("我的猫叫小白");
    await memories.save("パスワードは秘密です");
    const found = async (query: string) =>
      (await memories.recall(query)).map(({ text }) => text)[0];
    expect(await found("DEPLOYING migration?")).toBe("We deployed the migrations on Tuesday");
    expect(await found("cafe ferme")).toBe("Le Café est fermé");
    expect(await found("我的猫叫什么？")).toBe("我的猫叫小白");
    expect(await found("猫")).toBe("我的猫叫小白");
    expect(await found("パスワード")).toBe("パスワードは秘密です");
  });

  it("answers nothing when nothing is related, and for questions of stop words or signs only", async () => {
    const { memories } = openRoom();
    await memories.save("Rent is due on the first.");
    await memories.save("我的猫叫小白");
    for (const query of [
      "zyxw vutsr",
      "",
      "   ",
      "what is the",
      "我的什么",
      '"',
      "%",
      "___",
      "!?*",
      "🦊",
    ])
      expect(await memories.recall(query), query).toEqual([]);
  });

  it("prefers the fresh, the used and the important among the equally relevant, and breaks ties by id, each part in 0…1", async () => {
    const { memories, clock } = openRoom();
    const old = await memories.save({ content: "the tea was old", at: START - 60 * DAY });
    const fresh = await memories.save("the tea was fresh");
    const important = await memories.save({ content: "the tea was vital", importance: 1 });
    const twin = await memories.save("the tea was plain");
    const order = async () => (await memories.recall("tea")).map(({ id }) => id);
    expect(await order()).toEqual([important.id, fresh.id, twin.id, old.id]);
    for (let n = 0; n < 5; n += 1) await memories.recall("plain");
    clock.now += HOUR;
    expect((await order())[0]).toBe(twin.id);
    for (const { score, why } of await memories.recall("tea"))
      for (const part of [score, ...Object.values(why)]) expect(part >= 0 && part <= 1).toBe(true);
  });

  it("counts as used only what it returned, and of that what answers about as well as the best", async () => {
    const { memories, clock } = openRoom();
    const { id } = await memories.save({ content: "tea one", importance: 1 });
    await memories.save("tea two");
    clock.now += HOUR;
    await memories.recall("tea", { limit: 1 });
    expect(await memories.get(id)).toMatchObject({ uses: 1, version: 1, updatedAt: START });
    expect(await memories.recall("tea two")).toHaveLength(2);
    const uses = (await memories.list()).map((one) => [one.content, one.uses]).sort();
    expect(uses.join()).toBe("tea one,1,tea two,1");
  });

  it("keeps to a budget of tokens: the first that does not fit is shortened and is the last", async () => {
    const { memories } = openRoom();
    for (let n = 0; n < 5; n += 1)
      await memories.save({ content: `tea ${n} ${"word ".repeat(38)}`, importance: 1 - n / 10 });
    const hits = await memories.recall("tea", { tokens: 120 });
    expect(hits).toHaveLength(3);
    expect(hits[2]?.text.endsWith("…")).toBe(true);
    expect(hits[2]?.memory?.content.length).toBeGreaterThan(hits[2]!.text.length);
    expect(hits.reduce((sum, { text }) => sum + Math.ceil(text.length / 4), 0)).toBeLessThanOrEqual(
      120,
    );
    expect((await memories.get(hits[2]!.id))?.uses).toBe(1);
    expect(await memories.recall("tea", { tokens: 1 })).toEqual([]);
  });

  it("narrows by kind and scope; a scope of others is empty, not denied", async () => {
    const { memories } = openRoom();
    await memories.save("tea a");
    await memories.save({ content: "tea b", kind: "policy", scope: "user:ada" });
    for (const options of [{ kind: "policy" }, { scope: "user:ada" }] as const)
      expect(await memories.recall("tea", options)).toMatchObject([{ text: "tea b" }]);
    for (const scope of ["user:bob", "nonsense"])
      expect(await memories.recall("tea", { scope })).toEqual([]);
  });

  it("tells of trouble and finds nothing instead of failing; hits survive when their use cannot be counted", async () => {
    const store = openStorage(":memory:");
    const broken: VectorStorage = {
      ...store,
      commit: (unit, how) =>
        unit.used ? Promise.reject(new Error("read-only")) : store.commit(unit, how),
    };
    const half = openRoom({ store: broken });
    await half.memories.save("tea");
    expect(await half.memories.recall("tea")).toHaveLength(1);
    expect(half.events.filter(({ type }) => type === "degraded")).toHaveLength(1);
    expect(half.events.find(({ type }) => type === "recalled")).toEqual({
      type: "recalled",
      characters: 3,
      hits: 1,
      ms: 0,
    });
    const whole = openRoom();
    await whole.store.close();
    expect(await whole.memories.recall("tea")).toEqual([]);
    expect(whole.events).toMatchObject([{ type: "degraded", where: "recall" }]);
  });
});

describe("salience", () => {
  it("puts first what is important, fresh and used, and only trusted words", async () => {
    const { memories, clock, room } = openRoom();
    await memories.save({ content: "vital", importance: 0.9 });
    await memories.save({ content: "trivial", importance: 0.1 });
    await memories.save({ content: "vital but old", importance: 0.9, at: START - 365 * DAY });
    await memories.saveAll(
      [
        { content: "from the web", importance: 1, origin: "untrusted" },
        { content: "from a tool", importance: 1, origin: "tool" },
        { content: "from the user", importance: 0.8, origin: "user" },
      ],
      "user:ada",
    );
    const order = async () => (await memories.salient(ALL_SALIENT)).map(({ content }) => content);
    expect(await order()).toEqual(["vital", "from the user", "vital but old", "trivial"]);
    const ada = createMemories({ ...room, scopes: ["user:ada"] });
    expect((await ada.salient(ALL_SALIENT)).map(({ content }) => content)).toEqual([
      "from the user",
    ]);
    clock.now += 20 * DAY;
    await memories.save({ content: "new today", importance: 0.8 });
    expect((await order())[0]).toBe("new today");
  });
});

it("a question of a megabyte asks where it begins and where it ends", async () => {
  const { memories } = openRoom();
  await memories.save("The boat is called Zephyrine");
  const lines = "1042,12.50,NO;".repeat(70_000);
  for (const asked of [`Zephyrine? ${lines}`, `${lines} Zephyrine?`])
    expect(await memories.recall(asked)).toHaveLength(1);
});

describe("listing", () => {
  it("is newest first and takes only what changed after a moment", async () => {
    const { memories, clock } = openRoom();
    const first = await memories.save("one");
    clock.now += 1;
    await memories.save("two");
    expect((await memories.list()).map(({ content }) => content)).toEqual(["two", "one"]);
    expect((await memories.list({ after: START })).map(({ content }) => content)).toEqual(["two"]);
    expect((await memories.list({ after: new Date(START).toISOString() })).length).toBe(1);
    clock.now += 1;
    await memories.update(first.id, { category: "x" });
    expect((await memories.list({ limit: 1 })).map(({ content }) => content)).toEqual(["one"]);
  });
});
