import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { format } from "prettier";
import { expect, it } from "vitest";
import type { TidemarkEvent } from "../../src/index.ts";
import { executeHere } from "../support/cli-here.ts";
import { copy, fresh, open, tryToTalk } from "../support/faults.ts";

const FACT = "The harbour master is called Zephyrine.";

it("a database of a newer version: one sentence that says so, by a verb too, and not a byte is changed", async () => {
  const workspace = await copy();
  const path = join(workspace, ".tidemark/tidemark.db");
  const database = new Database(path);
  database.prepare("insert into migration (name) values ('of the year 2031')").run();
  database.close();
  const before = readFileSync(path);
  const says = /written by a newer Tidemark \(of the year 2031\); update the package/;
  expect(await tryToTalk(workspace)).toMatch(says);
  const { code, err } = await executeHere(["list", "--workspace", workspace]);
  expect([code, err.trim().split("\n").length]).toEqual([1, 1]);
  expect(err).toMatch(says);
  expect(readFileSync(path).equals(before)).toBe(true);
});

it("a folder of a version under development: its page is adopted, which is told once", async () => {
  const workspace = fresh();
  const first = await open(workspace);
  await first.tidemark.memory.save(FACT);
  await first.tidemark.close();
  const folder = join(workspace, ".tidemark");
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  for (const name of ["index.db", "history.db"])
    writeFileSync(join(folder, name), `all of ${name}`);
  const told = (events: readonly TidemarkEvent[]) =>
    events.filter((event) => event.type === "notice" && event.about === "adopted");
  const { tidemark, events } = await open(workspace);
  expect((await tidemark.memory.list()).map(({ content }) => content)).toEqual([FACT]);
  await tidemark.close();
  expect(told(events)).toHaveLength(1);
  const again = await open(workspace);
  await again.tidemark.close();
  expect(told(again.events)).toEqual([]);
});

it("MEMORY.md saved by two editors that had it open at once: each one's line is remembered", async () => {
  const workspace = fresh();
  const { tidemark } = await open(workspace);
  await tidemark.memory.save(FACT);
  await tidemark.idle();
  const page = join(workspace, "MEMORY.md");
  const opened = readFileSync(page, "utf8");
  const contents = async () => (await tidemark.memory.list()).map(({ content }) => content).sort();
  const lines = ["The crane lifts nine tons.", "The slipway is steep."];
  for (const line of lines) {
    writeFileSync(page, opened.replace(/^- .*Zephyrine.*$/m, `$&\n- ${line}`));
    expect(await contents()).toContain(line);
  }
  expect(await contents()).toEqual([...lines, FACT].sort());
  await tidemark.close();
  expect(readFileSync(page, "utf8")).toContain("nine tons");
});

it("a day's log that Prettier wrapped: nothing changes, the next line is added, and what is forgotten goes with all its rows", async () => {
  const workspace = fresh();
  const { tidemark } = await open(workspace);
  const long = `${FACT} ${"She stands on the quay before dawn and counts the crates. ".repeat(3)}`;
  const first = await tidemark.memory.save(long);
  await tidemark.memory.save("Two.");
  await tidemark.idle();
  const folder = join(workspace, "memory");
  const log = join(folder, readdirSync(folder)[0] ?? "");
  writeFileSync(log, `${readFileSync(log, "utf8")}\nThe Zephyrine herself told me so.\n`);
  const wrapped = await format(readFileSync(log, "utf8"), {
    ...{ parser: "markdown", proseWrap: "always", printWidth: 60 },
  });
  writeFileSync(log, wrapped);
  await tidemark.memory.save("The crane lifts nine tons.");
  await tidemark.idle();
  expect(await tidemark.memory.list()).toHaveLength(3);
  const grown = readFileSync(log, "utf8");
  expect(grown.slice(0, wrapped.trimEnd().length)).toBe(wrapped.trimEnd());
  expect(grown).toMatch(/saved: The crane lifts nine tons\./);
  const hits = await tidemark.memory.search("Zephyrine told me", { in: ["files"] });
  expect(hits.map(({ text }) => text).join()).toContain("herself told me so");
  await tidemark.memory.forget(first.id);
  await tidemark.idle();
  const left = readFileSync(log, "utf8");
  expect(left).not.toMatch(/counts the crates|before dawn/);
  expect(left).toContain("herself told me so");
  expect(left).toContain("Two.");
  await tidemark.close();
});
