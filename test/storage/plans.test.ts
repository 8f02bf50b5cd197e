// Whatever a host does every day reads no table whole, and sorts none to take a few of it: SQLite itself is asked how it would.
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeAll, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { play } from "../support/talk.ts";
import { fileFolder } from "../support/afterwards.ts";

const home = fileFolder();
/** Each statement that was prepared, with the steps SQLite takes for it. */
const plans = new Map<string, string[]>();

interface Preparing {
  prepare(sql: string): { all(...given: unknown[]): unknown[] };
}
const preparing = Database.prototype as unknown as Preparing;
const { prepare } = preparing;
const shown = (sql: string): string =>
  sql
    .replace(/\s+/g, " ")
    .replace(/likely\((\?|@\w+)\)/g, "$1")
    .trim();
/** With a bare value the planner reads, SQLite compiles it with each run. */
const bare: string[] = [];

function explained(database: Preparing, sql: string): string[] {
  const plan = prepare.call(database, `explain query plan ${sql}`);
  const named = [...sql.matchAll(/@(\w+)/g)].map(([, name = ""]) => [name, 1]);
  const given = named.length > 0 ? [Object.fromEntries(named)] : sql.match(/\?/g)?.map(() => 1);
  return (plan.all(...(given ?? [])) as { detail: string }[]).map(({ detail }) => detail);
}

async function everyDay(): Promise<void> {
  const tidemark = await openTidemark({
    workspace: join(home, "workspace"),
    identity: { user: "anna", agent: "scout", team: "blue" },
    window: { tokens: 8_000 },
    distil: "extractive",
    recall: {},
    embed: {
      model: "letters",
      dimensions: 2,
      embed: (texts) => Promise.resolve(texts.map(({ length }) => [1, length])),
    },
  });
  await play(tidemark, {
    calls: (turn) =>
      `Please remember that service ${turn} listens on port ${3000 + turn}. ${"tide and boats ".repeat(60)}`,
    turns: 30,
    reply: () => "Done, all is green.",
  });
  for (const calls of [["Where is the key?"], ["Where is the boat?"]])
    await play(tidemark.as({ conversation: "harbour" }), { calls });
  // More than a page tells: each order is asked for its first.
  for (let room = 0; room < 130; room += 1)
    await tidemark.memory.save(`Room ${room} has the key number ${room * 7}.`);
  const { id } = await tidemark.memory.save("The office closes at five.");
  await tidemark.memory.get(id, { use: true });
  await tidemark.memory.recall("When does the office close?");
  await tidemark.memory.search("ports of services");
  await tidemark.memory.list({ category: "general" });
  await tidemark.memory.list({ after: 5 });
  await tidemark.memory.categories();
  await tidemark.brief("Change the port of service 3");
  const [talk] = await tidemark.history.list();
  const [turn] = await tidemark.history.turns(talk?.id ?? "");
  await tidemark.history.turns("harbour", { after: turn?.id ?? "" });
  const task = await tidemark.task({ description: "Deploy service 3" });
  await task.done("Deployed.");
  const { tasks } = tidemark.data;
  await tasks.list({ status: "open" }, -9, (await tasks.save({ status: "open" })).id);
  await tidemark.idle();
  await tidemark.memory.forget(id);
  await tidemark.close();
}

beforeAll(async () => {
  preparing.prepare = function (this: Preparing, sql: string) {
    if (/(?<!likely\()(\?|@\w+)/.test(sql)) bare.push(sql);
    if (/^\s*(select|update|delete|insert)/i.test(sql) && !plans.has(shown(sql)))
      plans.set(shown(sql), explained(this, sql));
    return prepare.call(this, sql);
  };
  try {
    await everyDay();
  } finally {
    preparing.prepare = prepare;
  }
}, 60_000);

/** Tables that grow with what is remembered or said, as statements name them. */
const GROWING =
  /^SCAN (m|data|memory|v|vector|e|entry|b|body|turn|turn_word|turn_place|stretch|ended|chunk|page_chunk|c)\b/;

/** Its first row; and all values, so many at a time, in the order of an index, as they are where a file was changed by hand. */
const IN_PARTS = /^select json from body limit 1$|order by m\.id, m\.version limit \?$/;

it("reads no growing table whole", () => {
  const whole = [...plans].filter(([, steps]) => steps.some((step) => GROWING.test(step)));
  expect(plans.size).toBeGreaterThan(100);
  expect(whole.map(([sql]) => sql).filter((sql) => !IN_PARTS.test(sql))).toEqual([]);
});

it("compiles no statement anew for the values of a run", () => {
  expect(bare).toEqual([]);
});

it("takes the first memories in an order from the index of that order", () => {
  const listed = [...plans].filter(([sql]) => /from memory m .* order by m\.\w+ desc/.test(sql));
  const columns = listed.map(([sql]) => /order by m\.(\w+)/.exec(sql)?.[1]);
  expect(new Set(columns)).toEqual(new Set(["updated_at", "importance", "stated_at", "uses"]));
  for (const [sql, steps] of listed) expect(steps.join("; "), sql).not.toMatch(/TEMP B-TREE/);
});
