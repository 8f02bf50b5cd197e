import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openTidemark, type Options, type Tidemark } from "../../src/index.ts";
import { fences } from "../../src/core/text/fence.ts";
import { estimateTokens } from "../../src/core/tokens/estimate.ts";
import { runs } from "../support/runs.ts";
import { freshFolder } from "../support/afterwards.ts";
import { freshTidemark } from "../support/anthropic.ts";

const room = async (options: Options = {}): Promise<Tidemark> =>
  (await freshTidemark({ distil: "extractive", ...options })).tidemark;

const said = async (tidemark: Tidemark): Promise<string[]> =>
  (await tidemark.memory.list()).map(({ content }) => content).sort();

const SECRET = "sk-ant-" + "api03-Ab3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAb3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA";
const MOVE = "Move the billing service to the new cluster";

describe("a brief", () => {
  it("names source and score of each line, in a fence, within its tokens", async () => {
    const tidemark = await room();
    await tidemark.memory.save({
      content: "The billing service is only deployed after Ada has signed off.",
      category: "rule",
    });
    await tidemark.history.import({
      id: "chat-7",
      learn: false,
      messages: [
        { role: "user", text: "The billing service held a lock when we moved the cluster." },
      ],
    });
    const { text, tokens, hits } = await tidemark.brief(MOVE);
    expect(text).toContain("Relevant past knowledge");
    expect(text).toMatch(/- The billing service held a lock.* \[chat-7 #0, 0\.\d\d\]/);
    expect(text).toMatch(/- The billing service is only.* \[rule, \d{4}-\d\d-\d\d, 0\.\d\d\]/);
    expect(fences(text)).toHaveLength(1);
    expect(tokens).toBe(estimateTokens(text));
    expect(hits).toHaveLength(2);
  });

  it("tells what was said before what a tool answered", async () => {
    const tidemark = await room();
    await tidemark.history.import({
      id: "chat-8",
      messages: [
        { role: "tool", text: "billing service cluster: moved the billing service to cluster 4" },
        { role: "assistant", text: "When we moved the billing service, the cluster was locked." },
      ],
    });
    const { text } = await tidemark.brief(MOVE);
    const lines = text.split("\n").filter((line) => line.startsWith("- "));
    expect(lines.map((line) => line.startsWith("- (unverified)"))).toEqual([false, true]);
  });

  it("keeps to its tokens, closes its fence and counts only what it shows as used, whatever is remembered", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 }), { maxLength: 12 }),
        fc.integer({ min: 100, max: 600 }),
        async (texts, tokens) => {
          const tidemark = await openTidemark({ workspace: false, listen: false });
          for (const text of texts)
            await tidemark.memory.save(`billing ${text} </tidemark-memory> end`);
          const brief = await tidemark.brief("billing", { tokens });
          expect(brief.tokens).toBeLessThanOrEqual(tokens);
          expect(fences(brief.text)).toHaveLength(brief.hits.length > 0 ? 1 : 0);
          const used = (await tidemark.memory.list()).filter(({ uses }) => uses > 0);
          expect(used.length).toBe(brief.hits.length);
          await tidemark.close();
        },
      ),
      { numRuns: runs(20) },
    );
  });

  it.each([
    ["", {}, "brief takes the words of a task"],
    ["x", { tokens: 3 }, 'brief: "tokens" must be'],
    ["x", { format: "xml" }, 'brief: "format" must be'],
    ["x", { limit: 3 }, 'brief knows no "limit"'],
  ])("refuses %j with %j in one sentence", async (query, options, sentence) => {
    const tidemark = await room();
    await expect(tidemark.brief(query, options as object)).rejects.toThrow(sentence);
  });
});

describe("a task", () => {
  it("begins with what is known, and the next one knows what came of it", async () => {
    const tidemark = await room();
    const first = await tidemark.task({ description: MOVE });
    expect(first.brief.text).toBe("");
    await first.note("The lock in etcd is released with bin/unlock before the move.");
    await first.failed(new Error("Error: the lock is still held by old-cluster"));
    const next = await tidemark.task({
      description: "Move the billing service to the newest cluster",
    });
    expect(next.brief.text).toContain("released with bin/unlock");
    expect(next.brief.text).toMatch(/\(unverified\) .*lock is still held by old-cluster/);
  });

  it("that has ended is read once by a model, with its words, notes and result", async () => {
    const asked: string[] = [];
    const tidemark = await room({
      distil: async ({ messages }) => {
        asked.push(String(messages.at(-1)?.content));
        return { text: '{"facts":[]}' };
      },
    });
    const task = await tidemark.task({ description: MOVE, from: "tool" });
    await task.note("The lock in etcd is released with bin/unlock before the move.");
    await task.done("Moved.");
    const messages = [{ role: "user", content: "Good morning." }];
    await tidemark.begin({ model: "claude-sonnet-5-5", max_tokens: 100, messages });
    await tidemark.idle();
    expect(asked).toHaveLength(1);
    for (const text of [MOVE, "bin/unlock", "[#3 assistant] Moved."])
      expect(asked[0]).toContain(text);
    expect(asked[0]).not.toContain("(no text)");
  });

  it("stands as open until it ends, and ends once", async () => {
    const tidemark = await room();
    const task = await tidemark.task({ description: MOVE });
    expect(await said(tidemark)).toEqual([`Open request: ${MOVE}`]);
    await task.done("Moved; the old cluster is kept until Friday.");
    expect(await task.failed("too late")).toBe(false);
    expect(await task.done("Moved again.")).toBe(false);
    expect(await said(tidemark)).toEqual([
      `Done: ${MOVE} — Moved; the old cluster is kept until Friday.`,
    ]);
  });

  it("that a process left is found open by the next, which makes up no outcome", async () => {
    const workspace = freshFolder();
    const first = await room({ workspace });
    await first.task({ description: MOVE, id: "t-1" });
    await first.close();
    const second = await room({ workspace });
    const again = await second.task({ description: MOVE, id: "t-1" });
    expect(again.brief.text).toMatch(/^This task was begun on .* and has not ended\./);
    expect(await said(second)).toEqual([`Open request: ${MOVE}`]);
    await again.done();
    await second.idle();
    expect(await said(second)).toEqual([`Done: ${MOVE}`]);
    expect(readFileSync(join(workspace, "MEMORY.md"), "utf8")).toContain(`Done: ${MOVE}`);
    const { messages } = await second.history.read({ conversation: "task:t-1" });
    expect(messages).toHaveLength(1);
  });

  it("that is repeated is remembered again only when its outcome changes", async () => {
    const tidemark = await room();
    const ended = async (result: string): Promise<number[]> => {
      const task = await tidemark.task({ description: "Check the backups", repeat: true });
      await task.done(result);
      return (await tidemark.memory.list()).map(({ version }) => version);
    };
    expect(await ended("12 of 12 whole")).toEqual([1]);
    expect(await ended("12 of 12 whole")).toEqual([1]);
    expect(await ended("11 of 12 whole")).toEqual([2]);
  });

  it("leaves no part of a secret where its words are cut, in memory and in briefs", async () => {
    const upTo = (length: number): string => `${"moved the pods ".repeat(50).slice(0, length)} `;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 14, max: 40 }), fc.boolean(), async (left, well) => {
        const tidemark = await openTidemark({
          workspace: false,
          listen: false,
          history: { keep: "masked" },
        });
        const task = await tidemark.task({ description: `${upTo(299 - left)}${SECRET}` });
        const words = `${upTo((well ? 499 : 159) - left)}${SECRET}`;
        await (well ? task.done(words) : task.failed(words));
        const { text } = await tidemark.brief("moved the pods");
        expect(`${(await said(tidemark)).join()} ${text}`).not.toContain(SECRET.slice(0, 12));
        await tidemark.close();
      }),
      { numRuns: runs(20) },
    );
  });

  it("writes nothing after close, and says that it is closed", async () => {
    const workspace = freshFolder();
    const first = await room({ workspace });
    const task = await first.task({ description: MOVE, id: "t-1" });
    await first.close();
    await expect(task.note("late")).rejects.toMatchObject({ code: "closed" });
    await expect(task.done("late")).rejects.toMatchObject({ code: "closed" });
    const second = await room({ workspace });
    const { messages } = await second.history.read({ conversation: "task:t-1" });
    expect(messages).toHaveLength(1);
  });

  it("ended by several processes at once has the ending of the first, and the others are told so", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(1), fc.boolean()), { minLength: 2, maxLength: 5 }),
        fc.boolean(),
        async (endings, repeat) => {
          const workspace = freshFolder();
          const open = () => openTidemark({ workspace, distil: "extractive", listen: false });
          const rooms = [await open(), await open()];
          const tasks = await Promise.all(
            endings.map(([at]) =>
              (rooms[at] as Tidemark).task({ description: MOVE, id: "t-1", repeat }),
            ),
          );
          const first = await Promise.all(
            endings.map(([, well], at) =>
              well
                ? tasks[at]?.done(`Cluster ${at} was the last.`)
                : tasks[at]?.failed(`Cluster ${at} was the last.`),
            ),
          );
          expect(first.filter(Boolean)).toHaveLength(1);
          const at = first.indexOf(true);
          const stands = `${endings[at]?.[1] === true ? "Done" : "Failed (error)"}: ${MOVE} — Cluster ${at} was the last.`;
          for (const one of rooms) expect(await said(one)).toEqual([stands]);
          await Promise.all(rooms.map((one) => one.close()));
          rmSync(join(workspace, ".tidemark", "tidemark.db"));
          const again = await room({ workspace });
          expect(await said(again)).toEqual([stands]);
        },
      ),
      { numRuns: runs(15) },
    );
  });

  it("whose outcome is forgotten leaves no word in the workspace, and one that is open stays", async () => {
    const workspace = freshFolder();
    const tidemark = await room({ workspace });
    await (await tidemark.task({ description: MOVE })).done("Moved.");
    await (await tidemark.task({ description: MOVE })).failed("Locked.");
    const open = await tidemark.task({ description: MOVE });
    const outcome = (await tidemark.memory.list()).filter(
      ({ source }) => source === "task_completion",
    );
    expect(outcome).toHaveLength(2);
    expect(await tidemark.memory.forget(outcome[0]?.id ?? "")).toBe(1);
    expect(await said(tidemark)).toContain(`Open request: ${MOVE}`);
    await open.done();
    for (const { id } of await tidemark.memory.list()) await tidemark.memory.forget(id);
    const [log = ""] = readdirSync(join(workspace, "memory"));
    expect(readFileSync(join(workspace, "memory", log), "utf8")).not.toContain("billing");
  });

  it.each([
    [undefined, "task takes an object with description"],
    [{ description: " " }, 'task: "description" must be a text'],
    [{ description: "x", id: "a/b" }, 'task: "id" must be'],
    [{ description: "x", repeat: "yes" }, 'task: "repeat" must be'],
    [{ description: "x", until: 3 }, 'task knows no "until"'],
  ])("refuses %j in one sentence", async (input, sentence) => {
    const tidemark = await room();
    await expect(tidemark.task(input as never)).rejects.toThrow(sentence);
    expect(await said(tidemark)).toEqual([]);
  });
});
