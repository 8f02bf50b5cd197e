// What a question finds among the turns of past conversations, words only, through the public API: LoCoMo's shared five,
// each a workspace in memory of its own; beside it plain FTS5 and minisearch over the same turns.
//   npm run bench -- recall
import { performance } from "node:perf_hooks";
import { openTidemark } from "../src/index.ts";
import { importConversation, readLocomo, type Conversation } from "./support/locomo.ts";
import { type Find, minisearchDefaults, plainFts } from "./support/recall-baselines.ts";
import { type Answered, figures } from "./support/recall-figures.ts";
import { record, round } from "./support.ts";

/** Enough for 2,000 tokens of turns. */
const MANY = 100;

async function ours(conversation: Conversation): Promise<{ answers: Answered[]; indexUs: number }> {
  const tidemark = await openTidemark({ workspace: false });
  await importConversation(tidemark, conversation);
  const start = performance.now();
  await tidemark.memory.search("lighthouse", { in: ["history"] });
  const indexUs = ((performance.now() - start) * 1000) / conversation.turns.length;
  const answers: Answered[] = [];
  for (const question of conversation.questions) {
    const begun = performance.now();
    const ten = await tidemark.memory.search(question.text, { limit: 10, in: ["history"] });
    const ms = performance.now() - begun;
    const rest = await tidemark.memory.search(question.text, { limit: MANY, in: ["history"] });
    const found = [...ten, ...rest.slice(ten.length)].map(({ ref = "", text }) => ({ ref, text }));
    answers.push({ question, found, ms });
  }
  await tidemark.close();
  return { answers, indexUs };
}

function theirs({ turns, questions }: Conversation, find: Find): Answered[] {
  return questions.map((question) => {
    const begun = performance.now();
    find(question.text, 10);
    const ms = performance.now() - begun;
    return { question, found: find(question.text, MANY).flatMap((at) => turns[at] ?? []), ms };
  });
}

const conversations = readLocomo();
const all: Answered[] = [];
const each: Record<string, unknown> = {};
const indexing: number[] = [];
for (const conversation of conversations) {
  const { answers, indexUs } = await ours(conversation);
  all.push(...answers);
  indexing.push(indexUs);
  each[conversation.id] = figures(answers)["categories 1-4"];
}
record("recall", {
  data: "../shared/data/locomo/locomo-dev5.json (CC BY-NC), evidence cleaned; each conversation searched alone; no model, no vectors",
  tidemark: { ...figures(all), "indexing, microseconds a turn": round(indexing.reduce((sum, us) => sum + us, 0) / indexing.length), "each conversation": each },
  "plain FTS5 (porter, stop words out)": figures(conversations.flatMap((conversation) => theirs(conversation, plainFts(conversation)))),
  "minisearch defaults": figures(conversations.flatMap((conversation) => theirs(conversation, minisearchDefaults(conversation)))),
});
