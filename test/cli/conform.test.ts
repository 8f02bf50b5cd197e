import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Dice } from "../../src/cli/conform/dice.ts";
import { fillerOf, STYLES } from "../../src/cli/conform/filler.ts";
import { throughTidemark, throughCompactor } from "../../src/cli/conform/trial.ts";
import { plant } from "../../src/cli/conform/planting.ts";
import { report } from "../../src/cli/conform/report.ts";
import type { Io } from "../../src/cli/render/io.ts";
import { createPaint } from "../../src/cli/render/layout.ts";
import type { Message } from "../../src/model/request.ts";
import { folder, run, runApart } from "../support/cli.ts";

const home = folder();
mkdirSync(home, { recursive: true });
function module(name: string, source: string): string {
  writeFileSync(join(home, name), source);
  return join(home, name);
}
const WINDOW = `(messages) => { let cut = Math.max(0, messages.length - 8); while (cut < messages.length && (messages[cut].role !== "user" || JSON.stringify(messages[cut]).includes("tool_result"))) cut += 1; return messages.slice(cut); }`;
const LAZY = (messages: readonly Message[]) => Promise.resolve([...messages]);
const QUICK = ["--folds", "2", "--window", "8k", "--seed", "3"];

interface Figures {
  ways: {
    name: string;
    folds: number;
    invalid: number;
    refused?: string;
    stuck: boolean;
    all: { planted: number; request: number; recall?: number; answerable: number };
    kinds: Record<string, { planted: number }>;
    tokens: { before: number; after: number };
  }[];
}

describe("tidemark conform", () => {
  it("shows kind by kind what is left of what was planted, and says what that is not", async () => {
    const { code, out, err } = await run(["conform", ...QUICK]);
    expect([code, err]).toEqual([0, ""]);
    for (const word of [
      "24 things said once",
      "name",
      "number",
      "path",
      "decision",
      "correction",
      "open request",
      "failed approach",
      "rule",
      "by one search",
      "would be refused",
      "whether a model reads and uses it is not",
      "no model",
      "poor model",
    ])
      expect(out.replace(/\s+/g, " ")).toContain(word);
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it("tries a compactor of the user's own beside Tidemark, sync or async, default or named, the same each time", async () => {
    const given = module(
      "window.mjs",
      `let calls = 0; export const compact = async (messages, { limit, countTokens }) => { if (!(countTokens(messages) > 0.7 * limit)) throw new Error("too early"); return (${WINDOW})(messages); }`,
    );
    const [one, two] = [
      await run(["conform", ...QUICK, "--json", "--compactor", given]),
      await run(["conform", ...QUICK, "--json", "--compactor", given]),
    ];
    expect([one.code, one.err]).toEqual([0, ""]);
    const { ways } = JSON.parse(one.out) as Figures;
    // Ids are new with each run, and take a token more or less.
    expect((JSON.parse(two.out) as Figures).ways.map(({ all, kinds }) => ({ all, kinds }))).toEqual(
      ways.map(({ all, kinds }) => ({ all, kinds })),
    );
    expect(ways.map(({ name }) => name)).toEqual([
      "window.mjs",
      "Tidemark no model",
      "Tidemark poor model",
    ]);
    for (const { folds, invalid, all, tokens } of ways) {
      expect([folds, invalid, all.planted]).toEqual([2, 0, 24]);
      expect(tokens.after).toBeLessThan(tokens.before);
    }
    // A window of eight messages knows nothing of the start; Tidemark does.
    expect(ways[0]!.all).toEqual({ planted: 24, request: 0, answerable: 0 });
    expect(ways[1]!.all.answerable).toBeGreaterThanOrEqual(22);
    expect(ways[2]!.all.answerable).toBeGreaterThanOrEqual(22);
  });

  it("finds the compactor in what a compiler made of a module, and in one that exports it by name", async () => {
    const compiled = `"use strict"; Object.defineProperty(exports, "__esModule", { value: true }); exports.default = compact; function compact(messages) { return (${WINDOW})(messages); }`;
    for (const [name, source] of [
      ["compiled.cjs", compiled],
      ["named.cjs", `module.exports = { compact: ${WINDOW} };`],
    ] as const) {
      const { code, out, err } = await run([
        "conform",
        "--folds",
        "1",
        "--window",
        "8k",
        "--json",
        "--compactor",
        module(name, source),
      ]);
      expect([code, err]).toEqual([0, ""]);
      expect((JSON.parse(out) as Figures).ways[0]).toMatchObject({ name, folds: 1, invalid: 0 });
    }
  });

  it("folds as often as it was asked to, however many messages that takes", async () => {
    const short: Message = { role: "assistant", content: "Ok." };
    let said = 0;
    const filler = (): Message[] => [
      { role: "user", content: `And on day ${++said}?` },
      ...Array.from({ length: 99 }, () => short),
    ];
    const { folds } = await throughTidemark(
      { canaries: [], filler, folds: 10, window: 8_000 },
      "extractive",
    );
    expect([folds, said > 60]).toEqual([10, true]);
  });

  it("fills a large window with longer exchanges, not with more of them", () => {
    for (const style of STYLES) {
      const [usual, long] = [fillerOf(style, new Dice(3)), fillerOf(style, new Dice(3), 6)].map(
        (filler) => Array.from({ length: 30 }, filler),
      );
      expect(long!.map((exchange) => exchange.length)).toEqual(
        usual!.map((exchange) => exchange.length),
      );
      expect(JSON.stringify(long).length).toBeGreaterThan(3 * JSON.stringify(usual).length);
    }
  });

  it("says why there were fewer folds than asked for, of each way what is so", () => {
    const survived = {
      folds: 4,
      before: 139_866,
      after: 28_616,
      invalid: 0,
      stuck: false,
      early: false,
      inPrompt: [],
    };
    const look = { paint: createPaint(false), columns: 80 } as Io;
    const text = report(
      [
        { by: "", name: "mine.mjs", canaries: [], survived },
        { by: "Tidemark", name: "no model", canaries: [], survived },
      ],
      { folds: 10, window: 200_000, seed: 1 },
      look,
    ).join("\n");
    expect(text).toContain("\n  mine.mjs: the conversation outgrew the window before fold 10.\n");
    expect(text).toContain(
      "\n  Tidemark no model: nothing more was folded before fold 10, however much was\n  said.\n",
    );
  });

  it("counts results a provider would refuse, and one that frees nothing until the window is full", async () => {
    const broken = module(
      "broken.mjs",
      `export default (messages) => messages.slice(-3).filter(({ role }) => role === "assistant")`,
    );
    const refused = (
      JSON.parse((await run(["conform", ...QUICK, "--json", "--compactor", broken])).out) as Figures
    ).ways[0]!;
    expect(refused.invalid).toBe(2);
    expect(refused).toMatchObject({
      stuck: true,
      refused: "at fold 1: message 1 is the assistant's, and the first must be the user's",
      all: { answerable: 0 },
    });
    const lazy = await throughCompactor(
      { canaries: plant(3), filler: fillerOf("chat", new Dice(3)), folds: 100, window: 8_000 },
      LAZY,
    );
    expect(lazy.folds).toBeGreaterThan(1);
    expect(lazy.folds).toBeLessThan(100);
    // What no longer fits is not sent, so nothing is answered from it, though every word is there.
    expect([lazy.stuck, lazy.refused, lazy.inPrompt.includes(true)]).toEqual([
      true,
      expect.stringMatching(
        /^(?:at|behind) fold \d+: its messages take about 8[\d.]*k tokens, more than the window of 8k$/,
      ),
      false,
    ]);
  });

  it.each([
    ["is not there", undefined, "is no file"],
    ["exports no function", "export const x = 1;", "exports no compactor"],
    ["cannot be loaded", "throw new Error('boom')", "cannot be loaded as a module: boom"],
    [
      "returns something else",
      "export default () => 'hello'",
      "failed at fold 1: it returned a value of type string; it must return a list",
    ],
    [
      "returns a list of something else",
      "export default () => [1]",
      "failed at fold 1: it returned a list with something that is no message",
    ],
    [
      "returns a BigInt",
      "export default (m) => [m[0], { role: 'user', content: 10n }]",
      "failed at fold 1: Do not know how to serialize a BigInt",
    ],
    ["throws null", "export default () => { throw null; }", "failed at fold 1: null"],
    [
      "rejects with a text",
      "export default () => Promise.reject('a text')",
      "failed at fold 1: a text",
    ],
    [
      "throws",
      "export default async () => { throw new Error('bad\\nday') }",
      "failed at fold 1: bad",
    ],
  ])("says in one line what is wrong with a module that %s", async (name, source, said) => {
    const given =
      source === undefined
        ? join(home, "none.mjs")
        : module(`${name.replace(/ /g, "-")}.mjs`, source);
    const { code, out, err } = await run(["conform", ...QUICK, "--compactor", given]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(given);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(err).toContain(said);
  });

  it("says of a result that is larger than the window, or no message of a provider's, where it first was and what was wrong", async () => {
    const grow = await runApart([
      "conform",
      ...QUICK,
      "--compactor",
      module("grow.mjs", "export default (m) => [...m, ...m];"),
    ]);
    expect(grow.code).toBe(0);
    expect(grow.out.replace(/\s+/g, " ")).toMatch(
      /answerable 0 % .*grow\.mjs: a provider would refuse it at fold 1: its messages take about [\d.]+k tokens, more than the window of 8k\. grow\.mjs: its last request would be refused, so nothing in it counts as answerable\. /,
    );
    const wizard = await run([
      "conform",
      ...QUICK,
      "--compactor",
      module(
        "wiz.mjs",
        "let n = 0; export default (m) => (n++ ? [{ role: 'user', content: 'On.' }] : [m[0], { role: 'wizard', content: 42 }])",
      ),
    ]);
    expect(wizard.out.replace(/\s+/g, " ")).toMatch(
      /would be refused 1 0 0 wiz\.mjs: a provider would refuse it at fold 1: message 2 has the role "wizard"; there are "user" and "assistant"\. /,
    );
  });

  it("refuses a window without room, and words it does not know", async () => {
    expect((await run(["conform", "--window", "4k"])).err).toContain("8k or more");
    expect((await run(["conform", "mine.mjs"])).err).toContain("conform takes no words");
  });
});
