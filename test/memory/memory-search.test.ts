import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../support/any-character.ts";
import { DAY, START } from "../support/memory-room.ts";
import { runs } from "../support/runs.ts";
import { freshFolder } from "../support/workspace.ts";
import { freshTidemark } from "../support/anthropic.ts";

async function house(options = {}) {
  const root = join(freshFolder(), "ws");
  const clock = { now: START };
  const now = () => clock.now;
  const { tidemark, events } = await freshTidemark({
    ...{ workspace: root, embed: false, now },
    ...options,
  });
  const found = async (
    query: string,
    places: ("memory" | "files" | "history")[] = ["memory", "files", "history"],
  ) => (await tidemark.memory.search(query, { in: places })).map(({ text }) => text);
  return { root, clock, tidemark, events, found };
}

describe("a search of facts and files", () => {
  it("finds no value that was superseded, on whatever day it was saved", async () => {
    const { tidemark, clock, found } = await house();
    await tidemark.memory.save({ content: "The staging port is 5432", key: "port" });
    clock.now += 3 * DAY;
    await tidemark.memory.save({ content: "The staging port is 5433", key: "port" });
    expect(await found("staging port")).toEqual(["The staging port is 5433"]);
    expect(await found("staging port", ["files"])).toEqual([]);
  });

  it("finds nothing that is over or forgotten", async () => {
    const { tidemark, clock, found } = await house();
    await tidemark.memory.save({ content: "Nightly report sent", source: "task_completion" });
    const { id } = await tidemark.memory.save("The gate opens at nine");
    clock.now += 7 * DAY;
    await tidemark.memory.forget(id);
    expect([await found("nightly report"), await found("gate opens")]).toEqual([[], []]);
  });

  it("finds what a person wrote into a log, and no line of ours", async () => {
    const { root, tidemark, found } = await house();
    await tidemark.memory.save("The gate opens at nine");
    await tidemark.idle();
    appendFileSync(join(root, "memory/2026-01-10.md"), "\n- The fence is painted green\n");
    expect(await found("gate nine", ["files"])).toEqual([]);
    expect(await found("painted fence", ["files"])).toEqual(["- The fence is painted green"]);
  });

  it("has one scale: what says the same in a file and in a memory that nobody used yet has one score, a turn the same without use", async () => {
    const { root, tidemark } = await house();
    writeFileSync(join(root, "USER.md"), "The gate opens at nine\n");
    await tidemark.memory.save("The gate opens at nine");
    await tidemark.history.import({
      id: "past",
      messages: [{ role: "user", text: "The gate opens at nine" }],
    });
    const query = "when does the gate open at nine";
    const [fact] = await tidemark.memory.search(query, { in: ["memory"] });
    const [file] = await tidemark.memory.search(query, { in: ["files"] });
    const [turn] = await tidemark.memory.search(query, { in: ["history"] });
    expect(file?.score).toBeCloseTo(fact?.score ?? 0, 1);
    // What was said is no memory that could have proved useful: use takes nothing from it.
    expect(turn?.score).toBeCloseTo((fact?.score ?? 0) * 1.15, 1);
    for (let at = 0; at < 10; at += 1) await tidemark.memory.recall(query);
    const [first] = await tidemark.memory.search(query, { in: ["memory", "files"] });
    expect(
      [first?.from, (first?.score ?? 0) > (file?.score ?? 1)],
      "a fact that proved useful goes before",
    ).toEqual(["memory", true]);
  });
});

it("takes any text as a question, in all places, and answers best first by scores in 0…1", async () => {
  const { root, tidemark, events } = await house();
  const said = 'Is "NOT" a word? tea* OR (a:b) {x} NEAR(1) 我喜欢喝茶 🍵 constructor __proto__';
  writeFileSync(join(root, "USER.md"), `${said}\n`);
  await tidemark.memory.save(said);
  await tidemark.history.import({ id: "past", messages: [{ role: "user", text: said }] });
  const odd = "AND NOT * : \" ( ^ tea NEAR { _ ' % @ada __proto__ constructor 茶 🍵 May 2023".split(
    " ",
  );
  const asked = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 60 }),
    fc.array(fc.constantFrom(...odd, "\0", "x\ud800")).map((parts) => parts.join(" ")),
  );
  const scores = async (query: string) =>
    (await tidemark.memory.search(query)).map(({ score }) => score);
  await fc.assert(
    fc.asyncProperty(asked, async (query) => {
      const found = await scores(query);
      expect(found.every((score) => score > 0 && score <= 1)).toBe(true);
      expect(found).toEqual(found.toSorted((one, other) => other - one));
    }),
    { numRuns: runs(150) },
  );
  for (const long of ["word ".repeat(20_000), "y".repeat(100_000), "汉字".repeat(50_000)])
    await scores(long);
  expect((await scores("constructor")).length).toBe(3);
  expect(events.filter(({ type }) => type === "degraded")).toEqual([]);
});
