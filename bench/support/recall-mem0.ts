// mem0ai's OSS memory over the same texts: kept as they are (`infer: false`), found by its own search with the same weak embedder.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { letters } from "./facts.ts";
import type { Conversation } from "./locomo.ts";
import { load } from "./peers-packages.ts";
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

const array = (text: string): number[] => [...letters(text)];
/** Its port for a function as the embedder. */
const model = {
  embedQuery: async (text: string) => array(text),
  embedDocuments: async (texts: string[]) => texts.map(array),
};

/** The answers of each conversation's own memory. */
export async function mem0Answers(
  conversations: readonly Conversation[],
  many: number,
): Promise<Answered[]> {
  const home = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  process.env.MEM0_TELEMETRY = "false";
  process.env.MEM0_DIR = home;
  const { Memory } = await load<Mem0Module>("mem0ai/oss");
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
