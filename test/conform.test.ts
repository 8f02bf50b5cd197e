import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { throughCompactor } from "../src/cli/conform/compactor.ts";
import { Dice } from "../src/cli/conform/dice.ts";
import { fillerOf } from "../src/cli/conform/filler.ts";
import { isSound } from "../src/cli/conform/judge.ts";
import { plant } from "../src/cli/conform/planting.ts";
import { folder, run } from "./support/cli.ts";

const home = folder();
mkdirSync(home, { recursive: true });
function module(name: string, source: string): string {
  writeFileSync(join(home, name), source);
  return join(home, name);
}
const WINDOW = `(messages) => { let cut = Math.max(0, messages.length - 8); while (cut < messages.length && (messages[cut].role !== "user" || JSON.stringify(messages[cut]).includes("tool_result"))) cut += 1; return messages.slice(cut); }`;
const QUICK = ["--folds", "2", "--window", "8k", "--seed", "3"];

interface Figures {
  ways: { name: string; folds: number; invalid: number; all: { planted: number; request: number; recall?: number; answerable: number }; kinds: Record<string, { planted: number }>; tokens: { before: number; after: number } }[];
}

describe("tidemark conform", () => {
  it("shows kind by kind what is left of what was planted, and says what that is not", async () => {
    const { code, out, err } = await run(["conform", ...QUICK]);
    expect([code, err]).toEqual([0, ""]);
    for (const word of ["24 things said once", "name", "number", "path", "decision", "correction", "open request", "failed approach", "rule", "by recall alone", "requests a provider would refuse", "whether a model reads and uses it is not", "no model", "poor model"])
      expect(out.replace(/\s+/g, " ")).toContain(word);
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  }, 300_000);

  it("tries a compactor of the user's own beside Tidemark, sync or async, default or named, the same each time", async () => {
    const given = module("window.mjs", `let calls = 0; export const compact = async (messages, { limit, countTokens }) => { if (!(countTokens(messages) > 0.7 * limit)) throw new Error("too early"); return (${WINDOW})(messages); }`);
    const [one, two] = [await run(["conform", ...QUICK, "--json", "--compactor", given]), await run(["conform", ...QUICK, "--json", "--compactor", given])];
    expect([one.code, one.err]).toEqual([0, ""]);
    const { ways } = JSON.parse(one.out) as Figures;
    // Ids are new with each run, and take a token more or less.
    expect((JSON.parse(two.out) as Figures).ways.map(({ all, kinds }) => ({ all, kinds }))).toEqual(ways.map(({ all, kinds }) => ({ all, kinds })));
    expect(ways.map(({ name }) => name)).toEqual(["window.mjs", "Tidemark no model", "Tidemark poor model"]);
    for (const { folds, invalid, all, tokens } of ways) {
      expect([folds, invalid, all.planted]).toEqual([2, 0, 24]);
      expect(tokens.after).toBeLessThan(tokens.before);
    }
    // A window of eight messages knows nothing of the start; Tidemark does.
    expect(ways[0]!.all).toEqual({ planted: 24, request: 0, answerable: 0 });
    expect(ways[1]!.all.answerable).toBeGreaterThanOrEqual(22);
    expect(ways[2]!.all.answerable).toBeGreaterThanOrEqual(22);
  }, 300_000);

  it("counts results a provider would refuse, and one that frees nothing until the window is full", async () => {
    const broken = module("broken.mjs", `export default (messages) => messages.slice(-3).filter(({ role }) => role === "assistant")`);
    const refused = (JSON.parse((await run(["conform", ...QUICK, "--json", "--compactor", broken])).out) as Figures).ways[0]!;
    expect(refused.invalid).toBe(2);
    const { folds } = await throughCompactor({ canaries: plant(3), filler: fillerOf("chat", new Dice(3)), folds: 100, window: 8_000 }, { file: "lazy.mjs", compact: (messages) => messages });
    expect(folds).toBeGreaterThan(1);
    expect(folds).toBeLessThan(100);
  }, 300_000);

  it.each([
    ["is not there", undefined, "is no file"],
    ["exports no function", "export const x = 1;", "exports no compactor"],
    ["cannot be loaded", "throw new Error('boom')", "cannot be loaded as a module: boom"],
    ["returns something else", "export default () => 'hello'", "returned a value of type string at fold 1"],
    ["returns a list of something else", "export default () => [1]", "returned a list with something that is no message at fold 1"],
    ["throws", "export default async () => { throw new Error('bad\\nday') }", "failed at fold 1: bad"],
  ])("says in one line what is wrong with a module that %s", async (name, source, said) => {
    const given = source === undefined ? join(home, "none.mjs") : module(`${name.replace(/ /g, "-")}.mjs`, source);
    const { code, out, err } = await run(["conform", ...QUICK, "--compactor", given]);
    expect([code, out]).toEqual([1, ""]);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(err).toContain(said);
  }, 60_000);

  it("refuses a window without room, and words it does not know", async () => {
    expect((await run(["conform", "--window", "4k"])).err).toContain("8k or more");
    expect((await run(["conform", "mine.mjs"])).err).toContain("--compactor FILE");
  });
});

describe("a sound list of messages", () => {
  const call = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "x", input: {} }] };
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "ok" }] };
  it("begins with the user, holds nothing empty and no half of a pair", () => {
    expect(isSound([{ role: "user", content: "hi" }, call, result])).toBe(true);
    expect(isSound([])).toBe(false);
    expect(isSound([{ role: "assistant", content: "hi" }])).toBe(false);
    expect(isSound([{ role: "user", content: "" }])).toBe(false);
    expect(isSound([result])).toBe(false);
    expect(isSound([{ role: "user", content: "hi" }, call])).toBe(false);
    expect(isSound([{ role: "user", content: "hi" }, call, { role: "user", content: "so?" }])).toBe(false);
  });
});
