// What a turn waits for Tidemark itself: one conversation played several times, of each turn the median.
import { loadavg } from "node:os";
import { median, round } from "../support.ts";
import { conversationOf, play, waitsOf } from "./peers-play.ts";
import { beginEnd } from "./peers-tidemark.ts";

const REPEATS = 5;
const EXCHANGES = 300;
const WINDOW = 20_000;

/** A busy machine must not pass for a slow library, nor a lucky run for a fast one. */
export async function ownWaits() {
  const conversation = conversationOf("chat", 1, EXCHANGES);
  const load = loadavg().map(round);
  const runs: (readonly number[])[] = [];
  let folds = 0;
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const played = await play(beginEnd, conversation, { window: WINDOW });
    runs.push(played.waits);
    folds = played.folds;
  }
  const turns = Array.from({ length: EXCHANGES }, (_, turn) => turn);
  return {
    turns: EXCHANGES,
    folds,
    window: WINDOW,
    repeats: REPEATS,
    load,
    medianOfRepeats: waitsOf(turns.map((turn) => median(runs.map((run) => run[turn] ?? 0)))),
    leastOfRepeats: waitsOf(turns.map((turn) => Math.min(...runs.map((run) => run[turn] ?? 0)))),
  };
}
