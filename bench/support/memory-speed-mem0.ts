// mem0ai's OSS memory beside Tidemark: the same texts, vectors and questions, one after the other in one process.
//   node memory-speed-mem0.ts [SIZE …]
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openTidemark } from "../../src/index.ts";
import { openSqliteStore } from "../../src/store/open-index.ts";
import { round } from "../support.ts";
import { conversations, LETTERS, letters, manyFacts } from "./facts.ts";
import { breathe, load, NOW, say, settle, spread } from "./memory-speed-build.ts";
import { blocking, stopwatch } from "./own-time.ts";

/** What we call of it. */
interface Mem0 {
  add(text: string, options: { userId: string; infer: false }): Promise<unknown>;
  search(
    query: string,
    options: { filters: { user_id: string }; topK: number },
  ): Promise<{ results: unknown[] }>;
}
type Mem0Module = { Memory: new (config: Record<string, unknown>) => Mem0 };

const PEERS = join(import.meta.dirname, "../peers");
const QUESTIONS = 50;

async function mem0(): Promise<Mem0Module> {
  if (!existsSync(join(PEERS, "node_modules/mem0ai"))) {
    console.error(
      "mem0ai is not installed beside the benches: run `npm ci --prefix bench/peers` once.",
    );
    process.exit(2);
  }
  process.env.MEM0_TELEMETRY = "false";
  process.env.MEM0_DIR = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  return (await import(
    pathToFileURL(createRequire(join(PEERS, "package.json")).resolve("mem0ai/oss")).href
  )) as Mem0Module;
}

const array = (text: string): number[] => [...letters(text)];
/** Its port for a function as the embedder. */
const model = {
  embedQuery: async (text: string) => array(text),
  embedDocuments: async (texts: string[]) => texts.map(array),
};

async function timed(times: number, work: (at: number) => Promise<unknown>) {
  const [clock, own]: [number[], number[]] = [[], []];
  const longestBlockMs = await blocking(async () => {
    for (let at = 0; at < times; at += 1) {
      await breathe();
      const stop = stopwatch();
      await work(at);
      const took = stop();
      clock.push(took.ms);
      own.push(took.own);
    }
  });
  return { ownMs: spread(own), clockMs: spread(clock), longestBlockMs };
}

const { Memory } = await mem0();
const texts = conversations().flatMap(({ questions }) => questions.map(({ question }) => question));
const question = (at: number): string => texts[(at * 13) % texts.length] ?? "";
const figures: Record<string, unknown> = {};
for (const size of process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000, 10_000]) {
  const home = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const facts = [...manyFacts(size)];

  const index = join(home, "workspace", ".tidemark", "index.db");
  const store = openSqliteStore(index);
  await store.vectors.use({ name: LETTERS.model, dimensions: 384 });
  await load(store, facts, { scopeOf: () => "user:0", vectorOf: (text) => letters(text) });
  await settle(store);
  await store.close();
  const tidemark = await openTidemark({
    workspace: join(home, "workspace"),
    identity: { user: "0" },
    embed: LETTERS,
    now: () => NOW,
  });
  await tidemark.memory.recall("code that has run is compiled code");
  const ours = {
    recall: await timed(QUESTIONS, (at) => tidemark.memory.recall(question(at))),
    save: await timed(100, (at) =>
      tidemark.memory.save({ content: `${question(at)} (${at})`, scope: "user:0" }),
    ),
  };
  await tidemark.close();
  say(`${size} here`);

  const peer = new Memory({
    embedder: { provider: "langchain", config: { model } },
    llm: { provider: "openai", config: { apiKey: "none is called" } },
    vectorStore: {
      provider: "memory",
      config: { collectionName: "facts", dimension: 384, dbPath: join(home, "vectors.db") },
    },
    historyDbPath: join(home, "history.db"),
  });
  await peer.search("code that has run is compiled code", { filters: { user_id: "0" }, topK: 10 });
  const added = await timed(size, (at) => peer.add(facts[at] ?? "", { userId: "0", infer: false }));
  let found = 0;
  const searched = await timed(
    QUESTIONS,
    async (at) =>
      (found += (await peer.search(question(at), { filters: { user_id: "0" }, topK: 10 })).results
        .length),
  );
  say(`${size} there`);
  figures[size] = {
    tidemark: ours,
    mem0ai: { search: searched, hitsPerQuestion: found / QUESTIONS, add: added },
    timesFaster: {
      recallP50: round(searched.ownMs.p50 / ours.recall.ownMs.p50),
      recallP95: round(searched.ownMs.p95 / ours.recall.ownMs.p95),
    },
  };
  rmSync(home, { recursive: true });
}
console.log(
  `\n${JSON.stringify({ mem0ai: "3.3.1 OSS, infer: false, its memory vector store on disk, better-sqlite3 13.2.0 in place of its own 12, whose binary an install script fetches or compiles", sizes: figures })}`,
);
