import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTidemark, type Options, type Tidemark } from "../../src/index.ts";
import { play } from "../support/talk.ts";
import type { Message } from "../../src/core/request.ts";
import { freshFolder } from "../support/workspace.ts";

const START = Date.UTC(2026, 7, 22, 10);
const MINUTE = 60_000;

function room(options: Partial<Options> = {}) {
  const workspace = join(freshFolder(), "ws");
  const clock = { now: START };
  const open = (more: Partial<Options> = {}): Promise<Tidemark> =>
    openTidemark({
      workspace,
      distil: "extractive",
      listen: false,
      now: () => clock.now,
      ...options,
      ...more,
    });
  /** The lines on what began and ended, without their ids. */
  const told = (scope = ""): string[] => {
    const folder = join(workspace, scope, "memory");
    return (existsSync(folder) ? readdirSync(folder).sort() : []).flatMap((name) =>
      readFileSync(join(folder, name), "utf8")
        .split("\n")
        .filter((line) => /^- \d\d:\d\d [a-z]/.test(line))
        .map((line) => line.replace(/ \w{7} (?=\S+( on)?$)/, " ")),
    );
  };
  return { workspace, clock, open, told };
}

async function talk(tidemark: Tidemark, turns: number, messages: Message[] = [], words = 3) {
  await play(tidemark, {
    messages,
    turns,
    calls: () => `Question ${messages.length} ${"and so on ".repeat(words)}`,
    reply: () => `Answer ${messages.length} ${"so it is ".repeat(words)}`,
  });
  return messages;
}

it("a session begins once, however many turns it has", async () => {
  const { clock, open, told, workspace } = room();
  const first = await open();
  const messages = await talk(first, 3);
  await first.close();
  clock.now += 60 * MINUTE;
  const second = await open();
  await talk(second, 2, messages);
  const [session] = await second.history.list();
  await second.close();
  expect(told()).toEqual(["- 10:00 session began"]);
  const log = readFileSync(join(workspace, "memory/2026-08-22.md"), "utf8");
  expect(log).toContain(`session ${session!.id.slice(-7)} began`);
});

it("a fold and a task are told with their ids, in the log of their scope, and nowhere else", async () => {
  const { clock, open, told, workspace } = room({ window: { tokens: 8_000 } });
  const house = await open();
  const ada = house.as({ user: "ada" });
  await talk(ada, 30, [], 60);
  const folds = (await ada.history.list())[0]!.folds;
  expect(folds).toBeGreaterThan(0);
  clock.now += MINUTE;
  const task = await ada.task({ description: "Move the secret garden" });
  clock.now += MINUTE;
  await task.done("Moved.");
  await (await ada.task({ description: "Sell it" })).failed(new Error("Nobody buys"));
  await house.close();
  const lines = told("scopes/user/ada");
  expect(lines.filter((line) => line.includes("fold"))).toEqual(
    Array.from({ length: folds }, () => "- 10:00 fold ended"),
  );
  expect(lines.filter((line) => !/fold| <!-- /.test(line))).toEqual([
    "- 10:00 session began",
    "- 10:01 task began",
    "- 10:02 task ended",
    "- 10:02 task began",
    "- 10:02 task failed",
  ]);
  expect(told()).toEqual([]);
  const log = readFileSync(join(workspace, "scopes/user/ada/memory/2026-08-22.md"), "utf8");
  // No word of a task stands in such a line.
  for (const line of log.split("\n").filter((one) => / (?:task|fold) /.test(one.slice(0, 13))))
    expect(line).not.toMatch(/garden|Sell|Moved/);
});

it("nothing is written by one that only observes, or without a workspace", async () => {
  const watching = room({ mode: "observe" });
  const observer = await watching.open();
  await talk(observer, 2);
  await observer.close();
  expect(watching.told()).toEqual([]);
  const bare = room({ workspace: false });
  const tidemark = await bare.open();
  await talk(tidemark, 2);
  await (await tidemark.task({ description: "Weed" })).done();
  await tidemark.close();
  expect(existsSync(bare.workspace)).toBe(false);
});
