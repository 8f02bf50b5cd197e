import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { freshFolder } from "../support/afterwards.ts";
import { builtUrl } from "../support/built.ts";

const execute = promisify(execFile);
const source = (part: string): string => JSON.stringify(builtUrl(part).href);
const SECRET_WORDS = "The mole is called Velvet.";

/** Turns of an unknown model in a small window, some replies no replies: three kinds of trouble, each many times. */
const PROGRAM = (options: string): string => `
import { openTidemark } from ${source("index")};
import { anthropicMiddleware } from ${source("adapters/anthropic")};
const workspace = process.argv[1];
const tidemark = await openTidemark({ workspace, ${options} });
anthropicMiddleware(tidemark);
const messages = [];
for (let at = 0; at < 16; at += 1) {
  messages.push({ role: "user", content: "${SECRET_WORDS} " + "Tell me more. ".repeat(150) + at });
  const turn = await tidemark.begin({ model: "made-up-7b", max_tokens: 100, messages });
  const reply = { role: "assistant", content: [{ type: "text", text: "It digs. ".repeat(40) + at }] };
  messages.push(reply);
  await turn.end(at % 5 === 4 ? { no: "reply" } : reply);
}
await tidemark.memory.save("${SECRET_WORDS}");
await tidemark.memory.recall("Who digs?");
await tidemark.close();
`;

async function run(
  options: string,
  env: Record<string, string> = {},
  page?: string,
): Promise<{ stderr: string; stdout: string; workspace: string }> {
  const workspace = freshFolder();
  if (page !== undefined) writeFileSync(join(workspace, "MEMORY.md"), page);
  const { stdout, stderr } = await execute(
    process.execPath,
    ["--input-type=module", "-e", PROGRAM(options), workspace],
    {
      env: { ...process.env, ...env },
      maxBuffer: 64 << 20,
    },
  );
  return { stdout, stderr, workspace };
}
const SMALL = "window: { tokens: 8_000 }";
const kinds = (stderr: string): number =>
  stderr.split("\n").filter((line) => line.startsWith("[tidemark] ")).length;

describe("what goes wrong without a listener", () => {
  it("is said on stderr, each kind once a process, in no words of the conversation", async () => {
    const { stderr, stdout } = await run(SMALL);
    expect(stdout).toBe("");
    expect(stderr).toContain("[tidemark] A request passed without Tidemark: no call came through");
    expect(stderr).toMatch(
      /\[tidemark\] Something failed and the chat went on without it \(end\); listen: "console" tells more/,
    );
    expect(stderr).toContain("[tidemark] No model is there to distil");
    expect(kinds(stderr)).toBe(3);
    expect(stderr).not.toMatch(/Velvet|mole|digs/);
  });

  it("says which window was taken for a model that nobody knows, and that a folder's pages were taken over", async () => {
    const { stderr } = await run('distil: "extractive"', {}, "- The pier is closed.\n");
    expect(stderr).toMatch(
      /\[tidemark\] The window of model "made-up-7b" is not known; [\d,]+ tokens are taken\. Set window: \{ tokens \}\./,
    );
    expect(stderr).toMatch(
      /\[tidemark\] \S+ held pages and no database, so \S+ was begun: the lines/,
    );
  });

  it("is not said where listening is off", async () => {
    expect((await run(`${SMALL}, listen: false`)).stderr).toBe("");
  });
});

describe("every event", () => {
  it('is a line on stderr with listen: "console"', async () => {
    const { stderr } = await run(`${SMALL}, listen: "console"`);
    const lines = stderr.trim().split("\n");
    expect(lines.filter((line) => !line.startsWith("[tidemark] "))).toEqual([]);
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^\[tidemark\] folded: id \w+, messages \d+, before [\d,]+, after [\d,]+$/,
      ),
    );
    expect(lines.filter((line) => line.includes("passed: reason"))).toHaveLength(1);
  });

  it("holds no words, whoever listens; TIDEMARK_DEBUG=words prints them beside it", async () => {
    const listen = "listen: (event) => console.log(event)";
    const plain = await run(`${SMALL}, distil: "extractive", ${listen}`, { TIDEMARK_DEBUG: "1" });
    expect(plain.stdout).toContain("folded");
    expect(plain.stderr).toContain("[tidemark] folded: ");
    expect(plain.stdout + plain.stderr).not.toMatch(/Velvet|mole|digs/);
    const { stderr } = await run(`${SMALL}, distil: "extractive"`, { TIDEMARK_DEBUG: "words" });
    expect(stderr).toMatch(
      /^\[tidemark\] saved: id \w+, scope agent:default ".*mole is called Velvet/m,
    );
    expect(stderr).toMatch(/^\[tidemark\] folded: .* ".*It digs/m);
  });

  it("is a line of the file that TIDEMARK_DEBUG names, beside a listener too", async () => {
    const file = join(freshFolder(), "events.log");
    const { stderr } = await run(`${SMALL}, listen: () => {}`, { TIDEMARK_DEBUG: file });
    expect(stderr).toBe("");
    expect(readFileSync(file, "utf8")).toMatch(/^\d{4}-\d\d-\d\dT\S+ \[tidemark\] folded: /m);
  });
});
