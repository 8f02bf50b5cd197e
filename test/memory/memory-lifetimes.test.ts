import { describe, expect, it } from "vitest";
import { checkOptions } from "../../src/session/options/read-options.ts";
import { daysOf, type Lifetimes } from "../../src/memory/saving/draft.ts";
import type { Scope } from "../../src/core/identity.ts";
import { DAY, HOUR, openRoom, START } from "../support/memory-room.ts";

const subject = (more: Partial<Parameters<typeof daysOf>[0]> = {}) => ({
  scope: "agent:scout" as Scope,
  kind: "fact" as const,
  category: "general",
  source: "manual",
  ...more,
});

describe("the life of a memory", () => {
  it("is what its source says: 7 days a finished task, 3 a session's summary, 30 an indexed file, for ever what was said", () => {
    expect(
      ["task_completion", "session_summary", "file_index", "manual", "distilled", "anything"].map(
        (source) => daysOf(subject({ source })),
      ),
    ).toEqual([7, 3, 30, Infinity, Infinity, Infinity]);
  });

  it("is two days of what is daily by a word given, unless the host says otherwise", () => {
    const daily = { category: "daily" };
    expect(daysOf(subject(daily))).toBe(2);
    expect(daysOf(subject({ ...daily, source: "task_completion" }))).toBe(2);
    expect(daysOf({ ...subject(daily), sorted: true })).toBe(Infinity);
    expect(daysOf(subject(daily), { categories: { daily: Infinity } })).toBe(Infinity);
    expect(daysOf(subject(daily), { default: 30 })).toBe(30);
  });

  it("is not cut short by a category that was found: only one that was given ends it", async () => {
    const { memories } = await openRoom();
    const found = await memories.save("We fly to Lisbon tomorrow morning.");
    const given = await memories.save({ content: "The gate is shut.", category: "daily" });
    expect([found.category, found.expiresAt]).toEqual(["daily", undefined]);
    expect(given.expiresAt).toBe(given.at + 2 * DAY);
    const later = await memories.update(given.id, { category: "general" });
    expect(later.expiresAt).toBeUndefined();
    const sooner = await memories.update(found.id, { category: "daily" });
    expect(sooner.expiresAt).toBe(found.at + 2 * DAY);
  });

  it("is resolved by agent category, shared category, agent default, shared default, for ever", () => {
    const all: Lifetimes = {
      categories: { incident: 20 },
      default: 40,
      scopes: { "agent:scout": { categories: { incident: 10 }, default: 30 } },
    };
    const days = (lifetimes: Lifetimes, category = "incident") =>
      daysOf(subject({ category, source: "chatter" }), lifetimes);
    expect(days(all)).toBe(10);
    expect(days({ ...all, scopes: { "agent:scout": { default: 30 } } })).toBe(20);
    expect(days(all, "core")).toBe(30);
    expect(days({ ...all, scopes: {} }, "core")).toBe(40);
    expect(days({ categories: { incident: 20 } }, "core")).toBe(Infinity);
  });

  it("is a kind's before a source's before the plain default, within one set of rules", () => {
    const lifetimes: Lifetimes = { kinds: { episode: 5 }, sources: { chatter: 6 }, default: 7 };
    expect([
      daysOf(subject({ kind: "episode", source: "chatter" }), lifetimes),
      daysOf(subject({ source: "chatter" }), lifetimes),
      daysOf(subject({ source: "other" }), lifetimes),
    ]).toEqual([5, 6, 7]);
  });

  it("may be set for one scope, or for all scopes of a kind; the one goes first", () => {
    const lifetimes: Lifetimes = {
      scopes: { agent: { default: 9 }, "agent:scout": { default: 2 } },
    };
    expect([
      daysOf(subject(), lifetimes),
      daysOf(subject({ scope: "agent:other" }), lifetimes),
      daysOf(subject({ scope: "user:ada" }), lifetimes),
    ]).toEqual([2, 9, Infinity]);
  });

  it("is found until its last millisecond and read by id afterwards", async () => {
    const { memories, clock } = openRoom({ lifetimes: { sources: { flash: 1 / DAY } } });
    const { id } = await memories.save({ content: "tea", source: "flash" });
    expect(await memories.recall("tea")).toHaveLength(1);
    clock.now += 1;
    expect([await memories.recall("tea"), await memories.list()]).toEqual([[], []]);
    expect((await memories.get(id))?.content).toBe("tea");
  });

  it("changes with the category and the kind, and begins anew with new words", async () => {
    const { memories, clock } = openRoom({
      lifetimes: { categories: { incident: 10 }, kinds: { episode: 5 } },
    });
    const { id } = await memories.save({ content: "the disk was full", category: "core" });
    expect((await memories.update(id, { category: "incident" })).expiresAt).toBe(START + 10 * DAY);
    clock.now += HOUR;
    expect((await memories.update(id, { content: "the log disk was full" })).expiresAt).toBe(
      START + HOUR + 10 * DAY,
    );
    expect((await memories.update(id, { importance: 1 })).expiresAt).toBe(START + HOUR + 10 * DAY);
    const lasting = await memories.update(id, { category: "core" });
    expect("expiresAt" in lasting).toBe(false);
    expect((await memories.update(id, { kind: "episode" })).expiresAt).toBe(START + HOUR + 5 * DAY);
  });

  it("is refused in one sentence when it cannot be meant", () => {
    for (const [given, said] of [
      [
        { incident: 3 },
        /knows no option "advanced\.lifetimes\.incident".*it knows categories, kinds, sources, default, scopes/,
      ],
      [
        { categories: { incident: 0 } },
        /lifetimes\.categories\.incident" must be a number of days above 0/,
      ],
      [{ default: "30" }, /lifetimes\.default/],
      [{ scopes: { scout: { default: 1 } } }, /must be .*by scope, such as "agent:scout"/],
    ] as const)
      expect(() => checkOptions({ advanced: { lifetimes: given as Lifetimes } })).toThrow(
        expect.objectContaining({ code: "config", message: expect.stringMatching(said) }),
      );
  });
});
