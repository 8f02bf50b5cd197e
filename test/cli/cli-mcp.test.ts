import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeEach, describe, expect, it } from "vitest";
import { serveLoopback } from "../../src/adapters/http/serve-loopback.ts";
import { openTidemark } from "../../src/index.ts";
import { afterwards, freshFolder } from "../support/afterwards.ts";
import { runApart } from "../support/cli.ts";
import { executeHere } from "../support/cli-here.ts";
import { builtUrl } from "../support/built.ts";

const MAIN = fileURLToPath(builtUrl("cli/main"));
const NEWEST = { versionNegotiation: { mode: "auto" } } as const;
const NAMED = { name: "test", version: "1" };

let workspace = "";
beforeEach(() => {
  workspace = join(freshFolder(), "workspace");
});

describe("tidemark mcp", () => {
  it("speaks the protocol alone on standard output, for the user who is named", async () => {
    const troubles: unknown[] = [];
    const client = new Client(NAMED, NEWEST);
    client.onerror = (error) => troubles.push(error.message);
    const args = [MAIN, "mcp", "--workspace", workspace, "--user", "ada"];
    const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "pipe" });
    await client.connect(transport);
    afterwards(() => client.close());
    const given = { content: "The cat is called Moss." };
    const saved = await client.callTool({ name: "memory_save", arguments: given });
    expect(saved.isError).toBe(false);
    const found = await client.callTool({ name: "memory_search", arguments: { query: "the cat" } });
    expect(found.structuredContent).toMatchObject({ found: [{ text: given.content }] });
    await client.close();
    expect(troubles).toEqual([]);
    const tidemark = await openTidemark({ workspace, identity: { user: "ada" }, listen: false });
    afterwards(() => tidemark.close());
    const contents = (await tidemark.memory.list()).map(({ content, scope }) => [content, scope]);
    expect(contents).toEqual([[given.content, "user:ada"]]);
  });

  it("serves HTTP to those who know the token it tells once, and closes when it is told to", async () => {
    const args = [MAIN, "mcp", "--workspace", workspace, "--port", "0"];
    const env = { ...process.env, TIDEMARK_MCP_TOKEN: "" };
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    afterwards(() => child.kill("SIGKILL"));
    let [out, err] = ["", ""];
    child.stdout.on("data", (part: Buffer) => (out += String(part)));
    child.stderr.on("data", (part: Buffer) => (err += String(part)));
    await expect.poll(() => err).toMatch(/\/mcp\n/);
    const [, token = ""] = /Authorization: Bearer ([\w-]{32})"/.exec(err) ?? [];
    const [, address = ""] = / (http:\/\/127\.0\.0\.1:\d+\/mcp)\n/.exec(err) ?? [];

    const headers = { authorization: `Bearer ${token}` };
    const client = new Client(NAMED, NEWEST);
    const requestInit = { headers };
    await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    await client.close();

    const stranger = { method: "POST", headers: { authorization: `Bearer ${token}x` }, body: "{}" };
    expect((await fetch(address, stranger)).status).toBe(401);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(out).toBe("");
    expect(err.split("\n").filter((line) => !line.startsWith("tidemark: "))).toEqual([""]);
  });

  it("says in one sentence what keeps it from starting", async () => {
    const { url, close } = await serveLoopback(async () => new Response());
    afterwards(close);
    const { port } = new URL(url);
    const said = async (...args: string[]) => {
      const { code, out, err } = await executeHere(["mcp", "--workspace", workspace, ...args]);
      expect(out).toBe("");
      return [code, err];
    };
    expect(await said("--read-only")).toMatchObject([1, /^tidemark: there is no workspace at /]);
    expect(await said("--port", port)).toEqual([
      1,
      expect.stringMatching(`tidemark: port ${port} is taken: name another one.\n$`),
    ]);
    expect(await said("--port", "70000")).toEqual([
      2,
      'tidemark: --port takes a port from 0 to 65535, got "70000".\n',
    ]);
    expect(await said("--prot", "4700")).toMatchObject([2, /Did you mean "--port"\?/]);
    expect(await said("somewhere")).toMatchObject([2, /mcp takes no words/]);
  });

  it("alone loads the package of MCP, and says where it is missing", async () => {
    const hook =
      'import{registerHooks}from"node:module";registerHooks({resolve(name,context,next){if(name.' +
      'startsWith("@modelcontextprotocol/"))throw Object.assign(new Error(name),{code:' +
      '"ERR_MODULE_NOT_FOUND"});return next(name,context)}})';
    const env = { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(hook)}"` };
    expect(await runApart(["mcp", "--workspace", workspace], { env })).toMatchObject({
      code: 1,
      err:
        "tidemark: mcp needs a package that is not installed: " +
        "npm install @modelcontextprotocol/server\n",
    });
    expect(await runApart(["init", "--workspace", workspace], { env })).toMatchObject({ code: 0 });
  });
});
