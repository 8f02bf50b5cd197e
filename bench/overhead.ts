// What a turn costs below the mark: begin + end on 200 messages of about 150k tokens, start-up, resident memory.
//   npm run bench -- overhead
// Memory is that of dist, as it is installed: `npm run build` makes it. Reading TypeScript by itself, Node holds some 50 MB more.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { openTidemark } from "../src/index.ts";
import { median, percentile, record, round } from "./support.ts";
import { prose, turnsBelow, type Way } from "./support/turns-below.ts";

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
  const built = join(import.meta.dirname, "..", "dist", "index.js");
  const installed = (await import(built)) as { openTidemark: typeof openTidemark };
  const tidemark = await installed.openTidemark({
    workspace: join(home, "workspace"),
    window: { tokens: 16_000 },
    distil: "extractive",
  });
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
    await begun.end({
      ...reply,
      id: `m${turn}`,
      type: "message",
      stop_reason: "end_turn",
      usage: { input_tokens: begun.window.used, output_tokens: 80 },
    });
    messages.push(reply);
    if (turn % 100 === 0) highest = Math.max(highest, megabytes(process.memoryUsage.rss()));
    if (turn === 1000) after = { resident: megabytes(process.memoryUsage.rss()), heap: heapNow() };
  }
  const resident = {
    after1000: after.resident,
    atEnd: megabytes(process.memoryUsage.rss()),
    highest,
  };
  const result = { resident, heap: { after1000: after.heap, atEnd: heapNow() } };
  await tidemark.close();
  rmSync(home, { recursive: true });
  return result;
}

/** Processor ms of a `begin` where so many conversations of one identity were had in this process. */
async function amongMany(total: number): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const workspace = join(home, "workspace");
  const tidemark = await openTidemark({ workspace, distil: "extractive", recall: false });
  const goOn = async (messages: object[], at: number): Promise<number> => {
    messages.push({ role: "user", content: prose(at, 12) });
    const before = process.cpuUsage();
    const turn = await tidemark.begin({ model: "claude-sonnet-5-5", messages: [...messages] });
    const { user, system } = process.cpuUsage(before);
    const reply = { role: "assistant", content: prose(at + 7, 20) };
    await turn.end({ reply });
    messages.push(reply);
    return (user + system) / 1_000;
  };
  const all: object[][] = Array.from({ length: total }, () => []);
  for (const [at, one] of all.entries()) for (const turn of [0, 1]) await goOn(one, 31 * at + turn);
  await tidemark.idle();
  const times: number[] = [];
  for (let at = 0; at < 200; at++) times.push(await goOn(all[(at * 7) % 50] ?? [], 31 * at + 977));
  await tidemark.close();
  rmSync(home, { recursive: true });
  return round(median(times));
}

/** In a process of its own, so that nothing else counts. */
const memoryOf = (...flags: string[]): Memory =>
  JSON.parse(
    execFileSync(
      process.execPath,
      [...flags, "--expose-gc", import.meta.filename, "memory", "10000"],
      { encoding: "utf8" },
    ),
  ) as Memory;

/** A model on the same machine, and a processor that has done something else meanwhile. */
const MODEL_MS = 60;

async function beginAndEnd(model: Way["model"], rounds: number) {
  const figures = (times: readonly number[]) => ({
    median: median(times),
    p99: percentile(times, 0.99),
  });
  const kept = await turnsBelow(openTidemark, { model });
  const parsed = await turnsBelow(openTidemark, { model, parsed: true });
  const alone = await turnsBelow(openTidemark, { model, recall: false });
  // By now the engine has compiled what is called often: a process that has served some conversations.
  const later: number[] = [];
  for (let round = 0; round < rounds; round++)
    later.push(...(await turnsBelow(openTidemark, { model })));
  return {
    objectsKept: figures(kept),
    objectsKeptLater: figures(later),
    reparsedFromJson: figures(parsed),
    withoutRecall: figures(alone),
  };
}

const which = process.argv[2] ?? "all";
if (which === "memory") {
  console.log(JSON.stringify(await memory(Number(process.argv[3] ?? 10_000))));
} else if (which === "many") {
  console.log(await amongMany(50), await amongMany(5_000));
} else if (which === "turns") {
  console.log(JSON.stringify(await beginAndEnd(Number(process.argv[3]), Number(process.argv[4]))));
} else {
  const turns = (model: number, rounds: number): unknown =>
    JSON.parse(
      execFileSync(
        process.execPath,
        [import.meta.filename, "turns", String(model), String(rounds)],
        { encoding: "utf8" },
      ),
    );
  const opened = await startUp(9);
  record("overhead", {
    beginAndEndMs: turns(MODEL_MS, 3),
    // Of a loop that no model ever holds up.
    beginAndEndMsWithoutAModel: turns(0, 8),
    beginMsOfProcessor: { of50: await amongMany(50), of5000: await amongMany(5_000) },
    openMs: { first: round(opened[0] ?? 0), median: median(opened) },
    // V8 lets its young generation grow to 64 MB while memory is plenty; the second row holds it to 4.
    memoryMBOver10000Turns: {
      defaultFlags: memoryOf(),
      "--max-semi-space-size=4": memoryOf("--max-semi-space-size=4"),
    },
  });
}
