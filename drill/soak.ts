// 200 conversations at once and 20,000 turns in one process: does memory, do open files, does the disk stay in proportion?
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Message, openTidemark, type Tidemark } from "../src/index.ts";
import { distiller, messageOf, replyOf, requestOf } from "./host.ts";

export interface SoakOptions {
  readonly turns: number;
  readonly conversations: number;
  /** Turns of one conversation. */
  readonly length: number;
  readonly by: "extractive" | "model";
  readonly told?: (line: string) => void;
}

interface Sample {
  readonly turns: number;
  readonly heap: number;
  readonly rss: number;
  readonly handles: number;
  readonly disk: number;
  /** Bytes of text the host has said so far. */
  readonly text: number;
}

export interface SoakReport {
  readonly turns: number;
  readonly conversations: number;
  readonly atOnce: number;
  readonly by: string;
  readonly folds: number;
  readonly memories: number;
  readonly troubles: number;
  readonly minutes: number;
  readonly heapMb: { readonly warm: number; readonly end: number };
  /** Percent: the mean of the last quarter of the samples over that of the second. */
  readonly heapGrowth: number;
  readonly handles: { readonly warm: number; readonly end: number };
  readonly handleGrowth: number;
  /** Bytes stored per byte of text, over the second half; and how far the two quarters of it differ, percent. */
  readonly bytesPerByte: number;
  readonly unevenness: number;
  readonly diskMb: { readonly before: number; readonly after: number };
  /** What `tidy` took off the two databases once half of the users had their conversations forgotten, percent. */
  readonly tidied: number;
  readonly samples: readonly Sample[];
}

const MB = 2 ** 20;
/** Samples taken over a run. */
const SAMPLES = 40;
/** Share of a run after which what is kept is kept. */
const WARM = 0.25;

export async function soak({
  turns,
  conversations,
  length,
  by,
  told = () => {},
}: SoakOptions): Promise<SoakReport> {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error("The soak needs node --expose-gc.");
  const folder = mkdtempSync(join(tmpdir(), "tidemark-soak-"));
  const count = { folds: 0, troubles: 0, done: 0, text: 0, begun: 0 };
  let clock = Date.UTC(2026, 0, 1);
  const tidemark = await openTidemark({
    workspace: folder,
    distil: by === "extractive" ? "extractive" : distiller,
    window: { tokens: 8_000, patience: 15 },
    now: () => (clock += 200),
    listen: (event) => {
      if (event.type === "folded") count.folds++;
      if (event.type === "degraded" || event.type === "distil-failed") {
        count.troubles++;
        if (count.troubles <= 3) told(JSON.stringify(event));
      }
    },
  });
  const started = performance.now();
  const samples: Sample[] = [];
  const sample = async (): Promise<void> => {
    await tidemark.idle();
    await new Promise(setImmediate);
    collect();
    const { heapUsed, rss } = process.memoryUsage();
    samples.push({
      turns: count.done,
      heap: heapUsed,
      rss,
      handles: readdirSync("/proc/self/fd").length,
      disk: sizeOf(folder),
      text: count.text,
    });
    told(
      `${count.done} turns, ${Math.round(heapUsed / MB)} MB heap, ${samples.at(-1)?.handles ?? 0} handles, ${Math.round((samples.at(-1)?.disk ?? 0) / MB)} MB on disk, ${count.folds} folds`,
    );
  };
  try {
    let running = Array.from({ length: conversations }, (_, at) =>
      newTalk(tidemark, count, 1 + (at % length)),
    );
    const every = Math.ceil(turns / SAMPLES);
    while (count.done < turns) {
      // Each of them says something, all at once; then one of them looks something up.
      await Promise.all(running.map((talk) => talk.turn()));
      await running[count.done % running.length]?.view.memory.recall(
        "which notes did they go through?",
      );
      running = running.map((talk) =>
        talk.said < talk.length ? talk : newTalk(tidemark, count, length),
      );
      if (Math.floor(count.done / every) > samples.length) await sample();
    }
    await sample();
    const memories = (await running[0]?.view.memory.list({ limit: 1_000 }))?.length ?? 0;
    running = [];
    // Half of the users take their conversations with them.
    for (let number = 0; number < count.begun; number += 2)
      await tidemark.as({ user: `u${number}` }).history.forget({ before: clock });
    const before = databases(folder);
    await tidemark.tidy();
    await tidemark.close();
    const after = databases(folder);
    const [middle, last] = [
      samples[Math.floor(samples.length / 2)] as Sample,
      samples.at(-1) as Sample,
    ];
    const factor = (from: Sample, to: Sample): number =>
      (to.disk - from.disk) / Math.max(1, to.text - from.text);
    const third = samples[Math.floor((samples.length * 3) / 4)] as Sample;
    const warm = samples.filter((one) => one.turns >= turns * WARM);
    const [first, end] = [warm.slice(0, SAMPLES / 4), warm.slice(-SAMPLES / 4)];
    const mean = (some: readonly Sample[], of: (one: Sample) => number): number =>
      some.reduce((sum, one) => sum + of(one), 0) / Math.max(1, some.length);
    const heap = { warm: mean(first, (one) => one.heap), end: mean(end, (one) => one.heap) };
    const handles = {
      warm: Math.round(mean(first, (one) => one.handles)),
      end: Math.round(mean(end, (one) => one.handles)),
    };
    const percent = (from: number, to: number): number =>
      Math.round(((to - from) / from) * 1_000) / 10;
    return {
      turns: count.done,
      conversations: count.begun,
      atOnce: conversations,
      by,
      folds: count.folds,
      memories,
      troubles: count.troubles,
      minutes: Math.round((performance.now() - started) / 6_000) / 10,
      heapMb: {
        warm: Math.round((heap.warm / MB) * 10) / 10,
        end: Math.round((heap.end / MB) * 10) / 10,
      },
      heapGrowth: percent(heap.warm, heap.end),
      handles,
      handleGrowth: handles.end - handles.warm,
      bytesPerByte: Math.round(factor(middle, last) * 100) / 100,
      unevenness: Math.abs(percent(factor(middle, third), factor(third, last))),
      diskMb: {
        before: Math.round((before / MB) * 10) / 10,
        after: Math.round((after / MB) * 10) / 10,
      },
      tidied: percent(before, after) === 0 ? 0 : -percent(before, after),
      samples: samples.filter((_, at) => at % 4 === 0 || at === samples.length - 1),
    };
  } finally {
    await tidemark.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A user of their own, who talks for a while. */
function newTalk(
  tidemark: Tidemark,
  count: { done: number; text: number; begun: number },
  length: number,
) {
  const number = count.begun++;
  const view = tidemark.as({ user: `u${number}` });
  const messages: Message[] = [];
  const first = number * 10_000;
  const say = (message: Message): void => {
    messages.push(message);
    count.text += Buffer.byteLength(JSON.stringify(message));
  };
  return {
    view,
    length,
    get said() {
      return messages.length / 2;
    },
    turn: async (): Promise<void> => {
      say(messageOf(aligned(first) + messages.length));
      const turn = await view.begin(requestOf(messages.slice()));
      const reply = messageOf(aligned(first) + messages.length);
      await turn.end(replyOf(reply, Math.ceil(turn.window.used)));
      say(reply);
      count.done++;
    },
  };
}

/** Where a conversation of this host begins: with words of the user's. */
const aligned = (n: number): number => n - (n % 6);

const databases = (folder: string): number =>
  ["", "-wal"]
    .map(
      (end) =>
        statSync(join(folder, `.tidemark/tidemark.db${end}`), { throwIfNoEntry: false })?.size ?? 0,
    )
    .reduce((sum, size) => sum + size, 0);

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).reduce((sum, entry) => {
    if (!entry.isFile()) return sum;
    return (
      sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0)
    );
  }, 0);
