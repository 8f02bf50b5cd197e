import type { Stored } from "../../src/core/memory.ts";
import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { salience } from "../../src/memory/recalling/salience.ts";
import { ALL_SALIENT, DAY, openRoom, START } from "../support/memory-room.ts";

const stored = ({
  age = 0,
  uses = 0,
  usedAgo,
  importance = 0.5,
}: { age?: number; uses?: number; usedAgo?: number; importance?: number } = {}): Stored => ({
  memory: {
    id: "a",
    content: "tea",
    scope: "agent:probe",
    kind: "fact",
    category: "general",
    importance,
    source: "manual",
    origin: "host",
    tags: [],
    at: START,
    updatedAt: START,
    uses,
    version: 1,
  },
  statedAt: START - age,
  validFrom: START - age,
  same: "",
  ...(usedAgo === undefined ? {} : { usedAt: START - usedAgo }),
});

describe("salience", () => {
  it("decays with time to a floor, and grows with use to a cap", () => {
    expect(salience(stored(), START)).toBe(0.5);
    expect(salience(stored({ age: 14 * DAY }), START)).toBeCloseTo(0.5 * (0.3 + 0.7 * 0.5), 10);
    expect(salience(stored({ age: 40_000 * DAY }), START)).toBeCloseTo(0.5 * 0.3, 10);
    expect(salience(stored({ uses: 5, usedAgo: 3 * DAY }), START)).toBeCloseTo(0.625, 10);
    expect(salience(stored({ uses: 500, usedAgo: 0, importance: 1 }), START)).toBe(1);
  });
});

describe("the facts chosen for a prompt", () => {
  it("give each scope its share of the room, and what one leaves to the weightiest of the others", async () => {
    const { memories } = openRoom();
    for (let at = 0; at < 30; at += 1)
      await memories.save({ content: `loud project note ${at}`, importance: 1 });
    for (let at = 0; at < 3; at += 1)
      await memories.save({
        content: `quiet word of Ada ${at}`,
        importance: 0.2,
        scope: "user:ada",
      });
    const chosen = await memories.salient(ALL_SALIENT);
    expect(chosen.filter(({ scope }) => scope === "user:ada")).toHaveLength(3);
    expect(chosen).toHaveLength(10);
    expect(chosen.map(({ importance }) => importance)).toEqual(
      [...chosen.map(({ importance }) => importance)].sort((a, b) => b - a),
    );
  });

  it("keep to a budget of tokens; a long one gives its place to shorter ones", async () => {
    const { memories } = openRoom();
    await memories.save({ content: "x".repeat(4_000), importance: 1 });
    await memories.save({ content: "y".repeat(40), importance: 0.5 });
    await memories.save({ content: "z".repeat(40), importance: 0.4 });
    const chosen = await memories.salient({ ...ALL_SALIENT, tokens: Promise.resolve(15) });
    expect(chosen.map(({ content }) => content[0])).toEqual(["y"]);
  });
});

describe("the prompt of a new conversation", () => {
  it("does not show what has expired, and tells the house's rules whole and six wishes, after 20 days and 400 of small outcomes, once each", async () => {
    const clock = { now: START };
    const told: string[] = [];
    const identity = { agent: "a", user: "ada" };
    const tidemark = await openTidemark({
      workspace: false,
      identity,
      now: () => clock.now,
      listen: (event) => told.push(JSON.stringify(event)),
    });
    const { memory } = tidemark;
    const rule = `Never send an invoice unread.${" It is read by two.".repeat(40)}`;
    await memory.save({ content: rule, kind: "policy", importance: 0.1 });
    const wish = (content: string, more: object = {}) =>
      memory.save({ content, category: "rule", importance: 0.8, scope: "user:ada", ...more });
    const wishes = ["German", "no emoji", "tables", "metric units", "no calls", "questions first"];
    for (const one of wishes) await wish(`The user wants ${one}.`);
    await memory.save({ content: "The lighthouse is painted", source: "session_summary" });
    for (let at = 0; at < 40; at += 1)
      await wish(`The user wants fruit ${at}.`, { importance: 0.6 });
    await wish("The user wants tea.", { key: "user.drink" });
    await wish("The user wants coffee.", { key: "user.drink" });
    await wish("The user wants tables.", { scope: "agent:a" });
    for (let day = 1; day <= 400; day += 1) {
      clock.now += DAY;
      for (const part of ["first", "second"])
        await memory.save({
          content: `The ${part} boat of day ${day} went to berth ${day * 3}.`,
          category: "outcome",
          importance: 0.8,
        });
      if (day !== 20 && day !== 400) continue;
      const turn = await tidemark.begin({
        model: "m",
        max_tokens: 500,
        messages: [{ role: "user", content: `Hello on day ${day}` }],
      });
      const text = JSON.stringify(turn.request).replaceAll("\\n", "\n");
      expect(text).toContain(`<tidemark-rules>\n- ${rule}\n</tidemark-rules>`);
      expect(text.indexOf("-rules>")).toBeLessThan(text.indexOf("-wishes>"));
      for (const one of [...wishes, "coffee"])
        expect(text.split(`- The user wants ${one}. (2026-01-10)`)).toHaveLength(2);
      expect(text).not.toMatch(/lighthouse|wants tea|, from (?:host|user)/);
      expect(text).toContain(`went to berth ${day * 3}.`);
    }
    expect(told.join().match(/wishes-left-out/g)).toHaveLength(1);
    await tidemark.close();
  });

  it("sends a request though the rules of the house are longer than the window, and says so once", async () => {
    const told: string[] = [];
    const tidemark = await openTidemark({
      workspace: false,
      listen: (event) => told.push(JSON.stringify(event)),
    });
    for (let at = 0; at < 60; at += 1)
      await tidemark.memory.save({
        content: `Rule ${at}: ${`step ${at} comes before the next. `.repeat(40)}`,
        kind: "policy",
      });
    const ask = async (model: string, ...said: string[]) => {
      const messages = said.map((content, at) => ({
        role: at % 2 ? "assistant" : "user",
        content,
      }));
      const { request: sent } = await tidemark.begin({ model, messages, max_tokens: 500 });
      return JSON.stringify(sent).match(/Rule \d+/g)?.length ?? 0;
    };
    expect(await ask("claude-sonnet-5-5", "Hello")).toBe(60);
    expect(await ask("gpt-4", "Hello", "Hello to you", "And now?")).toBe(16);
    expect(await ask("gpt-4", "Good day")).toBe(16);
    expect(told.join().match(/rules-left-out/g)).toHaveLength(1);
    expect(told.join()).not.toContain("degraded");
    await tidemark.close();
  });
});
