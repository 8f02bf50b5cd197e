import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { Tidemark } from "../../src/index.ts";
import { anthropicMiddleware } from "../../src/adapters/anthropic.ts";
import type { TidemarkEvent } from "../../src/core/errors-and-events.ts";
import { assistant, asReply, requestOf, user } from "../support/talk.ts";
import { freshFolder } from "../support/workspace.ts";
import { freshTidemark } from "../support/anthropic.ts";

const opened = async (events: TidemarkEvent[] = []): Promise<Tidemark> =>
  (
    await freshTidemark({
      ...{ workspace: `${freshFolder()}/ws`, distil: "extractive" },
      listen: (event) => events.push(event),
    })
  ).tidemark;

const VIEW = { code: "closed", message: "This view was closed; make another with as()." };
const ROOT = { code: "closed", message: "This Tidemark was closed; open a new one." };
const HELLO = requestOf([user("Hello, I moor at the north quay.")]);

/** One call of each room. */
const CALLS: readonly (readonly [name: string, call: (of: Tidemark) => Promise<unknown>])[] = [
  ["begin", (of) => of.begin(HELLO)],
  ["fold", (of) => of.fold()],
  ["memory.save", (of) => of.memory.save("The tide turns at six.")],
  ["memory.recall", (of) => of.memory.recall("tide")],
  ["history.list", (of) => of.history.list()],
  ["workspace.read", (of) => of.workspace.read("SOUL.md", "agent:default")],
  ["notes.list", (of) => of.notes.list()],
  ["records.list", (of) => of.records.list()],
  ["task", (of) => of.task({ description: "Moor the ferry" })],
  ["tidy", (of) => of.tidy()],
  ["idle", (of) => of.idle()],
];

describe("close", () => {
  it("of a view ends that view, and neither its root, its siblings nor what it began", async () => {
    const tidemark = await opened();
    const [ada, bob] = [tidemark.as({ user: "ada" }), tidemark.as({ user: "bob" })];
    const child = ada.as({ conversation: "desk" });
    const turn = await ada.begin(HELLO);
    await ada.close();
    await ada.close();
    await turn.end(asReply(assistant("Noted.")));
    for (const [name, call] of CALLS) await expect(call(ada), name).rejects.toMatchObject(VIEW);
    await expect(ada.as({ agent: "ops" }).memory.list()).rejects.toMatchObject(VIEW);
    const [tool] = ada.tools({ only: ["memory_recall"] });
    expect(await tool?.run({ query: "tide" })).toBe("Error: memory is closed.");
    for (const other of [tidemark, bob, child])
      await other.memory.save("The crane lifts nine tons.");
    const again = tidemark.as({ user: "ada" });
    expect((await again.history.list()).map(({ messages }) => messages)).toEqual([2]);
  });

  it("of the root ends every view, in whatever order, and twice is once", async () => {
    const tidemark = await opened();
    const [ada, bob] = [tidemark.as({ user: "ada" }), tidemark.as({ user: "bob" })];
    await ada.close();
    await Promise.all([tidemark.close(), bob.close(), tidemark.close()]);
    await tidemark.close();
    for (const of of [tidemark, ada, bob, tidemark.as({ user: "eve" })])
      for (const [name, call] of CALLS) await expect(call(of), name).rejects.toMatchObject(ROOT);
  });
});

describe("a wrapped client", () => {
  const passing = async (of: Tidemark, close: Tidemark, events: TidemarkEvent[]) => {
    const through = anthropicMiddleware(of);
    await close.close();
    const request = new Request("https://api.invalid/v1/messages", { method: "POST" });
    for (let time = 0; time < 2; time += 1)
      await through(request, async () => new Response("{}"), { options: { body: HELLO } } as never);
    return events.flatMap((event) => (event.type === "passed" ? [event.reason] : []));
  };

  it("of a closed view says that the view was closed, once", async () => {
    const events: TidemarkEvent[] = [];
    const ada = (await opened(events)).as({ user: "ada" });
    expect(await passing(ada, ada, events)).toEqual([
      "this view was closed, so its client goes on without it",
    ]);
  });

  it("of a closed Tidemark, or a view of it, says so, though none had called before", async () => {
    const events: TidemarkEvent[] = [];
    const tidemark = await opened(events);
    const [before, then] = await passing(tidemark.as({ user: "ada" }), tidemark, events);
    expect(before).toMatch(/^no call came through .* before this Tidemark was closed; is /);
    expect(then).toBe("this Tidemark was closed, so its client goes on without it");
  });
});

it("ten thousand views of requests leave nothing behind", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const tidemark = await opened();
  await tidemark.idle();
  const timers = (): string[] =>
    process.getActiveResourcesInfo().filter((name) => name === "Timeout");
  const before = timers();
  const views = Array.from({ length: 10_000 }, (_, at) => {
    const view = tidemark.as({ user: `u${at}`, conversation: `c${at}` });
    if (at % 2 === 0) void view.close();
    return new WeakRef(view);
  });
  // A weak reference holds what it names until the job that made it is over.
  await setImmediate();
  collect();
  expect(views.filter((view) => view.deref() !== undefined)).toHaveLength(0);
  expect(timers().length).toBeLessThanOrEqual(before.length);
});
