import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTidemark } from "../../../src/index.ts";
import {
  type Json,
  type MessagesServer,
  startMessagesServer,
} from "../../support/messages-server/index.ts";
import { REPOSITORY } from "../../support/packed.ts";

const execute = promisify(execFile);
const blocks = [
  ...readFileSync(join(REPOSITORY, "docs/tools.md"), "utf8").matchAll(/^```ts\n([\s\S]*?)^```$/gm),
].map((match) => match[1] ?? "");
const source = (file: string): string => JSON.stringify(join(REPOSITORY, "src", file));
let folder: string;
let server: MessagesServer;

/** Calls the first tool with a question; then says what came of it. */
const asksMemory = ({ messages, tools }: Json) => {
  const last = (messages as Json[]).findLast(({ role }) => role === "user");
  const answered = JSON.stringify(last?.content).includes("tool_result");
  return answered
    ? `It says: ${JSON.stringify(last?.content)}`
    : [{ type: "tool_use", name: (tools as Json[])[0]!.name, input: { query: "deploy key" } }];
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-docs-"));
  symlinkSync(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
  server = await startMessagesServer({ reply: asksMemory });
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: "es2023",
    lib: ["es2024", "esnext.collection", "esnext.iterator", "esnext.disposable"],
    module: "nodenext",
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    types: ["node"],
    typeRoots: [join(REPOSITORY, "node_modules/@types")],
  };
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: compilerOptions, include: ["*.ts"] }),
  );
  blocks.forEach((code, index) =>
    writeFileSync(
      join(folder, `snippet-${index}.ts`),
      code
        .replace('"tidemark"', source("index.ts"))
        .replace('"tidemark/anthropic"', source("adapters/anthropic.ts")),
    ),
  );
  const tidemark = await openTidemark({ workspace: join(folder, "workspace") });
  await tidemark.memory.save("The deploy key lives in the blue vault.");
  await tidemark.close();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  await server.close();
});

describe("docs/tools.md", () => {
  it("has examples that compile strictly", async () => {
    const { stdout } = await execute(
      process.execPath,
      [join(REPOSITORY, "node_modules/typescript/bin/tsc"), "-p", "."],
      { cwd: folder },
    ).catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
    expect(blocks).toHaveLength(2);
  });

  it.each([0, 1])("has examples that run as they stand and reach memory: %i", async (index) => {
    const { stdout, stderr } = await execute(process.execPath, [`snippet-${index}.ts`], {
      cwd: folder,
      env: {
        ...process.env,
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: "none is needed here",
      },
    });
    expect(stderr).toBe("");
    expect(stdout).toContain("The deploy key lives in the blue vault.");
    expect(server.refusals).toEqual([]);
  });

  it("names every tool", async () => {
    const tidemark = await openTidemark({ workspace: false, inject: "self-edit" });
    const page = readFileSync(join(REPOSITORY, "docs/tools.md"), "utf8");
    expect(tidemark.tools().filter(({ name }) => !page.includes(`\`${name}\``))).toEqual([]);
    await tidemark.close();
  });
});
