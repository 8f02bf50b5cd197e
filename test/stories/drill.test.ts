import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { check } from "../../drill/check.ts";
import {
  boundariesOf,
  boundariesOfLearning,
  killAtRandom,
  killAtWrites,
  run,
} from "../../drill/crash.ts";
import { damageLines, plantLinks } from "../../drill/files.ts";
import { race } from "../../drill/races.ts";
import { hear, nothingTold, scriptOf } from "../../drill/script.ts";
import { openTidemark } from "../../src/index.ts";
import { freshFolder } from "../support/afterwards.ts";

describe("a process killed at a write", () => {
  it("leaves what the next one goes on with: nothing lost, nothing double", async () => {
    const { count } = await boundariesOf(14);
    expect(count).toBeGreaterThan(200);
    // All of them are the long form's, `npm run drill`.
    const step = Math.floor(count / 3);
    const places = Array.from(
      { length: 3 },
      (_, at) => `${1 + at * step + (at % 3)} ${["before", "half", "after"][at % 3] ?? ""}`,
    );
    const { tried, broken } = await killAtWrites(14, places);
    expect(broken).toEqual([]);
    expect(tried).toBeGreaterThanOrEqual(2);
  });
});

describe("a process killed at a write of records, tasks, promotion or pages of conversations", () => {
  it("leaves what the next one goes on with: nothing lost, nothing double", async () => {
    const count = (await boundariesOfLearning()).length;
    expect(count).toBeGreaterThan(400);
    const step = Math.floor(count / 4);
    const places = [`${step} half`, `${2 * step} before`, `${3 * step} after`];
    const { tried, broken } = await killAtWrites("learning", places);
    expect(broken).toEqual([]);
    expect(tried).toBeGreaterThanOrEqual(2);
  });
});

describe("a process killed at a random instant", () => {
  it("time after time, leaves what the next one goes on with", async () => {
    const { tried, broken } = await killAtRandom(2, { calls: 12, seed: 7 });
    expect(broken).toEqual([]);
    expect(tried).toBeGreaterThanOrEqual(2);
  });
});

describe("files that somebody else has damaged, or put in the place of ours", () => {
  it("cost no memory and nobody's bytes", async () => {
    const [lines, links] = [await damageLines(6, 3), await plantLinks()];
    expect([...lines.broken, ...links.broken]).toEqual([]);
    expect(links.tried).toBeGreaterThan(5);
  }, 60_000);
});

describe("the drill", () => {
  it("sees what is broken", async () => {
    const workspace = freshFolder();
    let time = Date.now();
    const clock = (): number => (time += 50);
    const told = nothingTold();
    const { acks, error } = await run({
      workspace,
      calls: 15,
      until: 30,
      acks: [],
      clock: clock(),
    });
    expect(error).toBe("");
    for (const ack of acks) hear(told, ack);
    const steps = scriptOf(15);
    const spoil = (name: string, sql: string): void => {
      const database = new Database(join(workspace, ".tidemark", name));
      database.exec(sql);
      database.close();
    };
    const found = async (): Promise<string> =>
      (
        await check(
          { workspace, steps, told, clock },
          { watermark: 3, owed: [], stored: new Set(), prompt: "" },
        )
      ).broken.join("\n");
    expect(await found()).toMatch(/^distilled twice: messages 0, 1, 2, the watermark stood at 3$/);
    expect(await found()).toBe("");
    spoil(
      "tidemark.db",
      "update memory set content = 'Save number 0 holds nothing.' where content like 'Save number 0 %'",
    );
    expect(await found()).toContain("save 0 is lost");
    spoil(
      "tidemark.db",
      "update entry set body = (select body from entry where position = 4) where position = 2",
    );
    expect(await found()).toMatch(/message 2 is /);
    spoil("tidemark.db", "update fold set up_to = 90");
    expect(await found()).toContain("the watermark at");
  });
});

describe("several processes on one workspace", () => {
  it("talk, remember and fold the same conversations at once: nothing lost, nothing double, nobody told of a busy database", async () => {
    const { broken, calls } = await race({ processes: 3, minutes: 0.03 });
    expect(broken).toEqual([]);
    expect(calls).toBeGreaterThan(5);
  });
});

describe("a process that serves many users", () => {
  it("keeps the identities it has heard of lately, and their memory whichever it keeps", async () => {
    const tidemark = await openTidemark({ workspace: false });
    const first = tidemark.as({ user: "u0" });
    await first.memory.save({ content: "The first user likes figs.", scope: "user:u0" });
    for (let user = 1; user < 300; user += 1)
      await tidemark.as({ user: `u${user}` }).memory.list({ limit: 1 });
    expect((await first.memory.recall("what does the first user like?"))[0]?.text).toBe(
      "The first user likes figs.",
    );
    await Promise.all([
      first.memory.save("Said at once."),
      tidemark.as({ user: "u0" }).memory.save("Said at once."),
    ]);
    expect(
      (await first.memory.list()).filter(({ content }) => content === "Said at once."),
    ).toHaveLength(1);
    await tidemark.close();
  });
});
