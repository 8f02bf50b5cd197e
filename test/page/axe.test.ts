import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { beforeAll, describe, expect, it } from "vitest";
import { browse, inspect, openWorld, type Tab } from "./world.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const VIEWS = [
  "now",
  "conversations",
  "memories",
  "playground",
  "files",
  "proposals",
  "users",
  "x",
];
const places: string[] = VIEWS.map((view) => `/${view}`);
let workspace = "";

beforeAll(async () => {
  const world = await openWorld();
  workspace = world.workspace;
  const [fold] = (await world.tell("folds")) as { id: string; conversation: string }[];
  const memory = await world.tell("idOf", "Invoices are in Swiss francs.");
  places.push(`/conversations/${fold?.conversation}`, `/folds/${fold?.id}`, `/memories/${memory}`);
  places.push("/playground?question=invoices", "/files?path=scopes/user/ada/MEMORY.md");
});

interface Axe {
  violations: { id: string; nodes: { html: string }[] }[];
}
async function check({ page }: Tab, place: string): Promise<void> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate("axe.run()")) as Axe;
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`);
  expect([place, ...found]).toEqual([place]);
}

/** Writes a picture where somebody asks for them: PICTURES=/tmp/pictures. */
const { PICTURES } = process.env;

for (const colorScheme of ["light", "dark"] as const)
  for (const [width, height] of [
    [1280, 860],
    [360, 740],
  ] as const)
    describe(`a page of ${width} pixels, ${colorScheme}`, () => {
      it("has no violation in any view, and does not scroll sideways", async () => {
        const viewport = { width, height };
        const tab = await browse(await inspect(workspace, "--write"), { colorScheme, viewport });
        for (const place of places) {
          await tab.open(place);
          const wide = await tab.page.evaluate("document.documentElement.scrollWidth");
          expect([place, wide]).toEqual([place, width]);
          await check(tab, place);
          const name = `${place.slice(1).replace(/\W+/g, "-")}-${width}-${colorScheme}.png`;
          if (PICTURES !== undefined) await tab.page.screenshot({ path: `${PICTURES}/${name}` });
        }
        await tab.page.keyboard.press("?");
        await check(tab, "?");
        await tab.page.keyboard.press("Escape");
        await tab.open(places.find((place) => place.startsWith("/memories/")) ?? "");
        await tab.page.keyboard.press("e");
        await check(tab, "an edit");
        expect(tab.trouble).toEqual([]);
      });
    });

it("opens with what to do where nothing is remembered yet", async () => {
  const world = await openWorld("");
  const tab = await browse(await inspect(world.workspace, "--write"));
  for (const view of ["now", "conversations", "memories", "proposals"]) {
    await tab.open(`/${view}`);
    await tab.page.locator(".empty h2").waitFor();
    await check(tab, view);
  }
});
