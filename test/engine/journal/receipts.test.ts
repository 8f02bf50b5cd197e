import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { aboutIn, distillerFor, messageOf, replyOf, requestOf } from "../../../drill/host.ts";
import {
  openTidemark,
  type Options,
  type Tidemark,
  type TidemarkEvent,
} from "../../../src/index.ts";
import { asJournal } from "../../../src/workspace/log/daily-log.ts";
import { identityKey } from "../../../src/model/identity.ts";
import { lineDigest } from "../../../src/engine/journal/watermark.ts";
import { freshWorkspace } from "../../support/workspace.ts";
import { openHistory } from "../../../src/store/history/file.ts";
import { rebuildIndex } from "../../../src/engine/upkeep/rebuild.ts";
import type { Complete } from "../../../src/model/ports.ts";

const folders: string[] = [];
const open: Tidemark[] = [];
afterEach(async () => {
  for (const tidemark of open.splice(0)) await tidemark.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const freshFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-receipts-"));
  folders.push(folder);
  return folder;
};
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

/** Says messages up to `last`, as one conversation. */
async function talk(tidemark: Tidemark, from: number, last: number): Promise<void> {
  for (let at = from; at <= last; at += 2) {
    const turn = await tidemark.begin(requestOf(said(at)), { conversation: "one" });
    await turn.end(replyOf(messageOf(at + 1), turn.window.used));
    await tidemark.idle();
  }
}

const aboutAll = async (tidemark: Tidemark): Promise<number[]> =>
  (await tidemark.memory.list({ limit: 1_000 }))
    .flatMap(({ content }) => aboutIn(content) ?? [])
    .sort((a, b) => a - b);
const logOf = (workspace: string): string =>
  join(workspace, "memory", `${new Date(time).toISOString().slice(0, 10)}.md`);
const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");

/** Talks until something is distilled, and keeps the folder as it is when `at` happens: a process killed there leaves that. */
async function killedAt(
  moment: "asked" | "saved",
): Promise<{ left: string; whole: string; last: number }> {
  const [workspace, left] = [freshFolder(), freshFolder()];
  let kept = false;
  const keep = (): void => {
    if (!kept) cpSync(workspace, left, { recursive: true });
    kept = true;
  };
  const complete = distillerFor(() => {
    if (moment === "asked") keep();
    return 1;
  });
  const tidemark = await start(workspace, {
    distil: complete,
    listen: ({ type }) => void (moment === "saved" && type === "saved" && keep()),
  });
  let last = 0;
  for (; !kept; last += 2) await talk(tidemark, last, last);
  return { left, whole: workspace, last: last - 2 };
}

describe("a process killed when its facts were stored and the watermark had not moved", () => {
  it("is not asked again: no fact stands there in other words, and what was forgotten meanwhile stays so", async () => {
    const { left, last } = await killedAt("saved");
    const { complete, asked } = model(2);
    const tidemark = await start(left, { distil: complete });
    const facts = (await tidemark.memory.list({ limit: 1_000 })).filter(
      ({ content }) => aboutIn(content) !== undefined,
    );
    const stored = facts.flatMap(({ content }) => aboutIn(content) ?? []);
    expect(stored.length).toBeGreaterThan(3);
    const gone = facts[0];
    await tidemark.memory.forget(gone?.id ?? "");
    await talk(tidemark, last, last + 24);
    expect((await tidemark.history.folds()).length).toBeGreaterThan(0);
    expect(asked.filter((n) => stored.includes(n))).toEqual([]);
    const about = await aboutAll(tidemark);
    expect(about).toEqual([...new Set(about)]);
    expect(about).not.toContain(aboutIn(gone?.content ?? ""));
    for (const n of stored) if (n !== aboutIn(gone?.content ?? "")) expect(about).toContain(n);
    // Which messages they came from is known too, and MEMORY.md has them.
    const folds = await tidemark.history.folds();
    const learnt = await Promise.all(
      folds.map(
        async ({ id }) =>
          (await tidemark.history.diff(id))?.remembered.memories.map(({ content }) => content) ??
          [],
      ),
    );
    const memory = readFileSync(join(left, "MEMORY.md"), "utf8");
    for (const { content } of facts.slice(1)) {
      expect(learnt.flat()).toContain(content);
      expect(memory).toContain(content);
    }
    await tidemark.close();
    expect(await rebuildIndex({ workspace: left, now: () => time, dry: true })).toMatchObject({
      differed: 0,
      odd: 0,
    });
  });
});

describe("a process killed in the middle of writing its facts", () => {
  it("leaves none of them: they are distilled again, and nothing stands there twice", async () => {
    const { left, whole, last } = await killedAt("asked");
    // What was written, cut off at every place: within the first line, between two, before the receipt, within it.
    const [before, after] = [asJournal(textOf(logOf(left))) ?? "", textOf(logOf(whole))];
    expect(after.startsWith(before)).toBe(true);
    const added = after.slice(before.length);
    const receipt = added.indexOf(" receipt: ");
    expect(receipt).toBeGreaterThan(100);
    for (const cut of [
      40,
      added.indexOf("\n") + 1,
      Math.floor(receipt / 2),
      receipt,
      receipt + 80,
    ]) {
      const workspace = freshFolder();
      cpSync(left, workspace, { recursive: true });
      mkdirSync(join(workspace, "memory"), { recursive: true });
      writeFileSync(logOf(workspace), before + added.slice(0, cut));
      const events: TidemarkEvent[] = [];
      const { complete } = model(2);
      const tidemark = await start(workspace, {
        distil: complete,
        listen: (event) => events.push(event),
      });
      expect(await aboutAll(tidemark)).toEqual([]);
      await talk(tidemark, last, last + 4);
      const about = await aboutAll(tidemark);
      expect(about.length).toBeGreaterThan(3);
      expect(about).toEqual([...new Set(about)]);
      expect(
        (await tidemark.memory.list({ limit: 1_000 })).filter(({ content }) =>
          /told at asking 2/.test(content),
        ),
      ).toHaveLength(about.length);
      expect(events.filter(({ type }) => type === "degraded")).toEqual([]);
      await tidemark.close();
      expect(await rebuildIndex({ workspace, now: () => time, dry: true })).toMatchObject({
        differed: 0,
        odd: 0,
      });
    }
  });

  it("a receipt a person takes out of the file forgets nothing", async () => {
    const { whole } = await killedAt("saved");
    for (const tidemark of open.splice(0)) await tidemark.close();
    const text = readFileSync(logOf(whole), "utf8");
    expect(text).toContain(" receipt: ");
    const tidemark = await start(whole, {});
    const before = await aboutAll(tidemark);
    writeFileSync(
      logOf(whole),
      text
        .split("\n")
        .filter((line) => !line.includes(" receipt: "))
        .join("\n"),
    );
    time += 10_000;
    expect(await aboutAll(tidemark)).toEqual(before);
    expect(before.length).toBeGreaterThan(3);
  });
});

describe("a process killed in the middle of a line", () => {
  const SECRET = "The gate opens at quisquilia.";
  const LINE =
    "- 09:00:00 saved: The gate opens at quisquilia. <!-- id=m1 at=2026-11-21T09:00:00.000Z scope=agent:default kind=fact category=general source=manual origin=host -->";

  it("leaves no words that outlive their being forgotten: not after the next line, nor after the next start", async () => {
    for (const then of ["line", "start"] as const)
      for (const cut of [30, 50, 80, LINE.length - 2]) {
        const workspace = freshFolder();
        const first = await start(workspace, {});
        await first.memory.save("Something else.");
        const path = logOf(workspace);
        if (then === "start") await first.close();
        writeFileSync(path, `${readFileSync(path, "utf8")}${LINE.slice(0, cut)}`);
        time += then === "start" ? 86_400_000 : 1_000;
        const next = await start(workspace, {});
        expect(
          (await next.memory.search("gate quisquilia", { in: ["files"] })).filter(({ text }) =>
            text.includes("quisquilia"),
          ),
        ).toEqual([]);
        const { id } = await next.memory.save(SECRET);
        await next.memory.forget(id);
        expect(readFileSync(path, "utf8")).not.toContain("quisquilia");
        expect(readFileSync(path, "utf8")).toContain("Something else.");
        expect((await next.memory.list()).map(({ content }) => content)).toEqual([
          "Something else.",
        ]);
      }
  });
});

describe("two processes in one conversation", () => {
  it("that distil the same messages at once keep the facts of one of them", async () => {
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
    for (let at = 0; waiting < 2; at += 2) {
      const turns = await Promise.all(
        [one, other].map((tidemark) =>
          tidemark.begin(requestOf(said(at)), { conversation: "one" }),
        ),
      );
      for (const turn of turns) await turn.end(replyOf(messageOf(at + 1), turn.window.used));
    }
    await Promise.all([one.idle(), other.idle()]);
    const about = await aboutAll(one);
    expect(about.length).toBeGreaterThan(3);
    expect(about).toEqual([...new Set(about)]);
    expect(await aboutAll(other)).toEqual(about);
  });

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
    const history = openHistory(join(workspace, ".tidemark", "history.db"));
    const [session] = await history.sessions(identityKey({}));
    const { id, length } = session!;
    const job = { id: "owed", session: id, from: 0, to: length, attempts: 0, error: "overloaded" };
    await history.write({
      session: { ...session!, watermark: length, revision: session!.revision + 1 },
      ...{ from: length, entries: [] },
    });
    await history.queue({ ...job, notBefore: time });
    const line = lineDigest(id, (await history.entries(id)).at(-1)?.chain);
    await history.close();
    const receipt = { id: "owed", at: time, scope: "agent:default", line, owed: true } as const;
    await freshWorkspace(workspace).workspace.log([], receipt.scope, {
      ...receipt,
      ...{ first: 0, last: length },
    });
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

describe("a branch of a conversation", () => {
  it("is not asked for what the other branch distils of the words they share", async () => {
    const workspace = freshFolder();
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const { complete, asked } = model(1);
    let waiting = false;
    const tidemark = await start(workspace, {
      distil: async (request) => {
        waiting = true;
        await gate;
        return complete(request);
      },
    });
    let at = 0;
    for (; !waiting; at += 2) {
      const turn = await tidemark.begin(requestOf(said(at)), { conversation: "one" });
      await turn.end(replyOf(messageOf(at + 1), turn.window.used));
      // Until what the turn began is done, or waits for the distiller: further turns would bring the branch to the next mark.
      let idle = false;
      void tidemark.idle().then(() => (idle = true));
      while (!waiting && !idle) await new Promise(setImmediate);
    }
    // The user goes back behind what was said last, where no call is open, and says something else.
    const other = [
      ...said((at - 5) % 6 === 3 ? at - 7 : at - 5),
      { role: "user" as const, content: "Rather something else, please." },
    ];
    const branch = await tidemark.begin(requestOf(other), { conversation: "one" });
    release();
    await tidemark.idle();
    await branch.end(replyOf({ role: "assistant", content: "Gladly." }, branch.window.used));
    await tidemark.idle();
    const long = [
      ...other,
      { role: "assistant" as const, content: "Gladly." },
      ...Array.from({ length: 9 }, (_, index) => messageOf(6_000 + index)),
    ];
    const turn = await tidemark.begin(requestOf(long), { conversation: "one" });
    await turn.end(replyOf(messageOf(6_009), turn.window.used));
    await tidemark.idle();
    expect((await tidemark.history.list()).length).toBe(2);
    expect(asked.length).toBeGreaterThan(3);
    expect(asked).toEqual([...new Set(asked)]);
  });
});
