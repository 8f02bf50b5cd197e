// What a turn waits for Tidemark itself: each conversation played several times, of each turn the median. And what it waits for a
// distiller that is slow or never answers, where conversations grow too fast to be distilled behind them.
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { openTidemark } from "../../src/index.ts";
import type { Complete, Message } from "../../src/core/request.ts";
import { median, percentile, round } from "../support.ts";
import { type Conversation, play, waitsOf } from "./peers-play.ts";
import { beginEnd } from "./peers-tidemark.ts";

const REPEATS = 3;
const WINDOW = 20_000;

/** A busy machine must not pass for a slow library, nor a lucky run for a fast one. */
export async function ownWaits(conversations: readonly Conversation[], window: number) {
  const load = loadavg().map(round);
  const played: Awaited<ReturnType<typeof ownWaitsOf>>[] = [];
  for (const conversation of conversations) played.push(await ownWaitsOf(conversation, window));
  const highest = (name: "medianOfRepeats" | "leastOfRepeats") =>
    Math.max(...played.map((one) => one[name].p99));
  return {
    window,
    repeats: REPEATS,
    load,
    highestP99: {
      medianOfRepeats: highest("medianOfRepeats"),
      leastOfRepeats: highest("leastOfRepeats"),
    },
    conversations: played,
  };
}

async function ownWaitsOf(conversation: Conversation, window: number) {
  const runs: (readonly number[])[] = [];
  let folds = 0;
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const played = await play(beginEnd, conversation, { window });
    runs.push(played.waits);
    folds = played.folds;
  }
  const turns = (runs[0] ?? []).map((_, turn) => turn);
  return {
    style: conversation.style,
    turns: turns.length,
    folds,
    medianOfRepeats: waitsOf(turns.map((turn) => median(runs.map((run) => run[turn] ?? 0)))),
    leastOfRepeats: waitsOf(turns.map((turn) => Math.min(...runs.map((run) => run[turn] ?? 0)))),
  };
}

const PATIENCE = 300;
const SESSIONS = 8;
const TURNS = 24;
/** Of what a turn says, as a share of the window. */
const GROWS = 0.12;

const DISTILLERS: Readonly<Record<string, Complete>> = {
  "takes 3 s": ({ signal }) =>
    new Promise((resolve, reject) => {
      const answer = setTimeout(
        () =>
          resolve({
            text: JSON.stringify({ facts: [], summary: "They spoke of boats and gulls." }),
          }),
        3_000,
      );
      signal.addEventListener("abort", () => (clearTimeout(answer), reject(new Error("stopped"))), {
        once: true,
      });
    }),
  hangs: () => new Promise(() => undefined),
};

/** Beyond `patience` nobody may wait for a distiller; what Tidemark does itself comes on top, and is told apart. */
export async function distillerWaits() {
  const made: Record<string, unknown> = {};
  for (const [name, complete] of Object.entries(DISTILLERS))
    for (const sessions of [1, SESSIONS]) {
      const turns: number[] = [];
      const waits: number[] = [];
      const home = mkdtempSync(join(tmpdir(), "tidemark-waits-"));
      const tidemark = await openTidemark({
        workspace: join(home, "workspace"),
        window: { tokens: WINDOW, patience: PATIENCE },
        distil: complete,
        listen: (event) =>
          void (event.type === "notice" && event.about === "waited" && waits.push(event.ms)),
      });
      await Promise.all(
        Array.from({ length: sessions }, async (_, session) => {
          const messages: Message[] = [];
          for (let turn = 0; turn < TURNS; turn++) {
            messages.push({
              role: "user",
              content: `${session}.${turn} ${"boat pier gull rope ".repeat((WINDOW * GROWS) / 5)}`,
            });
            const from = performance.now();
            const begun = await tidemark.begin({
              model: "claude-sonnet-5-5",
              max_tokens: 400,
              messages,
            });
            turns.push(performance.now() - from);
            const reply = { role: "assistant", content: `Noted ${session}.${turn}.` };
            await begun.end({
              type: "message",
              ...reply,
              stop_reason: "end_turn",
              usage: { input_tokens: begun.window.used, output_tokens: 5 },
            });
            messages.push(reply);
          }
        }),
      );
      await tidemark.close();
      rmSync(home, { recursive: true, force: true });
      made[`${name}, ${sessions === 1 ? "one conversation" : `${sessions} at once`}`] = {
        turns: turns.length,
        thatWaited: waits.length,
        longestWaitMs: round(Math.max(0, ...waits)),
        longestTurnMs: round(Math.max(...turns)),
        medianTurnMs: percentile(turns, 0.5),
      };
    }
  return {
    patience: PATIENCE,
    window: WINDOW,
    growsPerTurn: GROWS,
    load: loadavg().map(round),
    ...made,
  };
}
