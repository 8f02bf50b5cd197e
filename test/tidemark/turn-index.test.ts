import { describe, expect, it } from "vitest";
import { createConversations } from "../../src/conversations/conversations.ts";
import type { Storage, VectorStorage } from "../../src/storage/port.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { createTurnSearch } from "../../src/agents/history-api.ts";

/** A store as far away as a database server: what is added arrives when `arrive` is called, and not before. */
function far(store: VectorStorage) {
  const waiting: (() => void)[] = [];
  const commit: Storage["commit"] = async (unit) => {
    if (unit.turns !== undefined) await new Promise<void>((resolve) => void waiting.push(resolve));
    return store.commit(unit);
  };
  return {
    store: { ...store, commit },
    waiting,
    arrive: () => waiting.splice(0).forEach((go) => go()),
  };
}

async function setUp() {
  const near = openStorage(":memory:");
  const { store, waiting, arrive } = far(near);
  let made = 0;
  const archive = createConversations({
    store: near,
    root: "ada",
    now: () => 1_000,
    newId: () => `id${(made += 1)}`,
    alone: (work) => work(),
  });
  await archive.import({
    id: "old",
    messages: ["a lighthouse", "a lamp"].map((text) => ({ role: "user", text })),
  });
  await archive.import({ id: "kept", messages: [{ role: "user", text: "a lamp to keep" }] });
  // What the functions under test use of it.
  const search = createTurnSearch({ store, background: { run: () => undefined } } as never);
  const holding = async () =>
    (await near.frequencies("turns", { root: "ada", terms: ["lighthous", "lamp"] })).holding;
  const reading = search.bringUp();
  while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
  return {
    search,
    near,
    archive,
    waiting,
    arrive,
    holding,
    reading,
    close: () => near.close(),
  };
}

describe("a turn", () => {
  it("does not wait for the index of what a great import left", async () => {
    const { search, arrive, holding, reading, close } = await setUp();
    await search.ready(() => false);
    expect(await holding()).toEqual([0, 0]);
    arrive();
    await reading;
    await search.ready(() => false);
    expect(await holding()).toEqual([1, 2]);
    await close();
  });

  it("does not wait for what its own request shows, which is indexed behind its reply", async () => {
    const { search, waiting, near, archive, arrive, reading, close } = await setUp();
    arrive();
    await reading;
    await archive.import({ id: "now", messages: [{ role: "user", text: "a lighthouse again" }] });
    await search.ready(({ session }) => session !== "old");
    expect([waiting.length, (await near.unindexed(9)).length]).toEqual([0, 1]);
    search.behind();
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    arrive();
    await search.bringUp();
    expect(await near.unindexed(9)).toEqual([]);
    await close();
  });
});
