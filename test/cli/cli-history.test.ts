import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import type { FoldDiff, FoldInfo } from "../../src/core/folds.ts";
import type { Message } from "../../src/core/request.ts";
import { executeHere } from "../support/cli-here.ts";
import { assistant, user } from "../support/talk.ts";
import { fileFolder } from "../support/afterwards.ts";

const workspace = join(fileFolder(), "workspace");
const words = (count: number, name: string): string =>
  Array.from({ length: count }, (_, index) => `${name}${index}`).join(" ");

const cli = (...args: string[]) => executeHere([...args, "--workspace", workspace]);

const folds: string[] = [];
const messages: Message[] = [];
beforeAll(async () => {
  const tidemark = await openTidemark({
    workspace,
    window: { tokens: 8_000, reserve: 100 },
    distil: "extractive",
  });
  await tidemark.pin("Invoices are always in euro.");
  for (let turn = 0; turn < 60 && folds.length < 3; turn++) {
    messages.push(user(`Question ${turn} \u001b[31mof the harbour: ${words(60, `q${turn}x`)}`));
    const begun = await tidemark.begin(
      { model: "claude-sonnet-5-5", max_tokens: 100, messages },
      { conversation: "desk" },
    );
    if (begun.folded) folds.push(begun.folded.id);
    const content = `Answer ${turn}: ${words(60, `a${turn}x`)}`;
    await begun.end({
      id: "m",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-5-5",
      content,
      stop_reason: "end_turn",
      usage: { input_tokens: begun.window.used, output_tokens: 100 },
    });
    messages.push(assistant(content));
  }
  await tidemark.close();
});

describe("tidemark turns", () => {
  it("shows what each turn was, the latest first, and where it folded", async () => {
    const { code, out } = await cli("turns", "desk");
    expect(code).toBe(0);
    const [head = "", ...rows] = out.trimEnd().split("\n");
    expect(head.trim().split(/\s+/)).toEqual([
      ...["ended", "level", "mark", "read", "cached", "written", "cost"],
      ...["ms", "fold", "told", "recalled"],
    ]);
    expect(rows[0]).toMatch(/^ {2}\d{4}-\d\d-\d\d \d\d:\d\d +\d+ % +below .* \$[\d.]+ /);
    const shown = rows.flatMap((row) => folds.filter((id) => row.includes(id.slice(-7))));
    expect(shown).toEqual(folds.toReversed());
    const all = JSON.parse((await cli("turns", "desk", "--json")).out) as object[];
    expect(all).toHaveLength(rows.length);
    expect(await cli("turns", "boat")).toMatchObject({ code: 1 });
  });

  it("are summed by tidemark stats", async () => {
    const { out } = await cli("stats", "--since", "2020-01-01", "--by", "model");
    expect(out).toMatch(/turns +read +cached +written +cost +folds +ms\n +claude-sonnet-5-5 +\d+ /);
    expect(await cli("stats", "--since", "soon")).toMatchObject({
      ...{ code: 2, err: expect.stringContaining("--since takes a day, such as 2026-11-01.") },
    });
    expect(await cli("stats", "--by", "week")).toMatchObject({ code: 2 });
  });
});

describe("tidemark folds", () => {
  it("lists folds with short ids, latest first, and as JSON with whole ones", async () => {
    const { code, out } = await cli("folds");
    expect(code).toBe(0);
    expect(
      out
        .split("\n")
        .slice(0, 3)
        .map((line) => line.trim().split(/\s+/)[0]),
    ).toEqual(folds.toReversed().map((id) => id.slice(-7)));
    expect(out).toMatch(
      /^ {2}\w{7} {2}\d+ messages {2}[\d.]+k → [\d.]+k tokens {2}desk {2}just now$/m,
    );
    const listed = JSON.parse((await cli("folds", "--json")).out) as FoldInfo[];
    expect(listed.map(({ id }) => id)).toEqual(folds.toReversed());
    expect((await cli("folds", "--user", "ada")).out).toBe("Nothing was folded yet.\n");
  });
});

describe("tidemark diff", () => {
  it("shows in plain words what was replaced, kept and remembered, by any unique part of an id", async () => {
    const id = folds[1]!;
    const { code, out } = await cli("diff", id.slice(-7));
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Fold \w{7} of desk, just now\n[\d.]+k tokens became [\d.]+k: \d+ messages replaced by a summary, \d+ kept word for\sword\.\n\nReplaced \(the first \d+ by an earlier fold\)\n {5}1 user {6}Question 0 .*of the harbour: q0x0/,
    );
    for (const heading of ["Kept", "Summary", "Remembered", "Pinned beside it"])
      expect(out).toMatch(new RegExp(`^${heading}`, "m"));
    expect(out).toContain("Invoices are always in euro.");
    expect((await cli("diff", id)).out).toBe(out);
    expect(out).toMatch(/^ {2}\w{7} Invoices are always in euro\.$/m);
    const diff = JSON.parse((await cli("diff", id, "--json")).out) as FoldDiff;
    expect(out.match(/^ {2,5}\d+ (?:user|assistant) /gm)).toHaveLength(
      diff.kept.length + diff.dropped.length,
    );
    // Somebody else's words cannot command the terminal.
    expect(out).not.toContain("\u001b");
  });
});

describe("tidemark undo", () => {
  it("brings messages back, says which folds went with it, and that it was done already", async () => {
    const id = folds[1]!.slice(-7);
    const { code, out } = await cli("undo", id);
    expect(code).toBe(0);
    expect(out).toMatch(
      new RegExp(
        `^\\d+ messages will be sent word for word again with the next call, as far as its window holds them\\.\\n1 fold made on top of it went with it: ${folds[2]!.slice(-7)}\\.\\nWhat was remembered of them stays\\.\\n$`,
      ),
    );
    expect((await cli("folds")).out.match(/undone/g)).toHaveLength(2);
    expect((await cli("diff", id)).out).toContain("It was undone just now.");
    expect(await cli("undo", id)).toMatchObject({
      code: 1,
      out: "",
      err: `tidemark: fold "${id}" is undone already.\n`,
    });
    expect(JSON.parse((await cli("undo", folds[0]!, "--json")).out)).toEqual({
      messages: expect.any(Number) as number,
      folds: [folds[0]],
    });
    const tidemark = await openTidemark({
      workspace,
      window: { tokens: 20_000, reserve: 100 },
      distil: "extractive",
      inject: false,
      cache: false,
    });
    const turn = await tidemark.begin(
      { model: "claude-sonnet-5-5", max_tokens: 100, messages: [...messages, user("Go on.")] },
      { conversation: "desk" },
    );
    expect(turn.request.messages).toEqual([...messages, user("Go on.")]);
    await tidemark.close();
  });
});

describe("a text that begins with a dash", () => {
  it("stands behind two dashes", async () => {
    for (const text of ["- buy milk", "-5", "--so it goes", "---"])
      expect((await executeHere(["save", "--workspace", workspace, "--", text])).err, text).toBe(
        "",
      );
    for (const flag of ["-x", "--jsn", "--jsn=a b"])
      expect((await cli("save", "a text", flag)).err).toMatch(
        /^tidemark: Unknown option '-.*after '--'.*"tidemark save --help" lists its flags\.$/m,
      );
  });
});

describe("what cannot be done", () => {
  it.each([
    [["diff"], 2, /diff takes FOLD, got none: tidemark diff 1a2b3c4$/m],
    [["undo", "a", "b"], 2, /undo takes FOLD \| MARK, got 2 words \(quotes make them one\)/],
    [
      ["diff", "zzzzzzz"],
      1,
      /there is no fold "zzzzzzz"; "tidemark folds" lists those there are\./,
    ],
    [["undo", "abc"], 1, /no fold or ended memory "abc"/],
  ] as const)("is said in one line (%#)", async (args, code, said) => {
    const answer = await cli(...args);
    expect({ code: answer.code, out: answer.out }).toEqual({ code, out: "" });
    expect(answer.err).toMatch(said);
    expect(answer.err).toMatch(/^tidemark: [^\n]+\n$/);
  });

  it("is an id that fits two", async () => {
    // All ids of a moment begin alike: the time comes first.
    const start = folds[0]!.slice(0, 4);
    expect((await cli("diff", start)).err).toMatch(
      new RegExp(
        `"${start}" fits \\d folds \\(\\w{7}, \\w{7}, \\w{7}(?:, …)?\\): type more of the one you mean`,
      ),
    );
  });
});

describe("tidemark stats", () => {
  it("shows what calls took, by purpose", async () => {
    const { out } = await cli("stats");
    expect(out).toMatch(/^ {10,}calls +read +cached +written +money$/m);
    expect(out).toMatch(/^ {2}your calls +\d+ +[\d.]+k +0 % +[\d.]+k +\$[\d.]+$/m);
    for (const line of out.split("\n").slice(1)) expect(line.length, line).toBeLessThanOrEqual(80);
    const json = (await cli("stats", "--json")).out;
    const { calls } = JSON.parse(json) as { calls: { turn: { dollars: number } } };
    expect(calls.turn.dollars).toBeGreaterThan(0);
  });
});
