import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { type MessagesServer, startMessagesServer } from "../support/messages-server/index.ts";
import { packed } from "../support/packed.ts";
import { blocks, hostingPage, YOUR_SESSION } from "../support/readme.ts";

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

let server: MessagesServer;
let host: ChildProcess;
let folder = "";
let port = 0;
beforeAll(async () => {
  const { project } = await packed();
  server = await startMessagesServer();
  port = await freePort();
  folder = mkdtempSync(join(project, "hosting-"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "your-session.ts"), YOUR_SESSION);
  writeFileSync(join(folder, "server.ts"), blocks("ts", hostingPage)[0] ?? "");
  host = spawn(process.execPath, ["--no-warnings", "server.ts"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      PORT: String(port),
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: "none is needed here",
    },
  });
  await once(host.stdout ?? host, "data");
});
afterAll(async () => {
  host.kill("SIGKILL");
  await server.close();
});

async function said(user: string, content: string): Promise<string> {
  const sent = await fetch(`http://127.0.0.1:${port}`, {
    method: "POST",
    headers: { "x-user": user },
    body: JSON.stringify([{ role: "user", content }]),
  });
  return sent.text();
}

describe("docs/hosting.md", () => {
  it("has a server of many users, each with a memory of their own, that ends in peace", async () => {
    expect(await said("ada", "I am allergic to peanuts.")).toContain("You said");
    await said("bob", "I row a boat.");
    host.kill("SIGTERM");
    const [code] = (await once(host, "exit")) as [number | null];
    expect(code).toBe(0);
    expect(server.refusals).toEqual([]);
    const tidemark = await openTidemark({ workspace: join(folder, "workspace"), listen: false });
    for (const [user, own, other] of [
      ["ada", "peanuts", "boat"],
      ["bob", "boat", "peanuts"],
    ] as const) {
      const me = tidemark.as({ user });
      expect(await me.history.list()).toHaveLength(1);
      const texts = JSON.stringify(await me.memory.search(`${own} ${other}`));
      expect(texts).toContain(own);
      expect(texts).not.toContain(other);
    }
    await tidemark.close();
  });

  it("has one Tidemark for all who import it", async () => {
    writeFileSync(join(folder, "tidemark.mjs"), blocks("js", hostingPage)[0] ?? "");
    writeFileSync(
      join(folder, "twice.mjs"),
      'const [one, two] = [await import("./tidemark.mjs?1"), await import("./tidemark.mjs?2")];\n' +
        "console.log(one.tidemark === two.tidemark, (await one.tidemark).workspace.root);\n" +
        "await (await one.tidemark).close();\n",
    );
    const child = spawn(process.execPath, ["twice.mjs"], {
      cwd: folder,
      env: { ...process.env, WORKSPACE: "other" },
    });
    let out = "";
    child.stdout.on("data", (part: Buffer) => (out += part.toString()));
    await once(child, "close");
    expect(out).toBe(`true ${join(folder, "other")}\n`);
  });
});
