// What a turn costs below the mark: begin + end on 200 messages of about 150k tokens, start-up, resident memory.
//   npm run bench -- overhead
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { openTidemark } from "../src/index.ts";
import { median, percentile, record, round } from "./support.ts";

const WORDS = "the tide comes in over the flats and the boats lift one by one while somebody counts ropes cleats fenders buckets".split(" ");
/** Chat text of a given length, different for each seed. */
function prose(seed: number, words: number): string {
  let state = seed * 2654435761 + 1;
  return Array.from({ length: words }, (_, index) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return `${WORDS[state % WORDS.length]}${index % 12 === 11 ? "." : ""}`;
  }).join(" ");
}
const message = (index: number, words: number) =>
  index % 2 === 0 ? { role: "user", content: prose(index, words) } : { role: "assistant", content: [{ type: "text", text: prose(index, words) }] };

async function turns(reparse: boolean, count: number): Promise<number[]> {
  const home = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const tidemark = await openTidemark({ workspace: join(home, "workspace"), window: { tokens: 1_000_000 } });
  let messages: Record<string, unknown>[] = Array.from({ length: 199 }, (_, index) => message(index, 680));
  const times: number[] = [];
  for (let turn = 0; turn < count; turn++) {
    if (reparse) messages = JSON.parse(JSON.stringify(messages)) as typeof messages;
    const start = performance.now();
    const begun = await tidemark.begin({ model: "claude-sonnet-5-5", max_tokens: 1000, system: "You are kind.", messages });
    const reply = { role: "assistant", content: [{ type: "text", text: prose(turn, 40) }] };
    await begun.end({ ...reply, id: `m${turn}`, type: "message", stop_reason: "end_turn", usage: { input_tokens: begun.window.used, output_tokens: 50 } });
    times.push(performance.now() - start);
    if (begun.window.mark !== "below") throw new Error("the bench must stay below the mark");
    messages.push(reply, { role: "user", content: prose(turn + 7, 40) });
  }
  await tidemark.close();
  rmSync(home, { recursive: true });
  return times.slice(5);
}

async function startUp(times: number): Promise<number[]> {
  const home = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const results: number[] = [];
  for (let index = 0; index < times; index++) {
    const start = performance.now();
    const tidemark = await openTidemark({ workspace: join(home, "workspace") });
    results.push(performance.now() - start);
    await tidemark.close();
  }
  rmSync(home, { recursive: true });
  return results;
}

interface Memory {
  /** MB after 1,000 turns, at the end, and at most. */
  readonly resident: { after1000: number; atEnd: number; highest: number };
  /** MB of live objects after a full collection. */
  readonly heap: { after1000: number; atEnd: number };
}

/** Memory over many short conversations in one process. */
async function memory(total: number): Promise<Memory> {
  const home = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const tidemark = await openTidemark({ workspace: join(home, "workspace"), window: { tokens: 16_000 }, distil: "extractive" });
  const megabytes = (bytes: number) => Math.round(bytes / 1e6);
  const heapNow = () => {
    globalThis.gc?.();
    return megabytes(process.memoryUsage().heapUsed);
  };
  let highest = 0;
  let after = { resident: 0, heap: 0 };
  let messages: Record<string, unknown>[] = [];
  for (let turn = 0; turn < total; turn++) {
    if (turn % 100 === 0) messages = [];
    messages.push({ role: "user", content: prose(turn, 60) });
    const begun = await tidemark.begin({ model: "claude-sonnet-5-5", max_tokens: 500, messages });
    const reply = { role: "assistant", content: [{ type: "text", text: prose(turn + 3, 60) }] };
    await begun.end({ ...reply, id: `m${turn}`, type: "message", stop_reason: "end_turn", usage: { input_tokens: begun.window.used, output_tokens: 80 } });
    messages.push(reply);
    if (turn % 100 === 0) highest = Math.max(highest, megabytes(process.memoryUsage.rss()));
    if (turn === 1000) after = { resident: megabytes(process.memoryUsage.rss()), heap: heapNow() };
  }
  const resident = { after1000: after.resident, atEnd: megabytes(process.memoryUsage.rss()), highest };
  const result = { resident, heap: { after1000: after.heap, atEnd: heapNow() } };
  await tidemark.close();
  rmSync(home, { recursive: true });
  return result;
}

/** In a process of its own, so that nothing else counts. */
const memoryOf = (...flags: string[]): Memory =>
  JSON.parse(execFileSync(process.execPath, [...flags, "--expose-gc", import.meta.filename, "memory", "10000"], { encoding: "utf8" })) as Memory;

const ROUNDS = 8;
const which = process.argv[2] ?? "all";
if (which === "memory") {
  console.log(JSON.stringify(await memory(Number(process.argv[3] ?? 10_000))));
} else {
  const kept = await turns(false, 105);
  const parsed = await turns(true, 105);
  // By now the engine has compiled what is called often: a process that has served some conversations.
  const later: number[] = [];
  for (let round = 0; round < ROUNDS; round++) later.push(...(await turns(false, 105)));
  const opened = await startUp(9);
  record("overhead", {
    beginAndEndMs: {
      objectsKept: { median: median(kept), p99: percentile(kept, 0.99) },
      objectsKeptLater: { median: median(later), p99: percentile(later, 0.99) },
      reparsedFromJson: { median: median(parsed), p99: percentile(parsed, 0.99) },
    },
    openMs: { first: round(opened[0] ?? 0), median: median(opened) },
    // V8 lets its young generation grow to 64 MB while memory is plenty; the second row holds it to 4.
    memoryMBOver10000Turns: { defaultFlags: memoryOf(), "--max-semi-space-size=4": memoryOf("--max-semi-space-size=4") },
  });
}
