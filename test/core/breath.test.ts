import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { breaths } from "../../src/core/base.ts";
import { openStorage } from "../../src/storage/sqlite/open.ts";
import { ADA, insert, NOW } from "../support/vector-contract.ts";

describe("asking one thing after the other", () => {
  it("gives others a turn every ten milliseconds, and costs none before", async () => {
    let [now, turns] = [0, 0];
    const breath = breaths(
      () => now,
      async () => void (turns += 1),
    );
    for (now = 0; now < 100; now += 1) await breath();
    expect(turns).toBe(9);
    expect(breath()).toBeInstanceOf(Promise);
  });

  it("keeps what is asked in its order, and a store that is closed meanwhile answers first", async () => {
    const store = openStorage(":memory:");
    const order: number[] = [];
    const asked = Array.from({ length: 200 }, async (_, at) => {
      await store.find({ id: "none", scopes: ["user:ada"] });
      order.push(at);
    });
    await Promise.all([...asked, store.close()]);
    expect(order).toEqual(Array.from({ length: 200 }, (_, at) => at));
  });

  it("holds up no timer, though nothing asked waits for anything", async () => {
    const store = openStorage(":memory:");
    let turns = 0;
    let done = false;
    const turn = (): void => {
      turns += 1;
      if (!done) setImmediate(turn);
    };
    setImmediate(turn);
    let asked = 0;
    // Ends where others have their turn.
    for (; turns < 4; asked += 1) await store.find({ id: "none", scopes: ["user:ada"] });
    done = true;
    expect(asked).toBeGreaterThan(turns);
    await store.close();
  });
});

describe("uses", () => {
  it("are counted behind the answer, before whatever is asked next and before the end", async () => {
    const home = mkdtempSync(join(tmpdir(), "tidemark-uses-"));
    const path = join(home, "tidemark.db");
    const store = openStorage(path);
    const uses = async (of = store) => (await of.find({ id: "a", scopes: [ADA] }))[0]?.memory.uses;
    await store.commit({ memories: [insert("a", {})] });
    for (let at = 0; at < 3; at += 1)
      void store.commit({ used: { ids: ["a"], scopes: [ADA], at: NOW } });
    expect(await uses()).toBe(3);
    void store.commit({ used: { ids: ["a"], scopes: [ADA], at: NOW } });
    await store.close();
    const again = openStorage(path);
    expect(await uses(again)).toBe(4);
    await again.close();
    rmSync(home, { recursive: true });
  });
});
