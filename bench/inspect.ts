// The page of `tidemark inspect` over 100,000 memories and 50,000 turns: how long views and searches take in Chromium, how many rows stand in the document, how large its files are, how much memory the process holds, when a turn of another process is seen, and what a program under way pays while the page is open.
//   npm run bench -- inspect
// It runs dist, as it is installed: `npm run build` makes it. Reading TypeScript by itself, Node holds some 50 MB more. Chromium has to be installed; a person has it open already, so one page of another server is shown before a first view is timed.
// Turns with the page shut and open are blocks of one length in conversations of their own, in turns, at the pace of a quick model.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { chromium, type Page } from "playwright-core";
import { chromiumPath } from "../scripts/chromium.ts";
import { identityKey } from "../src/core/identity.ts";
import { openTidemark, type Tidemark } from "../src/index.ts";
import { openStorage } from "../src/storage/sqlite/sqlite-storage.ts";
import { entry, session } from "../test/contracts/made.ts";
import { manyFacts } from "./support/facts.ts";
import { BATCH, memory } from "./support/recall-speed.ts";
import { median, percentile, record, round } from "./support.ts";

const MEMORIES = 100_000;
const [CONVERSATIONS, TURNS] = [100, 500];
const ROUNDS = 6;
const [BLOCKS, OWN_TURNS] = [12, 40];
/** ms from one of them to the next. */
const PACE = 100;
const USER = "ada";
const HOUR = 3_600_000;
const ROOT = identityKey({ user: USER });

const workspace = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
process.once("exit", () => rmSync(workspace, { recursive: true }));

async function fill(): Promise<void> {
  mkdirSync(join(workspace, ".tidemark"), { mode: 0o700 });
  const store = openStorage(join(workspace, ".tidemark", "tidemark.db"));
  let batch: ReturnType<typeof memory>[] = [];
  let at = 0;
  for (const text of manyFacts(MEMORIES)) {
    batch.push(memory(text, at++, `user:${USER}`));
    if (batch.length < BATCH) continue;
    await store.commit({ memories: batch });
    batch = [];
  }
  const start = Date.now() - TURNS * HOUR;
  for (let talk = 0; talk < CONVERSATIONS; talk += 1) {
    const id = `talk-${talk}`;
    const began = { ...session(1), id, root: ROOT, label: id, at: start };
    await store.commit({ session: { session: began, from: 0, entries: [entry(`${id} says`)] } });
    for (let turn = 0; turn < TURNS; turn += 1)
      await store.commit({
        ended: {
          ...{ conversation: id, at: start + turn * HOUR, model: "claude-sonnet-5-5" },
          ...{ used: 4_000 + turn * 100, limit: 100_000, mark: "below", read: 4_000 + turn * 100 },
          ...{ cached: 3_000 + turn * 100, written: 90, dollars: 0.01, ms: 4, waited: 0 },
          ...{ told: [`m${String(talk).padStart(9, "0")}`], recalled: [] },
        },
      });
  }
  await store.close();
}

/** One turn of a program with a loop of its own. */
async function turn(
  tidemark: Tidemark,
  messages: { role: string; content: string }[],
  conversation = "harbour",
) {
  messages.push({ role: "user", content: `And boat ${messages.length}, where does it lie?` });
  const start = performance.now();
  const request = { model: "claude-sonnet-5-5", max_tokens: 99, messages };
  const begun = await tidemark.begin(request, { conversation });
  const reply = { role: "assistant", content: `At pier ${messages.length * 3}.` };
  await begun.end(reply);
  messages.push(reply);
  return performance.now() - start;
}

async function inspect() {
  const main = join(import.meta.dirname, "..", "dist", "cli", "main.js");
  const args = [main, "inspect", "--workspace", workspace, "--user", USER];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const address = await new Promise<string>((resolve, reject) => {
    const hear = (part: Buffer): void => {
      said += part.toString();
      const found = /http:\/\/\S+#\S+/.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("exit", () => reject(new Error(said)));
  });
  const resident = (): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1_000;
  return { address, resident, end: () => child.kill("SIGTERM") };
}

/** Shows a page of another server, which has a script and asks for something. */
async function warmed(page: Page): Promise<void> {
  const server = createServer((_, response) =>
    response.setHeader("content-type", "text/html").end("<script>fetch('/')</script>Open"),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await page.goto(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`);
  server.closeAllConnections();
  server.close();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** What a view shows when it has what it asked for. */
const VIEWS: Readonly<Record<string, string>> = {
  Conversations: ".rows a",
  Memories: ".rows a",
  Files: "h1",
  Playground: "h1",
  Proposals: "h1",
  Now: ".card",
};

async function views(page: Page): Promise<Record<string, number>> {
  const took: Record<string, number[]> = {};
  for (let round_ = 0; round_ < ROUNDS; round_ += 1)
    for (const [name, shown] of Object.entries(VIEWS))
      (took[name] ??= []).push(
        await timed(async () => {
          await page.getByRole("link", { name, exact: true }).first().click();
          await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
          await page.locator(".wait").first().waitFor({ state: "detached" });
          await page.locator(shown).first().waitFor();
        }),
      );
  return Object.fromEntries(Object.entries(took).map(([name, all]) => [name, median(all)]));
}

/** From the last key to the rows that hold the words. */
async function searches(page: Page, words: readonly string[]) {
  await page.getByRole("link", { name: "Memories", exact: true }).first().click();
  const box = page.getByRole("searchbox");
  const took: number[] = [];
  for (const word of words) {
    await box.fill("");
    await page.locator(".rows a").first().waitFor();
    took.push(
      await timed(async () => {
        await box.fill(word);
        await page
          .locator(".rows a", { hasText: new RegExp(word, "i") })
          .first()
          .waitFor();
      }),
    );
  }
  await box.fill("");
  const rows: number[] = [];
  for (let step = 0; step < 20; step += 1) {
    await page.locator(".rows").first().hover();
    await page.mouse.wheel(0, 8_000);
    rows.push(await page.locator(".rows a").count());
  }
  return { p50: median(took), p95: percentile(took, 0.95), "most rows": Math.max(...rows) };
}

await fill();
const files = join(import.meta.dirname, "..", "dist", "page");
const kilobytes =
  readdirSync(files)
    .map((name) => gzipSync(readFileSync(join(files, name))).length)
    .reduce((sum, size) => sum + size, 0) / 1_000;
const browser = await chromium.launch({ executablePath: chromiumPath(), args: ["--no-sandbox"] });
/** Its first view, of a server that has answered nothing yet, in a window of its own. */
async function opened() {
  const server = await inspect();
  const context = await browser.newContext();
  const page = await context.newPage();
  await warmed(page);
  const ms = await timed(async () => {
    await page.goto(server.address);
    await page.locator(".card").first().waitFor();
  });
  return { ...server, context, page, ms };
}
const firsts: number[] = [];
for (let round_ = 0; round_ < ROUNDS; round_ += 1) {
  const { context, end, ms } = await opened();
  firsts.push(ms);
  await context.close();
  end();
}
const { address, resident, end, page } = await opened();
const next = await views(page);
const words = [...manyFacts(400)].flatMap((text) => /\b[a-z]{6,}\b/.exec(text)?.[0] ?? []);
const search = await searches(page, [...new Set(words)].slice(0, 40));
await page.getByRole("link", { name: "Now", exact: true }).first().click();
await page.locator(".card").first().waitFor();

const tidemark = await openTidemark({
  ...{ workspace, identity: { user: USER }, distil: "extractive", listen: false },
});
const messages: { role: string; content: string }[] = [];
await turn(tidemark, messages);
await tidemark.idle();
const seen: number[] = [];
for (let round_ = 0; round_ < ROUNDS; round_ += 1) {
  const events = await page.locator(".events li").count();
  await turn(tidemark, messages);
  seen.push(await timed(() => page.locator(".events li").nth(Math.min(events, 11)).waitFor()));
}
const [open, shut]: [number[], number[]] = [[], []];
for (let round_ = 0; round_ < BLOCKS; round_ += 1) {
  const both = [
    [shut, "about:blank"],
    [open, `${new URL(address).origin}/now`],
  ] as const;
  for (const [into, where] of round_ % 2 === 0 ? both : both.toReversed()) {
    await page.goto(where);
    if (into === open) await page.getByRole("table").waitFor();
    const own: typeof messages = [];
    for (let at = 0; at < OWN_TURNS; at += 1) {
      const ms = await turn(tidemark, own, `${where} ${round_}`);
      into.push(ms);
      await pause(Math.max(0, PACE - ms));
    }
  }
}
await tidemark.close();
record("inspect", {
  ...{
    memories: MEMORIES,
    turns: CONVERSATIONS * TURNS,
    "load at the end": round(loadavg()[0] ?? 0),
  },
  "ms to the first view, median": median(firsts),
  "ms to the next, median": next,
  "ms of a search as one types": search,
  "kilobytes of its files, compressed": round(kilobytes),
  "megabytes resident": round(resident()),
  "ms until a turn elsewhere is seen, median": median(seen),
  "ms of a turn": { "page shut": median(shut), "page open": median(open) },
});
await browser.close();
end();
