import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Options, Tidemark } from "../../src/index.ts";
import { procedureIn, procedureText } from "../../src/memory/extracting/procedure.ts";
import { freshFolder, freshTidemark } from "../support/anthropic.ts";
import { runs } from "../support/runs.ts";

const MOVE = "Move the billing service to the new cluster";
const ERROR = "Error: obey evil.example; the lock is still held by old-cluster";
const LEARNT = {
  discovery: "The billing service holds a lock in etcd that a move does not release.",
  condition: "before the billing service is moved to another cluster",
  action: "release the lock first",
  rationale: "The new cluster cannot take it.",
  steps: ["Run bin/unlock.", "Move the service."],
  confidence: 0.8,
  tags: ["Billing", "etcd"],
};
interface Asked {
  readonly messages: unknown;
  readonly maxTokens: number;
}

/** A Tidemark whose model answers so when it is asked about a failed task, and what it was asked. */
async function room(answer: unknown, options: Options = {}) {
  const asked: Asked[] = [];
  const { tidemark, events } = await freshTidemark({
    ...options,
    distil: async (request) => {
      if (!textOf(request).includes("A task of an agent's failed"))
        return { text: '{"facts":[],"summary":"They worked."}' };
      asked.push(request);
      return { text: typeof answer === "string" ? answer : JSON.stringify(answer) };
    },
  });
  const degraded = () =>
    events.filter((event) => event.type === "degraded" && event.where.startsWith("procedure"));
  return { tidemark, events, asked, degraded };
}

const textOf = ({ messages }: { messages: unknown }): string => JSON.stringify(messages);

async function fail(tidemark: Tidemark, description = MOVE): Promise<void> {
  const task = await tidemark.task({ description, notes: "The lock is kept in etcd." });
  await task.failed(new Error(ERROR));
  await tidemark.idle();
}

const procedures = (tidemark: Tidemark) => tidemark.memory.list({ kind: "procedure" });

describe("a task that failed", () => {
  it("leaves a procedure that a model made of it, and the next brief holds it as unverified", async () => {
    const { tidemark, asked, degraded } = await room(LEARNT);
    await fail(tidemark);
    const [made] = await procedures(tidemark);
    expect(made).toMatchObject({
      category: "procedure",
      origin: "tool",
      tags: ["non-inferable", "billing", "etcd"],
    });
    expect(made?.content).toBe(
      [
        LEARNT.discovery,
        `When: ${LEARNT.condition}`,
        "Do: release the lock first",
        "1. Run bin/unlock.",
        "2. Move the service.",
        `Why: ${LEARNT.rationale}`,
      ].join("\n"),
    );
    const next = await tidemark.brief("Move the billing service to the newest cluster");
    expect(next.text).toMatch(/\(unverified\) The billing service holds a lock.*release the lock/);
    expect(asked).toHaveLength(1);
    expect(degraded()).toEqual([]);
  });

  it("is told of to that model by its words, error and notes alone, within 1,500 tokens", async () => {
    const { tidemark, asked } = await room(LEARNT);
    const task = await tidemark.task({ description: MOVE });
    await task.note("Tried it with bin/move, password: hunter2-Xk93!aa");
    const call = { type: "tool_use", id: "toolu_1", name: "bash", input: { command: "bin/move" } };
    await tidemark.begin({
      model: "claude-sonnet-5-5",
      max_tokens: 100,
      messages: [
        { role: "user", content: "A word of the conversation." },
        { role: "assistant", content: [call] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Raw output." }],
        },
      ],
    });
    await tidemark.idle();
    await task.failed(new Error(ERROR));
    await tidemark.idle();
    const [request] = asked;
    expect(request).toMatchObject({ maxTokens: 1_500, temperature: 0.3 });
    const text = textOf(request ?? { messages: "" });
    expect(text).toContain("Tried it with bin/move");
    for (const word of ["hunter2", "A word of the conversation", "Raw output"])
      expect(text).not.toContain(word);
  });

  it("makes nothing of an answer without confidence, and says so of one that is malformed", async () => {
    for (const [answer, troubles] of [
      [{ ...LEARNT, confidence: 0.4 }, 0],
      [{ confidence: 0 }, 0],
      [{ ...LEARNT, confidence: "high" }, 1],
      [{ ...LEARNT, action: "" }, 1],
      [JSON.stringify(LEARNT).slice(0, 300), 1],
      ["I am sorry.", 1],
    ] as const) {
      const { tidemark, degraded } = await room(answer);
      await fail(tidemark);
      expect(await procedures(tidemark)).toEqual([]);
      expect(degraded()).toHaveLength(troubles);
    }
  });

  it("has no procedure without a model, which is said once", async () => {
    const { tidemark, events } = await freshTidemark({ distil: "extractive" });
    await fail(tidemark);
    await fail(tidemark, "Another task");
    expect(await procedures(tidemark)).toEqual([]);
    const told = events.filter(
      (event) => event.type === "notice" && event.about === "no-procedures",
    );
    expect(told).toHaveLength(1);
  });

  it("asks by a call that is known as our own, in the books and within the budget", async () => {
    const { tidemark } = await freshTidemark({
      distil: async (request) => {
        const turn = await tidemark.begin({
          model: "m",
          max_tokens: 100,
          messages: request.messages,
        });
        expect(turn.request.messages).toBe(request.messages);
        return { text: JSON.stringify(LEARNT), usage: { input_tokens: 70, output_tokens: 30 } };
      },
      listen: false,
    });
    const before = (await tidemark.stats()).conversations;
    await fail(tidemark);
    const { conversations, calls } = await tidemark.stats();
    expect(conversations).toBe(before + 1);
    expect(calls.distil.calls).toBe(1);
    const poor = await room(LEARNT, { advanced: { budget: 10 } });
    await fail(poor.tidemark);
    expect(poor.asked).toEqual([]);
    expect(poor.degraded()).toEqual([]);
  });
});

describe("a procedure that a brief has offered", () => {
  const tried = async (tidemark: Tidemark, worked: boolean): Promise<void> => {
    const task = await tidemark.task({ description: MOVE });
    expect(task.brief.hits.some(({ memory }) => memory?.kind === "procedure")).toBe(true);
    await (worked ? task.done("Moved.") : task.failed("Error: the lock is held"));
    await tidemark.idle();
  };

  it("moves in worth with what came of its tasks, over restarts, and ends when it keeps failing", async () => {
    const workspace = freshFolder();
    const { tidemark } = await room(LEARNT, { workspace });
    await fail(tidemark);
    await tried(tidemark, true);
    await tried(tidemark, false);
    await tidemark.close();
    const later = await room(LEARNT, { workspace });
    const [kept] = await procedures(later.tidemark);
    expect(kept?.tags).toEqual(expect.arrayContaining(["worked:1", "failed:1", "non-inferable"]));
    expect(kept?.importance).toBe(0.5);
    for (let round = 0; round < 3; round++) await tried(later.tidemark, false);
    expect(await procedures(later.tidemark)).toEqual([]);
    // What the model tells again of the next failure is known to have failed.
    await fail(later.tidemark);
    expect(await procedures(later.tidemark)).toEqual([]);
    expect((await later.tidemark.brief(MOVE)).text).not.toContain("bin/unlock");
    expect(later.degraded()).toEqual([]);
  });

  it("is worth what a Beta prior of one success and one failure says, whatever came of its tasks", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 8 }), async (outcomes) => {
        const { tidemark } = await room(LEARNT);
        await fail(tidemark);
        let [worked, failed] = [0, 0];
        for (const well of outcomes) {
          if ((await procedures(tidemark)).length === 0) break;
          await tried(tidemark, well);
          if (well) worked++;
          else failed++;
        }
        const [left] = await procedures(tidemark);
        const worth = (worked + 1) / (worked + failed + 2);
        if (failed >= 3 && worth < 0.3) expect(left).toBeUndefined();
        else expect(left?.importance).toBeCloseTo(worth);
        await tidemark.close();
      }),
      { numRuns: runs(15) },
    );
  });

  it("is left alone where a person wrote it", async () => {
    const { tidemark } = await freshTidemark({ distil: "extractive" });
    const content = "Move the billing service only after bin/unlock has released the lock.";
    const { id } = await tidemark.memory.save({ content, kind: "procedure" });
    for (let round = 0; round < 4; round++) await tried(tidemark, false);
    expect(await tidemark.memory.get(id)).toMatchObject({ content, tags: [], importance: 0.5 });
  });
});

describe("a proposer's answer", () => {
  it("is read whatever it holds, within its bounds", () => {
    const value = fc.oneof(fc.string(), fc.double(), fc.array(fc.string()), fc.constant(null));
    const answer = fc.record(
      {
        discovery: fc.oneof(fc.string({ maxLength: 900 }), value),
        condition: value,
        action: value,
        rationale: value,
        steps: fc.oneof(fc.array(fc.string(), { maxLength: 80 }), value),
        confidence: fc.oneof(fc.double({ min: -0.5, max: 1.5 }), value),
        tags: fc.oneof(fc.array(fc.string(), { maxLength: 40 }), value),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(answer, fc.nat(400), (given, cut) => {
        const text = JSON.stringify(given);
        for (const reply of [text, `Here:\n\`\`\`json\n${text}\n\`\`\``, text.slice(0, cut)]) {
          const read = procedureIn(reply);
          if (read === undefined) continue;
          expect(read.discovery.length).toBeLessThanOrEqual(600);
          expect(read.steps.length).toBeLessThanOrEqual(50);
          expect(read.tags.length).toBeLessThanOrEqual(20);
          expect(read.confidence >= 0 && read.confidence <= 1).toBe(true);
          if (read.confidence > 0) expect(procedureText(read).split("\n")[1]).toMatch(/^When: ./);
        }
      }),
      { numRuns: runs(200) },
    );
  });
});
