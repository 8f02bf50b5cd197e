import { beforeAll, expect, it } from "vitest";
import { browse, inspect, openWorld, type Tab, type Tell } from "./world.ts";

let tell: Tell;
let tab: Tab;

beforeAll(async () => {
  const world = await openWorld();
  tell = world.tell;
  tab = await browse(await inspect(world.workspace, "--write"));
});

async function type(...keys: string[]): Promise<void> {
  for (const key of keys) await tab.page.keyboard.press(key);
}
const heading = (name: string | RegExp) =>
  tab.page.getByRole("heading", { name, level: 1 }).waitFor();
const focused = () => tab.page.evaluate("document.activeElement.textContent.trim()");
/** Goes on by Tab until what has the focus says so. */
async function tabTo(words: RegExp): Promise<void> {
  for (let times = 0; times < 60; times++) {
    await type("Tab");
    if (words.test(String(await focused()))) return;
  }
  throw new Error(`No Tab leads to ${words}.`);
}

it("is used from one end to the other by keyboard alone", async () => {
  await type("?");
  await tab.page.getByRole("dialog", { name: "Keys" }).waitFor();
  await type("Escape");

  // Finds a wrong fact and sets it right.
  await type("g", "m");
  await heading("Memories");
  expect(await focused()).toBe("Memories");
  await type("/");
  await tab.page.keyboard.type("blue vault");
  await tab.page.locator(".rows a").filter({ hasText: "blue vault" }).first().waitFor();
  await tabTo(/deploy key/);
  await type("Enter");
  await heading("Memory");
  await tab.page.getByRole("button", { name: "Edit" }).waitFor();
  await type("e");
  await tab.page.getByRole("dialog").waitFor();
  await type("ControlOrMeta+a");
  await tab.page.keyboard.type("The deploy key lives in the red vault.");
  await tabTo(/^Save$/);
  await type("Enter");
  await expect.poll(() => tell("memories")).toContain("The deploy key lives in the red vault.");
  await tab.page.getByRole("button", { name: "Undo" }).waitFor();
  await type("u");
  await expect.poll(() => tell("memories")).toContain("The deploy key lives in the blue vault.");

  // Says why a prompt held a line, and gets back what a fold dropped.
  await type("g", "c");
  await heading("Conversations");
  await tab.page.locator(".rows a").first().waitFor();
  await tabTo(/^desk/);
  await type("Enter");
  await heading("desk");
  const chart = tab.page.getByRole("slider", { name: "Turns" });
  await chart.waitFor();
  for (let times = 0; !(await isOn("slider")); times++) {
    expect(times).toBeLessThan(60);
    await type("Tab");
  }
  await type("Home");
  await tab.page.getByRole("heading", { name: /^Turn 1 of/ }).waitFor();
  await type("End");
  await tab.page.getByText("The staging database is called Nixe.").first().waitFor();
  await tabTo(/^Folded: /);
  await type("Enter");
  await heading(/^Fold of/);
  await tab.page.getByRole("button", { name: "Undo this fold" }).waitFor();
  await tabTo(/^Undo this fold$/);
  await type("Enter");
  await expect.poll(() => tell("folds")).toMatchObject([{ undoneAt: expect.any(Number) }]);

  // Asks a question, decides on a proposal, clears a user.
  await type("g", "p");
  await heading("Playground");
  await type("/");
  await tab.page.keyboard.type("staging database");
  await type("Enter");
  await tab.page.locator(".hit").first().waitFor();
  await type("Escape", "g", "r");
  await heading("Proposals");
  await tab.page.getByRole("button", { name: "Accept" }).waitFor();
  await tabTo(/^Accept$/);
  await type("Enter");
  await expect.poll(() => tell("proposals")).toEqual([]);
  await type("g", "u");
  await heading("Users");
  await tab.page.getByText("bob").first().waitFor();
  await tabTo(/^Forget/);
  await type("Enter");
  await tabTo(/^Forget for good$/);
  await type("Enter");
  await expect.poll(async () => ((await tell("users")) as unknown[]).length).toBe(1);
  expect(tab.trouble).toEqual([]);
});

const isOn = (role: string) =>
  tab.page.evaluate(`document.activeElement.getAttribute("role") === "${role}"`);
