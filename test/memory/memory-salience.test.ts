import type { Stored, Memory } from "../../src/core/memory.ts";
import { describe, expect, it } from "vitest";
import { openTidemark, type Options, type Tidemark } from "../../src/index.ts";
import { RANKING } from "../../src/memory/recalling/rank.ts";
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
    expect(salience(stored(), START, RANKING)).toBe(0.5);
    expect(salience(stored({ age: 14 * DAY }), START, RANKING)).toBeCloseTo(
      0.5 * (0.3 + 0.7 * 0.5),
      10,
    );
    expect(salience(stored({ age: 40_000 * DAY }), START, RANKING)).toBeCloseTo(0.5 * 0.3, 10);
    expect(salience(stored({ uses: 5, usedAgo: 0 }), START, RANKING)).toBeCloseTo(0.75, 10);
    expect(salience(stored({ uses: 5, usedAgo: 3 * DAY }), START, RANKING)).toBeCloseTo(0.625, 10);
    expect(salience(stored({ uses: 500, usedAgo: 0, importance: 1 }), START, RANKING)).toBe(1);
    expect(salience(stored({ importance: 0 }), START, RANKING)).toBe(0);
  });

  it("uses the host's half-life and boost", () => {
    expect(
      salience(stored({ age: DAY, uses: 20, usedAgo: 0 }), START, {
        ...RANKING,
        halfLife: DAY,
        mostUse: 2,
      }),
    ).toBeCloseTo(0.5 * 0.65 * 2, 10);
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

  it("leave out what stands elsewhere, and fill its room", async () => {
    const { memories } = openRoom();
    for (let at = 0; at < 4; at += 1)
      await memories.save({ content: `note ${at}`, importance: 1 - at / 10 });
    expect(
      (
        await memories.salient({
          ...ALL_SALIENT,
          limit: 2,
          without: Promise.resolve(({ content }: Memory) => content === "note 0"),
        })
      ).map(({ content }) => content),
    ).toEqual(["note 1", "note 2"]);
  });
});

/** The facts section of a new conversation's system text, line by line. */
async function shown(tidemark: Tidemark, opening: string): Promise<string[]> {
  const turn = await tidemark.begin({
    model: "claude-opus-4-5",
    max_tokens: 500,
    system: "Be kind.",
    messages: [{ role: "user", content: opening }],
  });
  const text = JSON.stringify(turn.request.system).replaceAll("\\n", "\n");
  return text
    .split("\n")
    .filter((line) => line.startsWith("- "))
    .map((line) => line.replace(/^- | \(.*$/g, ""));
}

describe("the prompt of a new conversation", () => {
  const house = async (more: Options = {}) => {
    const clock = { now: START };
    const tidemark = await openTidemark({ workspace: false, now: () => clock.now, ...more });
    return { tidemark, clock };
  };

  it("stays within its share of the window however much is remembered, and does not drop the user's own for the agent's", async () => {
    const { tidemark } = await house({
      identity: { agent: "a", user: "ada" },
      window: { tokens: 8_000 },
    });
    for (let at = 0; at < 150; at += 1)
      await tidemark.memory.save({
        content: `Note ${at} of the harbour office about berth ${at * 3} and its crane`,
        importance: 0.9,
      });
    await tidemark.memory.save({
      content: "Ada is afraid of heights",
      importance: 0.3,
      scope: "user:ada",
    });
    const lines = await shown(tidemark, "Hello!");
    expect(lines).toContain("Ada is afraid of heights");
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.length).toBeLessThan(60);
    await tidemark.close();
  });

  it("does not show what has expired", async () => {
    const { tidemark, clock } = await house();
    await tidemark.memory.save({
      content: "The lighthouse is being painted",
      source: "session_summary",
    });
    clock.now += 3 * DAY;
    expect(await shown(tidemark, "Hello!")).toEqual([]);
    await tidemark.close();
  });
});
