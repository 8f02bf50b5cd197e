import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { createMeaning } from "../../src/memory/meaning/meaning.ts";
import { RANKING } from "../../src/memory/recalling/rank.ts";
import type { Memory } from "../../src/core/memory.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { toyEmbedder, UNHURRIED } from "../support/embedder.ts";
import { DAY, openRoom, START } from "../support/memory-room.ts";

/** Defects of the systems Tidemark descends from, as in ranked-kept-and-ended: those of vectors. */

/** A memory room with an embedder that knows a few meanings. */
function embedded({
  toy = toyEmbedder(),
  store = openStorage(":memory:"),
  ...more
}: { toy?: ReturnType<typeof toyEmbedder> } & Parameters<typeof openRoom>[0] = {}) {
  const clock = { now: START };
  const meaning = createMeaning({
    store,
    embedder: toy,
    now: () => clock.now,
    listen: () => undefined,
    ...UNHURRIED,
  });
  return { ...openRoom({ store, meaning, ...more, now: () => clock.now }), clock, toy, meaning };
}

describe("vectors do not repeat", () => {
  it("an embedder that failed three times left out for the life of the process (OpenLegion)", async () => {
    const { memories, toy, clock } = embedded();
    toy.failing = "down";
    for (let at = 0; at < 5; at += 1) {
      await memories.save(`note ${at}`);
      clock.now += DAY;
    }
    toy.failing = undefined;
    await memories.save("The kitten sleeps on the sofa");
    expect(await memories.look("where is the cat?")).toHaveLength(1);
  });

  it("vectors of a wrong length stored (Agent Swarm: 1,634 rows), or shutting the search down (OpenLegion)", async () => {
    const { memories, toy, store } = embedded();
    await memories.save("The kitten sleeps on the sofa");
    toy.width += 3;
    await memories.save("A boat leaves at nine");
    await expect(
      store.commit({
        vectors: {
          memories: [{ id: "m000002", version: 1, vector: new Float32Array(7) }],
        },
      }),
    ).rejects.toMatchObject({ code: "embed" });
    expect((await memories.look("when does the boat leave?")).map(({ text }) => text)).toEqual([
      "A boat leaves at nine",
    ]);
  });

  it("all vectors lost when the model changes (OpenLegion)", async () => {
    const first = embedded();
    await first.memories.save("The kitten sleeps on the sofa");
    const second = embedded({ store: first.store, toy: toyEmbedder({ model: "other", turn: 4 }) });
    while (await second.meaning.catchUp());
    expect(await second.memories.look("where is the cat?")).toHaveLength(1);
  });

  it("a vector index out of step with the memories (Agent Swarm #676)", async () => {
    const { memories, store, clock } = embedded({
      store: openStorage(":memory:"),
    });
    const saved: Memory[] = [];
    for (let at = 0; at < 40; at += 1)
      saved.push(
        await memories.save({
          content: `The cat of house ${"abcdefgh"[at % 8] ?? ""}q${at} sleeps`,
          key: `k${at % 30}`,
        }),
      );
    for (const { id } of saved.slice(0, 20)) await memories.forget(id);
    clock.now += 1;
    await memories.update(saved[25]?.id ?? "", { category: "animals" });
    const listed = (await memories.list({ limit: 100 })).map(({ id }) => id).sort();
    const near = await store.vectors.nearest("memories", {
      scopes: ["agent:probe"],
      now: clock.now,
      limit: 100,
      vector: (await toyEmbedder().embed(["cat"]))[0] as Float32Array,
    });
    expect(near.map(({ memory }) => memory.id).sort()).toEqual(listed);
    expect(near.find(({ memory }) => memory.id === saved[25]?.id)?.memory.category).toBe("animals");
  });

  it("a short memory never embedded, or one lost with the process that was to embed it (Agent Swarm)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tidemark-short-"));
    const down = toyEmbedder();
    down.failing = "the process ended first";
    const first = await openTidemark({ workspace: folder, embed: down });
    await first.memory.save("cat");
    await first.close();
    const second = await openTidemark({ workspace: folder, embed: toyEmbedder() });
    await second.idle();
    expect((await second.memory.recall("kitten")).map(({ text }) => text)).toEqual(["cat"]);
    await second.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("a flag of the last database believed of the next (Agent Swarm #924)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tidemark-swap-"));
    const toy = toyEmbedder();
    for (const round of [1, 2]) {
      const tidemark = await openTidemark({ workspace: join(folder, `${round}`), embed: toy });
      await tidemark.memory.save(`The kitten sleeps in house ${round}`);
      expect((await tidemark.memory.recall("where is the cat?")).map(({ text }) => text)).toEqual([
        `The kitten sleeps in house ${round}`,
      ]);
      await tidemark.close();
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it("neighbours on another scale, standing before what they are neighbours of (Agent Swarm)", async () => {
    const { memories } = embedded();
    const exact = await memories.save("The harbour ferry leaves at nine");
    await memories.save("A boat and a vessel and a ship");
    const hits = await memories.look("when does the harbour ferry leave?", { limit: 5 });
    expect(hits[0]?.id).toBe(exact.id);
    for (const { score, why } of hits)
      expect(score).toBeLessThanOrEqual(Math.max(why.words, why.meaning));
  });

  it("a vector search that fails beyond 4,096 neighbours (Agent Swarm #684)", async () => {
    const { memories, room, meaning, store } = embedded({
      ranking: { ...RANKING, multiplier: 100 },
    });
    await memories.saveAll(
      Array.from({ length: 60 }, (_, at) => ({
        content: `The cat of house ${at} sleeps`,
        origin: "user" as const,
      })),
      "agent:probe",
    );
    while (await meaning.catchUp());
    expect(await memories.look("which cat sleeps in which house?", { limit: 1_000 })).toHaveLength(
      60,
    );
    expect(
      (
        await store.vectors.nearest("memories", {
          scopes: [...room.scopes],
          now: START,
          limit: 100_000,
          vector: (await toyEmbedder().embed(["cat"]))[0] as Float32Array,
        })
      ).length,
    ).toBe(60);
  });
});
