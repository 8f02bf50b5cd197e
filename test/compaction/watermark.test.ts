import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { aboutIn, distillerFor, messageOf, replyOf, requestOf } from "../../drill/host.ts";
import { openTidemark, type Options, type Tidemark } from "../../src/index.ts";
import { identityKey } from "../../src/core/identity.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import type { Complete } from "../../src/core/request.ts";
import { freshFolder } from "../support/afterwards.ts";

const open: Tidemark[] = [];
afterEach(async () => {
  for (const tidemark of open.splice(0)) await tidemark.close();
});
let time = Date.UTC(2026, 10, 21, 9);
const start = async (workspace: string, options: Partial<Options>): Promise<Tidemark> => {
  const tidemark = await openTidemark({
    workspace,
    cache: false,
    window: { tokens: 8_000, patience: 15 },
    now: () => (time += 1_000),
    ...options,
  });
  open.push(tidemark);
  return tidemark;
};

/** What the distiller was asked for facts of; its words are its own. */
function model(name: number): { complete: Complete; asked: number[] } {
  const asked: number[] = [];
  const complete = distillerFor((n) => {
    asked.push(n);
    return name;
  });
  return { complete, asked };
}

const said = (last: number, label = 0) =>
  Array.from({ length: last + 1 }, (_, at) => messageOf(label + at));

const aboutAll = async (tidemark: Tidemark): Promise<number[]> =>
  (await tidemark.memory.list({ limit: 1_000 }))
    .flatMap(({ content }) => aboutIn(content) ?? [])
    .sort((a, b) => a - b);
describe("two processes in one conversation", () => {
  it.each([
    ["one line", 0],
    ["a branch", 0],
    ["a branch of what was said elsewhere", 24],
  ])(
    "that distil the same messages at once in %s keep the facts of one of them",
    async (way, first) => {
      const workspace = freshFolder();
      let waiting = 0;
      let go = (): void => {};
      const both = new Promise<void>((resolve) => (go = resolve));
      const held =
        (name: number): Complete =>
        async (request) => {
          if ((waiting += 1) === 2) go();
          await both;
          return distillerFor(() => name)(request);
        };
      const [one, other] = [
        await start(workspace, { distil: held(1) }),
        await start(workspace, { distil: held(2) }),
      ];
      // Every sixth message is a question of the user's with no call open: a branch leaves there.
      const leave = (at: number) => [...said(at - 7), messageOf(at + 6_000, { words: 600 })];
      for (let at = first; waiting < 2; at += 6) {
        const talks = [said(at), way === "one line" ? said(at) : leave(at)];
        const turns = [];
        for (const [nth, tidemark] of [one, other].entries())
          turns.push(await tidemark.begin(requestOf(talks[nth]!), { conversation: "one" }));
        for (const turn of turns) await turn.end(replyOf(messageOf(at + 1), turn.window.used));
      }
      await Promise.all([one.idle(), other.idle()]);
      // What one of them left for later is read by now.
      time += 3_600_000;
      await one.tidy();
      const about = await aboutAll(one);
      expect(about.length).toBeGreaterThan(3);
      expect(about).toEqual([...new Set(about)]);
      expect(await aboutAll(other)).toEqual(about);
    },
  );

  it("that are at the brim at once leave the same messages to the queue once", async () => {
    const workspace = freshFolder();
    const { complete, asked } = model(1);
    const never: Complete = () => new Promise(() => {});
    const small = { window: { tokens: 5_000, patience: 1 } };
    const [one, other] = [
      await start(workspace, { distil: never, ...small }),
      await start(workspace, { distil: never, ...small }),
    ];
    let folded = 0;
    for (let at = 0; folded === 0; at += 2) {
      const turns = await Promise.all(
        [one, other].map((tidemark) =>
          tidemark.begin(requestOf(said(at)), { conversation: "one" }),
        ),
      );
      for (const turn of turns) await turn.end(replyOf(messageOf(at + 1), turn.window.used));
      folded = (await one.history.folds()).length;
    }
    expect((await one.stats()).queued).toBe(1);
    await Promise.all(open.splice(0).map((tidemark) => tidemark.close()));
    time += 3_600_000;
    const next = await start(workspace, { distil: complete, ...small });
    await next.tidy();
    expect(asked.length).toBeGreaterThan(0);
    expect(asked).toEqual([...new Set(asked)]);
    expect((await next.stats()).queued).toBe(0);
  });
});

describe("work that is queued", () => {
  it("reaches only as far as the conversation still says what it said: the rest is distilled with what it says now", async () => {
    const workspace = freshFolder();
    const { complete, asked } = model(1);
    const tidemark = await start(workspace, {
      distil: "extractive",
      window: { tokens: 9_000, patience: 1 },
    });
    for (let at = 0; at < 25; at += 2) {
      const turn = await tidemark.begin(requestOf(said(at)), { conversation: "one" });
      await turn.end(replyOf(messageOf(at + 1), turn.window.used));
    }
    await tidemark.close();
    const history = openStorage(join(workspace, ".tidemark", "tidemark.db"));
    const [session] = await history.sessions({ root: identityKey({}) });
    const { id, length } = session!;
    const job = { id: "owed", session: id, from: 0, to: length, attempts: 0, error: "overloaded" };
    await history.commit({
      session: {
        session: { ...session!, watermark: length, revision: session!.revision + 1 },
        ...{ from: length, entries: [] },
      },
    });
    await history.commit({ queued: { ...job, notBefore: time } });
    await history.close();
    // The last reply comes out another way, and the conversation goes on before anybody does the work.
    const other = [
      ...said(24),
      messageOf(25, { attempt: 2 }),
      ...Array.from({ length: 19 }, (_, at) => messageOf(26 + at)),
    ];
    time += 3_600_000;
    const next = await start(workspace, {
      distil: complete,
      window: { tokens: 9_000, patience: 1 },
    });
    expect((await next.stats()).queued).toBe(1);
    const turn = await next.begin(requestOf(other), { conversation: "one" });
    await turn.end(replyOf(messageOf(45), turn.window.used));
    await next.idle();
    await next.tidy();
    expect((await next.stats()).queued).toBe(0);
    expect(asked).toContain(0);
    expect(asked).toContain(25);
    expect(asked).toEqual([...new Set(asked)]);
    expect(await aboutAll(next)).toEqual([...asked].sort((a, b) => a - b));
  });
});
