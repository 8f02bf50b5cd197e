// One process of `bench -- pages`: the first that makes the rows, or a later one that finds them there. It does not close.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openTidemark } from "../../src/engine/open.ts";
import { percentile, round } from "../support.ts";
import { stopwatch } from "./own-time.ts";

const [root = "", part] = process.argv.slice(2);
const QUESTIONS = [
  "when did she adopt the puppy?",
  "camping trip with the kids in the mountains",
  "which book about psychology did he read",
  "painting class and pottery workshop",
  "what does she plan for her career in counseling",
  "the concert in the park last summer",
  "who won the basketball game",
  "adoption agency interview",
];
const memory = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().rss / 1e6;
};

const tidemark = await openTidemark({ workspace: root, listen: false });
const before = memory();
const search = (query: string) => tidemark.memory.search(query, { in: ["files"], limit: 10 });
const timed = async (query: string): Promise<{ own: number; clock: number }> => {
  const watch = stopwatch();
  await search(query);
  const { own, ms } = watch();
  return { own, clock: ms };
};

const first = await timed(QUESTIONS[0] ?? "");
const figures: Record<string, number> = {
  firstOwnMs: round(first.own),
  firstClockMs: round(first.clock),
};
if (part === "search") {
  const later: { own: number; clock: number }[] = [];
  for (let turn = 0; turn < 400; turn += 1)
    later.push(await timed(QUESTIONS[turn % QUESTIONS.length] ?? ""));
  const own = later.map((one) => one.own);
  figures.laterOwnP50 = percentile(own, 0.5);
  figures.laterOwnP95 = percentile(own, 0.95);
  figures.laterClockP95 = percentile(
    later.map(({ clock }) => clock),
    0.95,
  );
  const rested: number[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    await pause(2_100);
    rested.push((await timed(QUESTIONS[turn] ?? "")).own);
  }
  figures.afterRestOwnP50 = percentile(rested, 0.5);
  figures.moreMemoryMB = round(memory() - before);
  writeFileSync(join(root, "notes", "7", "note-7.md"), "# Note 7\n\nThe zeppelin lands at noon.\n");
  const written = performance.now();
  while (!(await search("zeppelin")).some(({ text }) => text.includes("zeppelin"))) await pause(20);
  figures.changeFoundAfterMs = round(performance.now() - written);
}
figures.saidAt = round(performance.now());
process.stdout.write(JSON.stringify(figures));
