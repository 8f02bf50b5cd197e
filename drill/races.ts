import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import { openTidemark, type TidemarkEvent } from "../src/index.ts";
import { allValues } from "../src/memory/saving/commit.ts";
import { identityKey } from "../src/core/identity.ts";
import { openStorage } from "../src/storage/sqlite/sqlite-storage.ts";
import { aboutIn } from "./host.ts";
import {
  BY_HAND,
  lineOf,
  messagesOf,
  type RaceOrders,
  type RaceReport,
  sayingOf,
} from "./racer.ts";

const execute = promisify(execFile);

export interface Races {
  readonly processes: number;
  readonly minutes: number;
  readonly rounds: number;
  readonly calls: number;
  readonly folds: number;
  readonly memories: number;
  /** Pieces that were written and looked for: messages, memories, lines. */
  readonly tried: number;
  readonly survived: number;
  readonly broken: readonly string[];
}

/** Several processes on one workspace, and what they left held against what they were told. */
export async function race({
  processes = 8,
  minutes = 1,
}: { processes?: number; minutes?: number } = {}): Promise<Races> {
  const workspace = mkdtempSync(join(tmpdir(), "tidemark-races-"));
  try {
    const start = Date.now() + 3_000;
    const end = start + minutes * 60_000;
    const runs = Array.from({ length: processes }, (_, number): RaceOrders => ({
      workspace,
      name: `p${number}`,
      number,
      start,
      end,
    }));
    const outputs = await Promise.all(
      runs.map((orders) =>
        execute(process.execPath, [join(import.meta.dirname, "racer.ts"), JSON.stringify(orders)], {
          encoding: "utf8",
          maxBuffer: 1e8,
          env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "tidemark-drill-compiled") },
        }),
      ),
    );
    const reports = outputs.map(({ stdout }) => JSON.parse(stdout) as RaceReport);
    const found = await judge(workspace, reports);
    const sum = (of: (report: RaceReport) => number): number =>
      reports.reduce((total, report) => total + of(report), 0);
    const broken = [
      ...reports.flatMap(({ name, failures }) => failures.map((failure) => `${name}: ${failure}`)),
      ...outputs.flatMap(({ stderr }) => (stderr === "" ? [] : [stderr])),
      ...found.broken,
    ];
    return {
      processes,
      minutes,
      rounds: sum(({ rounds }) => rounds),
      calls: sum(({ calls }) => calls),
      folds: sum(({ folds }) => folds),
      memories: found.memories,
      tried: found.tried,
      survived: found.tried - Math.min(found.tried, broken.length),
      broken: broken.slice(0, 50),
    };
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

async function judge(workspace: string, reports: readonly RaceReport[]) {
  const broken: string[] = [];
  let tried = 0;
  const hold = (law: string, holds: boolean): void => {
    tried += 1;
    if (!holds) broken.push(law);
  };
  const events: TidemarkEvent[] = [];
  const tidemark = await openTidemark({
    workspace,
    distil: "extractive",
    listen: (event) => events.push(event),
  });
  for (const { name, own } of reports)
    await checkLine(tidemark, Number(name.slice(1)), own - 1, hold);
  const shared = new Map<number, number>();
  for (const report of reports)
    for (const [conversation, last] of Object.entries(report.shared))
      shared.set(Number(conversation), Math.max(last, shared.get(Number(conversation)) ?? 0));
  for (const [conversation, last] of shared) await checkLine(tidemark, conversation, last, hold);
  await tidemark.close();
  for (const event of events) if (event.type === "degraded") broken.push(JSON.stringify(event));

  const store = openStorage(join(workspace, ".tidemark", "tidemark.db"));
  const values = await allValues(store);
  await store.close();
  const count = new Map<string, number>();
  for (const { stored, until } of values)
    if (until === undefined)
      count.set(stored.memory.content, (count.get(stored.memory.content) ?? 0) + 1);
  const memory = readFileSync(join(workspace, "MEMORY.md"), "utf8");
  for (const { name, rounds } of reports)
    for (let round = 0; round < rounds; round += 1) {
      hold(
        `${sayingOf(name, round)} is there ${count.get(sayingOf(name, round)) ?? 0} times`,
        count.get(sayingOf(name, round)) === 1,
      );
      if (round % BY_HAND !== 0) continue;
      // The page is bounded: of a hundred lines the oldest stand in memory alone.
      const line = lineOf(name, round);
      const [shown, kept] = [memory.split(line).length - 1, count.get(line.slice(2)) ?? 0];
      hold(`${line} is ${kept} memories, and stands ${shown} times`, kept === 1 && shown <= 1);
    }
  for (const [content, times] of count)
    if (times > 1 && !content.startsWith("Racer"))
      broken.push(`memory says ${times} times: ${content}`);
  const about = new Map<number, string[]>();
  for (const content of count.keys()) {
    const n = aboutIn(content);
    if (n !== undefined) about.set(n, [...(about.get(n) ?? []), content]);
  }
  for (const [n, contents] of about)
    hold(
      `memory says ${contents.length} times what message ${n} was about: ${contents.join(" ")}`,
      contents.length === 1,
    );
  hold(
    "there is one counter",
    [...count.keys()].filter((content) => content.startsWith("The counter stands")).length === 1,
  );
  hold("what all say is one memory", count.get("All of them say this.") === 1);
  const logs = join(workspace, "memory");
  const days = readdirSync(logs).map((name) => readFileSync(join(logs, name), "utf8"));
  hold(
    "what was forgotten is gone",
    ![...count.keys(), memory, ...days].some((text) => text.includes("Quisquilia")),
  );
  hold("MEMORY.md is whole", memory.endsWith("\n") && memory.includes("<!-- /tidemark:head -->"));
  await checkFolds(
    workspace,
    [...reports.map(({ name }) => Number(name.slice(1))), ...shared.keys()],
    hold,
  );
  return { broken, tried, memories: count.size };
}

type Hold = (law: string, holds: boolean) => void;

/**
 * Every message stands in its place, in one conversation, or where a late call had branched off, in
 * one of them. A late call with the question before a tool's call asks it again, as a host that
 * wants another answer does: what had come of it gives way, and is kept as `earlier`.
 */
async function checkLine(
  tidemark: Awaited<ReturnType<typeof openTidemark>>,
  conversation: number,
  last: number,
  hold: Hold,
): Promise<void> {
  if (last < 0) return;
  const label = `race-${conversation}`;
  const mine = (await tidemark.history.list()).filter((one) => one.label === label);
  const lines = await Promise.all(
    mine.map(({ id }) => tidemark.history.read({ conversation: id })),
  );
  messagesOf(conversation, last).forEach((message, at) =>
    hold(
      `message ${at} of ${label} is in none of its ${lines.length} lines`,
      lines.some(
        ({ messages, earlier = [] }) =>
          isDeepStrictEqual(messages[at], message) ||
          earlier.some((one) => one.at <= at && isDeepStrictEqual(one.message, message)),
      ),
    ),
  );
}

/** Each fold goes further than the one before, and none past what was distilled. */
async function checkFolds(
  workspace: string,
  conversations: readonly number[],
  hold: Hold,
): Promise<void> {
  const history = openStorage(join(workspace, ".tidemark", "tidemark.db"));
  for (const conversation of conversations)
    for (const session of await history.sessions({
      root: identityKey({}),
      label: `race-${conversation}`,
    })) {
      const ends = (await history.folds({ session: session.id }))
        .map(({ fold }) => fold)
        .map(({ upTo }) => upTo);
      hold(
        `race-${conversation} was folded at ${ends.join(", ")}, its watermark is ${session.watermark}`,
        ends.every((upTo, at) => upTo > (ends[at - 1] ?? 0) && upTo <= session.watermark),
      );
    }
  await history.close();
}
