import { describe, expect, it } from "vitest";
import type { PageOptions, Tidemark } from "../../src/index.ts";
import { freshFolder, freshTidemark } from "../support/anthropic.ts";

const DAY = 86_400_000;
const contents = async ({ memory }: Tidemark, options?: PageOptions): Promise<string[]> =>
  (await memory.page(options)).memories.map(({ content }) => content);

describe("memory.page", () => {
  it("shows each memory once, page by page, in every order and narrowed", async () => {
    const { tidemark } = await freshTidemark();
    for (let at = 0; at < 7; at += 1)
      await tidemark.memory.save({
        ...{ content: `Boat ${at} is moored`, importance: (at % 3) / 10 },
        category: at % 2 === 0 ? "harbour" : "yard",
      });
    for (const order of [undefined, "updated", "stated", "importance", "used"] as const) {
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await tidemark.memory.page({
          limit: 3,
          ...(order && { order }),
          ...(after && { after }),
        });
        seen.push(...page.memories.map(({ id }) => id));
        after = page.after;
      } while (after !== undefined);
      expect([seen.length, new Set(seen).size]).toEqual([7, 7]);
    }
    expect(await contents(tidemark, { category: "yard", text: "boat 5" })).toEqual([
      "Boat 5 is moored",
    ]);
    expect((await tidemark.memory.page({ limit: 7 })).after).toBeUndefined();
    expect(await contents(tidemark, { scope: "user:nobody" })).toEqual([]);
  });

  it("finds all words of a text, or their beginnings, as they are typed", async () => {
    const { tidemark } = await freshTidemark();
    await tidemark.memory.save("The café's deployments run on Fridays.");
    await tidemark.memory.save("Deployments need a review.");
    for (const text of [
      "caf",
      "deployments caf",
      "CAFÉ's fri",
      "deploy r f",
      "run on",
      "café deployment",
    ])
      expect(await contents(tidemark, { text })).toEqual([
        "The café's deployments run on Fridays.",
      ]);
    expect(await contents(tidemark, { text: "ployments" })).toEqual([]);
    expect(await contents(tidemark, { text: " ?! " })).toHaveLength(2);
  });

  it("shows the values of a day that held then, and nothing expired or out of scope", async () => {
    const clock = { now: Date.UTC(2026, 10, 24, 12) };
    const { tidemark } = await freshTidemark({
      identity: { agent: "default", user: "ada" },
      now: () => clock.now,
    });
    const { id } = await tidemark.memory.save({
      content: "Invoices are in euro.",
      scope: "user:ada",
    });
    await tidemark.memory.save({
      content: "The quay is closed.",
      scope: "user:ada",
      until: clock.now + DAY,
    });
    const bob = tidemark.as({ agent: "default", user: "bob" });
    await bob.memory.save({ content: "Bob moors in the north.", scope: "user:bob" });
    const before = clock.now;
    clock.now += 2 * DAY;
    await tidemark.memory.update(id, { content: "Invoices are in francs." });
    expect(await contents(tidemark)).toEqual(["Invoices are in francs."]);
    expect((await contents(tidemark, { asOf: before })).sort()).toEqual([
      "Invoices are in euro.",
      "The quay is closed.",
    ]);
    expect(await contents(tidemark, { asOf: before, text: "francs" })).toEqual([]);
    expect(await contents(bob)).toEqual(["Bob moors in the north."]);
  });

  it("says of a made-up cursor in one sentence what to give", async () => {
    const { tidemark } = await freshTidemark();
    for (let at = 0; at < 3; at += 1) await tidemark.memory.save(`Boat ${at}`);
    const { after = "" } = await tidemark.memory.page({ limit: 1 });
    const made = (text: string) => Buffer.from(text).toString("base64url");
    for (const options of [
      { after: "x" },
      { after: made("updated x a") },
      { after, order: "used" as const },
    ])
      await expect(tidemark.memory.page(options)).rejects.toMatchObject({
        code: "config",
        message: expect.stringMatching(/^memory\.page: "after" must be what [^.]*\.$/) as string,
      });
  });
});

describe("memory.end", () => {
  it("ends a memory as a deleted line does: no page shows it, undo brings it back", async () => {
    const { tidemark } = await freshTidemark({ workspace: freshFolder() });
    const page = () => tidemark.workspace.read("MEMORY.md", "agent:default");
    const { id } = await tidemark.memory.save({
      content: "Invoices are in euro.",
      key: "currency",
    });
    expect(await page()).toContain("Invoices are in euro.");
    expect(await tidemark.memory.end(id)).toBe(true);
    expect(await page()).not.toContain("Invoices");
    expect([await contents(tidemark), await tidemark.memory.get(id)]).toEqual([[], undefined]);
    expect([await tidemark.memory.end(id), await tidemark.memory.end("nope")]).toEqual([
      false,
      false,
    ]);
    expect(await tidemark.memory.undo(id)).toMatchObject({ id, key: "currency", version: 2 });
    expect(await page()).toContain("Invoices are in euro.");
    expect(await contents(tidemark)).toEqual(["Invoices are in euro."]);
  });

  it("ends and forgets only the version that was read, and nothing that is others'", async () => {
    const { tidemark } = await freshTidemark({
      identity: { agent: "boss", org: "acme", role: "human" },
    });
    const { id } = await tidemark.memory.save({ content: "Doors are blue.", scope: "org:acme" });
    await tidemark.memory.update(id, { content: "Doors are red." });
    const conflict = {
      code: "conflict",
      message: expect.stringContaining("is at version 2, not 1") as string,
    };
    await expect(tidemark.memory.end(id, { version: 1 })).rejects.toMatchObject(conflict);
    await expect(tidemark.memory.forget(id, { version: 1 })).rejects.toMatchObject(conflict);
    const worker = tidemark.as({ agent: "w", org: "acme", role: "worker" });
    await expect(worker.memory.end(id)).rejects.toMatchObject({ code: "scope-denied" });
    expect(await tidemark.as({ agent: "elsewhere", org: "other" }).memory.end(id)).toBe(false);
    expect(await contents(tidemark)).toEqual(["Doors are red."]);
    expect(await tidemark.memory.end(id, { version: 2 })).toBe(true);
    expect(await contents(tidemark)).toEqual([]);
  });
});
