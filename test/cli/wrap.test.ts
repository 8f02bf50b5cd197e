import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { afterwards, freshFolder } from "../support/afterwards.ts";
import { freshServer } from "../support/anthropic.ts";
import { executeHere } from "../support/cli-here.ts";
import { start } from "../support/cli.ts";

const NODE = process.execPath;

/** A company's proxy stands before the program, and before nothing of this machine. */
const AWAY = { HTTP_PROXY: "http://127.0.0.1:9", NODE_USE_ENV_PROXY: "1", OPENAI_BASE_URL: "" };

/** A program in no language of ours: it has one exchange, and writes down what it was told. */
const CHATS = `
const { ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL, OPENAI_API_BASE, MINE } = process.env;
const messages = [{ role: "user", content: "My boat is Zephyrine." }];
const headers = { "x-api-key": "k", "anthropic-version": "2023-06-01" };
const body = JSON.stringify({ model: "claude-sonnet-5-5", max_tokens: 99, messages });
const reply = await (await fetch(url + "/v1/messages", { method: "POST", headers, body })).json();
const told = { url, OPENAI_BASE_URL, OPENAI_API_BASE, MINE, reply: reply.content[0].text };
(await import("node:fs")).writeFileSync(process.argv[1], JSON.stringify(told));
process.exit(7);
`;

it("wraps a program: tells it the addresses, keeps what it says, ends with its code", async () => {
  const [server, home] = [await freshServer(), freshFolder()];
  const [workspace, told] = [join(home, "ws"), join(home, "told.json")];
  const { code, all } = await executeHere(
    ["wrap", "--user", "ada", "--workspace", workspace, "--"].concat(
      ...[NODE, "--input-type=module", "-e", CHATS, "--", told],
    ),
    { env: { ...process.env, ...AWAY, ANTHROPIC_BASE_URL: server.url, MINE: "1" } },
  );
  expect([code, all]).toEqual([7, ""]);
  const { url, reply, ...rest } = JSON.parse(readFileSync(told, "utf8")) as Record<string, string>;
  const [, base] = /^(http:\/\/127\.0\.0\.1:\d+\/[\w-]{12})\/anthropic$/.exec(url!)!;
  const openai = `${base}/openai/v1`;
  expect(rest).toEqual({ OPENAI_BASE_URL: openai, OPENAI_API_BASE: openai, MINE: "1" });
  expect(reply).toBe("You said: My boat is Zephyrine.");
  await expect(fetch(url!)).rejects.toThrow();
  const tidemark = await openTidemark({ workspace, identity: { user: "ada" }, listen: false });
  expect((await tidemark.history.list()).map(({ messages }) => messages)).toEqual([2]);
  await tidemark.close();
});

it("says where no conversation came through, and what could not be run", async () => {
  const workspace = join(freshFolder(), "ws");
  const wrap = (...command: string[]) =>
    executeHere(["wrap", "--workspace", workspace, "--", ...command], { env: process.env });
  const idle = await wrap(NODE, "-e", "");
  expect(idle).toMatchObject({ code: 0, out: "" });
  expect(idle.err).toBe(
    "tidemark: no call of a model came through; does the program read ANTHROPIC_BASE_URL or " +
      "OPENAI_BASE_URL?\n",
  );
  const calls = `fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST" })`;
  const line = ["wrap", "--workspace", workspace, "--", NODE, "-e", calls];
  const env = { ...process.env, ANTHROPIC_BASE_URL: "http://127.0.0.1:9" };
  expect((await executeHere(line, { env })).err).toBe(
    "tidemark: a call passed without memory: a body that is no conversation's\n",
  );
  const missing = await wrap("no-such-program", "-x");
  expect(missing).toMatchObject({
    ...{ code: 127, out: "" },
    err: 'tidemark: "no-such-program" is no program that could be found.\n',
  });
  expect(await wrap()).toMatchObject({
    ...{
      code: 2,
      err: "tidemark: wrap takes a command behind two dashes: tidemark wrap -- claude\n",
    },
  });
});

it("passes signals on, and ends as a program does that one has ended", async () => {
  const wrap = ["wrap", "--workspace", join(freshFolder(), "ws"), "--", NODE, "-e"];
  const killed = 'process.kill(process.pid, "SIGKILL")';
  expect((await executeHere([...wrap, killed], { env: process.env })).code).toBe(137);
  const heeds = 'setInterval(() => {}, 1e3); process.on("SIGTERM", () => process.exit(3));';
  const running = start([...wrap, `${heeds} console.log("up")`]);
  await running.until("up");
  running.terminate();
  expect((await running.done).code).toBe(3);
});

it("stands by itself on a port that stays, until it is told to end", async () => {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const port = String((free.address() as AddressInfo).port);
  free.close();
  const workspace = join(freshFolder(), "ws");
  const proxy = start(["proxy", "--workspace", workspace, "--port", port]);
  afterwards(() => proxy.terminate());
  await proxy.until("OPENAI_API_BASE");
  const url = `http://127.0.0.1:${port}`;
  const taken = await executeHere(["proxy", "--workspace", workspace, "--port", port]);
  expect(taken).toMatchObject({
    ...{ code: 1, err: `tidemark: port ${port} is taken: name another one.\n` },
  });
  expect((await fetch(url)).status).toBe(404);
  proxy.terminate();
  expect(await proxy.done).toMatchObject({
    code: 0,
    out: [
      `ANTHROPIC_BASE_URL=${url}/anthropic\n`,
      `OPENAI_BASE_URL=${url}/openai/v1\nOPENAI_API_BASE=${url}/openai/v1\n`,
    ].join(""),
  });
});
