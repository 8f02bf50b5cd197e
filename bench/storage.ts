// SQLite and PostgreSQL with pgvector in one run on one machine: how long a recall takes by words and by words and meaning, how many of the truly nearest ten are found, what a turn costs, also where the server is 2 ms away, how many bytes a memory takes, and whether LoCoMo's questions find the same.
//   npm run bench -- storage [--million]
// With --million also 1,000,000 memories of 1,000 users. PostgreSQL and pgvector have to be installed.
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { connect, createServer } from "node:net";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { openTidemark, type Options } from "../src/index.ts";
import type { VectorStorage } from "../src/storage/port.ts";
import { openPostgres } from "../src/storage/postgres/postgres-storage.ts";
import { openStorage } from "../src/storage/sqlite/sqlite-storage.ts";
import { postgresServer } from "../test/support/postgres-server.ts";
import { conversations, manyFacts } from "./support/facts.ts";
import { importConversation, readLocomo } from "./support/locomo.ts";
import { asked, BATCH, embedder, fill, memory, nearestTen } from "./support/recall-speed.ts";
import { percentile, record, round } from "./support.ts";

const USERS = 1_000;
const TURNS = 200;
const ONE_WAY = 1;

interface Place {
  readonly options: Options;
  open(): Promise<VectorStorage>;
  /** Counts rows anew, as the server does by itself within a minute. */
  rested?(): Promise<unknown>;
  bytes(): Promise<number>;
}

const server = await postgresServer({ fsync: "on" });
let schemas = 0;
const postgres = (): Place => {
  const name = `bench_${(schemas += 1)}`;
  const address = server.address(name);
  const ask = async (text: string): Promise<{ size?: string }[]> => {
    const { default: pg } = await import("pg");
    const client = new pg.Client(address.replace(/\?.*/, ""));
    await client.connect();
    const { rows } = await client.query<{ size?: string }>(text);
    await client.end();
    return rows;
  };
  return {
    options: { store: address },
    open: () => openPostgres(address),
    rested: () => ask("analyze"),
    async bytes() {
      const [all] = await ask(
        `select sum(pg_total_relation_size(oid)) as size from pg_class
          where relnamespace = '${name}'::regnamespace and relkind = 'r'`,
      );
      return Number(all?.size);
    },
  };
};
const sqlite = (): Place => {
  const workspace = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const path = join(workspace, ".tidemark", "tidemark.db");
  mkdirSync(join(workspace, ".tidemark"), { mode: 0o700 });
  process.once("exit", () => rmSync(workspace, { recursive: true }));
  return {
    options: { workspace },
    open: async () => openStorage(path),
    bytes: async () => statSync(path).size,
  };
};
const PLACES = { SQLite: sqlite, PostgreSQL: postgres };

const all = conversations().flatMap(({ questions }) => questions.map((one) => one.question));
const questions = Array.from({ length: 200 }, (_, at) => all[(at * 13) % all.length] ?? "");

async function recalls(of: Place, many: number) {
  const store = await of.open();
  const kept = await fill(store, many);
  await store.close();
  await of.rested?.();
  const bytes = await of.bytes();
  const words = await asked(of.options, false, questions);
  const meaning = await asked(of.options, embedder, questions);
  const again = await of.open();
  const nearest = await nearestTen(again, kept, questions.slice(0, 40));
  await again.close();
  return {
    words: words["ms by the clock"],
    "words and meaning": meaning["ms by the clock"],
    "of the truly nearest ten": nearest,
    "bytes a memory, with its vector": Math.round(bytes / many),
  };
}

/** A thousand memories of each user. */
async function million(of: Place) {
  const store = await of.open();
  let at = 0;
  let batch: ReturnType<typeof memory>[] = [];
  for (const text of manyFacts(USERS * 1_000)) {
    batch.push(memory(text, at, `user:${at % USERS}`));
    at += 1;
    if (batch.length < BATCH * 4) continue;
    await store.commit({ memories: batch });
    batch = [];
  }
  await store.close();
  await of.rested?.();
  const bytes = await of.bytes();
  const { "ms by the clock": words } = await asked(of.options, false, questions);
  return { words, "bytes a memory": Math.round(bytes / at) };
}

/** A turn of a conversation below the marks, the begin and the end. */
async function turns(options: Options) {
  const tidemark = await openTidemark({ ...options, distil: "extractive", recall: false });
  const messages: { role: "user" | "assistant"; content: string }[] = [];
  const took: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    messages.push({ role: "user", content: `And boat ${turn}, where does it lie?` });
    const start = performance.now();
    const begun = await tidemark.begin({ model: "claude-sonnet-5-5", max_tokens: 99, messages });
    await begun.end({ role: "assistant", content: `At pier ${turn * 3}.` });
    took.push(performance.now() - start);
    messages.push({ role: "assistant", content: `At pier ${turn * 3}.` });
    await tidemark.idle();
  }
  await tidemark.close();
  return { p50: percentile(took, 0.5), p95: percentile(took, 0.95) };
}

/** A wire on which each way takes a millisecond. */
async function away<T>(work: (port: number) => Promise<T>): Promise<T> {
  const wire = createServer((near) => {
    const far = connect(server.port, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true);
      from.on("data", (some) => setTimeout(() => to.write(some), ONE_WAY));
      from.on("close", () => to.destroy()).on("error", () => to.destroy());
    }
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => wire.once("listening", resolve));
  const { port } = wire.address() as { port: number };
  return work(port).finally(() => wire.close());
}

/** Share of the questions' evidence among the first ten turns. */
async function locomo(make: () => Place): Promise<number> {
  let [found, wanted] = [0, 0];
  for (const conversation of readLocomo()) {
    const tidemark = await openTidemark({ ...make().options, distil: "extractive" });
    await importConversation(tidemark, conversation);
    for (const { text, evidence } of conversation.questions) {
      const hits = await tidemark.memory.search(text, { limit: 10, in: ["history"] });
      const refs = new Set(hits.map(({ ref }) => ref));
      found += evidence.filter((ref) => refs.has(ref)).length / evidence.length;
      wanted += 1;
    }
    await tidemark.close();
  }
  return round((100 * found) / wanted);
}

const figures: Record<string, Record<string, unknown>> = {};
const measured = async (
  what: string,
  of: (make: () => Place) => Promise<unknown>,
): Promise<void> => {
  figures[what] = {};
  for (const [name, make] of Object.entries(PLACES)) {
    figures[what][name] = await of(make);
    console.error(what, name, JSON.stringify(figures[what][name]));
  }
};
const load = round(loadavg()[0] ?? 0);
await measured("a turn, ms", (make) => turns(make().options));
const address = server.address("bench_away");
figures["a turn, ms"]!["PostgreSQL, 2 ms away"] = await away((port) =>
  turns({ store: address.replace(`:${server.port}/`, `:${port}/`) }),
);
await measured("LoCoMo, rec@10 of turns", locomo);
await measured("10,000 memories of a user, ms", (make) => recalls(make(), 10_000));
await measured("100,000 memories of a user, ms", (make) => recalls(make(), 100_000));
if (process.argv.includes("--million"))
  await measured("1,000,000 memories of 1,000 users, ms", (make) => million(make()));
record("storage", { "load before": load, ...figures }, process.argv.slice(2).join(" "));
server.close();
