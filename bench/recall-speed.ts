// How long a question takes among many turns of one root: LoCoMo's shared conversations repeated under other words for the
// names of things, so that posting lists grow as they do in a long history.
//   npm run bench -- recall-speed
// "own" is the time without what the thread waited for a processor that other work had.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TurnRow } from "../src/model/turns.ts";
import { searchTurns } from "../src/memory/turns/turns.ts";
import { openSqliteStore } from "../src/store/open-index.ts";
import { readLocomo } from "./support/locomo.ts";
import { blocking, stopwatch } from "./support/own-time.ts";
import { percentile, record, round } from "./support.ts";

const DAY = 86_400_000;
/** As the library does it. */
const BATCH = 100;
const conversations = readLocomo();
const turns = conversations.flatMap(({ id, turns: own }) => own.map((turn) => ({ ...turn, id })));

/** One long word in three is another one in each copy: a long history has more matters than a short one, not more of each. */
const varied = (text: string, copy: number): string =>
  copy === 0
    ? text
    : text.replace(/[a-z]{6,}/g, (word) =>
        (word.length * 7 + word.charCodeAt(0) + word.charCodeAt(3)) % 3 === 0
          ? `${word}${String.fromCharCode(97 + (copy % 26))}${Math.floor(copy / 26)}`
          : word,
      );

function* rows(count: number): Generator<TurnRow> {
  let [position, session] = [0, ""];
  for (let at = 0; at < count; at += 1) {
    const turn = turns[at % turns.length];
    if (turn === undefined) return;
    const copy = Math.floor(at / turns.length);
    const own = `${turn.id}/${turn.session}/${copy}`;
    position = own === session ? position + 1 : 0;
    session = own;
    yield {
      id: `${own}#${position}`,
      session,
      root: "r",
      position,
      role: turn.role,
      name: turn.name,
      text: varied(turn.text, copy),
      at: turn.at + copy * 200 * DAY,
    };
  }
}

async function measure(count: number) {
  const home = mkdtempSync(join(tmpdir(), "tidemark-recall-"));
  const store = openSqliteStore(join(home, "index.db"));
  const all = [...rows(count)];
  const added: number[] = [];
  for (let from = 0; from < all.length; from += BATCH) {
    const stop = stopwatch();
    await store.turns.add(all.slice(from, from + BATCH));
    added.push(stop().own);
  }
  const [first = 0, ...later] = added;
  const questions = conversations
    .flatMap(({ questions: own }) => own)
    .filter((_, at) => at % 5 === 0);
  const [own, clock]: [number[], number[]] = [[], []];
  const longestBlock = await blocking(async () => {
    for (const { text } of questions) {
      const stop = stopwatch();
      await searchTurns({ turns: store.turns, listen: (event) => console.error(event) }, text, {
        root: "r",
        limit: 10,
      });
      const took = stop();
      own.push(took.own);
      clock.push(took.ms);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  await store.close();
  rmSync(home, { recursive: true });
  const sum = added.reduce((all, ms) => all + ms, 0);
  return {
    turns: count,
    questions: questions.length,
    "search, own ms": {
      p50: percentile(own, 0.5),
      p95: percentile(own, 0.95),
      worst: percentile(own, 1),
    },
    "search, ms by the clock": { p50: percentile(clock, 0.5), p95: percentile(clock, 0.95) },
    "longest block of the event loop, ms": longestBlock,
    "indexing, own microseconds a turn": round((sum * 1000) / count),
    [`indexing ${BATCH} turns, own ms`]: {
      first: round(first),
      p50: percentile(later, 0.5),
      p95: percentile(later, 0.95),
      worst: percentile(later, 1),
    },
  };
}

const figures = [];
for (const count of [1_000, 10_000, 100_000]) figures.push(await measure(count));
record("recall-speed", {
  data: "LoCoMo's shared conversations repeated; one root, index on disk, words only",
  figures,
});
