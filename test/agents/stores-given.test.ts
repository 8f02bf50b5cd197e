import type { Storage } from "../../src/storage/port.ts";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as vitest from "vitest";
import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/tidemark/open.ts";
import { openStorage } from "../../src/storage/sqlite/open.ts";
import { storageContract } from "../contracts/index.ts";
import { freshFolder } from "../support/anthropic.ts";
import { assistant, play, user } from "../support/talk.ts";

/** As an object of a class has it: a method without its object is of no use. */
function strict<Port extends object>(port: Port): Port {
  const members = Object.entries(port).map(([name, member]: [string, unknown]) => {
    if (typeof member !== "function") return [name, strict(member as object)];
    const method = function (this: unknown, ...given: unknown[]): unknown {
      if (this !== made) throw new Error(`${name} was called without its object`);
      return Reflect.apply(member, port, given);
    };
    return [name, method];
  });
  const made = Object.fromEntries(members) as Port;
  return made;
}

/** A host's own storage, that counts how often it is closed. */
function hostStorage(close = true) {
  const own = openStorage(":memory:");
  const counted = { closed: 0 };
  const storage = strict({
    ...own,
    close: async () => {
      counted.closed += 1;
      if (close) await own.close();
    },
  });
  return { storage, counted };
}

storageContract(vitest, "an object of a host's class", async () => hostStorage().storage);

const WINDOW = { tokens: 4_000, reserve: 500 };
const question = (turn: number): string =>
  `Question ${turn}: how does the harbour keep its books? ${"The ledger has many pages. ".repeat(20)}`;

async function talk(workspace: string, store: Storage, first: string, turns: number) {
  const tidemark = await openTidemark({
    workspace,
    store,
    distil: "extractive",
    window: WINDOW,
    listen: false,
  });
  let folds = 0;
  const { request } = await play(tidemark, {
    messages: [user(first), assistant("It keeps them by the tide.")],
    calls: question,
    turns,
    request: { model: "claude-sonnet-5-5" },
    until: ({ folded }) => void (folds += folded === undefined ? 0 : 1),
  });
  await tidemark.idle();
  return { tidemark, folds, system: JSON.stringify(request.system) };
}

describe("openTidemark({ store })", () => {
  it("keeps history and memory in the host's storage, and no database in the workspace", async () => {
    const workspace = freshFolder();
    const { storage: store, counted } = hostStorage();
    const first = await talk(workspace, store, "I'm allergic to peanuts.", 30);
    expect(first.folds).toBeGreaterThan(0);
    expect(
      (
        await first.tidemark.history.read({
          conversation: (await first.tidemark.history.list())[0]?.id ?? "",
        })
      ).messages.length,
    ).toBeGreaterThan(40);
    expect(await first.tidemark.tidy()).not.toHaveProperty("backup");
    expect(JSON.stringify(await first.tidemark.memory.list({}))).toContain("peanuts");
    await first.tidemark.close();
    expect(counted.closed).toBe(1);
    expect(
      readdirSync(join(workspace, ".tidemark")).filter((name) => name.startsWith("tidemark")),
    ).toEqual([]);
  });

  it("finds there in a later session what an earlier one learnt", async () => {
    const workspace = freshFolder();
    const { storage: kept } = hostStorage(false);
    const first = await talk(workspace, kept, "I'm allergic to peanuts.", 30);
    await first.tidemark.close();
    const second = await talk(workspace, kept, "What may I cook tonight?", 1);
    expect(second.system).toContain("peanuts");
    await second.tidemark.close();
  });

  it.each([
    ["an address", "postgres://localhost/x", "there is none behind an address yet"],
    ["a number", 7, 'option "store" must be a Storage, got 7'],
    ["an object that is none", { find: () => [] }, 'option "store" lacks commit, values, sessions'],
  ])("refuses %s in one sentence", async (_, store, sentence) => {
    await expect(openTidemark({ workspace: false, store: store as never })).rejects.toThrow(
      sentence,
    );
  });

  it("names whichever method is missing, before anything is opened", async () => {
    const { storage } = hostStorage();
    for (const method of Object.keys(storage)) {
      if (method === "vectors") continue;
      const store = { ...storage, [method]: undefined } as never;
      const opened = openTidemark({ workspace: false, store });
      await expect(opened, method).rejects.toThrow(`option "store" lacks ${method};`);
    }
  });

  it("refuses an embedder without vectors, and masks what it keeps where that is asked", async () => {
    const { vectors: _, ...without } = openStorage(":memory:");
    const embed = { dimensions: 2, embed: async () => [] };
    await expect(openTidemark({ workspace: false, store: without, embed })).rejects.toThrow(
      'option "store" needs `vectors`',
    );
    const { storage } = hostStorage(false);
    const tidemark = await openTidemark({
      ...{ workspace: false, store: storage, history: { keep: "masked" } },
    });
    const text = `token ghp_${"a1B2".repeat(9)}`;
    await tidemark.history.import({ id: "old", messages: [{ role: "user", text }] });
    await tidemark.close();
    const [message] = await storage.unindexed(9);
    expect(String(message?.body.text)).not.toContain("ghp_");
  });
});
