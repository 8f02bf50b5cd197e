// One size: facts in one scope, or `scopes` scopes of as many, asked and added to through the library as a host does.
//   node memory-speed-size.ts SIZE [SCOPES] [FOLDER]: an index that stands in FOLDER is asked again instead of built.
import { execFileSync } from "node:child_process";
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { openTidemark, type Tidemark } from "../../src/index.ts";
import type { Scope } from "../../src/model/identity.ts";
import { openSqliteStore } from "../../src/store/open-index.ts";
import { round } from "../support.ts";
import { conversations, LETTERS, letters, manyFacts } from "./facts.ts";
import { breathe, fsyncCost, load, NOW, say, settle, spread } from "./memory-speed-build.ts";
import { againstExact, DIMENSIONS, unit } from "./memory-speed-exact.ts";
import { blocking, stopwatch } from "./own-time.ts";

const [size = 1_000, scopes = 1] = process.argv.slice(2, 4).map(Number);
const total = size * scopes;
const SAVES = 300;

const folder = process.argv[4] ?? mkdtempSync(join(tmpdir(), "tidemark-bench-"));
const workspace = join(folder, "workspace");
const index = join(workspace, ".tidemark", "index.db");
const scopeOf = (at: number): Scope => `user:${at % scopes}`;
const built = join(folder, "built.json");

async function build(): Promise<void> {
  mkdirSync(join(workspace, ".tidemark"), { recursive: true, mode: 0o700 });
  const store = openSqliteStore(index);
  await store.vectors.use({ name: LETTERS.model, dimensions: DIMENSIONS });
  const loaded = await load(store, manyFacts(total), {
    scopeOf,
    vectorOf: (text) => letters(text),
  });
  const tended = await settle(store);
  await store.close();
  const database = new Database(index);
  database.pragma("wal_checkpoint(TRUNCATE)");
  database.close();
  writeFileSync(
    built,
    JSON.stringify({
      bytesPerFact: Math.round(statSync(index).size / total),
      load: loaded,
      tend: tended,
    }),
  );
}

/** What stood there before is read once, so that the system holds it as it does what was built just now. */
async function warm(): Promise<void> {
  for await (const part of createReadStream(index, { highWaterMark: 1 << 20 })) void part;
}

const open = (embed: typeof LETTERS | false): Promise<Tidemark> =>
  openTidemark({
    workspace,
    identity: { user: "0" },
    embed,
    now: () => NOW,
    listen: (event) => {
      if (event.type === "degraded") throw new Error(`${event.where}: ${event.error}`);
    },
  });

const texts = conversations().flatMap(({ questions }) => questions.map(({ question }) => question));
const picked = Array.from(
  { length: total > 500_000 ? 150 : 300 },
  (_, at) => texts[(at * 13) % texts.length] ?? "",
);

async function asking(tidemark: Tidemark) {
  const readers = Array.from({ length: Math.min(scopes, picked.length) }, (_, at) =>
    tidemark.as({ user: `${(at * 37) % scopes}` }),
  );
  // Code that has run is compiled code, and who has asked once has files; other questions than those measured.
  for (let at = 0; at < Math.max(40, readers.length); at += 1)
    await readers[at % readers.length]!.memory.recall(`${texts[at + 1] ?? ""} indeed`);
  const [clock, own]: [number[], number[]] = [[], []];
  let hits = 0;
  const longestBlock = await blocking(async () => {
    for (const [at, question] of picked.entries()) {
      await breathe();
      const stop = stopwatch();
      hits += (await readers[at % readers.length]!.memory.recall(question, { limit: 10 })).length;
      const took = stop();
      clock.push(took.ms);
      own.push(took.own);
    }
  });
  return {
    ownMs: spread(own),
    clockMs: spread(clock),
    hitsPerQuestion: round(hits / picked.length),
    longestBlockMs: longestBlock,
  };
}

/** Saves one after the other into the large scope; what stirs behind them, embedding and cells, counts as blocking too. */
async function saving(tidemark: Tidemark, mark: string) {
  const [clock, own]: [number[], number[]] = [[], []];
  const longestBlockMs = await blocking(async () => {
    for (let at = 0; at < SAVES; at += 1) {
      const content = `${texts[at % texts.length]} (${mark} ${at})`;
      const stop = stopwatch();
      await tidemark.memory.save({ content, scope: scopeOf(0) });
      const took = stop();
      clock.push(took.ms);
      own.push(took.own);
      await breathe();
    }
    await tidemark.idle();
  });
  return { ownMs: spread(own), clockMs: spread(clock), longestBlockMs };
}

const mark = `${process.pid}`;
if (!existsSync(built)) {
  await build();
  say("built");
  // Asked by a process of its own: what building left behind in memory is not the host's to clear away.
  execFileSync(process.execPath, [import.meta.filename, `${size}`, `${scopes}`, folder], {
    stdio: "inherit",
  });
  if (process.argv[4] === undefined) rmSync(folder, { recursive: true });
  process.exit();
}
await warm();
const words = await open(false);
const figures = JSON.parse(readFileSync(built, "utf8")) as unknown;
const wordsAsked = await asking(words);
const wordsSaved = await saving(words, `words ${mark}`);
await words.close();
const fsync = fsyncCost(folder);
const full = await open(LETTERS);
// What was saved without vectors is embedded first.
await full.idle();
const fullAsked = await asking(full);
const fullSaved = await saving(full, `vectors ${mark}`);
await full.close();
say("asked");

const kept = new Float32Array(total * DIMENSIONS);
let at = 0;
for (const text of manyFacts(total)) kept.set(unit(letters(text)), DIMENSIONS * at++);
const store = openSqliteStore(index);
await store.vectors.use({ name: LETTERS.model, dimensions: DIMENSIONS });
const exact = await againstExact(
  store,
  { vectors: kept, step: scopes },
  { scope: scopeOf(0), questions: picked.map((question) => letters(question)) },
);
await store.close();

console.log(
  `\n${JSON.stringify({
    facts: total,
    scopes,
    recall: { words: wordsAsked, wordsAndMeaning: fullAsked },
    save: {
      words: wordsSaved,
      wordsAndMeaning: fullSaved,
      fsyncMs: fsync,
      medianLessFsyncMs: round(wordsSaved.ownMs.p50 - fsync.p50),
    },
    recallAgainstExact: exact,
    built: figures,
    residentMB: Math.round(process.memoryUsage.rss() / 1e6),
  })}`,
);
