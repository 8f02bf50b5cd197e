import type { Truth } from "../../src/storage/port.ts";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as vitest from "vitest";
import { describe, expect, it } from "vitest";
import type { Tidemark } from "../../src/index.ts";
import { openTidemark } from "../../src/tidemark/open-tidemark.ts";
import { storageContract } from "../contracts/index.ts";
import { freshFolder } from "../support/anthropic.ts";
import { memoryStorage } from "../support/memory-storage.ts";
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
function hostStorage() {
  const counted = { closed: 0 };
  const close = async (): Promise<void> => void (counted.closed += 1);
  return { storage: strict({ ...memoryStorage(), close }), counted };
}

let last = hostStorage().storage;
storageContract(
  vitest,
  "plain Maps in an object of a host's class",
  async () => (last = hostStorage().storage),
  { vectors: false, data: false, again: async () => last },
);

const WINDOW = { tokens: 4_000, reserve: 500 };
const question = (turn: number): string =>
  `Question ${turn}: how does the harbour keep its books? ${"The ledger has many pages. ".repeat(20)}`;

async function talk(workspace: string, store: Truth, first: string, turns: number) {
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
  it("holds all that was saved, folded and said, for who opens it again; the workspace has no database", async () => {
    const workspace = freshFolder();
    const { storage, counted } = hostStorage();
    const first = await talk(workspace, storage, "I'm allergic to peanuts.", 30);
    const told = async ({ memory, history }: Tidemark) => ({
      memories: (await memory.list()).map(({ content }) => content),
      history: await history.list(),
      turn: (await memory.search("allergic peanuts", { in: ["history"] }))[0]?.text,
    });
    await first.tidemark.memory.save({ content: "The harbour master is Ines.", key: "master" });
    const before = await told(first.tidemark);
    expect(before.turn).toBe("I'm allergic to peanuts.");
    await first.tidemark.close();
    expect({ closed: counted.closed, folds: first.folds > 0 }).toEqual({ closed: 1, folds: true });
    const names = readdirSync(join(workspace, ".tidemark"));
    expect(names.filter((name) => name.startsWith("tidemark"))).toEqual([]);
    const second = await talk(workspace, storage, "What may I cook tonight?", 1);
    expect(second.system).toContain("peanuts");
    const { history, ...known } = await told(second.tidemark);
    expect(known).toEqual({ memories: before.memories, turn: before.turn });
    expect(history.at(-1)).toEqual(before.history[0]);
    const [found] = await second.tidemark.memory.recall("Who is the harbour master?");
    expect(found?.text).toBe("The harbour master is Ines.");
    await second.tidemark.close();
  });

  it.each([
    ["another address", "mysql://ada:secret@localhost/x", '"postgres://…", got another text;'],
    ["a number", 7, 'option "store" must be a Storage or "postgres://…", got 7'],
    [
      "an object that is none",
      { find: () => [] },
      'option "store" lacks commit, debts, values, sessions',
    ],
  ])("refuses %s in one sentence", async (_, store, sentence) => {
    await expect(openTidemark({ workspace: false, store: store as never })).rejects.toThrow(
      sentence,
    );
  });

  it("refuses an embedder without vectors, and masks what it keeps where that is asked", async () => {
    const { storage } = hostStorage();
    const embed = { dimensions: 2, embed: async () => [] };
    await expect(openTidemark({ workspace: false, store: storage, embed })).rejects.toThrow(
      'option "store" needs `vectors`',
    );
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
