import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request as plainRequest } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { serveLoopback } from "../../src/adapters/http/serve-loopback.ts";
import { createApi } from "../../src/adapters/http-api/api.ts";
import { createSite } from "../../src/adapters/http-api/site.ts";
import { tokensOf } from "../../src/adapters/http-api/tokens.ts";
import { openTidemark } from "../../src/index.ts";
import { asked as askedOf } from "../../src/storage/sqlite/database-file.ts";
import { Database } from "../../src/core/installed.ts";
import { openToLook } from "../../src/tidemark/open-tidemark.ts";
import { afterwards, freshFolder } from "../support/afterwards.ts";
import { asking, openApi, talk } from "../support/http-api.ts";
import { executeHere } from "../support/cli-here.ts";
import { passing } from "../support/turns.ts";

const MINE = { identity: { user: "ada" }, write: true, host: true };
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
  "img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";

async function openSite(how: Partial<Parameters<typeof createSite>[0]> = {}) {
  const { tidemark } = await openApi();
  const folder = freshFolder();
  for (const name of ["index.html", "app.js", "style.css"]) writeFileSync(join(folder, name), name);
  const known = async (secret: string) => (secret === "the-secret" ? MINE : undefined);
  const site = createSite({ home: async () => tidemark, folder, known, ...how });
  const { url, close } = await serveLoopback(site, { isSite: true });
  afterwards(close);
  return { tidemark, url, known };
}

/** A call with headers that `fetch` would not send. */
const called = (url: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    plainRequest(url, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .once("error", reject)
      .end();
  });

/** Reads a stream until it ends, or the server is closed. */
async function read(body: Response["body"], hear: (part: string) => void): Promise<void> {
  try {
    for await (const part of body!.pipeThrough(new TextDecoderStream())) hear(part);
  } catch {
    // It was cut.
  }
}

const exchange = (url: string, secret: string): Promise<Response> =>
  fetch(`${url}/session`, { method: "POST", body: JSON.stringify({ secret }) });

it("gives the page at every address of a view, with its files and no way out", async () => {
  const { url } = await openSite();
  const got = async (path: string) => {
    const response = await fetch(url + path);
    return [response.status, await response.text(), response.headers.get("content-type")];
  };
  for (const path of ["/", "/now", "/memories/abc", "/conversations/x"])
    expect(await got(path)).toEqual([200, "index.html", "text/html; charset=utf-8"]);
  expect(await got("/app.js")).toEqual([200, "app.js", "text/javascript; charset=utf-8"]);
  for (const path of ["/none.js", "/..%2fpackage.json", "/a/app.js"])
    expect((await got(path))[0]).toBe(404);
  const { headers } = await fetch(url);
  expect(headers.get("content-security-policy")).toBe(CSP);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  const answer = await fetch(`${url}/api/v1/whoami`);
  expect(answer.headers.get("content-security-policy")).toBe(CSP);
  expect(answer.headers.get("cache-control")).toBe("no-store");
});

it("exchanges the secret once for a cookie that no script and no other site is given", async () => {
  const { url } = await openSite({ once: true });
  const bearer = { authorization: "Bearer the-secret" };
  expect((await fetch(`${url}/api/v1/whoami`, { headers: bearer })).status).toBe(401);
  expect((await exchange(url, "another")).status).toBe(401);
  const first = await exchange(url, "the-secret");
  expect(await first.json()).toMatchObject(MINE);
  const set = first.headers.get("set-cookie") ?? "";
  expect(set).toMatch(/^tidemark-\d+=[\w-]{32}; Path=\/; HttpOnly; SameSite=Strict$/);
  const again = await exchange(url, "the-secret");
  expect([again.status, await again.json()]).toEqual([
    401,
    { error: { code: "unauthorized", message: expect.stringContaining("was used before") } },
  ]);
  const cookie = set.split(";")[0] ?? "";
  const whoami = await fetch(`${url}/api/v1/whoami`, { headers: { cookie } });
  expect(await whoami.json()).toMatchObject(MINE);
});

it("answers neither other names nor pages of elsewhere, of another port either", async () => {
  const { url } = await openSite();
  const { port, host } = new URL(url);
  const authorization = "Bearer the-secret";
  const at = `${url}/api/v1/whoami`;
  expect(await called(at, { authorization, host: `evil.example:${port}` })).toBe(403);
  expect(await called(at, { authorization, host: `localhost:${port}` })).toBe(200);
  for (const origin of ["https://evil.example", "http://127.0.0.1:1", "null"])
    expect(await called(at, { authorization, origin })).toBe(403);
  expect(await called(at, { authorization, origin: `http://${host}` })).toBe(200);
});

it("streams turns of the identity, goes on behind the last one seen, and ends with its token", async () => {
  const { tidemark } = await openApi();
  const tokens = tokensOf(tidemark);
  const token = await tokens.add("ci", { identity: { user: "ada" } });
  await expect(tokens.add("ci", MINE)).rejects.toThrow("There is a token");
  const { url } = await openSite({ home: async () => tidemark, known: tokens.grantOf });
  const headers = { authorization: `Bearer ${token}` };
  const open = async (more = {}) => {
    const { body } = await fetch(`${url}/api/v1/events`, { headers: { ...headers, ...more } });
    const heard = { text: "", ended: false };
    void read(body, (part) => (heard.text += part)).then(() => (heard.ended = true));
    await expect.poll(() => heard.text).toContain(": here");
    return heard;
  };
  const heard = await open();
  await talk(tidemark.as({ user: "ada" }), "desk", "Hello.", "And again.");
  await talk(tidemark.as({ user: "bob" }), "zwiebel", "Hello.");
  await expect.poll(() => heard.text.match(/event: turn/g)?.length).toBe(2);
  await tidemark.as({ user: "ada" }).memory.save("Invoices are in euro.");
  await expect.poll(() => heard.text).toContain("event: changed\ndata: {}");
  expect(heard.text).not.toContain("event: told");
  const [, id = "", second = ""] = /id: (\d+)\n\n[^]*id: (\d+)\n/.exec(heard.text) ?? [];
  const later = await open({ "last-event-id": id });
  await expect.poll(() => later.text).toContain(`id: ${second}\n`);
  expect(later.text.match(/event: turn/g)).toHaveLength(1);
  expect(await tokens.revoke("ci")).toBe(true);
  await expect.poll(() => heard.ended && later.ended).toBe(true);
  expect((await fetch(`${url}/api/v1/whoami`, { headers })).status).toBe(401);
});

it("tells a host what this process does, and of turns of another one", async () => {
  const { tidemark } = await openApi();
  const workspace = tidemark.workspace.root ?? "";
  const looked = await openToLook({ workspace, listen: false });
  afterwards(() => looked.close());
  const { url } = await openSite({ home: async () => looked });
  const headers = { authorization: "Bearer the-secret" };
  const { body } = await fetch(`${url}/api/v1/events`, { headers });
  let heard = "";
  void read(body, (part) => (heard += part));
  await expect.poll(() => heard).toContain(": here");
  await talk(tidemark.as({ user: "ada" }), "desk", "Hello.");
  await expect.poll(() => heard).toContain("event: turn");
  await looked.memory.recall("hello");
  await expect.poll(() => heard).toContain('event: told\ndata: {"type":"recalled"');
});

it("answers while 200 clients listen and 50 bodies come a byte at a time", async () => {
  const { url } = await openSite();
  const headers = { authorization: "Bearer the-secret" };
  const streams = await Promise.all(
    Array.from({ length: 200 }, () => fetch(`${url}/api/v1/events`, { headers })),
  );
  expect(streams.every(({ status }) => status === 200)).toBe(true);
  const head =
    "POST /api/v1/memories HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer the-secret\r\n" +
    'Content-Length: 900000\r\n\r\n{"';
  const { port } = new URL(url);
  const slow = Array.from({ length: 50 }, () => connect(Number(port), "127.0.0.1"));
  for (const one of slow) one.on("error", () => undefined).write(head.replace("PORT", port));
  for (let asked = 0; asked < 20; asked++)
    expect((await fetch(`${url}/api/v1/memories`, { headers })).status).toBe(200);
  for (const one of slow) one.destroy();
  await Promise.all(streams.map(({ body }) => body?.cancel()));
});

const READS = [
  ...[
    "memories",
    "memories?text=euro",
    "categories",
    "prompt",
    "records",
    "notes",
    "conversations",
  ],
  ...["folds", "pins", "files", "proposals", "users", "stats", "stats?by=day", "health", "whoami"],
  ...["users/ada/export", "users/ada/forget"],
];

/** Every file with its digest, and of the database each row. */
function stateOf(workspace: string): Map<string, string> {
  const digest = (given: string | Buffer) => createHash("sha256").update(given).digest("hex");
  const files = readdirSync(workspace, { recursive: true, encoding: "utf8" }).filter((file) =>
    statSync(join(workspace, file)).isFile(),
  );
  const database = join(workspace, ".tidemark", "tidemark.db");
  const rows = askedOf({ path: database }, ({ values, rows: all }) =>
    values<string>`select name from sqlite_schema where type = 'table'`
      .filter((name) => !name.includes("_index"))
      .map((name) => JSON.stringify(all(`select * from "${name}"`))),
  );
  return new Map([
    ...files
      .filter((file) => !/-(?:wal|shm)$/.test(file))
      .map((file) => [file, digest(readFileSync(join(workspace, file)))] as const),
    ["rows", digest(rows.join())],
  ]);
}

it("writes nothing to a workspace that is looked at, whatever is read, until somebody acts", async () => {
  const workspace = freshFolder();
  const program = await openTidemark({ workspace, listen: false, distil: "extractive" });
  const ada = program.as({ user: "ada" });
  const { id } = await ada.memory.save("Invoices are in euro.");
  await talk(ada, "desk", "My cat is called Moss.", "What is it called?");
  await ada.notes.write("a.md", "Boxes.");
  await program.close();
  writeFileSync(join(workspace, "AGENTS.md"), "Never push on Fridays.");
  const before = stateOf(workspace);
  const looked = await openToLook({ workspace, listen: false });
  let acting: ReturnType<typeof openTidemark> | undefined;
  const home = (acts: boolean) =>
    acting ?? (acts ? (acting = openTidemark({ workspace, listen: false })) : looked);
  const handle = createApi(home, { identify: () => MINE.identity, rights: () => MINE });
  const ask = asking(handle);
  const [conversation] = (await ask("GET /conversations")).body.items;
  const places = [
    ...READS,
    ...["", "/past"].map((end) => `memories/${id}${end}`),
    ...["", "/messages", "/turns"].map((end) => `conversations/${conversation.id}${end}`),
    ...["notes/a.md", "files/AGENTS.md"],
  ];
  for (const place of places)
    expect([place, (await ask(`GET /${place}`)).status]).toEqual([place, 200]);
  for (const place of ["search", "recall", "brief"])
    expect(JSON.stringify((await ask(`POST /${place}`, { query: "invoices" })).body)).toContain(
      "euro",
    );
  expect(stateOf(workspace)).toEqual(before);
  expect((await ask("POST /memories", { content: "Ships leave at ten." })).status).toBe(201);
  expect(JSON.stringify((await ask("GET /memories")).body)).toContain("Ships leave at ten.");
  await (await acting)?.close();
  await looked.close();
  expect(stateOf(workspace)).not.toEqual(before);
});

it("says in one sentence that a workspace is older, newer or locked, and changes nothing", async () => {
  const workspace = freshFolder();
  await (await openTidemark({ workspace, listen: false })).close();
  const path = join(workspace, ".tidemark", "tidemark.db");
  const inHand = (work: (database: InstanceType<typeof Database>) => void) => {
    const database = new Database(path);
    work(database);
    return database;
  };
  const refused = async (sentence: RegExp) => {
    const inspected = () => executeHere(["inspect", "--workspace", workspace]);
    const { code, all } = await passing(inspected);
    expect(all).toMatch(sentence);
    expect([code, all.trimEnd().split("\n").length]).toEqual([1, 1]);
  };
  const steps = () => askedOf({ path }, ({ values }) => values<string>`select name from migration`);
  inHand((it) => it.exec("delete from migration where name > '003'")).close();
  const before = steps();
  await refused(/was written by an older Tidemark.*"tidemark stats"/);
  expect(steps()).toEqual(before);
  inHand((it) => it.exec("insert into migration (name) values ('999-later')")).close();
  await refused(/was written by a newer Tidemark \(999-later\); update the package/);
  const locked = inHand((it) => {
    it.exec("delete from migration where name = '999-later'");
    it.pragma("locking_mode = exclusive");
    it.exec("begin exclusive");
  });
  await refused(/tidemark\.db cannot be opened.*locked/);
  locked.close();
});

it("keeps of a token its digest, and what it may", async () => {
  const { tidemark } = await openApi();
  const tokens = tokensOf(tidemark);
  const token = await tokens.add("ci", { ...MINE, write: false });
  expect(await tokens.grantOf(token)).toEqual({ ...MINE, write: false });
  expect(await tokens.grantOf(`${token}x`)).toBeUndefined();
  const rows = await tidemark.data.repository("tokens", { key: "digest" }).list();
  expect(JSON.stringify(rows)).not.toContain(token);
  await tidemark.users.forget("ada");
  expect(await tokens.grantOf(token)).toBeUndefined();
});

it("opens nothing where nothing is, or what is newer or damaged, and says so in one sentence", async () => {
  const workspace = freshFolder();
  await expect(openToLook({ workspace })).rejects.toThrow("tidemark.db is not there");
  expect(readdirSync(workspace)).toEqual([]);
  await (await openTidemark({ workspace, listen: false })).close();
  const file = join(workspace, ".tidemark", "tidemark.db");
  writeFileSync(file, Buffer.alloc(8_192, "no database"));
  const before = readdirSync(workspace, { recursive: true }).sort();
  await expect(openToLook({ workspace })).rejects.toThrow(/^[^\n]+ "tidemark doctor" says how/);
  expect(readdirSync(workspace, { recursive: true }).sort()).toEqual(before);
  const inspect = ["inspect", "--workspace", workspace];
  const { code, all } = await executeHere(inspect);
  expect([code, all.trimEnd().split("\n").length]).toEqual([1, 1]);
});
