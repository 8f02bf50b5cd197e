// How long a question takes among many turns of one root: LoCoMo's shared conversations repeated under other words for the
// names of things, so that posting lists grow as they do in a long history.
//   npm run bench -- recall-speed
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { type TurnRow } from "../src/model/turns.ts";
import { searchTurns } from "../src/memory/turns.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";
import { readLocomo } from "./support/locomo.ts";
import { percentile, record, round } from "./support.ts";

const DAY = 86_400_000;
const BATCH = 500;
const conversations = readLocomo();
const turns = conversations.flatMap(({ id, turns: own }) => own.map((turn) => ({ ...turn, id })));

/** One long word in three is another one in each copy: a long history has more matters than a short one, not more of each. */
const varied = (text: string, copy: number): string =>
  copy === 0 ? text : text.replace(/[a-z]{6,}/g, (word) => ((word.length * 7 + word.charCodeAt(0) + word.charCodeAt(3)) % 3 === 0 ? `${word}${String.fromCharCode(97 + (copy % 26))}${Math.floor(copy / 26)}` : word));

function* rows(count: number): Generator<TurnRow> {
  let [position, session] = [0, ""];
  for (let at = 0; at < count; at += 1) {
    const turn = turns[at % turns.length];
    if (turn === undefined) return;
    const copy = Math.floor(at / turns.length);
    const own = `${turn.id}/${turn.session}/${copy}`;
    position = own === session ? position + 1 : 0;
    session = own;
    yield { id: `${own}#${position}`, session, root: "r", position, role: turn.role, name: turn.name, text: varied(turn.text, copy), at: turn.at + copy * 200 * DAY };
  }
}

async function measure(count: number) {
  const home = mkdtempSync(join(tmpdir(), "tidemark-recall-"));
  const store = openSqliteStore(join(home, "index.db"));
  const all = [...rows(count)];
  const begun = performance.now();
  for (let from = 0; from < all.length; from += BATCH) await store.turns.add(all.slice(from, from + BATCH));
  const indexUs = ((performance.now() - begun) * 1000) / count;
  const questions = conversations.flatMap(({ questions: own }) => own).filter((_, at) => at % 5 === 0);
  const times: number[] = [];
  for (const { text } of questions) {
    const start = performance.now();
    await searchTurns({ turns: store.turns, listen: (event) => console.error(event) }, text, { root: "r", limit: 10 });
    times.push(performance.now() - start);
  }
  await store.close();
  rmSync(home, { recursive: true });
  return { turns: count, questions: questions.length, "search ms": { p50: percentile(times, 0.5), p95: percentile(times, 0.95), worst: percentile(times, 1) }, "indexing, microseconds a turn": round(indexUs) };
}

const figures = [];
for (const count of [1_000, 10_000, 100_000]) figures.push(await measure(count));
record("recall-speed", { data: "LoCoMo's shared conversations repeated; one root, index on disk, words only", figures });
