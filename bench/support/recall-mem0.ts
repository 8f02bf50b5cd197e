// mem0ai's OSS memory over the same texts: kept as they are (`infer: false`), found by its own search with the same weak embedder.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { letters } from "./facts.ts";
import type { Conversation } from "./locomo.ts";
import { documentOf } from "./recall-baselines.ts";
import type { Answered } from "./recall-figures.ts";

/** What we call of it. */
interface Mem0 {
  add(
    text: string,
    options: { userId: string; infer: false; metadata: { ref: string } },
  ): Promise<unknown>;
  search(
    query: string,
    options: { filters: { user_id: string }; topK: number },
  ): Promise<{ results: { memory: string; metadata?: { ref?: string } }[] }>;
}
type Mem0Module = { Memory: new (config: Record<string, unknown>) => Mem0 };

const PEERS = join(import.meta.dirname, "../peers");
const array = (text: string): number[] => [...letters(text)];
/** Its port for a function as the embedder. */
const model = {
  embedQuery: async (text: string) => array(text),
  embedDocuments: async (texts: string[]) => texts.map(array),
};

/** The answers of each conversation's own memory; undefined, and a sentence on the screen, when it is not installed. */
export async function mem0Answers(
  conversations: readonly Conversation[],
  many: number,
): Promise<Answered[] | undefined> {
  if (!existsSync(join(PEERS, "node_modules/mem0ai"))) {
    console.error(
      "mem0ai is not installed beside the benches, so it is left out: `npm ci --prefix bench/peers` brings it.",
    );
    return undefined;
  }
  const home = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  process.env.MEM0_TELEMETRY = "false";
  process.env.MEM0_DIR = home;
  const { Memory } = (await import(
    pathToFileURL(createRequire(join(PEERS, "package.json")).resolve("mem0ai/oss")).href
  )) as Mem0Module;
  const answers: Answered[] = [];
  for (const { id, turns, questions } of conversations) {
    const memory = new Memory({
      embedder: { provider: "langchain", config: { model } },
      llm: { provider: "openai", config: { apiKey: "none is called" } },
      vectorStore: {
        provider: "memory",
        config: { collectionName: "turns", dimension: 384, dbPath: join(home, `${id}.db`) },
      },
      historyDbPath: join(home, `${id}-history.db`),
    });
    for (const turn of turns)
      await memory.add(documentOf(turn), { userId: id, infer: false, metadata: { ref: turn.ref } });
    const find = async (query: string, topK: number) =>
      (await memory.search(query, { filters: { user_id: id }, topK })).results.map(
        ({ memory: text, metadata }) => ({ ref: metadata?.ref ?? "", text }),
      );
    for (const question of questions) {
      const begun = performance.now();
      const ten = await find(question.text, 10);
      const ms = performance.now() - begun;
      answers.push({
        question,
        found: [...ten, ...(await find(question.text, many)).slice(ten.length)],
        ms,
      });
    }
  }
  rmSync(home, { recursive: true, force: true });
  return answers;
}
