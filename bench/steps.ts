// The longest hold of the event loop, and what a step takes, as a history grows: the first turn of a conversation nobody
// has seen, at the brim and below; one page of it; forgetting many. Times of a process, so that a busy machine counts little.
//   npm run bench -- steps
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTidemark, type Tidemark } from "../src/index.ts";
import { record } from "./support.ts";
import { prose } from "./support/turns-below.ts";

interface Step {
  /** ms of the processor, and the most of it between two turns of the event loop. */
  readonly ms: number;
  readonly longestHoldMs: number;
}

const used = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function measured(work: () => Promise<unknown>): Promise<Step> {
  let [longest, last, working] = [0, used(), true];
  const look = (): void => {
    const now = used();
    longest = Math.max(longest, now - last);
    last = now;
    if (working) setTimeout(look, 0);
  };
  const since = last;
  setTimeout(look, 0);
  await work();
  const ms = used() - since;
  longest = Math.max(longest, used() - last);
  working = false;
  return { ms: Math.round(ms), longestHoldMs: Math.round(longest) };
}

async function withRoom<T>(tokens: number, work: (tidemark: Tidemark) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const tidemark = await openTidemark({
    workspace: join(home, "workspace"),
    distil: "extractive",
    window: { tokens, reserve: 1_000 },
  });
  // What masks secrets is compiled with the first text there is to mask.
  await tidemark.memory.save("The harbour opens at six.");
  try {
    return await work(tidemark);
  } finally {
    await tidemark.close();
    rmSync(home, { recursive: true });
  }
}

const talk = (length: number) =>
  Array.from({ length }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `Message ${at}. ${prose(at, 12)}`,
  }));

async function firstTurn(length: number, tokensEach: number): Promise<Step> {
  return withRoom(length * tokensEach, async (tidemark) => {
    const messages = [...talk(length), { role: "user", content: "Go on." }];
    return measured(() => tidemark.begin({ model: "m", max_tokens: 500, messages }));
  });
}

const page = (): Promise<Record<string, Step>> =>
  withRoom(200_000, async (tidemark) => {
    const text = prose(3, 300);
    const messages = Array.from({ length: Math.ceil(50_000_000 / text.length) }, (_, at) => ({
      role: "user",
      text: `${at} ${text}`,
    }));
    const imported = await measured(() => tidemark.history.import({ id: "long", messages }));
    const [tool] = tidemark.tools({ only: ["memory_read"] });
    const read = (number: number) =>
      measured(async () => tool?.run({ conversation: "long", page: number }));
    return { import: imported, firstPage: await read(1), secondPage: await read(2) };
  });

const forgotten = (): Promise<Step> =>
  withRoom(200_000, async ({ history, memory }) => {
    for (let id = 0; id < 500; id += 1)
      await history.import({
        id: `talk ${id}`,
        messages: Array.from({ length: 10 }, (_, at) => ({
          role: "user",
          text: prose(id + at, 12),
          at: 5,
        })),
      });
    await memory.search("harbour", { in: ["history"] });
    return measured(() => history.forget({ before: 10 }));
  });

const brim: Record<string, Step> = {};
const below: Record<string, Step> = {};
for (const length of [1_000, 10_000]) {
  brim[length] = await firstTurn(length, 18);
  below[length] = await firstTurn(length, 100);
}
record("steps", {
  firstTurnAtTheBrim: brim,
  firstTurnBelowTheMarks: below,
  fiftyMegabytes: await page(),
  forget500Conversations: await forgotten(),
});
