import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MessagesServer, startMessagesServer } from "../support/messages-server/index.ts";
import { packed, type Packed } from "../support/packed.ts";
import { blocks, YOUR_MODEL } from "../support/readme.ts";

const execute = promisify(execFile);
let install: Packed;
let server: MessagesServer | undefined;
let folder: string;

beforeAll(async () => {
  install = await packed();
  server = await startMessagesServer();
  // Inside the project, so that its node_modules are found; anew each time, so that nothing is remembered from the last.
  folder = mkdtempSync(join(install.project, "readme-"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "your-model.ts"), YOUR_MODEL);
  blocks("ts").forEach((code, index) => writeFileSync(join(folder, `snippet-${index}.ts`), code));
});
afterAll(async () => {
  await server?.close();
});

const environment = () => ({
  ...process.env,
  ANTHROPIC_BASE_URL: server?.url,
  ANTHROPIC_API_KEY: "none is needed here",
  PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
});
describe("the README's TypeScript", () => {
  it.each(
    blocks("ts").map(
      (code, index) =>
        [
          index,
          code
            .split("\n")
            .find((line) => line.includes("await ") && !line.includes("openTidemark"))
            ?.trim() ?? "",
        ] as const,
    ),
  )("runs as it stands and prints a line, snippet %i: %s", async (index) => {
    const before = server?.requests.length;
    const code = blocks("ts")[index] ?? "";
    const { stdout, stderr } = await execute(process.execPath, [`snippet-${index}.ts`], {
      cwd: folder,
      env: environment(),
    });
    expect(stderr).toBe("");
    expect(stdout.trim()).not.toBe("");
    expect(server?.refusals).toEqual([]);
    if (/callModel/.test(code)) expect(server?.requests.length).toBeGreaterThan(before ?? 0);
  });

  it("leaves behind the files the README shows", () => {
    for (const file of [
      "SOUL.md",
      "AGENTS.md",
      "USER.md",
      "MEMORY.md",
      "learnings/errors.md",
      ".tidemark/tidemark.db",
      ".tidemark/tidemark.db",
    ])
      expect(readFileSync(join(folder, "workspace", file)).length, file).toBeGreaterThan(0);
  });
});

describe("the README's start", () => {
  const [program = ""] = blocks("js");
  const chat = async (place: string, ...words: string[]): Promise<void> => {
    const { stdout, stderr } = await execute(process.execPath, ["chat.mjs", ...words], {
      cwd: place,
      env: environment(),
    });
    // A busy machine may answer a recall too late, which is said.
    expect(stderr).toMatch(/^(?:.+ \(recall for a turn\); .+\n)?$/);
    expect(stdout.trim()).not.toBe("");
  };

  it("is ten lines in which the second run knows what the first was told", async () => {
    const place = join(folder, "start");
    mkdirSync(place);
    writeFileSync(join(place, "chat.mjs"), program);
    expect(program.trim().split("\n").length).toBeLessThanOrEqual(10);
    await chat(place, "My cat is called Whiskerino.");
    expect(readFileSync(join(place, "workspace/MEMORY.md"), "utf8")).toContain(
      "My cat is called Whiskerino.",
    );
    await chat(place);
    // Behind the chat the model may be asked to read it.
    const asked = server?.requests.findLast(({ body }) => body.max_tokens === 1000);
    expect(JSON.stringify(asked?.body)).toMatch(
      /Whiskerino[\s\S]*What is my cat called\?|What is my cat called\?[\s\S]*Whiskerino/,
    );
  });
});

describe("the README's commands", () => {
  const lines = blocks("bash")
    .join("\n")
    .split("\n")
    .filter((line) => line !== "");

  it("are all of the command line", () => {
    expect(lines.filter((line) => !line.startsWith("npx tidemark "))).toEqual([]);
    expect(lines.length).toBeGreaterThanOrEqual(5);
  });

  it("run as they stand, one after the other", async () => {
    const place = join(folder, "commands");
    mkdirSync(place);
    const messages = Array.from({ length: 30 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Message ${index}: the deploy key lives in the blue vault. ${"And so on. ".repeat(60)}`,
    }));
    writeFileSync(
      join(place, "session.json"),
      JSON.stringify({ model: "claude-sonnet-5-5", messages }),
    );
    for (const line of lines) {
      const command = line.replace(
        "npx tidemark",
        JSON.stringify(join(install.project, "node_modules/.bin/tidemark")),
      );
      const { stdout, stderr } = await execute("sh", ["-c", command], {
        cwd: place,
        env: environment(),
      });
      expect(stdout.trim(), `${line}\n${stderr}`).not.toBe("");
    }
  });
});
