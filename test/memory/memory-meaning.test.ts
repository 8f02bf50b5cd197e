import type { VectorStorage } from "../../src/storage/port.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMeaning, type Meaning, type MeaningRoom } from "../../src/memory/meaning/meaning.ts";
import { byWords } from "../../src/memory/recalling/rank.ts";
import { fuse, judgeOf } from "../../src/memory/meaning/embeddings.ts";
import { STRATEGY_NAMES } from "../../src/memory/recalling/rank.ts";
import type { TidemarkEvent } from "../../src/core/errors-and-events.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { toyEmbedder, type ToyEmbedder, UNHURRIED } from "../support/embedder.ts";
import { DAY, openRoom, START } from "../support/memory-room.ts";

/** A memory room with an embedder, and what the embedder's side told. */
function meaningRoom({
  toy = toyEmbedder(),
  store = openStorage(":memory:"),
  ...more
}: { toy?: ToyEmbedder; store?: VectorStorage } & Parameters<typeof openRoom>[0] &
  Partial<MeaningRoom> = {}) {
  const told: TidemarkEvent[] = [];
  const clock = { now: START };
  const meaning: Meaning = createMeaning({
    store,
    embedder: toy,
    now: () => clock.now,
    listen: (event) => told.push(event),
    ...UNHURRIED,
    ...(more.within === undefined ? {} : { within: more.within }),
  });
  const room = openRoom({ store, meaning, ...more, now: () => clock.now });
  return {
    ...room,
    clock,
    meaning,
    toy,
    told,
    trouble: () => told.filter(({ type }) => type === "degraded"),
  };
}

describe("an embedder", () => {
  it("finds what shares no word with the question, and puts it behind what the words say", async () => {
    const { memories, trouble } = meaningRoom();
    const felines = await memories.save("The kitten sleeps on the sofa");
    await memories.save("Invoices are due in May");
    expect((await memories.look("Where is my cat?")).map(({ id }) => id)).toEqual([felines.id]);
    const [hit] = await memories.look("Where is my cat?");
    expect(hit?.why).toMatchObject({ words: 0 });
    expect(hit?.why.meaning).toBeGreaterThan(0.5);
    const exact = await memories.save("My cat is in the attic");
    expect((await memories.look("where is my cat?")).map(({ id }) => id)).toEqual([
      exact.id,
      felines.id,
    ]);
    expect(trouble()).toEqual([]);
  });

  it("finds nothing where nothing is related", async () => {
    const { memories } = meaningRoom();
    for (const content of [
      "The kitten sleeps on the sofa",
      "The ferry leaves at nine",
      "Rye bread bakes an hour",
    ])
      await memories.save(content);
    expect(await memories.look("Which physician operated on her?")).toEqual([]);
    expect(await memories.look("???")).toEqual([]);
  });

  it("never takes from what words find: no score is less than without it, whatever it thinks", () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        share,
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.array(fc.float32Array({ minLength: 4, maxLength: 4, min: -1, max: 1, noNaN: true }), {
          minLength: 2,
          maxLength: 8,
        }),
        (words, cosine, [question = new Float32Array(4), ...memories]) => {
          const judge = judgeOf(question, memories);
          const { strength, meaning } = fuse(byWords(words), cosine, judge);
          expect(strength).toBeGreaterThanOrEqual(words);
          expect(strength).toBeLessThanOrEqual(1);
          expect(meaning).toBeGreaterThanOrEqual(0);
          expect(meaning).toBeLessThanOrEqual(1);
          expect(fuse(byWords(words), undefined, judge).strength).toBe(words);
          // Strangers, as this embedder sees them, gain nothing.
          expect(fuse(byWords(words), judge.floor, judge).strength).toBe(words);
        },
      ),
    );
  });
});

describe("scores with vectors", () => {
  it("move by no more than 0.05 when unrelated memories come in, under every strategy", async () => {
    for (const strategy of STRATEGY_NAMES) {
      const { memories } = meaningRoom({ ranking: strategy });
      for (const content of [
        "The kitten sleeps on the sofa",
        "My cat is in the attic",
        "Ada's car is a Volvo",
        "The automobile club meets on Friday",
      ])
        await memories.save(content);
      const ask = async () =>
        new Map(
          (
            await Promise.all(
              ["where is my cat?", "which vehicle has Ada?"].map((query) =>
                memories.look(query, { limit: 20 }),
              ),
            )
          )
            .flat()
            .map(({ id, score }) => [id, score]),
        );
      const before = await ask();
      expect(before.size).toBeGreaterThanOrEqual(4);
      await memories.saveAll(
        Array.from({ length: 400 }, (_, at) => ({
          content: `harbour lantern ${"bcdfghjklm"[at % 10] ?? ""}u${"npqrstvwxz"[Math.floor(at / 10) % 10] ?? ""}o${at} budget of the ferry`,
          origin: "user" as const,
        })),
        "user:ada",
      );
      for (const [id, score] of await ask())
        if (before.has(id))
          expect(Math.abs(score - (before.get(id) ?? 0)), `${strategy} ${id}`).toBeLessThanOrEqual(
            0.05,
          );
      for (const id of before.keys()) expect((await ask()).has(id), `${strategy} ${id}`).toBe(true);
    }
  });
});

describe("questions", () => {
  it("are embedded once as long as they are among the last 256", async () => {
    const { memories, toy } = meaningRoom();
    await memories.save("tea");
    const asked = (text: string) =>
      toy.calls.filter((texts) => texts.length === 1 && texts[0] === text).length;
    await memories.look("first question");
    await memories.look("  first question ");
    expect(asked("first question")).toBe(1);
    for (let at = 0; at < 256; at += 1) await memories.look(`question number ${at}`);
    await memories.look("first question");
    expect(asked("first question")).toBe(2);
  });

  it("are told apart from memories, for models that want to know", async () => {
    const uses: (string | undefined)[] = [];
    const toy = toyEmbedder();
    const { memories } = meaningRoom({
      toy: {
        ...toy,
        embed: (texts, signal, use) => (uses.push(use), toy.embed(texts, signal, use)),
      },
    });
    await memories.save("tea");
    await memories.look("which drink?");
    expect(uses.at(-1)).toBe("question");
    expect(uses.slice(0, -1)).toContain("memory");
  });
});

describe("an embedder in trouble", () => {
  it("does not stop saving or recall; it is told once, left alone, and tried again later", async () => {
    const { memories, toy, clock, trouble, meaning } = meaningRoom();
    toy.failing = "the embedding service is down";
    const saved = await memories.save("The kitten sleeps on the sofa");
    expect((await memories.look("who sleeps on the sofa?")).map(({ id }) => id)).toEqual([
      saved.id,
    ]);
    for (let at = 0; at < 5; at += 1) await memories.save(`note ${at}`);
    expect(trouble()).toEqual([
      { type: "degraded", where: "embed", error: "the embedding service is down" },
    ]);
    const asked = toy.calls.length;
    expect(toy.calls.flat().some((text) => text.startsWith("note"))).toBe(false);
    toy.failing = undefined;
    clock.now += 14_999;
    expect(await meaning.catchUp()).toBe(false);
    expect(toy.calls).toHaveLength(asked);
    clock.now += 1;
    expect(await meaning.catchUp()).toBe(true);
    expect((await memories.look("where is the cat?")).map(({ id }) => id)).toEqual([saved.id]);
    expect(trouble()).toHaveLength(1);
  });

  it("that answers too late is done without, by the words", async () => {
    const never: Pick<MeaningRoom, "within"> = { within: async () => undefined };
    const { memories, trouble } = meaningRoom(never);
    const { id } = await memories.save("The kitten sleeps on the sofa");
    expect((await memories.look("who sleeps on the sofa?")).map((hit) => hit.id)).toEqual([id]);
    expect(trouble()).toEqual([
      {
        type: "degraded",
        where: "embed",
        code: "connection",
        error: "The embedder did not answer within 10000 ms.",
      },
    ]);
  });

  it("that gives vectors of another size is refused, and nothing of another size is ever stored", async () => {
    const { memories, toy, trouble, store, clock } = meaningRoom();
    await memories.save("The kitten sleeps on the sofa");
    const right = toy.width;
    toy.width = right + 1;
    const { id } = await memories.save("My cat is in the attic");
    expect(trouble()).toMatchObject([
      {
        where: "embed",
        error: expect.stringContaining(
          `promised ${right} dimensions and gave a vector of ${right + 1}`,
        ) as string,
      },
    ]);
    expect((await store.vectors.missing("memories", 9)).map((value) => value.id)).toEqual([id]);
    expect((await memories.look("cat in the attic"))[0]?.id).toBe(id);
    toy.width = right;
    clock.now += DAY;
    expect((await memories.look("where is a feline?")).length).toBeGreaterThan(0);
  });

  it("that cannot take one text is not held up by it", async () => {
    const toy = toyEmbedder();
    const picky: ToyEmbedder = {
      ...toy,
      embed: async (texts, signal, use) =>
        texts.some((text) => text.includes("unspeakable"))
          ? Promise.reject(new Error("text refused"))
          : toy.embed(texts, signal, use),
    };
    const { memories, meaning, store, clock, trouble } = meaningRoom({ toy: picky });
    await memories.saveAll(
      [
        { content: "an unspeakable thing", origin: "user" },
        { content: "The kitten sleeps", origin: "user" },
      ],
      "user:ada",
    );
    clock.now += DAY;
    while (await meaning.catchUp());
    expect(await store.vectors.missing("memories", 9)).toEqual([]);
    expect((await memories.look("where is the cat?")).map(({ text }) => text)).toEqual([
      "The kitten sleeps",
    ]);
    expect(trouble().at(-1)).toMatchObject({
      error: "A memory of 20 characters is left to words: text refused",
    });
  });
});

describe("another model", () => {
  it("is known by what it makes of a text, though it goes by the same name or by none", async () => {
    for (const model of ["toy", undefined]) {
      const store = openStorage(":memory:");
      const named = (toy: ToyEmbedder): ToyEmbedder => {
        const { model: _given, ...rest } = toy;
        return model === undefined ? rest : { ...rest, model };
      };
      const first = meaningRoom({ store, toy: named(toyEmbedder()) });
      await first.memories.save("The kitten sleeps on the sofa");
      const same = meaningRoom({ store, toy: named(toyEmbedder()), prefix: "s" });
      expect(await same.memories.look("where is the cat?")).toHaveLength(1);
      const swapped = meaningRoom({ store, toy: named(toyEmbedder({ turn: 11 })), prefix: "w" });
      await swapped.memories.look("where is the cat?");
      expect((await store.vectors.missing("memories", 9)).length, "embedded anew").toBe(1);
    }
  });
});
