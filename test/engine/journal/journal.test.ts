import { kindOf } from "../../support/anthropic.ts";
import { execFileSync } from "node:child_process";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openTidemark, type Tidemark } from "../../../src/index.ts";
import { digestOf } from "../../../src/memory/saving/replay.ts";
import { allValues } from "../../../src/memory/saving/values.ts";
import type { Options } from "../../../src/engine/options/types.ts";
import type { TidemarkEvent } from "../../../src/model/events.ts";
import { openSqliteStore } from "../../../src/store/open-index.ts";
import { rebuildIndex } from "../../../src/engine/upkeep/rebuild.ts";
import { REPOSITORY } from "../../support/packed.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 21, 10);
const opened: Tidemark[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const tidemark of opened.splice(0)) await tidemark.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const freshFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-journal-"));
  folders.push(folder);
  return folder;
};

async function open(workspace: string, options: Partial<Options> = {}) {
  const events: TidemarkEvent[] = [];
  const clock = { now: START };
  const tidemark = await openTidemark({
    workspace,
    listen: (event) => events.push(event),
    now: () => clock.now,
    ...options,
  });
  opened.push(tidemark);
  return { tidemark, events, clock };
}

const logOf = (folder: string, at = START): string =>
  join(folder, "memory", `${new Date(at).toISOString().slice(0, 10)}.md`);
const edit = (path: string, change: (text: string) => string): void =>
  writeFileSync(path, change(readFileSync(path, "utf8")));
const index = (folder: string): string => join(folder, ".tidemark/index.db");

async function valuesIn(folder: string) {
  const store = openSqliteStore(index(folder));
  try {
    return await allValues(store);
  } finally {
    await store.close();
  }
}

/** Facts of every kind, in the scopes of two users and an agent, over some days; used, updated, superseded, forgotten. */
async function live(folder: string): Promise<void> {
  const { tidemark, clock } = await open(folder);
  const ada = tidemark.as({ user: "ada" });
  for (let day = 0; day < 4; day += 1) {
    clock.now += DAY;
    await tidemark.memory.save({
      content: `The port of day ${day} is ${5000 + day}.`,
      key: "port",
      tags: ["ops", `d${day}`],
    });
    await ada.memory.save({
      content: `Ada likes tea number ${day}.\nWith milk.`,
      scope: "user:ada",
      importance: 0.1 * day,
      at: clock.now - 3 * DAY,
    });
    await tidemark.memory.save({ content: `Task ${day} was done.`, source: "task_completion" });
  }
  const [first] = await ada.memory.recall("which tea does Ada like?");
  await ada.memory.update(first?.id ?? "", { category: "preference" });
  await tidemark.memory.forget(
    (await tidemark.memory.recall("Task 2 was done")).find(({ text }) => text.includes("Task 2"))
      ?.id ?? "",
  );
  await tidemark.memory.recall("what is the port?");
  await tidemark.close();
}

describe("tidemark rebuild", () => {
  it("makes the same index from the workspace alone, values of the past and counts of use included", async () => {
    const folder = freshFolder();
    await live(folder);
    const before = await valuesIn(folder);
    expect(before.some(({ until }) => until !== undefined)).toBe(true);
    for (const file of readdirSync(join(folder, ".tidemark")))
      if (file.startsWith("index.db")) rmSync(join(folder, ".tidemark", file));
    const report = await rebuildIndex({ workspace: folder, now: () => START });
    const after = await valuesIn(folder);
    expect(report.digest).toBe(digestOf(before));
    expect(digestOf(after)).toBe(digestOf(before));
    expect(
      after
        .filter(({ until }) => until === undefined)
        .map(({ stored: { memory } }) => [memory.id, memory.uses]),
    ).toEqual(
      before
        .filter(({ until }) => until === undefined)
        .map(({ stored: { memory } }) => [memory.id, memory.uses]),
    );
    expect(before.some(({ stored }) => stored.memory.uses > 0)).toBe(true);

    const { tidemark } = await open(folder);
    expect((await tidemark.memory.recall("what is the port?"))[0]?.text).toBe(
      "The port of day 3 is 5003.",
    );
    expect(
      (await tidemark.memory.recall("what is the port?", { asOf: START + 2 * DAY + 1 }))[0]?.text,
    ).toBe("The port of day 1 is 5001.");
    expect(JSON.stringify(await tidemark.memory.list())).not.toContain("Task 2");
  });

  it("changes nothing when it is only asked to look, and says from the command line what it did", async () => {
    const folder = freshFolder();
    await live(folder);
    edit(logOf(folder, START + DAY), (text) => text.replace("day 0 is 5000", "day 0 is 5999"));
    const cli = (...args: string[]): string =>
      execFileSync(
        process.execPath,
        [join(REPOSITORY, "src/cli/main.ts"), "rebuild", "--workspace", folder, ...args],
        { encoding: "utf8" },
      );
    const before = digestOf(await valuesIn(folder));
    expect(cli("--dry-run")).toMatch(
      /Would read .*\n2 memories would be put right|Would read .*\n1 memory would be put right/,
    );
    expect(digestOf(await valuesIn(folder))).toBe(before);
    expect(cli()).toMatch(/put right\./);
    expect(cli()).toContain("The index was right.");
  });

  it("keeps memories whose log is gone, and writes them down again", async () => {
    const folder = freshFolder();
    await live(folder);
    const before = digestOf(await valuesIn(folder));
    rmSync(join(folder, "scopes/user/ada/memory"), { recursive: true });
    const report = await rebuildIndex({ workspace: folder, now: () => START });
    expect(report).toMatchObject({ unlogged: 4, digest: before });
    expect(await rebuildIndex({ workspace: folder, now: () => START })).toMatchObject({
      unlogged: 0,
      differed: 0,
      digest: before,
    });
  });

  it.each([0, 2_000])(
    "keeps what stood in a day's log that is deleted, though another line of that day follows after %i ms",
    async (later) => {
      const folder = freshFolder();
      const { tidemark, clock, events } = await open(folder);
      for (const door of ["blue", "red"]) await tidemark.memory.save(`The ${door} door sticks.`);
      await tidemark.memory.list();
      rmSync(logOf(folder));
      clock.now += later;
      const { id } = await tidemark.memory.save("The green door sticks.");
      const words = async (): Promise<string[]> =>
        (await tidemark.memory.list()).map(({ content }) => content).sort();
      for (let look = 0; look < 3; look += 1) {
        clock.now += 2_000;
        expect(await words()).toHaveLength(3);
      }
      const log = readFileSync(logOf(folder), "utf8");
      for (const door of ["blue", "red", "green"])
        expect(log.match(new RegExp(`The ${door} door`, "g")), door).toHaveLength(1);
      expect(
        events.filter((event) => event.type === "notice" && /was deleted/.test(event.text)),
      ).toHaveLength(1);
      // From then on it tells of all again: a line that is taken out is forgotten.
      edit(logOf(folder), (text) => text.replace(/^.*green.*\n/m, ""));
      clock.now += 2_000;
      expect(await words()).toEqual(["The blue door sticks.", "The red door sticks."]);
      expect(await tidemark.memory.get(id)).toBeUndefined();
      await tidemark.close();
      rmSync(index(folder));
      const again = await open(folder);
      expect(await again.tidemark.memory.list()).toHaveLength(2);
    },
  );

  it("passes over lines that stand in another scope's folder", async () => {
    const folder = freshFolder();
    await live(folder);
    const stolen = readFileSync(logOf(folder, START + DAY), "utf8");
    edit(
      join(
        folder,
        "scopes/user/ada/memory",
        `${new Date(START + DAY).toISOString().slice(0, 10)}.md`,
      ),
      (text) => text + stolen,
    );
    expect((await rebuildIndex({ workspace: folder, now: () => START })).odd).toBeGreaterThan(0);
  });
});

describe("an index that is gone or cannot be read", () => {
  it("is made anew when the workspace is opened, and said; the damaged one is kept", async () => {
    const folder = freshFolder();
    await live(folder);
    const before = digestOf(await valuesIn(folder));
    const drop = (): void =>
      readdirSync(join(folder, ".tidemark"))
        .filter((file) => file.startsWith("index.db"))
        .forEach((file) => rmSync(join(folder, ".tidemark", file)));
    for (const spoil of [
      drop,
      () => writeFileSync(index(folder), "no database at all. ".repeat(500)),
    ]) {
      spoil();
      const { tidemark, events } = await open(folder);
      expect((await tidemark.memory.recall("what is the port?"))[0]?.text).toBe(
        "The port of day 3 is 5003.",
      );
      await tidemark.close();
      expect(
        events
          .filter((event) => event.type === "degraded")
          .map((event) => event.type === "degraded" && event.where),
      ).toEqual(["memory index"]);
      expect(digestOf(await valuesIn(folder))).toBe(before);
    }
    expect(
      readdirSync(join(folder, ".tidemark")).filter((file) => /^index\.db\.damaged-/.test(file)),
    ).not.toEqual([]);
  });
});

describe("a person's edit of the daily log", () => {
  it("is what memory says within two seconds of a running process: a text changed, a line taken out", async () => {
    const folder = freshFolder();
    const { tidemark, events, clock } = await open(folder);
    await tidemark.memory.save("The deploy host is harbour-one.");
    await tidemark.memory.save("Invoices are in euro.");
    edit(logOf(folder), (text) => text.replace("harbour-one", "harbour-two"));
    clock.now += 1_500;
    expect((await tidemark.memory.recall("what is the deploy host?"))[0]?.text).toBe(
      "The deploy host is harbour-two.",
    );
    edit(logOf(folder), (text) =>
      text
        .split("\n")
        .filter((line) => !line.includes("Invoices"))
        .join("\n"),
    );
    clock.now += 1_500;
    expect(await tidemark.memory.recall("which currency are invoices in, euro?")).toEqual([]);
    expect(events.filter((event) => kindOf(event) === "reconciled")).toHaveLength(2);
    // Ours are not somebody's.
    await tidemark.memory.save("A third one.");
    clock.now += 1_500;
    await tidemark.memory.list();
    expect(events.filter((event) => kindOf(event) === "reconciled")).toHaveLength(2);
  });

  it("counts at the next start, also after it was followed by our own writes", async () => {
    const folder = freshFolder();
    const first = await open(folder);
    await first.tidemark.memory.save("The deploy host is harbour-one.");
    edit(logOf(folder), (text) => text.replace("harbour-one", "harbour-two"));
    await first.tidemark.memory.save("Invoices are in euro.");
    await first.tidemark.close();
    const { tidemark } = await open(folder);
    expect((await tidemark.memory.list()).map(({ content }) => content).sort()).toEqual([
      "Invoices are in euro.",
      "The deploy host is harbour-two.",
    ]);
    expect((await rebuildIndex({ workspace: folder, now: () => START })).differed).toBe(0);
  });

  it("that takes a whole file away forgets nothing", async () => {
    const folder = freshFolder();
    const { tidemark, clock } = await open(folder);
    await tidemark.memory.save("The deploy host is harbour-one.");
    clock.now += DAY;
    await tidemark.memory.save("Invoices are in euro.");
    rmSync(logOf(folder));
    edit(logOf(folder, START + DAY), (text) => text.replace("euro", "yen"));
    clock.now += 1_500;
    expect((await tidemark.memory.list()).map(({ content }) => content).sort()).toEqual([
      "Invoices are in yen.",
      "The deploy host is harbour-one.",
    ]);
  });
});

describe("a process that died", () => {
  it("between the journal and the index: the next start finishes what was written down", async () => {
    const folder = freshFolder();
    const { tidemark } = await open(folder);
    await tidemark.memory.save("The deploy host is harbour-one.");
    await tidemark.close();
    const before = { index: readFileSync(index(folder)), log: readFileSync(logOf(folder), "utf8") };
    const again = await open(folder);
    await again.tidemark.memory.save("Invoices are in euro.");
    await again.tidemark.close();
    // The index as it was before the second memory; the log as it is after it, whole or torn.
    const after = readFileSync(logOf(folder));
    for (const torn of [0, 1, 40, 80]) {
      for (const end of ["-wal", "-shm"]) rmSync(index(folder) + end, { force: true });
      writeFileSync(index(folder), before.index);
      writeFileSync(logOf(folder), after);
      if (torn > 0) truncateSync(logOf(folder), after.length - torn);
      const { tidemark: next } = await open(folder);
      const expected =
        torn <= 1
          ? ["Invoices are in euro.", "The deploy host is harbour-one."]
          : ["The deploy host is harbour-one."];
      expect(
        (await next.memory.list()).map(({ content }) => content).sort(),
        `torn by ${torn}`,
      ).toEqual(expected);
      await next.close();
      expect((await rebuildIndex({ workspace: folder, now: () => START })).differed).toBe(0);
    }
  });
});

describe("what has expired", () => {
  it("is not brought back by a rebuild once tidy took it out", async () => {
    const folder = freshFolder();
    const { tidemark, clock } = await open(folder);
    await tidemark.memory.save({ content: "Task one was done.", source: "task_completion" });
    await tidemark.memory.save("Invoices are in euro.");
    clock.now += 8 * DAY;
    expect(await tidemark.tidy()).toMatchObject({ expired: 1 });
    await tidemark.close();
    expect(await rebuildIndex({ workspace: folder, now: () => clock.now })).toMatchObject({
      memories: 1,
      differed: 0,
    });
    expect(readFileSync(logOf(folder), "utf8")).not.toContain("Task one");
    // The same from the command line, where the clock says that nothing has expired since.
    const said = execFileSync(
      process.execPath,
      [join(REPOSITORY, "src/cli/main.ts"), "tidy", "--workspace", folder],
      { encoding: "utf8" },
    );
    expect(said).toMatch(/^Nothing had expired\.\nHistory was copied to .*\n$/);
  });
});
