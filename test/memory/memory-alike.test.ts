import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LETTERS } from "../../bench/support/facts.ts";
import { EDITS, REWORDINGS, type Context } from "../../bench/support/fact-pairs.ts";
import { mayBeAlike, statement } from "../../src/memory/sameness/rewording.ts";
import { createMeaning } from "../../src/memory/meaning/meaning.ts";
import { RETOLD } from "../../src/memory/meaning/rewording-samples.ts";
import { openTidemark } from "../../src/index.ts";
import { createMemories } from "../../src/memory/memories.ts";
import { sameness } from "../../src/memory/sameness/canonical.ts";
import type { Embedder } from "../../src/model/ports.ts";
import type { Store } from "../../src/model/store.ts";
import { openMemoryStore } from "../support/memory-store/index.ts";
import { openSqliteStore } from "../../src/store/open-index.ts";
import { rebuildIndex } from "../../src/engine/upkeep/rebuild.ts";
import { openRoom } from "../support/memory-room.ts";
import { SYNONYMS, synonymEmbedder } from "../support/synonyms.ts";
import { chance } from "../support/vectors.ts";
import { freshFolder } from "../support/workspace.ts";
import { UNHURRIED } from "../support/embedder.ts";
import { runs } from "../support/runs.ts";

const allows = (one: string, other: string): boolean => {
  const [mine, theirs] = [statement(one), statement(other)];
  return mine !== undefined && theirs !== undefined && mayBeAlike(mine, theirs);
};

/** A room whose embedder it is, and how often its vectors were asked for their nearest. */
function roomWith(
  embedder: Embedder | undefined,
  { store = openSqliteStore(":memory:"), ...options }: Parameters<typeof openRoom>[0] = {},
) {
  let asked = 0;
  const counting: Store = {
    ...store,
    vectors: { ...store.vectors, nearest: (query) => ((asked += 1), store.vectors.nearest(query)) },
  };
  const meaning =
    embedder === undefined
      ? undefined
      : createMeaning({
          store: counting,
          embedder,
          now: () => Date.UTC(2026, 1, 1),
          listen: () => undefined,
          ...UNHURRIED,
        });
  return {
    ...openRoom({ store: counting, ...(meaning === undefined ? {} : { meaning }), ...options }),
    meaning,
    asked: () => asked,
  };
}

const FACTS = [
  "Melanie attended a pottery workshop with her two kids last week and finds it relaxing.",
  "Caroline is excited about the adoption meeting on July 5, 2023.",
  "Jon started a dance studio after he lost his job in January.",
  "Nate enjoys playing with his turtles more than watching movies.",
  "The kitten of the neighbours sleeps on the sofa every Sunday.",
  "Tom bought the red car from Maria before the summer started.",
  "His mother works as a doctor in Leeds and likes the night shift.",
  "Deborah is planning to open a small shop near the harbour in the spring.",
  "The manager allows visitors in the large hall until nine o'clock.",
  "Evan will attend the cooking class in Boston with Sam.",
  "All parcels are sick of waiting, the shop store says.",
  "James can repair the old bicycle, but he does not have the time.",
  "Ada told Bob that the firm employs more people than the bakery.",
  "jolene began yoga three years ago and is happy about it",
  "The cook is not allowed to speak about the gift.",
];
const MATES = new Map(
  SYNONYMS.flatMap((words) =>
    words.map((word, at) => [word, words[(at + 1) % words.length] ?? word] as const),
  ),
);
const synonymous = (fact: string): string =>
  fact.replace(/\b[a-z]+\b/g, (word) => MATES.get(word) ?? word);

describe("what words alone let pass", () => {
  it("are the edits that embedders are measured by, and rewordings in the same order", () => {
    for (const { fact, again, edited } of RETOLD) {
      expect(statement(fact), fact).toBeDefined();
      for (const text of [...again, ...edited]) expect(statement(text), text).toBeDefined();
      for (const text of edited) expect(allows(fact, text), text).toBe(true);
      for (const text of [...again, ...edited])
        expect(sameness(text), text).not.toBe(sameness(fact));
    }
    const passing = RETOLD.flatMap(({ fact, again }) => again.filter((text) => allows(fact, text)));
    expect(passing.length).toBeGreaterThan(RETOLD.length);
  });

  it.each([
    ["Ada pays 15 euros to the club", "Ada pays 16 euros to the club"],
    ["The trip takes 15 minutes by train", "The trip takes 15 hours by train"],
    ["Ada lives in Porto with Tom", "Ada lives in Lisbon with Tom"],
    ["Ada owns the old house", "Ines owns the old house"],
    ["The meeting takes place before lunch", "The meeting takes place after lunch"],
    ["Tom always pays for his lunch", "Tom never pays for his lunch"],
    ["Tom can repair the old boat", "Tom may repair the old boat"],
    ["All doors of the hall are locked", "Some doors of the hall are locked"],
    ["Tom is the cook of the ship", "Tom was the cook of the ship"],
    ["Tom owns a boat in the harbour", "Tom owned a boat in the harbour"],
    ["Tom owns a boat in the harbour", "Tom had a boat in the harbour"],
    ["Tom owns a boat in the harbour", "Does Tom own a boat in the harbour?"],
    ["The manager hired a painter", "The manager fired a painter"],
    ["The firm imports the coffee", "The firm exports the coffee"],
    ["The gate of the yard is locked", "The gate of the yard is unlocked"],
    ["He is a careful driver of trucks", "He is a careless driver of trucks"],
    ["The kitten sleeps on the sofa", "The kittens sleep on the sofa"],
    ["Ada has a cat in the house", "Ada has kittens in the house"],
    ["The password of the door is rabbit", "The password of the door is bunny"],
    ["The boat in the yard is called wanderer", "The boat in the yard is called rover"],
    ['The sign at the gate says "closed"', 'The sign at the gate says "shut"'],
    ["She runs src/a.ts before the tests", "She runs src/b.ts before the tests"],
    ["The meeting is on monday in the hall", "The meeting is on tuesday in the hall"],
    ["The boat goes north in the spring", "The boat goes south in the spring"],
    [
      "The doctor of the big village paid the lawyer of the old mayor",
      "The lawyer of the big village paid the doctor of the old mayor",
    ],
    [
      "The doctor of the big village paid the lawyer of the old mayor",
      "The attorney of the big village paid the physician of the old mayor",
    ],
    ["Bob sold the car to the cook of the inn", "Bob sold the auto for the cook of the inn"],
    ["Tom likes the tea of his mother", "Tom likes the tea of his mother and coffee"],
    ["The old dog sleeps", "The dog sleeps"],
    ["Tom is sick", "Tom is ill"],
    ["Tom is sick of the noise. He moves out", "Tom is ill of the noise. He moves out"],
    ["Der Arzt wohnt in Berlin und ist krank", "Der Doktor wohnt in Berlin und ist krank"],
    ["小明喜欢他的猫", "小明喜欢他的狗"],
    ["THE DOCTOR LIVES NEAR THE HARBOUR", "THE PHYSICIAN LIVES NEAR THE HARBOUR"],
    ["The fee is €5 for the big room", "The fee is €5 for the large room"],
    ["Ada is the owner of the big house", "Ada is the owner of the big house"],
    ["The ship carries 5 bushels of corn", "The ship carries 5 barrels of corn"],
    ["They keep the boat in the harbour", "They had the boat in the harbour"],
    ["sein bruder wohnt in berlin und ist krank", "sein bruder wohnt in berlin und ist gesund"],
    ["Tom sails often in the bay of the town", "Tom rows in the bay of the town"],
  ])("is not: %s | %s", (one, other) => {
    expect(allows(one, other)).toBe(false);
    expect(allows(other, one)).toBe(false);
  });

  it("is one word of content at most, whatever the statements, and the same from either side", () => {
    const telling = fc.constantFrom(
      "is",
      "not",
      "the",
      "of",
      "in",
      "every",
      "and",
      "to",
      "Porto",
      "7",
      "before",
      "may",
      "cats",
      "?",
    );
    const word = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.constantFrom(
          ..."ada river lantern port window blue camera bottle doctor physician went lawyer mountain nurse".split(
            " ",
          ),
        ),
      },
      { weight: 1, arbitrary: telling },
    );
    const sentence = fc
      .tuple(fc.array(word, { minLength: 3, maxLength: 14 }), telling)
      .map(([words, last]) => [...words, last]);
    const content = (text: string): string[] =>
      (statement(text)?.tokens ?? []).filter(
        (token) => !/^(?:is|the|of|in|every|and|to|before|may|not)$/.test(token),
      );
    let passed = 0;
    fc.assert(
      fc.property(sentence, sentence, fc.nat(13), word, (words, others, at, put) => {
        const text = words.join(" ");
        for (const other of [
          others.join(" "),
          [...words.slice(0, at), put, ...words.slice(at + 1)].join(" "),
          [...words.slice(0, at), put, ...words.slice(at)].join(" "),
        ]) {
          expect(allows(other, text)).toBe(allows(text, other));
          if (!allows(text, other)) continue;
          passed += 1;
          for (const telling of ["7", "porto", "not", "before", "may", "?", "every", "in", "and"])
            expect(statement(text)?.tokens.filter((token) => token === telling)).toEqual(
              statement(other)?.tokens.filter((token) => token === telling),
            );
          const [mine, theirs] = [content(text), content(other)];
          expect(mine.length).toBe(theirs.length);
          expect(mine.filter((token, place) => token !== theirs[place])).toHaveLength(1);
        }
        expect(allows(text, text)).toBe(false);
      }),
      { numRuns: runs(80), seed: 7 },
    );
    expect(passed).toBeGreaterThanOrEqual(runs(3));
  });

  it("is nothing of a text that is no single short sentence, whatever it holds", () => {
    for (const text of [
      "",
      " ",
      "?",
      "a".repeat(100_000),
      "word ".repeat(20_000),
      "(".repeat(100_000),
      "1,".repeat(200),
      "The boat is old. It leaks.",
      "The boat is old\nand leaks",
      "the boat is `old`",
    ])
      expect(statement(text), text.slice(0, 40)).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 120 }), (text) => !allows(text, text)),
      { numRuns: runs(20) },
    );
  });
});

describe("a fact in other words, with an embedder that knows synonyms", () => {
  const stores = [() => openSqliteStore(":memory:"), openMemoryStore];

  it.each(stores)("is reinforced, and its first words stay (%#)", async (open) => {
    const { memories, clock } = roomWith(synonymEmbedder({ blur: 0.3 }), { store: open() });
    const first = await memories.save({
      content: "Ada owns a house near the river",
      importance: 0.3,
    });
    clock.now += 1000;
    const again = await memories.save({
      content: "Ada has a house near the river.",
      importance: 0.9,
      tags: ["home"],
    });
    expect(again).toEqual({ ...first, importance: 0.9, tags: ["home"], updatedAt: clock.now });
    // What is compared is what was said first, so that no chain of words leads elsewhere.
    expect((await memories.save("Ada rents a house near the river")).id).not.toBe(first.id);
    expect(await memories.list()).toHaveLength(2);
  });

  it.each(stores)(
    "is none of the edits of made-up facts, plain or reworded first (%#)",
    async (open) => {
      const random = chance(3);
      const context: Context = {
        speakers: ["Melanie", "Caroline"],
        nouns: "lantern garden window camera bottle mountain teacher".split(" "),
        pick: (count) => Math.floor(random() * count),
      };
      const edited = FACTS.flatMap((fact) =>
        [fact, synonymous(fact), REWORDINGS["other words for it"]?.(fact, context) ?? fact].flatMap(
          (text) =>
            Object.entries(EDITS).map(([by, change]) => ({
              fact,
              text,
              by,
              other: change(text, context),
            })),
        ),
      ).filter(({ other, text, fact }) => other !== undefined && other !== text && other !== fact);
      expect(edited.length).toBeGreaterThan(250);
      const { memories } = roomWith(synonymEmbedder(), { store: open() });
      const ids = new Map<string, string>();
      for (const fact of FACTS)
        ids.set(fact, (await memories.save({ content: fact, category: "x" })).id);
      for (const { fact, by, other = "" } of edited)
        expect(
          (await memories.save({ content: other, category: "x" })).id,
          `${by}: ${other}`,
        ).not.toBe(ids.get(fact));
      for (const fact of FACTS)
        expect((await memories.get(ids.get(fact) ?? ""))?.content).toBe(fact);
    },
  );

  it("is no news of a distiller, in any scope the reader has, nor twice in one plan", async () => {
    const { memories } = roomWith(synonymEmbedder());
    await memories.save({ content: "The doctor lives near the old harbour", scope: "user:ada" });
    const facts = [
      "The physician lives near the old harbour",
      "Ada owns a house in the valley",
      "Ada has a house in the valley",
      "Ada sells a house in the valley",
    ].map((content) => ({ content, origin: "user" as const }));
    await memories.ready(facts);
    const { saved, known } = await memories.saveAll(facts, "agent:probe");
    expect([saved.map(({ content }) => content), known]).toEqual([
      ["Ada owns a house in the valley", "Ada sells a house in the valley"],
      2,
    ]);
  });

  it("is news where it says that it makes something untrue, and where its key has another value", async () => {
    const { memories, meaning } = roomWith(synonymEmbedder());
    const first = (
      await memories.saveAll(
        [{ content: "The doctor lives near the old harbour", origin: "agent" }],
        "agent:probe",
      )
    ).saved[0];
    await memories.save({ content: "Ada has a boat", key: "boat" });
    await memories.save("The lawyer of the town owns the old bridge");
    while (await meaning?.catchUp());
    const facts = [
      {
        content: "The physician lives near the old harbour",
        supersedes: "The doctor lives near the old harbour",
        origin: "agent" as const,
      },
      {
        content: "The lawyer of the town has the old bridge",
        key: "boat",
        origin: "host" as const,
      },
      { content: "The attorney of the town owns the old bridge", origin: "host" as const },
    ];
    await memories.ready(facts);
    const { saved, known } = await memories.saveAll(facts, "agent:probe");
    expect([saved.map(({ content }) => content), known]).toEqual([
      facts.slice(0, 2).map(({ content }) => content),
      1,
    ]);
    expect(await memories.get(first?.id ?? "")).toBeUndefined();
    expect((await memories.byKey("boat"))?.content).toBe(
      "The lawyer of the town has the old bridge",
    );
  });

  it("is news where what it is like ends, changes or has expired in the same plan", async () => {
    const { memories, meaning, clock } = roomWith(synonymEmbedder(), { lifetimes: { default: 2 } });
    await memories.save({ content: "Ada owns a house near the river", key: "house" });
    await memories.save("The doctor lives near the old harbour");
    while (await meaning?.catchUp());
    const facts = [
      {
        content: "Nobody of the village is at home",
        supersedes: "The doctor lives near the old harbour",
      },
      { content: "The physician lives near the old harbour" },
      { content: "It burnt down to the ground", key: "house" },
      { content: "Ada has a house near the river" },
      { content: "The lawyer sails to the island on Friday", at: clock.now - 3 * 86_400_000 },
      { content: "The attorney sails to the island on Friday" },
    ].map((fact) => ({ ...fact, origin: "host" as const }));
    await memories.ready(facts);
    const { saved, known } = await memories.saveAll(facts, "agent:probe");
    expect([saved.map(({ content }) => content), known]).toEqual([
      facts.map(({ content }) => content),
      0,
    ]);
  });

  it("is another memory under another key, and takes a key where there was none", async () => {
    const { memories } = roomWith(synonymEmbedder());
    const keyed = await memories.save({
      content: "The front door is guarded by a sick sentry in the big house",
      key: "front",
    });
    const other = await memories.save({
      content: "The front door is guarded by a ill sentry in the big house",
      key: "back",
    });
    expect(other.id).not.toBe(keyed.id);
    const plain = await memories.save("The cook likes the tea of the ship");
    const named = await memories.save({
      content: "The chef likes the tea of the ship",
      key: "tea",
    });
    expect(named).toMatchObject({
      id: plain.id,
      key: "tea",
      content: "The cook likes the tea of the ship",
    });
    expect((await memories.save("The cook enjoys the tea of the ship")).id).toBe(plain.id);
  });

  it("is confirmed by a voice less trusted, which changes nothing of it, and never lends its name to words of one less trusted", async () => {
    const { memories, room, clock } = roomWith(synonymEmbedder());
    const web = createMemories({ ...room, origin: "untrusted" });
    const first = await memories.save({
      content: "The gate of the yard opens in the summer for the lawyer",
      importance: 0.4,
    });
    clock.now += 1000;
    expect(
      await web.save({
        content: "The gate of the yard opens in the summer for the attorney",
        importance: 1,
        category: "principle",
        tags: ["urgent"],
      }),
    ).toEqual({ ...first, updatedAt: clock.now });
    const planted = await web.save("The doctor of the village pays the bills");
    const said = await memories.save("The physician of the village pays the bills");
    expect(said).toMatchObject({
      content: "The physician of the village pays the bills",
      origin: "host",
    });
    expect(said.id).not.toBe(planted.id);
    await web.save("The guard of the castle sleeps in the north tower");
    const facts = [
      { content: "The sentry of the castle sleeps in the north tower", origin: "user" as const },
    ];
    await memories.ready(facts);
    expect((await memories.saveAll(facts, "agent:probe")).saved).toMatchObject([{ ...facts[0] }]);
  });

  it("of another scope, or expired, is another memory", async () => {
    const { memories, clock } = roomWith(synonymEmbedder(), { lifetimes: { default: 1 } });
    const first = await memories.save({
      content: "Ada owns a house near the river",
      scope: "user:ada",
    });
    const here = await memories.save("Ada has a house near the river");
    expect(here.id).not.toBe(first.id);
    clock.now += 3 * 86_400_000;
    expect((await memories.save("Ada owns a house near the river of the town")).id).not.toBe(
      here.id,
    );
    expect(
      (await memories.save({ content: "Ada has a house near the river", scope: "user:ada" })).id,
    ).not.toBe(first.id);
  });

  it("said by two at once is two memories at worst, each as it was said", async () => {
    const store = openSqliteStore(":memory:");
    const [one, other] = ["a", "b"].map(
      (prefix) => roomWith(synonymEmbedder(), { store, prefix }).memories,
    );
    const made = await Promise.all([
      one?.save("Ada owns a house near the river"),
      other?.save("Ada has a house near the river"),
    ]);
    const left = (await one?.list()) ?? [];
    expect(left.length).toBeLessThanOrEqual(2);
    for (const memory of made) expect(left.map(({ id }) => id)).toContain(memory?.id);
    expect((await one?.save("Ada owns a house near the river"))?.content).toMatch(
      /^Ada (?:owns|has) a house near the river$/,
    );
    expect(await one?.list()).toHaveLength(left.length);
  });
});

describe("a workspace in which facts come in other words", () => {
  const POOL = [
    "Ada owns a house near the river",
    "Ada has a house near the river",
    "Ada rents a house near the river",
    "The doctor lives near the old harbour",
    "The physician lives near the old harbour",
    "The lawyer lives near the old harbour",
  ];
  const ONE = new Map(
    POOL.map((text) => [text, synonymous(text) < text ? synonymous(text) : text]),
  );
  const told = fc.record({
    by: fc.nat({ max: 1 }),
    content: fc.constantFrom(...POOL),
    key: fc.option(fc.constantFrom("home", "office"), { nil: undefined }),
    after: fc.boolean(),
  });

  it("is what its logs add up to, whoever saves when, and each save answers with what it said", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(told, { minLength: 4, maxLength: 14 }), async (saves) => {
        const workspace = freshFolder();
        const both = await Promise.all(
          [0, 1].map(() =>
            openTidemark({ workspace, embed: synonymEmbedder(), listen: () => undefined }),
          ),
        );
        let open: Promise<void>[] = [];
        for (const { by, content, key, after } of saves) {
          const saved = both[by]?.memory.save({ content, ...(key === undefined ? {} : { key }) });
          open.push(
            (async () => expect(ONE.get((await saved)?.content ?? "")).toBe(ONE.get(content)))(),
          );
          if (after) {
            await Promise.all(open);
            open = [];
          }
        }
        await Promise.all(open);
        for (const tidemark of both) await tidemark.close();
        expect((await rebuildIndex({ workspace, now: () => Date.now(), dry: true })).differed).toBe(
          0,
        );
      }),
      { numRuns: runs(4) },
    );
  });
});

describe("an embedder that has no say", () => {
  const random = chance(9);
  const useless: Readonly<Record<string, Embedder>> = {
    "compares letters": LETTERS,
    "gives everything one vector": {
      model: "one",
      embed: async (texts) => texts.map(() => new Float32Array(32).fill(0.25)),
    },
    "gives vectors at random": {
      model: "dice",
      embed: async (texts) =>
        texts.map(() => Float32Array.from({ length: 32 }, () => random() - 0.5)),
    },
    "knows no synonyms": synonymEmbedder({ groups: [] }),
    "takes opposites for the same": synonymEmbedder({
      groups: [
        ...SYNONYMS.filter((words) => !words.includes("likes")),
        ["likes", "enjoys", "hates"],
      ],
    }),
  };

  it.each(Object.entries(useless))(
    "since it %s, is asked nothing at a save and changes nothing",
    async (_why, embedder) => {
      const [with_, without] = [roomWith(embedder), roomWith(undefined)];
      for (const content of [...FACTS, ...FACTS.map(synonymous), ...FACTS])
        for (const { memories } of [with_, without])
          await memories.save({ content, category: "x" });
      expect(with_.meaning?.reach()).toBeUndefined();
      expect(await with_.memories.list()).toEqual(await without.memories.list());
      expect(with_.asked()).toBe(0);
      const facts = FACTS.map((fact) => ({
        content: synonymous(fact),
        origin: "user" as const,
        category: "x",
      }));
      await with_.memories.ready(facts);
      const [one, other] = [
        await with_.memories.saveAll(facts, "user:ada"),
        await without.memories.saveAll(facts, "user:ada"),
      ];
      expect(one).toEqual(other);
      expect(with_.asked()).toBe(0);
    },
  );

  it("is not asked either, having one, where words alone forbid it", async () => {
    const { memories, asked, meaning } = roomWith(synonymEmbedder());
    await memories.save({ content: "The code of the gate is 4711. Tell nobody.", category: "x" });
    expect(meaning?.reach()).toBeGreaterThan(0);
    await memories.save({ content: "long ".repeat(200), category: "x" });
    await memories.save({ content: "小明喜欢他的猫", category: "x" });
    expect(asked()).toBe(0);
    await memories.save({ content: "Ada owns a house near the river", category: "x" });
    expect(asked()).toBe(1);
  });
});
