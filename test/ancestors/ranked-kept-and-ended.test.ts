import type { Storage } from "../../src/storage/port.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { tidyExpired } from "../../src/memory/saving/forget-and-promote.ts";
import { openTidemark } from "../../src/index.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { DAY, openRoom, START } from "../support/memory-room.ts";

/** Defects found in the systems Tidemark descends from. Each test is named after one, and fails if we had it too. */

describe("ranking does not repeat", () => {
  it("scores normalised over the hits, where a single poor one is 1 and the worst of many good ones 0 (OpenLegion)", async () => {
    const { memories } = openRoom();
    await memories.save("The harbour office keeps the key of the lighthouse");
    const alone = (await memories.look("harbour lighthouse ferry timetable"))[0];
    await memories.save("harbour lighthouse ferry timetable");
    const beside = (await memories.look("harbour lighthouse ferry timetable")).find(
      ({ id }) => id === alone?.id,
    );
    expect(alone?.why.words).toBeLessThan(0.9);
    expect(beside?.why.words).toBeGreaterThan(0);
    expect(Math.abs((beside?.score ?? 0) - (alone?.score ?? 0))).toBeLessThanOrEqual(0.12);
  });

  it("one tier always before the other: a category's poor hits do not precede better ones outside it (OpenLegion)", async () => {
    const { memories } = openRoom();
    for (let at = 0; at < 5; at += 1)
      await memories.save({
        content: `The deploy of service ${at} was late`,
        category: "incident",
      });
    const exact = await memories.save("The deploy key hangs in the blue cabinet");
    expect((await memories.recall("deploy key blue cabinet"))[0]?.id).toBe(exact.id);
  });

  it("a threshold on one scale for scores of another, so that nothing ever passes (Agent Swarm)", async () => {
    for (const strategy of ["tidemark", "swarm", "linear"] as const) {
      const tidemark = await openTidemark({
        workspace: false,
        advanced: { ranking: strategy },
      });
      await tidemark.memory.save("The staging password rotates every quarter.");
      const [hit] = await tidemark.memory.recall("when does the staging password rotate?");
      expect(hit?.score, strategy).toBeGreaterThan(0.4);
      await tidemark.close();
    }
  });

  it("manual knowledge of 76 days outscored by noise of yesterday (Agent Swarm #696)", async () => {
    const { memories } = openRoom();
    const manual = await memories.save({
      content: "The reverse proxy strips the Authorization header; forward it by hand.",
      at: START - 76 * DAY,
    });
    for (let at = 0; at < 10; at += 1)
      await memories.save({
        content: `Session ${at}: looked at the proxy, ran the tests, all green`,
        source: "session_summary",
        at: START - DAY,
      });
    for (let at = 0; at < 12; at += 1) await memories.recall("session looked ran tests green");
    expect(
      (
        await memories.recall("why is the Authorization header missing behind the reverse proxy?")
      )[0]?.id,
    ).toBe(manual.id);
  });

  it("copies of a scheduled task inflating what they repeat (Agent Swarm #451)", async () => {
    const { memories, clock } = openRoom();
    for (let day = 0; day < 30; day += 1) {
      await memories.save({ content: "Nightly report sent.", source: "task_completion" });
      clock.now += DAY;
    }
    const list = await memories.list();
    expect(list).toMatchObject([{ content: "Nightly report sent.", uses: 0, importance: 0.5 }]);
  });
});

describe("expiry does not repeat", () => {
  it("expired memories purged behind the host's back: they are read by id until tidied (Agent Swarm #684)", async () => {
    let now = START;
    const tidemark = await openTidemark({ workspace: false, now: () => now });
    const { id } = await tidemark.memory.save({ content: "tea", source: "session_summary" });
    now += 400 * DAY;
    await tidemark.memory.recall("tea");
    await tidemark.memory.save("something else");
    expect((await tidemark.memory.get(id))?.content).toBe("tea");
    expect((await tidemark.tidy()).expired).toBe(1);
    expect(await tidemark.memory.get(id)).toBeUndefined();
    await tidemark.close();
  });

  it("a purge that stops at 1,000 (SynthOrg)", async () => {
    const { memories, room, clock } = openRoom();
    await memories.saveAll(
      Array.from({ length: 1_203 }, (_, at) => ({
        content: `note ${at} of the day`,
        origin: "agent" as const,
      })),
      "agent:probe",
      "session_summary",
    );
    clock.now += 3 * DAY;
    expect(await tidyExpired(room.store, { scopes: room.scopes, now: clock.now })).toBe(1_203);
  });
});

describe("categories do not repeat", () => {
  it("a new category in the index while the memory keeps the old one (OpenLegion 12)", async () => {
    const { memories } = openRoom();
    const first = await memories.save({ content: "Port is 5432", key: "port", category: "core" });
    await memories.save({ content: "Port is 5433", key: "port", category: "decision" });
    expect((await memories.get(first.id))?.category).toBe("decision");
    expect(await memories.recall("port", { category: "core" })).toEqual([]);
    expect(
      (await memories.recall("port", { category: "decision" })).map(({ text }) => text),
    ).toEqual(["Port is 5433"]);
    expect(await memories.recall("port", { category: "core", asOf: START - 1 })).toEqual([]);
  });

  it("members counted again when they are stored again (OpenLegion 12)", async () => {
    const { memories, store } = openRoom();
    for (let at = 0; at < 4; at += 1)
      await memories.save({ content: "Sourdough needs a night in the cold", category: "baking" });
    for (let at = 0; at < 3; at += 1)
      await memories.save({ content: `Rye version ${at}`, key: "rye", category: "baking" });
    expect(
      await store.frequencies("categories", {
        scope: "agent:probe",
        terms: ["rye", "sourdough", "version"],
      }),
    ).toEqual([{ category: "baking", documents: 2, holding: [1, 1, 1] }]);
  });

  it("a middle computed before the new member is in it (OpenLegion 12)", async () => {
    const { memories } = openRoom();
    for (const content of [
      "Sourdough starter wants rye flour",
      "Sourdough loaf bakes with steam",
      "Rye loaf wants a sourdough starter",
    ])
      await memories.save({ content, category: "baking" });
    expect(
      (await memories.save("The sourdough starter and the rye loaf want steam")).category,
    ).toBe("baking");
  });
});

describe("saving does not repeat", () => {
  it("where a memory came from, overwritten when it is stored again (OpenLegion 4078fde8)", async () => {
    const { memories } = openRoom();
    const first = await memories.save({
      content: "The invoice folder is on drive S",
      source: "manual",
      tags: ["office"],
    });
    await memories.saveAll(
      [{ content: "the invoice folder is on drive S!", origin: "tool", importance: 1 }],
      "agent:probe",
    );
    expect(await memories.get(first.id)).toMatchObject({
      source: "manual",
      origin: "host",
      tags: ["office"],
      importance: 0.5,
      at: START,
    });
  });
});

describe("full-text search does not repeat", () => {
  it("ids, categories and keys found as if they were said (OpenLegion 10)", async () => {
    const { memories } = openRoom();
    const { id } = await memories.save({
      content: "Cheese is in the cellar",
      category: "groceries",
      key: "dairy",
      tags: ["pantry"],
      source: "shopping",
    });
    for (const query of [id, "groceries", "dairy", "pantry", "shopping", "agent probe"])
      expect(await memories.recall(query), query).toEqual([]);
  });

  it("rows renumbered under the index by VACUUM (Pynchy)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tidemark-vacuum-"));
    try {
      const path = join(folder, "tidemark.db");
      const first = openRoom({ store: openStorage(path) });
      const saved = [];
      for (let at = 0; at < 40; at += 1)
        saved.push(await first.memories.save(`cheese number ${at} of the cellar`));
      for (const { id } of saved.filter((_, at) => at % 3 === 0)) await first.memories.forget(id);
      await first.store.close();
      const database = new Database(path);
      database.exec("vacuum");
      database.close();
      const second = openRoom({ store: openStorage(path), prefix: "n" });
      expect((await second.memories.recall("cheese number 7"))[0]?.text).toBe(
        "cheese number 7 of the cellar",
      );
      await second.memories.forget(saved[7]?.id ?? "");
      expect(
        (await second.memories.recall("cheese number 7")).map(({ text }) => text),
      ).not.toContain("cheese number 7 of the cellar");
      await second.store.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("everything behind the first 2,000 characters lost to the search (Pynchy)", async () => {
    const { memories } = openRoom();
    await memories.save(
      `${"We talked of gardens and rivers. ".repeat(200)} The vault opens with Xylophonist.`,
    );
    expect(await memories.recall("Xylophonist vault")).toHaveLength(1);
  });
});

describe("archives do not repeat", () => {
  it("two conversations of one minute and one beginning, the second written over the first (Pynchy)", async () => {
    const tidemark = await openTidemark({ workspace: false, now: () => START });
    for (const [id, word] of [
      ["a", "greyhound"],
      ["b", "spaniel"],
    ] as const)
      await tidemark.history.import({
        id,
        messages: [
          { role: "user", text: "Let us talk about dogs" },
          { role: "user", text: `I have a ${word}` },
        ],
      });
    for (const word of ["greyhound", "spaniel"])
      expect((await tidemark.memory.search(word, { in: ["history"] }))[0]?.text).toBe(
        `I have a ${word}`,
      );
    await tidemark.close();
  });
});

describe("scale does not repeat", () => {
  it("a search that fails when more is asked for than an index allows (Agent Swarm #684)", async () => {
    const { memories, events } = openRoom();
    await memories.saveAll(
      Array.from({ length: 5_000 }, (_, at) => ({
        content: `tea of shelf ${at}`,
        origin: "user" as const,
      })),
      "user:ada",
    );
    expect(await memories.recall("tea shelf", { limit: 1_000 })).toHaveLength(1_000);
    expect(events.filter(({ type }) => type === "degraded")).toEqual([]);
  });

  it("a reader with nothing paying for what others hold (mem0)", async () => {
    const { memories, store } = openRoom();
    await memories.saveAll(
      Array.from({ length: 3_000 }, (_, at) => ({
        content: `tea of shelf ${at}`,
        origin: "user" as const,
      })),
      "user:ada",
    );
    // What a store hands over is what a reader pays for: nothing of others is fetched to be left out later.
    const fetched: number[] = [];
    const counting: Required<Storage> = {
      ...store,
      candidates: async (of, query) =>
        store.candidates(of, query).then((found) => (fetched.push(found.length), found)),
      containing: async (of, query) =>
        store.containing(of, query).then((found) => (fetched.push(found.length), found)),
    };
    const stranger = openRoom({
      store: counting,
      scopes: ["user:eve"],
      home: "user:eve",
      prefix: "e",
    });
    await stranger.memories.save("tea of my own");
    expect(await stranger.memories.recall("tea shelf")).toHaveLength(1);
    await stranger.memories.recall("shelf 17");
    expect(Math.max(...fetched)).toBe(1);
    expect(
      await store.frequencies("memories", { scopes: ["user:eve"], terms: ["tea", "shelf"] }),
    ).toEqual({
      documents: 1,
      holding: [1, 0],
    });
  });
});
