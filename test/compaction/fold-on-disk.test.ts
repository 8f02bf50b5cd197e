import type { VectorStorage } from "../../src/storage/port.ts";
import { join } from "node:path";
import { expect, it } from "vitest";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import { createSessions } from "../../src/conversations/sessions.ts";
import type { SessionChange } from "../../src/core/history.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { freshFolder } from "../support/afterwards.ts";

it("waits for the disk with the watermark, before a fold can take anything away", async () => {
  const file = join(freshFolder(), "tidemark.db");
  const store = openStorage(file);
  const changes: (SessionChange & { durable: boolean | undefined })[] = [];
  const watched: VectorStorage = {
    ...store,
    commit: (unit, how) => {
      if (unit.session) changes.push({ ...unit.session, durable: how?.durable });
      return store.commit(unit, how);
    },
  };
  let ids = 0;
  const sessions = createSessions({
    store: watched,
    now: () => 1,
    newId: () => `id-${ids++}`,
    weigh: () => 1,
  });
  const messages = [1, 2, 3, 4].map((turn) => ({
    role: turn % 2 === 1 ? "user" : "assistant",
    content: `message ${turn}`,
  }));
  const { session } = await sessions.place({ dialect: anthropic, messages, root: "ada" });
  await sessions.update(session.id, { watermark: 3 });
  const fold = {
    id: "fold",
    upTo: 3,
    text: "so far",
    summary: "so far",
    messages: 3,
    before: 9,
    after: 3,
    at: 1,
  };
  await sessions.update(session.id, { fold });
  expect(
    changes.map(({ durable, session: { watermark }, folds = [] }) => [
      watermark,
      folds.length,
      durable,
    ]),
  ).toEqual([
    [0, 0, undefined],
    [3, 0, true],
    [3, 1, false],
  ]);
  // Both at once, as where there is no model to wait for: all of it is waited for.
  await sessions.update(session.id, {
    watermark: 4,
    fold: { ...fold, id: "other", upTo: 4, messages: 4 },
  });
  expect(changes.at(-1)).toMatchObject({ durable: true });
  await store.close();
  const again = openStorage(file);
  expect(
    (await again.folds({ session: session.id })).map(({ fold }) => fold).map(({ id }) => id),
  ).toEqual(["fold", "other"]);
  await again.close();
});

it("moves no watermark where the disk does not take it, and does once it does", async () => {
  let broken: Error | undefined;
  const store = openStorage(join(freshFolder(), "tidemark.db"), {
    sync: async () => {
      if (broken !== undefined) throw broken;
    },
  });
  let ids = 0;
  const newId = (): string => `id-${ids++}`;
  const sessions = createSessions({ store, now: () => 1, newId, weigh: () => 1 });
  const messages = [{ role: "user", content: "message" }];
  const { session } = await sessions.place({ dialect: anthropic, messages, root: "ada" });
  broken = Object.assign(new Error("EIO: fdatasync"), { code: "EIO" });
  await expect(sessions.update(session.id, { watermark: 1 })).rejects.toMatchObject({
    code: "history",
    cause: broken,
  });
  broken = undefined;
  await sessions.update(session.id, { watermark: 1 });
  expect((await sessions.load(session.id))?.session.watermark).toBe(1);
  await store.close();
});
