import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { afterwards, freshFolder } from "../support/afterwards.ts";
import { executeHere } from "../support/cli-here.ts";
import { builtUrl } from "../support/built.ts";

const MAIN = fileURLToPath(builtUrl("cli/main"));

let workspace = "";
beforeEach(async () => {
  workspace = join(freshFolder(), "workspace");
  const tidemark = await openTidemark({ workspace, listen: false });
  await tidemark.as({ user: "ada" }).memory.save("Invoices are in euro.");
  await tidemark.close();
});

/** The verb as a process of its own, once it says where it listens. */
async function running(...args: string[]) {
  const all = [MAIN, ...args, "--workspace", workspace];
  const child = spawn(process.execPath, all, { stdio: ["ignore", "pipe", "pipe"] });
  afterwards(() => child.kill("SIGKILL"));
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part: Buffer) => (said += String(part)));
  await expect.poll(() => said, { timeout: 30_000 }).toMatch(/http:\/\/\S+\s/);
  const [url = ""] = /http:\/\/[\d.]+:\d+/.exec(said) ?? [];
  return { child, url, said: () => said };
}
const here = (...args: string[]) => executeHere([...args, "--workspace", workspace]);

it("inspect prints an address with a secret, shows what is there, and changes it with --write alone", async () => {
  for (const write of [false, true]) {
    const { child, url, said } = await running(
      "inspect",
      "--user",
      "ada",
      ...(write ? ["--write"] : []),
    );
    const [, secret] = /^http:\/\/127\.0\.0\.1:\d+\/#([\w-]{32})$/m.exec(said()) ?? [];
    const session = await fetch(`${url}/session`, {
      method: "POST",
      body: JSON.stringify({ secret }),
    });
    const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
    const ask = (path: string, init = {}) =>
      fetch(`${url}/api/v1${path}`, { headers: { cookie }, ...init });
    expect(await (await ask("/whoami")).json()).toMatchObject({
      ...{ identity: { user: "ada", role: "human" }, write, host: true },
    });
    expect(await (await ask("/memories")).text()).toContain("Invoices are in euro.");
    const body = JSON.stringify({ content: "Ships leave at ten." });
    expect((await ask("/memories", { method: "POST", body })).status).toBe(write ? 201 : 403);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(said()).not.toMatch(/memories|session/);
  }
  expect((await here("list", "--user", "ada")).out).toContain("Ships leave at ten.");
});

it("serve asks for a token once there is one, reads it anew, and tells none", async () => {
  const open = await running("serve", "--port", "0");
  await expect.poll(open.said).toContain("Bearer");
  const [, made = ""] = /Authorization: Bearer ([\w-]{32})"/.exec(open.said()) ?? [];
  const whoami = (url: string, token: string) =>
    fetch(`${url}/api/v1/whoami`, { headers: { authorization: `Bearer ${token}` } });
  expect((await whoami(open.url, made)).status).toBe(200);
  expect((await whoami(open.url, "x")).status).toBe(401);

  expect((await here("serve", "--host", "0.0.0.0")).err).toContain("there is no token yet");
  const added = await here("token", "add", "ci", "--user", "ada", "--read-only");
  const [, token = ""] = /this once:\n([\w-]{32})\n$/.exec(added.out) ?? [];
  expect((await here("token", "add", "ci")).err).toMatch(
    /^tidemark: There is a token "ci" already: [^\n]+\n$/,
  );
  const listed = await here("token", "list", "--json");
  expect(JSON.parse(listed.out)).toEqual([
    { name: "ci", identity: { user: "ada" }, write: false, host: false },
  ]);
  expect(listed.out).not.toContain(token);

  const held = await running("serve", "--host", "0.0.0.0", "--port", "0", "--write");
  const url = held.url.replace("0.0.0.0", "127.0.0.1");
  expect(await (await whoami(url, token)).json()).toMatchObject({
    ...{ identity: { user: "ada" }, write: false, host: false },
  });
  expect((await here("token", "revoke", "ci")).out).toBe("ci is revoked.\n");
  expect((await whoami(url, token)).status).toBe(401);
  expect(held.said()).not.toContain("Bearer");
  expect((await here("token", "add")).code).toBe(2);
});

it("alone loads what HTTP needs: neither the library nor another verb does", async () => {
  const of = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const script = `
    import { registerHooks } from "node:module";
    const seen = [];
    registerHooks({
      resolve(name, context, next) {
        if (/hono/.test(name)) seen.push(name);
        return next(name, context);
      },
    });
    await import(${of("index.ts")});
    await import(${of("cli/run.ts")});
    const before = seen.length;
    await import(${of("adapters/http.ts")});
    console.log(before, seen.length > 0);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
  const said = await child.stdout.toArray();
  expect(Buffer.concat(said).toString()).toBe("0 true\n");
});

it("says in a sentence that a port is taken, and that no workspace is there", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  afterwards(() => taken.close());
  await once(taken, "listening");
  const address = taken.address();
  const port = String(typeof address === "object" && address?.port);
  for (const verb of ["serve", "inspect"]) {
    const { err } = await here(verb, "--port", port);
    expect(err).toBe(`tidemark: port ${port} is taken: name another one.\n`);
    expect((await executeHere([verb, "--workspace", "none"])).err).toContain(
      "there is no workspace",
    );
  }
});
