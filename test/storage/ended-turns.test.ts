import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import type { EndedTurn } from "../../src/core/turns.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { fileFolder } from "../support/afterwards.ts";

/** As long as ids are. */
const idOf = (name: string, nth: number): string => `0mno5k${name}${nth}`.padEnd(22, "x");
const told = Array.from({ length: 40 }, (_, nth) => idOf("told", nth));
const turn = (nth: number): EndedTurn => ({
  ...{ conversation: idOf("desk", 0), at: 1_768_000_000_000 + nth, model: "claude-sonnet-4-5" },
  ...{ used: 61_234, limit: 180_000, mark: "below", read: 61_230, cached: 60_001, written: 412 },
  ...{ dollars: 0.0612345, ms: 9, waited: 0, told: nth % 200 < 100 ? told : told.slice(1) },
  recalled: nth % 3 === 0 ? told.slice(0, 3).map((id) => ({ id, score: 0.512 })) : [],
});

it("keeps the latest 10,000 turns of a conversation, in 300 bytes each, and what the first of them was told", async () => {
  const path = join(fileFolder(), "turns.db");
  const store = openStorage(path);
  for (let nth = 0; nth < 10_250; nth += 1) await store.commit({ ended: turn(nth) });
  const kept = await store.ended?.({ order: "oldest", limit: 20_000 });
  await store.close();
  expect(kept?.length).toBeGreaterThanOrEqual(10_000);
  expect(kept?.length).toBeLessThan(10_101);
  const first = 10_250 - (kept?.length ?? 0);
  expect(kept?.[0]).toMatchObject(turn(first));
  expect(kept?.at(-1)).toMatchObject(turn(10_249));
  const file = new Database(path, { readonly: true });
  const sizes = file.prepare("select sum(pgsize) from dbstat where name like 'ended%'").pluck();
  expect(Number(sizes.get()) / (kept?.length ?? 1)).toBeLessThan(300);
  file.close();
}, 60_000);
