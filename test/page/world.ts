import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { chromiumPath } from "../../scripts/chromium.ts";
import { atLast, fileFolder } from "../support/afterwards.ts";
import { builtUrl } from "../support/built.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** A program with a memory, in a process of its own. */
export type Tell = (work: string, text?: string) => Promise<unknown>;

async function startProgram(workspace: string): Promise<Tell> {
  const child = fork(here("program.ts"), [workspace]);
  const gone = once(child, "exit");
  atLast(async () => {
    child.disconnect();
    await gone;
  });
  const waiting = new Map<number, (answer: unknown) => void>();
  const ready = new Promise((resolve) => waiting.set(0, resolve));
  child.on("message", ({ id, answer }: { id: number; answer: unknown }) =>
    waiting.get(id)?.(answer),
  );
  await ready;
  let last = 0;
  return (work, text = "") =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      child.send({ id: last, work, text });
    });
}

/** The address that `tidemark inspect` prints. */
export async function inspect(workspace: string, ...flags: string[]): Promise<string> {
  const who = ["--workspace", workspace, "--user", "ada", "--team", "crew"];
  const child = spawn(process.execPath, [
    fileURLToPath(builtUrl("cli/main")),
    "inspect",
    ...who,
    ...flags,
  ]);
  const gone = once(child, "exit");
  atLast(async () => {
    child.kill("SIGTERM");
    await gone;
  });
  let said = "";
  return new Promise((resolve, reject) => {
    const hear = (part: Buffer): void => {
      said += part.toString();
      const address = /http:\/\/\S+#\S+/.exec(said)?.[0];
      if (address !== undefined) resolve(address);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", () => reject(new Error(said)));
  });
}

export interface Tab {
  readonly page: Page;
  /** What the page may not do: errors, reports of its policy, requests to others. */
  readonly trouble: string[];
  /** Opens an address of the page by loading it. */
  open(path: string): Promise<void>;
}

/** A browser in which the page was opened by its address. */
export async function browse(address: string, options: BrowserContextOptions = {}): Promise<Tab> {
  const browser = await browserOfFile();
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const trouble: string[] = [];
  const origin = new URL(address).origin;
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) trouble.push(message.text());
  });
  page.on("pageerror", ({ message }) => trouble.push(message));
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:"))
      trouble.push(request.url());
  });
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', ({ violatedDirective }) => console.error(violatedDirective))",
  );
  await page.goto(address);
  await page.waitForSelector("h1");
  const open = async (path: string): Promise<void> => {
    await page.goto(origin + path);
    await page.waitForSelector("h1");
    await page.locator(".wait").first().waitFor({ state: "detached" });
  };
  return { page, trouble, open };
}

let started: Promise<Browser> | undefined;
function browserOfFile(): Promise<Browser> {
  started ??= chromium.launch({ executablePath: chromiumPath(), args: ["--no-sandbox"] });
  atLast(async () => {
    const browser = started;
    started = undefined;
    await (await browser)?.close();
  });
  return started;
}

/** A workspace with a story in it, told by a program that goes on. */
export async function openWorld(work = "story"): Promise<{ workspace: string; tell: Tell }> {
  const workspace = fileFolder();
  const tell = await startProgram(workspace);
  if (work !== "") await tell(work);
  return { workspace, tell };
}
