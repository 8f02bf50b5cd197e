// How much of the evidence stands in a brief of 1,000 tokens, headings, sources and scores counted: LoCoMo's shared five.
//   npm run bench -- brief
import { performance } from "node:perf_hooks";
import { openTidemark } from "../src/index.ts";
import { importConversation, readLocomo } from "./support/locomo.ts";
import { percentile, record, round } from "./support.ts";

const TOKENS = 1_000;

let [found, wanted, most] = [0, 0, 0];
const ms: number[] = [];
for (const conversation of readLocomo()) {
  const tidemark = await openTidemark({ workspace: false, listen: false });
  await importConversation(tidemark, conversation);
  for (const { text, evidence, category } of conversation.questions) {
    if (category === 5 || evidence.length === 0) continue;
    const begun = performance.now();
    const brief = await tidemark.brief(text, { tokens: TOKENS });
    ms.push(performance.now() - begun);
    const refs = new Set(brief.hits.map(({ ref }) => ref));
    most = Math.max(most, brief.tokens);
    wanted += 1;
    found += evidence.filter((ref) => refs.has(ref)).length / evidence.length;
  }
  await tidemark.close();
}
await record("brief", {
  locomo: {
    questions: wanted,
    "evidence in the brief, %": round((100 * found) / wanted),
    "most tokens of a brief": most,
    ms: { p50: round(percentile(ms, 0.5)), p95: round(percentile(ms, 0.95)) },
  },
});
