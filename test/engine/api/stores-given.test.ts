import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as vitest from "vitest";
import { describe, expect, it } from "vitest";
import { openTidemark } from "../../../src/engine/open.ts";
import type { Stores } from "../../../src/model/store.ts";
import { openHistory, openSqliteStore } from "../../support/open-store.ts";
import { storesContract } from "../../contracts/index.ts";
import { restartContract } from "../../contracts/restart.ts";
import { freshFolder } from "../../support/anthropic.ts";
import { assistant, play, user } from "../../support/talk.ts";

/** A port as an object of a class has it: a method without its object is of no use. */
function strict<Port extends object>(port: Port): Port {
  const members = Object.entries(port).map(([name, member]: [string, unknown]) => {
    if (typeof member !== "function") return [name, member];
    const method = function (this: unknown, ...given: unknown[]): unknown {
      if (this !== made) throw new Error(`${name} was called without its object`);
      return Reflect.apply(member, port, given);
    };
    return [name, method];
  });
  const made = Object.fromEntries(members) as Port;
  return made;
}

/** Stores as an object of a class: `close`, too, wants its object. */
class HostStores implements Stores {
  readonly memories;
  readonly turns;
  readonly pages;
  readonly vectors;
  readonly history = strict(openHistory(":memory:"));
  closed = 0;
  constructor() {
    const { turns, pages, vectors, ...memories } = openSqliteStore(":memory:");
    this.memories = strict(memories);
    this.turns = strict(turns);
    this.pages = strict(pages);
    this.vectors = strict(vectors);
  }
  async close(): Promise<void> {
    this.closed += 1;
  }
}
const hostStores = (): HostStores => new HostStores();

storesContract(vitest, "ports of a host", async () => hostStores());

let folder = "";
const inFiles = async (): Promise<Stores> => {
  const { turns, pages, vectors, close, ...memories } = openSqliteStore(
    join(folder, "tidemark.db"),
  );
  return {
    memories,
    turns,
    pages,
    vectors,
    close,
    history: openHistory(join(folder, "tidemark.db")),
  };
};
const inNewFiles = (): Promise<Stores> => {
  folder = freshFolder();
  return inFiles();
};
restartContract(vitest, "SQLite in files", inNewFiles, inFiles);

const WINDOW = { tokens: 4_000, reserve: 500 };
const question = (turn: number): string =>
  `Question ${turn}: how does the harbour keep its books? ${"The ledger has many pages. ".repeat(20)}`;

async function talk(workspace: string, store: Stores, first: string, turns: number) {
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
  it("keeps history and memory in the host's stores, and no database in the workspace", async () => {
    const [workspace, store] = [freshFolder(), hostStores()];
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
    expect(store.closed).toBe(1);
    expect(
      readdirSync(join(workspace, ".tidemark")).filter((name) => /index|history/.test(name)),
    ).toEqual([]);
  });

  it("finds there in a later session what an earlier one learnt", async () => {
    const workspace = freshFolder();
    const store = { ...hostStores(), close: undefined };
    const kept = {
      ...store,
      history: strict({ ...openHistory(":memory:"), close: async () => {} }),
    };
    const first = await talk(workspace, kept, "I'm allergic to peanuts.", 30);
    await first.tidemark.close();
    const second = await talk(workspace, kept, "What may I cook tonight?", 1);
    expect(second.system).toContain("peanuts");
    await second.tidemark.close();
  });

  it.each([
    [
      "an address",
      "postgres://localhost/x",
      'got "postgres://localhost/x". There is no store behind',
    ],
    ["a port that is missing", { memories: {} }, "store.memories.put"],
    ["a method that is missing", { ...hostStores(), turns: {} }, "store.turns.add"],
    [
      "a history that does not say what it keeps",
      { ...hostStores(), history: { ...hostStores().history, keeps: undefined } },
      'option "store.history.keeps" must be { keep: "verbatim" }',
    ],
  ])("refuses %s in one sentence", async (_, store, sentence) => {
    await expect(openTidemark({ workspace: false, store: store as never })).rejects.toThrow(
      sentence,
    );
  });

  it.each(["memories", "turns", "pages", "vectors"] as const)(
    "names whichever method %s lacks, before anything is opened",
    async (name) => {
      const stores = hostStores();
      for (const [method, member] of Object.entries(stores[name] ?? {})) {
        if (method === "close" || typeof member !== "function") continue;
        const port = { ...stores[name], [method]: undefined };
        const opened = openTidemark({
          workspace: false,
          store: { ...stores, [name]: port } as never,
        });
        await expect(opened, method).rejects.toThrow(`option "store.${name}.${method}" must be`);
      }
    },
  );

  it("refuses what does not go with it: a way to keep history, or an embedder without vectors", async () => {
    const { vectors: _, ...without } = hostStores();
    const embed = { dimensions: 2, embed: async () => [] };
    await expect(openTidemark({ workspace: false, store: without, embed })).rejects.toThrow(
      'option "store.vectors" is needed',
    );
    await expect(
      openTidemark({ workspace: false, store: without, history: { keep: "masked" } }),
    ).rejects.toThrow('option "history" is for the store of Tidemark\'s own');
  });
});
