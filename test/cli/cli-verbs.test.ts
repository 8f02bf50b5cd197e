import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { VERBS } from "../../src/cli/verbs.ts";
import { openTidemark } from "../../src/index.ts";
import { run } from "../support/cli.ts";
import { executeHere } from "../support/cli-here.ts";
import { fileFolder } from "../support/afterwards.ts";

const home = fileFolder();
const workspace = join(home, "workspace");

beforeAll(async () => {
  const tidemark = await openTidemark({ workspace });
  await tidemark.memory.save({
    content: "The cat is called Whiskerino and sleeps on the router",
    category: "core",
    importance: 0.9,
  });
  await tidemark
    .as({ user: "ada" })
    .memory.save({ content: "Ada's boat is called Mistral", scope: "user:ada" });
  await tidemark.history.import({
    id: "harbour",
    messages: [
      {
        role: "user",
        text: "The harbour gate opens at seven",
        ref: "D1:1",
        at: Date.now() - 86_400_000,
      },
    ],
  });
  await tidemark.close();
  writeFileSync(
    join(workspace, "AGENTS.md"),
    "# House rules\n\n## Always\n\nRun the lighthouse tests before dusk.\n",
  );
});

describe("the command line", () => {
  it("says what it is, in plain words with examples", async () => {
    const { code, out } = await run([]);
    expect(code).toBe(0);
    for (const verb of Object.keys(VERBS)) expect(out).toContain(`tidemark ${verb}`);
    expect(out).toContain("Examples:");
    for (const words of [["--help"], ["-h"], ["help"]])
      expect((await executeHere(words)).out).toBe(out);
  });

  it.each(Object.keys(VERBS))("explains %s, with its flags and examples", async (verb) => {
    const { code, out } = await executeHere([verb, "--help"]);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^tidemark ${verb}`));
    expect(out).toContain("--workspace DIR");
    expect(out).toMatch(/Examples:\n {2}\S/);
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  it("knows its version", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect((await run(["--version"])).out).toBe(`${version}\n`);
  });

  it.each([
    [["frobnicate"], /there is no verb "frobnicate"\. "tidemark --help" lists them/],
    [["stats", "desk"], /stats takes no words/],
    [
      ["stats", "--jsno"],
      /Unknown option '--jsno'\..* Did you mean "--json"\? "tidemark stats --help"/,
    ],
    [["recall", "cat", "--limit"], /Option '--limit <value>' argument missing/],
    [["recall", "cat", "--as-of", "2026-05-08T12:00"], /with a zone/],
    [
      ["recall", "cat", "--limit", "many"],
      /--limit takes a whole number from 1 to 1000, got "many"/,
    ],
    [["recall"], /recall takes "WORDS", got none: tidemark recall /],
    [
      ["search", "cat", "--in", "memroy"],
      /--in takes memory, files and history.+Did you mean "memory"\?/,
    ],
    [
      ["replay", "x.json", "--window", "huge"],
      /--window takes a number of tokens from 1k up, such as 16k, 200k or 1m, got "huge"/,
    ],
  ])("answers %j with one line that says what to do, and exit 2", async (args, said) => {
    const { code, out, err } = await executeHere(args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(said);
    expect(err).toMatch(/^tidemark: .+\n$/);
  });

  it("ends the process with the same code and line", async () => {
    expect(await run(["caht"])).toMatchObject({
      code: 2,
      out: "",
      err: 'tidemark: there is no verb "caht". Did you mean "chat"? "tidemark --help" lists them.\n',
    });
  });

  it("says other failures in one line too, with exit 1, and where only when asked", async () => {
    const args = ["stats", "--workspace", join(home, "nowhere")];
    const { code, err } = await run(args);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^tidemark: there is no workspace at .+nowhere: make one with "tidemark init --workspace .+", which takes over the pages of a clone, or name another with --workspace\.\n$/,
    );
    expect((await run(args, { env: { TIDEMARK_DEBUG: "1" } })).err).toMatch(/\n\s+at /);
    expect(existsSync(join(home, "nowhere"))).toBe(false);
  });
});

describe("init", () => {
  it("makes a workspace and says what is what in at most twelve lines, and then changes nothing", async () => {
    const cwd = fileFolder();
    const first = await run(["init"], { cwd });
    expect(first.code).toBe(0);
    expect(first.out.trimEnd().split("\n").length).toBeLessThanOrEqual(12);
    for (const name of ["SOUL.md", "USER.md", "AGENTS.md", "MEMORY.md"]) {
      expect(first.out).toContain(name);
      expect(existsSync(join(cwd, "workspace", name))).toBe(true);
    }
    writeFileSync(join(cwd, "workspace", "USER.md"), "Call me Ines.");
    expect(await run(["init"], { cwd })).toEqual({
      code: 0,
      out: "workspace is a workspace already; what was missing is made anew.\n",
      err: "",
    });
    expect(readFileSync(join(cwd, "workspace", "USER.md"), "utf8")).toBe("Call me Ines.");
    rmSync(join(cwd, "workspace", "SOUL.md"));
    await run(["init"], { cwd });
    expect(existsSync(join(cwd, "workspace", "SOUL.md"))).toBe(true);
  });
});

describe("recall and search", () => {
  it("find a fact, with score, source and age", async () => {
    const { code, out } = await run([
      "recall",
      "what is the cat called?",
      "--workspace",
      workspace,
    ]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^ {2}0\.\d\d The cat is called Whiskerino and sleeps on the router\n {7}core · manual · just now\n$/,
    );
  });

  it("find words in files and in past conversations", async () => {
    const files = await run([
      "search",
      "lighthouse tests",
      "--in",
      "files",
      "--workspace",
      workspace,
    ]);
    expect(files.out).toMatch(
      /Run the lighthouse tests before dusk\.\n {7}AGENTS\.md › House rules › Always/,
    );
    const history = await run([
      "search",
      "harbour gate seven",
      "--in",
      "history",
      "--workspace",
      workspace,
    ]);
    expect(history.out).toMatch(
      /The harbour gate opens at seven\n {7}said in a conversation · D1:1 · 1 day ago/,
    );
  });

  it("say that nothing was found, which is no failure", async () => {
    for (const verb of ["recall", "search"]) {
      const { code, out } = await run([
        verb,
        "quarterly zeppelin budget",
        "--workspace",
        workspace,
      ]);
      expect(code).toBe(0);
      expect(out).toMatch(/^Nothing .*quarterly zeppelin budget.*\n$/);
    }
  });
});

describe("stats", () => {
  it("counts what a workspace holds, for a person and for a machine", async () => {
    const { out } = await run(["stats", "--workspace", workspace]);
    expect(out).toMatch(/conversations, the last .+? +1\n/);
    expect(out).toMatch(/memories +[12]\n/);
    const machine = JSON.parse(
      (await run(["stats", "--json", "--workspace", workspace])).out,
    ) as Record<string, unknown>;
    expect(machine).toMatchObject({
      conversations: 1,
      messages: 1,
      folds: 0,
      memories: expect.any(Number) as number,
      queued: 0,
    });
  });
});
