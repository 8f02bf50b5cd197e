import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Played } from "../../src/cli/replay/play.ts";
import { run } from "../support/cli.ts";
import { fileFolder } from "../support/afterwards.ts";

const home = fileFolder();
const path = (name: string): string => join(home, name);
const SAID = [
  "The light at Cape Corvo is out",
  "the dredger waits at berth seven",
  "harbour dues are 4,120 crowns",
  "the pilot speaks Portuguese",
  "fog until noon on Thursday",
];

/** Eighty messages, some 26k tokens: more than a small window holds. */
const LONG = Array.from({ length: 40 }, (_, index) => [
  {
    role: "user",
    content:
      index === 0
        ? "My name is Ines and I prefer short answers. Please keep the harbour log."
        : `Entry ${index}: ${SAID[index % SAID.length] ?? ""}, noted at ${index}:15. ${"The rest of the watch was quiet and clear. ".repeat(34)}`,
  },
  {
    role: "assistant",
    content: `Entry ${index} is in the log. ${"I will keep watching the water and tell you. ".repeat(26)}`,
  },
]).flat();

interface Figures {
  conversations: Played[];
  failed: { file: string; error: string }[];
}
const figures = async (
  args: readonly string[],
): Promise<Figures & { code: number | null; err: string }> => {
  const { out, err, code } = await run(["replay", ...args, "--json"]);
  return { ...(JSON.parse(out) as Figures), code, err };
};

beforeAll(() => {
  writeFileSync(
    path("long.json"),
    JSON.stringify({ source: "made", system: "You keep the harbour's log.", messages: LONG }),
  );
  writeFileSync(path("short.json"), JSON.stringify(LONG.slice(0, 4)));
  writeFileSync(
    path("openai.json"),
    JSON.stringify([{ role: "system", content: "You keep the log." }, ...LONG]),
  );
  writeFileSync(path("other.json"), '{"name":"a package"}');
});

describe("replay", () => {
  it("shows the water, tokens, money, where it folds and what was remembered", async () => {
    const { code, out, err } = await run(["replay", path("long.json"), "--window", "16k"]);
    expect({ err, code }).toEqual({ err: "", code: 0 });
    for (const said of [
      /80 messages, Anthropic · 40 requests · window 16k, limit 12k · claude-sonnet-5-5/,
      /^ {7}.*▼/m,
      /^ {7}[▁▂▃▄▅▆▇█]{40}$/m,
      /last request, nothing folded +2\d\.\dk/,
      /money +\$[\d.]+/,
      /▼ request \d+: \d+ messages, [\d.]+k → [\d.]+k tokens/,
      /What was remembered[^]*Ines/,
    ])
      expect(out).toMatch(said);
    expect(out).not.toContain("\u001b");
    for (const line of out.split("\n")) expect([...line].length).toBeLessThanOrEqual(100);
  });

  it("counts every request for a machine, and sends none over the window", async () => {
    const { conversations, failed } = await figures([path("long.json"), "--window", "16k"]);
    const [played] = conversations;
    if (!played) throw new Error("nothing was played");
    const { steps, usage, refused, troubles, unfolded, dollars } = played;
    expect({ failed, refused, troubles }).toEqual({ failed: [], refused: 0, troubles: [] });
    expect(steps).toHaveLength(40);
    expect(steps.some(({ folded }) => folded)).toBe(true);
    expect(unfolded).toBeGreaterThan(16_000);
    expect(dollars).toBeGreaterThan(0);
    expect(usage.cacheRead).toBeGreaterThan(usage.cacheWrite);
    expect(usage.input + usage.cacheRead + usage.cacheWrite).toBe(
      steps.reduce((sum, { tokens }) => sum + tokens, 0),
    );
  });

  it("folds nothing where all fits, and then sends what it was given", async () => {
    const { conversations } = await figures([path("short.json"), "--window", "200k"]);
    expect(conversations[0]?.steps.at(-1)).toMatchObject({ tokens: conversations[0]?.unfolded });
  });

  it("plays OpenAI's form, whose cache costs nothing to write, and prices no unknown model", async () => {
    const { conversations } = await figures([path("openai.json"), "--window", "16k"]);
    expect(conversations[0]).toMatchObject({
      format: "openai-chat",
      model: "gpt-4o",
      refused: 0,
      usage: { cacheWrite: 0 },
    });
    const { out } = await run(["replay", path("short.json"), "--model", "some-model-of-mine"]);
    expect(out).toContain("no price for some-model-of-mine");
  });

  it("says of a file that is no conversation what it is, and plays the others", async () => {
    const { code, err } = await run([
      "replay",
      path("other.json"),
      path("short.json"),
      path("nowhere.json"),
      path("long.json"),
      "--window",
      "16k",
    ]);
    expect(code).toBe(1);
    expect(err.trim().split("\n")).toHaveLength(2);
    expect(err).toMatch(
      /other\.json: found a JSON object without "messages"; expected are messages/,
    );
    expect(err).toContain("nowhere.json: there is no such file.");
  });

  it("says when system text and tools alone do not fit the window", async () => {
    writeFileSync(
      path("fat.json"),
      JSON.stringify({
        system: "All the rules of the harbour. ".repeat(900),
        messages: LONG.slice(0, 4),
      }),
    );
    const { code, err } = await run(["replay", path("fat.json"), "--window", "4k"]);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^tidemark: .+fat\.json: The system text and the tools take about \d+ tokens and the limit is 3000/,
    );
    expect(err.trim().split("\n")).toHaveLength(1);
  });

  it("leaves nothing behind, or keeps the workspace it is given", async () => {
    // A folder for temporary files of its own: other tests replay at the same time.
    const temporary = path("temporary");
    mkdirSync(temporary);
    await run(["replay", path("short.json")], { env: { TMPDIR: temporary } });
    expect(readdirSync(temporary).filter((name) => name.startsWith("tidemark-"))).toEqual([]);
    const { out } = await run([
      "replay",
      path("long.json"),
      "--window",
      "16k",
      "--workspace",
      path("kept"),
    ]);
    expect(out).toContain(`Kept in ${path("kept")}`);
    const found = await run(["recall", "who prefers short answers?", "--workspace", path("kept")]);
    expect(found.out).toContain("short answers");
  });

  const data = "../shared/data";
  it.skipIf(!existsSync(data))(
    "plays real sessions, none of whose requests is over the window",
    async () => {
      const files = [
        join(data, "agents/tau-airline-task2-trial1.openai.json"),
        join(data, "agents/claude-code-sub-nt-aa84377.anthropic.json"),
        join(data, "claude-code/subagent.jsonl"),
      ];
      const { conversations, failed, code } = await figures([...files, "--window", "8k"]);
      expect(failed).toEqual([]);
      expect(code).toBe(0);
      for (const { file, refused, troubles, steps } of conversations) {
        expect({ refused, troubles }, file).toEqual({ refused: 0, troubles: [] });
        expect(
          steps.some(({ folded }) => folded),
          file,
        ).toBe(true);
      }
    },
  );
});
