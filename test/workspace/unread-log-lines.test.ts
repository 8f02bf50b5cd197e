import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { openTidemark, type Tidemark } from "../../src/index.ts";
import type { TidemarkEvent } from "../../src/model/events.ts";
import type { Memory } from "../../src/model/memory.ts";
import { rebuildIndex } from "../../src/engine/upkeep/rebuild.ts";
import { markedLine, readMarkedLine } from "../../src/workspace/lines/marked-line.ts";
import { executeHere } from "../support/cli-here.ts";

const START = Date.UTC(2026, 10, 21, 10);
const opened: Tidemark[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const tidemark of opened.splice(0)) await tidemark.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function room(workspace = mkdtempSync(join(tmpdir(), "tidemark-unread-"))) {
  folders.push(workspace);
  const events: TidemarkEvent[] = [];
  const clock = { now: START };
  const listen = (event: TidemarkEvent) => events.push(event);
  const tidemark = await openTidemark({ workspace, listen, now: () => clock.now });
  opened.push(tidemark);
  const log = join(workspace, "memory/2026-11-21.md");
  /** Leaves the log as the bytes say, and looks at what is remembered. */
  const after = async (bytes: string | Buffer): Promise<Memory[]> => {
    writeFileSync(log, bytes);
    clock.now += 1_500;
    return tidemark.memory.list();
  };
  const told = (): string[] =>
    events.flatMap((event) =>
      event.type === "degraded" && event.where === "journal" ? [event.error] : [],
    );
  return { workspace, tidemark, clock, log, after, told };
}

const FACTS = [
  "The deploy host is harbour-one.",
  "Invoices are in euro.",
  "Käse with <!-- odd --> marks, and tea.",
  "The cache is warm by nine.",
  "Reviews need two people.",
];

/** Facts, one of them with an earlier value, one that took another's place. */
async function furnished() {
  const given = await room();
  const { tidemark, clock } = given;
  for (const content of FACTS) {
    clock.now += 1_000;
    await tidemark.memory.save(content);
  }
  await tidemark.memory.save({ content: "The port is 5432.", key: "port" });
  clock.now += 1_000;
  await tidemark.memory.save({ content: "The port is 6543.", key: "port" });
  return given;
}

const contents = (memories: readonly Memory[]): string[] =>
  memories.map(({ content }) => content).sort();
/** As the logs of before were written, and are still read: every field by its name. */
function inFull(line: string): string {
  const read = readMarkedLine(line);
  return read === undefined ? line : markedLine(read.text, read.fields);
}
const lineWith = (text: string, words: string): number =>
  text.split("\n").findIndex((line) => line.includes(words));
const replaced = (text: string, at: number, line: string): string =>
  text.split("\n").with(at, line).join("\n");

describe("a line of the daily log that cannot be read", () => {
  const damages: readonly (readonly [string, (line: string) => string])[] = [
    ["an unknown kind", (line) => inFull(line).replace(/kind=\w+/, "kind=hunch")],
    ["an unknown origin", (line) => inFull(line).replace(/origin=\w+/, "origin=oracle")],
    ["a date that is none", (line) => inFull(line).replace(/ at=\S+/, " at=yesterday")],
    ["no date", (line) => inFull(line).replace(/ at=\S+/, "")],
    [
      "a scope of an unknown kind",
      (line) => inFull(line).replace(/scope=\S+/, "scope=planet:mars"),
    ],
    ["the scope of another", (line) => inFull(line).replace(/scope=\S+/, "scope=user:ada")],
    ["another id", (line) => inFull(line).replace(/ id=\S+/, " id=somethingelse")],
    ["no id", (line) => inFull(line).replace(/ id=\S+/, "")],
    ["an unknown event", (line) => line.replace(/ saved: /, " dreamt: ")],
    ["another letter in its mark", (line) => line.replace(/ f(?=[huatx])/, " e")],
    ["another figure in its mark", (line) => line.replace(/~(.)./, "~$1#")],
    ["no mark at all", (line) => line.replace(/ <!--.*/, "")],
    ["the first half alone", (line) => line.slice(0, line.length / 2)],
    ["the second half alone", (line) => line.slice(line.length / 2)],
    ["a line break inside", (line) => `${line.slice(0, 30)}\n${line.slice(30)}`],
    ["zeros for its end", (line) => line.slice(0, -40) + "\0".repeat(40)],
  ];

  it.each(damages)("forgets nothing: %s", async (_what, damage) => {
    const { workspace, log, tidemark, after, told } = await furnished();
    const whole = readFileSync(log, "utf8");
    const at = lineWith(whole, FACTS[1] ?? "");
    const before = contents(await tidemark.memory.list());
    const damaged = replaced(whole, at, damage(whole.split("\n")[at] ?? ""));
    expect(contents(await after(damaged))).toEqual(before);
    expect(told().join("\n")).toMatch(
      new RegExp(`memory/2026-11-21.md cannot be read: ${at + 1}\\b`),
    );
    // Neither does a rebuild, nor the next start, and they say which line it is.
    const report = await rebuildIndex({ workspace, now: () => START });
    expect(report.unread).toContain(`memory/2026-11-21.md, line ${at + 1}`);
    await tidemark.close();
    const next = await room(workspace);
    expect(contents(await next.after(damaged))).toEqual(before);
    // Mended, it is as it was; taken out whole, it is forgotten.
    expect(contents(await next.after(whole))).toEqual(before);
    const without = whole.split("\n").toSpliced(at, 1).join("\n");
    expect(contents(await next.after(without))).toEqual(before.filter((text) => text !== FACTS[1]));
  });

  it("does not stand in the way of another that is taken out whole", async () => {
    const { log, tidemark, after } = await furnished();
    const whole = readFileSync(log, "utf8");
    const before = contents(await tidemark.memory.list());
    const at = lineWith(whole, FACTS[1] ?? "");
    const damaged = replaced(
      whole,
      at,
      inFull(whole.split("\n")[at] ?? "").replace(/kind=\w+/, "kind=hunch"),
    );
    const without = damaged
      .split("\n")
      .toSpliced(lineWith(damaged, FACTS[3] ?? ""), 1)
      .join("\n");
    expect(contents(await after(without))).toEqual(before.filter((text) => text !== FACTS[3]));
  });

  it("keeps the value it told, and the one before it", async () => {
    const { log, tidemark, after } = await furnished();
    const whole = readFileSync(log, "utf8");
    for (const words of ["The port is 5432.", "The port is 6543."]) {
      const at = lineWith(whole, words);
      await after(
        replaced(whole, at, inFull(whole.split("\n")[at] ?? "").replace(/origin=\w+/, "origin=?")),
      );
      const [now] = await tidemark.memory.recall("which port is it?");
      expect(now?.text, words).toBe("The port is 6543.");
      const [then] = await tidemark.memory.recall("which port is it?", { asOf: START + 5_500 });
      expect(then?.text, words).toBe("The port is 5432.");
      await after(whole);
    }
  });

  it("goes with its memory when that is forgotten: no word of it stays", async () => {
    const { workspace, log, tidemark, after } = await furnished();
    const whole = readFileSync(log, "utf8");
    const at = lineWith(whole, FACTS[1] ?? "");
    const [memory] = await tidemark.memory.recall("which currency are invoices in?");
    await after(
      replaced(whole, at, inFull(whole.split("\n")[at] ?? "").replace(/kind=\w+/, "kind=hunch")),
    );
    await tidemark.memory.forget(memory?.id ?? "");
    const texts = readdirSync(workspace, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => readFileSync(join(workspace, name), "utf8"));
    expect(texts.join("\n")).not.toContain("Invoices");
  });

  it("is told by doctor and by a rebuild, with file and line", async () => {
    const { workspace, log, tidemark } = await furnished();
    const whole = readFileSync(log, "utf8");
    const at = lineWith(whole, "Käse");
    await tidemark.close();
    writeFileSync(
      log,
      replaced(whole, at, inFull(whole.split("\n")[at] ?? "").replace(/kind=\w+/, "kind=hunch")),
    );
    for (const verb of ["doctor", "rebuild"]) {
      const { all: out } = await executeHere([verb, "--workspace", workspace]);
      expect(out.replaceAll(/\s+/g, " "), verb).toContain(`memory/2026-11-21.md, line ${at + 1}`);
    }
  });
});

describe("whatever bytes of whichever lines are damaged", () => {
  it("no memory is lost, and none but theirs is changed", async () => {
    const { log, tidemark, after } = await furnished();
    const whole = readFileSync(log);
    const before = new Map(
      (await tidemark.memory.list()).map((memory) => [memory.id, memory.content]),
    );
    /** First byte and length of each line of ours. */
    const lines: { from: number; length: number; id: string }[] = [];
    let from = 0;
    for (const line of whole.toString("latin1").split("\n")) {
      const id = readMarkedLine(Buffer.from(line, "latin1").toString("utf8"))?.fields.id;
      if (id !== undefined) lines.push({ from, length: line.length, id });
      from += line.length + 1;
    }
    const byte = fc.tuple(
      fc.noBias(fc.integer({ min: 0, max: 999 })),
      fc.noBias(fc.integer({ min: 0, max: 255 })),
    );
    const hit = fc.tuple(
      fc.nat({ max: lines.length - 1 }),
      fc.array(byte, { minLength: 1, maxLength: 50 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(hit, { minLength: 1, maxLength: 3 }), async (hits) => {
        const bytes = Buffer.from(whole);
        const damaged = new Set<string>();
        for (const [which, where] of hits) {
          const line = lines[which];
          if (line === undefined) continue;
          damaged.add(line.id);
          for (const [share, value] of where)
            bytes[line.from + Math.floor((share / 1_000) * line.length)] = value;
        }
        const left = new Map((await after(bytes)).map((memory) => [memory.id, memory.content]));
        for (const [id, content] of before) {
          expect(left.has(id)).toBe(true);
          if (!damaged.has(id)) expect(left.get(id)).toBe(content);
        }
        expect((await after(whole)).length).toBe(before.size);
      }),
      { numRuns: 120 },
    );
  });
});
