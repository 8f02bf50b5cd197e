import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { createSite } from "../../src/adapters/http-api/site.ts";
import { tokensOf } from "../../src/adapters/http-api/tokens.ts";
import { serveLoopback } from "../../src/adapters/http/serve-loopback.ts";
import { packageFile } from "../../src/core/installed.ts";
import { openTidemark } from "../../src/index.ts";
import { browse, inspect, openWorld, type Tab, type Tell } from "./world.ts";

let tell: Tell;
let tab: Tab;
let workspace = "";
let origin = "";

beforeAll(async () => {
  ({ workspace, tell } = await openWorld());
  const address = await inspect(workspace, "--write");
  origin = new URL(address).origin;
  tab = await browse(address);
});

const heading = (name: string) => tab.page.getByRole("heading", { name, exact: true });
const button = (name: string) => tab.page.getByRole("button", { name, exact: true });
const link = (name: string | RegExp) => tab.page.getByRole("link", { name }).first();
const shows = (text: string | RegExp) => tab.page.getByText(text).first().waitFor();
const press = (name: string) => button(name).first().click();
const noTrouble = () => expect(tab.trouble.splice(0)).toEqual([]);
/** News may ask for a memory at the moment in which it goes. */
const noTroubleButGone = () =>
  expect(tab.trouble.splice(0).filter((line) => !line.includes("404"))).toEqual([]);
/** Asks the other process until it answers as it should. */
const heard = (work: string, check: (answer: unknown) => void) =>
  vi.waitFor(async () => check(await tell(work)), 60_000);

async function openMemory(words: string): Promise<void> {
  await tab.open("/memories");
  await tab.page.getByRole("searchbox").fill(words);
  await tab.page.locator(".rows a").filter({ hasText: words }).first().click();
  await heading("Memory").waitFor();
}

describe("the page of tidemark inspect", () => {
  it("opens by the printed address, whose secret it takes out of sight and works once", async () => {
    expect(tab.page.url()).toBe(`${origin}/`);
    await heading("Now").waitFor();
    noTrouble();
  });

  it("shows conversations under way, and by itself a turn of another process", async () => {
    await tab.open("/now");
    await shows(/\d+ %/);
    expect(await tab.page.locator(".card .name").allTextContents()).toEqual(["desk"]);
    const money = tab.page.getByRole("region", { name: "Since midnight" });
    await money.getByRole("rowheader", { name: "claude-sonnet-5-5" }).waitFor();
    expect(await money.textContent()).toMatch(/^\s*Since midnight\s*\$0\.0\d+/);
    await shows("Live");
    // How soon, `npm run bench -- inspect` measures.
    await tell("turn", "Is the report on its way?");
    await tab.page.locator(".events li").first().waitFor();
    expect(await tab.page.locator(".events").textContent()).toMatch(/A turn at \d+ %/);
    noTrouble();
  });

  it("shows a turn: what it was told and recalled, by which score, and what it cost", async () => {
    await tab.open("/conversations");
    await tab.page.locator(".rows a").first().click();
    const chart = tab.page.getByRole("slider", { name: "Turns" });
    await chart.press("ArrowLeft");
    await shows("Turn 17 of 18");
    expect(tab.page.url()).toMatch(/turn=/);
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/^Turn 17 of 18, .*level \d+ %/);
    await link("The staging database is called Nixe.").waitFor();
    expect(await tab.page.locator(".turn-panel .score").first().textContent()).toMatch(/0\.\d\d/);
    expect(await tab.page.locator(".turn-panel").textContent()).toMatch(/\$0\.00\d+/);
    await chart.locator("rect").first().click();
    await shows("Turn 1 of 18");
    noTrouble();
  });

  it("shows messages word for word behind a fold, and where it stands", async () => {
    await shows("Our invoices are in francs, please keep to that.");
    await link(/^Folded: \d+ messages/).click();
    await shows("Dropped (");
    expect(await tab.page.locator(".sizes").textContent()).toMatch(
      /Before [\d,]+ tokensAfter [\d,]+ tokens/,
    );
    await link("Invoices are in Swiss francs.").waitFor();
    await press("Show the messages");
    await shows("Our invoices are in francs, please keep to that.");
    noTrouble();
  });

  it("gets back what a fold dropped", async () => {
    await press("Undo this fold");
    await shows(/^Undone: \d+ messages/);
    const undone = { undoneAt: expect.any(Number) as number };
    await heard("folds", (all) => expect(all).toMatchObject([undone, undone]));
    await button("Undo this fold").waitFor({ state: "detached" });
    noTrouble();
  });

  it("finds a memory as one types, and who said it, in its message", async () => {
    await openMemory("Swiss francs");
    await shows("Who said it");
    await tab.page.locator(".panel", { hasText: "Who said it" }).getByRole("link").click();
    await tab.page.locator(".said:focus", { hasText: "Our invoices are in francs" }).waitFor();
    noTrouble();
  });

  it("edits a memory and takes that back", async () => {
    await openMemory("blue vault");
    await press("Edit");
    await tab.page.getByLabel("Text").fill("The deploy key lives in the green vault.");
    await press("Save");
    await shows("Changed.");
    await heard("memories", (all) =>
      expect(all).toContain("The deploy key lives in the green vault."),
    );
    await press("Undo");
    await shows("Undone.");
    await heard("memories", (all) =>
      expect(all).toContain("The deploy key lives in the blue vault."),
    );
    noTrouble();
  });

  it("shows both texts where another was faster", async () => {
    await openMemory("short answers");
    await press("Edit");
    await tell("change", "Ada prefers short answers. → Ada prefers long answers.");
    await tab.page.locator("blockquote.memory", { hasText: "long answers" }).waitFor();
    await tab.page.getByLabel("Text").fill("Ada prefers brief answers.");
    await press("Save");
    await heading("Changed in another tab").waitFor();
    const both = await tab.page.getByRole("dialog").textContent();
    expect(both).toContain("Ada prefers long answers.");
    expect(both).toContain("Ada prefers brief answers.");
    await press("Replace it with mine");
    await heard("memories", (all) => expect(all).toContain("Ada prefers brief answers."));
    expect(tab.trouble.splice(0).join()).toMatch(/^[^,]*412[^,]*$/);
  });

  it("keeps what was written where another took the memory away, and remembers it anew", async () => {
    await tell("save", "The printer stands in the cellar.");
    await openMemory("printer stands");
    await press("Edit");
    await tab.page.getByLabel("Text").fill("The printer stands in the attic.");
    await tell("forget", "The printer stands in the cellar.");
    await shows("It is gone: somebody took it away while you looked.");
    await press("Save");
    await heading("Gone in another tab").waitFor();
    await press("Remember mine anew");
    await heard("memories", (all) => expect(all).toContain("The printer stands in the attic."));
    await tab.page.locator("blockquote.memory", { hasText: "attic" }).waitFor();
    noTroubleButGone();
  });

  it("ends a memory, brings it back, promotes it and forgets it for good", async () => {
    const text = "Rollbacks are done by tag, never by branch.";
    await openMemory("Rollbacks");
    await press("End");
    await heading("Memories").waitFor();
    await heard("memories", (all) => expect(all).not.toContain(text));
    await press("Undo");
    await heard("memories", (all) => expect(all).toContain(text));
    await press("Promote");
    await tab.page.getByLabel("To").selectOption("team:crew");
    await tab.page.getByRole("dialog").getByRole("button", { name: "Promote" }).click();
    await shows("It is now team:crew's.");
    await press("Undo");
    await shows("Undone.");
    await press("Forget");
    await press("Forget it for good");
    await heading("Memories").waitFor();
    await heard("memories", (all) => expect(all).not.toContain(text));
    noTroubleButGone();
  });

  it("adds a memory, and finds by filters and as of a day", async () => {
    await tab.open("/memories");
    await press("Add a memory");
    await tab.page.getByLabel("What is to be remembered").fill("The office closes <i>at six</i>.");
    await tab.page.getByRole("dialog").getByLabel("Category").fill("house");
    await press("Remember");
    await heard("memories", (all) => expect(all).toContain("The office closes <i>at six</i>."));
    await tab.page.getByRole("search").getByLabel("Category").selectOption("house");
    await expect.poll(() => tab.page.locator(".rows a").count()).toBe(1);
    await shows("The office closes <i>at six</i>.");
    await tab.page.getByLabel("As of").fill("2001-01-01");
    await shows("No memory is like that");
    noTrouble();
  });

  it("answers a question with the parts of scores, the brief and the next prompt", async () => {
    await tab.open("/playground");
    await tab.page.getByRole("searchbox").fill("Where does the deploy key live?");
    await press("Ask");
    const hit = tab.page.locator(".hit").filter({ hasText: "blue vault" }).first();
    await hit.waitFor();
    expect(await hit.textContent()).toMatch(/words.*meaning.*recency.*use.*importance/);
    await tab.page.locator(".panel", { hasText: "The brief" }).getByText("blue vault").waitFor();
    await tab.page
      .locator(".panel", { hasText: "next prompt" })
      .getByText("She keeps the books")
      .waitFor();
    noTrouble();
  });

  it("marks what was learnt in a file, and edits one", async () => {
    await tab.open("/files");
    await link("scopes/user/ada/MEMORY.md").click();
    await tab.page.locator("li.learnt").filter({ hasText: "Swiss francs" }).waitFor();
    await tab.open("/files?path=scopes/user/ada/USER.md");
    await press("Edit");
    await tab.page.getByRole("textbox").fill("# Ada\n\nShe keeps bees.\n");
    await press("Save");
    await heard("page:USER.md", (text) => expect(text).toContain("bees"));
    await press("Undo");
    await heard("page:USER.md", (text) => expect(text).toContain("books"));
    noTrouble();
  });

  it("accepts a proposal", async () => {
    await tab.open("/proposals");
    await shows("Tests run before every push.");
    await press("Accept");
    await shows("No proposal waits");
    await heard("proposals", (all) => expect(all).toEqual([]));
    noTrouble();
  });

  it("clears a user in three clicks, after a preview", async () => {
    await tab.open("/users");
    await tab.page.locator(".person", { hasText: "bob" }).getByRole("button").click();
    await tab.page.getByRole("dialog").getByText("1 memory").waitFor();
    await press("Forget for good");
    await shows("bob is forgotten.");
    await heard("users", (all) => expect(JSON.stringify(all)).not.toContain("bob"));
    noTrouble();
  });

  it("shows a message of a million lines in part", async () => {
    await tell("flood", "Print the whole log.");
    await tab.open("/conversations");
    await tab.page.locator(".rows a").first().click();
    await tab.page.getByText("line 7\n").waitFor();
    const more = tab.page.getByRole("button", { name: /^Show more: [\d,]+ characters/ }).last();
    expect((await tab.page.locator(".messages").textContent())!.length).toBeLessThan(100_000);
    await more.click();
    await tab.page.getByText("line 900\n").waitFor();
    await tab.page.getByRole("button", { name: /^Read all of it: [\d,]+ characters more/ }).click();
    await tab.page
      .getByRole("button", { name: /^Show more: 1\d,\d{3},\d{3} characters/ })
      .waitFor();
    noTrouble();
  });

  it("scrolls thousands of memories with few rows in the document", async () => {
    await tell("many", "1500");
    await tab.open("/memories");
    const rows = tab.page.locator(".rows a");
    await rows.first().focus();
    for (let times = 0; times < 12; times++) {
      await tab.page.keyboard.press("End");
      expect(await rows.count()).toBeLessThan(200);
      await tab.page.waitForTimeout(150);
    }
    await expect
      .poll(() => rows.last().getAttribute("data-row").then(Number))
      .toBeGreaterThan(1_400);
    await tab.page.getByRole("searchbox").fill("shelf 17 box");
    await expect.poll(() => rows.first().textContent()).toMatch(/Shelf 17 holds box 119/);
    noTrouble();
  });

  it("is no more than 150 kB compressed", () => {
    const folder = new URL("../../dist/page/", import.meta.url);
    const files = ["index.html", "app.js", "style.css"].map((name) => new URL(name, folder));
    const bytes = files.map((file) => gzipSync(readFileSync(file)).length);
    expect(bytes.reduce((sum, one) => sum + one)).toBeLessThan(150_000);
  });

  it("shows the door when its token is revoked", async () => {
    const tidemark = await openTidemark({ workspace, listen: false });
    const tokens = tokensOf(tidemark);
    const token = await tokens.add("ci", { identity: { user: "ada" } });
    const folder = packageFile("dist/page");
    const site = createSite({ home: () => tidemark, folder, known: tokens.grantOf });
    const { url, close } = await serveLoopback(site, { isSite: true });
    const { page } = await browse(url);
    await page.getByLabel("Secret or token").fill(token);
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    await tokens.revoke("ci");
    await page.getByLabel("Secret or token").waitFor();
    await close();
    await tidemark.close();
  });

  it("offers nothing to change where it is for reading", async () => {
    const reading = await browse(await inspect(workspace));
    for (const path of ["/memories", "/conversations", "/proposals", "/users", "/files"]) {
      await reading.open(path);
      expect(await reading.page.locator("main button:not(.more)").count()).toBe(0);
    }
    expect(await reading.page.textContent("header.side")).toContain("Reading only");
    expect(reading.trouble).toEqual([]);
  });
});
