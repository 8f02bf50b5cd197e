// npm run pictures: plays the demo's conversation, opens the page over it, and draws docs/pictures.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { chromium, type Page } from "playwright-core";
import { distil } from "../examples/tide-lamp/distiller.ts";
import { createLoop } from "../examples/tide-lamp/loop.ts";
import { blocksOf } from "../examples/tide-lamp/script.ts";
import { STORY, WINDOW } from "../examples/tide-lamp/story.ts";
import { createWorkshop } from "../examples/tide-lamp/tools.ts";
import { anthropicMiddleware } from "../src/adapters/anthropic.ts";
import { openTidemark } from "../src/index.ts";
import { startMessagesServer } from "../test/support/messages-server/index.ts";
import { chromiumPath } from "./chromium.ts";

const FOLDER = "docs/pictures";
/** Bytes of a picture, at most. */
const LARGEST = 150_000;
const MEMORY = "/files?path=scopes/user/ines/MEMORY.md";

const workspace = mkdtempSync(join(tmpdir(), "tidemark-pictures-"));
mkdirSync(FOLDER, { recursive: true });
const scenes = STORY.flatMap((chapter) => chapter.scenes);
const replies = scenes.flatMap((scene) => scene.replies)[Symbol.iterator]();
const server = await startMessagesServer({
  window: WINDOW,
  distil,
  reply: () => {
    const next = replies.next();
    return next.done ? [] : blocksOf(next.value);
  },
});
const tidemark = await openTidemark({
  workspace,
  identity: { agent: "workshop", user: "ines" },
  listen: false,
});
const client = new Anthropic({
  baseURL: server.url,
  apiKey: "no key",
  middleware: [anthropicMiddleware(tidemark)],
});
const turn = createLoop({ client, workshop: createWorkshop(), messages: [], window: WINDOW });

const inspect = spawn(process.execPath, [
  ...["src/cli/main.ts", "inspect", "--workspace", workspace, "--write"],
  ...["--agent", "workshop", "--user", "ines"],
]);
const address = await new Promise<string>((resolve, reject) => {
  inspect.stdout.on("data", (said: Buffer) => resolve(said.toString().trim()));
  inspect.on("exit", () => reject(new Error("tidemark inspect has ended")));
});
const browser = await chromium.launch({ executablePath: chromiumPath(), args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1100, height: 700 } });
await page.goto(address);

/** Draws an address of the page, once what it waits for is there. */
async function draw(name: string, path: string, ready: (page: Page) => Promise<unknown>) {
  await page.goto(new URL(path, address).href);
  await ready(page);
  const file = join(FOLDER, `${name}.png`);
  await page.screenshot({ path: file });
  const { size } = statSync(file);
  console.log(`${file}: ${Math.ceil(size / 1000)} kB`);
  if (size > LARGEST) throw new Error(`${file} has ${size} bytes: it is to have ${LARGEST}.`);
}

await turn(scenes[0]?.user ?? "");
await tidemark.idle();
await draw("memory-before", MEMORY, (at) => at.locator(".file").waitFor());
for (const { user } of scenes.slice(1)) {
  await turn(user);
  await tidemark.idle();
}
await tidemark.tidy();
const [fold] = await tidemark.history.folds();
await draw("memory-after", MEMORY, (at) => at.locator("li.learnt").first().waitFor());
await draw("conversation", `/conversations/${fold?.conversation}`, (at) =>
  at.locator(".turn-panel").waitFor(),
);
await draw("fold", `/folds/${fold?.id}`, (at) => at.locator(".glances").first().waitFor());

await browser.close();
inspect.kill("SIGTERM");
await tidemark.close();
await server.close();
rmSync(workspace, { recursive: true, force: true });
