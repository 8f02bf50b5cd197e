import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/request.ts";
import { importArchive } from "../../src/tidemark/upkeep/archive.ts";
import { pageOf } from "../../src/agents/tool-parts.ts";
import { answered } from "../../src/workspace/disk/write-whole.ts";
import { growsWithLength } from "../support/growth.ts";
import { openRoom, user } from "../support/talk.ts";
import { counted } from "../support/turns.ts";
import { freshFolder } from "../support/afterwards.ts";

describe("an archive with one long line", () => {
  it("is read in a time that grows with it, not with its square", async () => {
    const path = join(freshFolder(), "archive.jsonl");
    const read = async (length: number): Promise<void> => {
      writeFileSync(
        path,
        `{"tidemark-archive":3}\n{"file":"MEMORY.md","text":"${"a".repeat(length)}"}\n`,
      );
      await importArchive({ from: path, workspace: freshFolder(), now: () => 0 });
    };
    await growsWithLength((length) => expect(read(length)).rejects.toThrow(/is torn/), {
      what: "an archive",
      length: 1_500_000,
    });
  });
});

describe("a page of a long conversation", () => {
  const LENGTH = 20_000;
  function long() {
    const read: number[] = [];
    const rows = async function* (): AsyncGenerator<Message[]> {
      for (let row = 0; row < LENGTH; row += 1) {
        read.push(row);
        yield [user(`${row}: ${"boats ".repeat(100)}`)];
      }
    };
    return { read, stretch: { rows } };
  }

  it("is made from the messages on it and a few behind, not from all", async () => {
    const { read, stretch } = long();
    const { text, of, more } = await pageOf(stretch, 1, 1_900);
    expect(text).toContain("#1 user: 0: boats");
    expect(more).toBe(true);
    expect(of).toBeGreaterThan(10);
    expect(read.length).toBeLessThan(1_000);
  });

  it("lets others have their turn, as reading all of it does", async () => {
    const { tidemark } = await openRoom({ workspace: false });
    const messages = Array.from({ length: 3_000 }, (_, at) => ({
      role: "user",
      text: `Berth ${at}. ${"wind ".repeat(40)}`,
    }));
    await tidemark.history.import({ id: "old", messages });
    const whole = await counted(() => tidemark.history.read({ conversation: "old" }));
    expect(whole.made.messages).toHaveLength(3_000);
    expect(whole.turns).toBeGreaterThan(8);
    const read = tidemark.tools().find(({ name }) => name === "memory_read");
    const last = await counted(async () => read?.run({ conversation: "old", page: 100_000 }));
    expect(last.made).toMatch(/its pages are 1 to \d+\.$/);
    expect(last.turns).toBeGreaterThan(8);
  });
});

describe("conversations forgotten together", () => {
  it("go in batches, with a turn for others between two, from history and from the index", async () => {
    const { tidemark } = await openRoom();
    const ids = Array.from({ length: 130 }, (_, at) => `talk ${at}`);
    for (const id of ids)
      await tidemark.history.import({
        id,
        messages: [{ role: "user", text: `The gull of ${id}.`, at: "2020-01-05T00:00Z" }],
      });
    await tidemark.history.import({
      id: "later",
      messages: [{ role: "user", text: "The gull of today.", at: "2020-01-20T00:00Z" }],
    });
    expect(await tidemark.memory.search("gull", { in: ["history"], limit: 5 })).toHaveLength(5);
    const { made, turns } = await counted(() =>
      tidemark.history.forget({ before: "2020-01-10T00:00Z" }),
    );
    expect(made).toBe(130);
    expect(turns).toBeGreaterThan(10);
    const left = await tidemark.memory.search("gull", { in: ["history"], limit: 5 });
    expect(left.map(({ text }) => text)).toEqual(["The gull of today."]);
    expect((await tidemark.history.list()).map(({ label }) => label)).toEqual(["later"]);
  });
});

describe.skipIf(process.platform === "win32")("a pipe in the place of a page", () => {
  it.each(["MEMORY.md", "memory/2026-01-01.md"])(
    "stops no turn, no search and no end: %s",
    async (page) => {
      const room = await openRoom();
      await room.tidemark.close();
      const place = join(room.file, "..", "..");
      rmSync(join(place, page), { force: true });
      execFileSync("mkdir", ["-p", join(place, page, "..")]);
      execFileSync("mkfifo", [join(place, page)]);
      const tidemark = await room.reopen();
      const turn = await tidemark.begin({
        model: "m",
        max_tokens: 100,
        messages: [user("Hello.")],
      });
      expect(turn.request.messages).toHaveLength(1);
      await tidemark.memory.search("harbour");
      const saved = await tidemark.memory.save("The harbour opens at six.").then(
        () => "saved",
        ({ message }: Error) => message,
      );
      expect(saved).toMatch(
        /^saved$|A pipe, a socket or a device stands in its place: move it away\.$/,
      );
      expect(
        (await tidemark.workspace.files(["agent:default"])).some(({ path }) => path === page),
      ).toBe(false);
      await tidemark.close();
    },
  );

  it("is told, with what to do about it", async () => {
    const room = await openRoom();
    const place = join(room.file, "..", "..");
    rmSync(join(place, "SOUL.md"));
    execFileSync("mkfifo", [join(place, "SOUL.md")]);
    await room.tidemark.begin({ model: "m", max_tokens: 100, messages: [user("Hello.")] });
    const told = room.events.flatMap((event) => (event.type === "degraded" ? [event.error] : []));
    expect(told.join("\n")).toMatch(
      /Cannot read SOUL\.md in .*A pipe, a socket or a device stands in its place/,
    );
    await expect(
      room.tidemark.workspace.write("USER.md", "Ada", "agent:default"),
    ).resolves.toBeUndefined();
  });
});

it("gives a file up whose disk does not answer", async () => {
  let late = (): void => undefined;
  const timer = (_ms: number, work: () => void) => {
    late = work;
    return () => undefined;
  };
  const { promise, resolve } = Promise.withResolvers<string>();
  const stalled = answered(() => promise, timer);
  // After a stall, however long, timers come before what was read meanwhile.
  late();
  resolve("text");
  await expect(stalled).resolves.toBe("text");
  const asked = answered(() => new Promise<string>(() => undefined), timer);
  for (let turn = 0; turn < 10; turn += 1) late();
  await expect(asked).rejects.toMatchObject({ code: "EHANGS" });
  await expect(answered(() => Promise.resolve("text"), timer)).resolves.toBe("text");
});
