// What a question finds among the turns of past conversations, words only, through the public API: LoCoMo's shared five,
// each a workspace in memory of its own, and RealMem's personas; beside it FTS5, minisearch and mem0ai over the same turns. With
// --embedder, only what an embedding service (OpenAI's form, key in EMBEDDER_KEY), or `local`, adds to words, by kind of question.
// With --speed, only how long a recall takes among 100,000 memories.
// With --facts, only how well questions find facts, beside FTS5 with porter.
//   npm run bench -- recall [--embedder URL] [--model NAME] [--speed | --facts]
import { performance } from "node:perf_hooks";
import { openTidemark } from "../src/index.ts";
import { LETTERS } from "./support/facts.ts";
import { importConversation, readLocomo, type Conversation } from "./support/locomo.ts";
import { embedderGiven } from "./support/embedder-given.ts";
import { exactThings, readTranscripts } from "./support/agent-requests.ts";
import { BASELINES, type Find, ftsOver } from "./support/recall-baselines.ts";
import { type Answered, figures, sessionsFound } from "./support/recall-figures.ts";
import { mem0Answers } from "./support/recall-mem0.ts";
import { factFigures, strangers } from "./support/recall-facts.ts";
import { speed } from "./support/recall-speed.ts";
import { byCategory, together } from "./support/recall-together.ts";
import { readRealMem } from "./support/realmem.ts";
import { realMemFigures } from "./support/recall-realmem.ts";
import { percentile, record, round } from "./support.ts";

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

const share = (ranks: readonly number[], below: number): number =>
  round((100 * ranks.filter((rank) => rank >= 0 && rank < below).length) / ranks.length);

/** All transcripts in one workspace: how often what is looked for stands in the first hit, or in the first five. */
async function agents() {
  const transcripts = readTranscripts();
  const tidemark = await openTidemark({
    workspace: false,
    window: { tokens: 2_000_000 },
    distil: "extractive",
    embed: false,
  });
  for (const { messages } of transcripts)
    await tidemark.begin({ model: "claude-sonnet-5-5", max_tokens: 100, messages });
  await tidemark.memory.search("lighthouse", { in: ["history"] });
  const texts = [...new Set(transcripts.flatMap((transcript) => transcript.texts))];
  const plain = ftsOver(texts);
  const kinds = {
    "a later request by half of its words": transcripts.flatMap(
      (transcript) => transcript.requests,
    ),
    ...Object.fromEntries(
      Object.entries(exactThings(texts)).map(([kind, things]) => [
        `${kind}, word for word`,
        things.map((text) => ({ text, query: text })),
      ]),
    ),
  };
  const measured: Record<string, unknown> = { messages: texts.length };
  const ms: number[] = [];
  for (const [kind, wanted] of Object.entries(kinds)) {
    const ranks: { tidemark: number[]; "plain FTS5": number[] } = {
      tidemark: [],
      "plain FTS5": [],
    };
    for (const { text, query } of wanted) {
      const begun = performance.now();
      const hits = await tidemark.memory.search(query, { limit: 5, in: ["history"] });
      ms.push(performance.now() - begun);
      ranks.tidemark.push(hits.findIndex((hit) => hit.text.includes(text)));
      ranks["plain FTS5"].push(plain(query, 5).findIndex((at) => texts[at]?.includes(text)));
    }
    measured[kind] = {
      questions: wanted.length,
      ...Object.fromEntries(
        Object.entries(ranks).map(([name, some]) => [
          name,
          { "any@1": share(some, 1), "any@5": share(some, 5) },
        ]),
      ),
    };
  }
  await tidemark.close();
  return { ...measured, ms: { p50: percentile(ms, 0.5), p95: percentile(ms, 0.95) } };
}

const given = embedderGiven(
  process.argv.slice(2).filter((arg) => !["--facts", "--speed"].includes(arg)),
);
if (process.argv.includes("--speed")) {
  record("recall", await speed(), "--speed", "recall-speed");
  process.exit();
}
if (process.argv.includes("--facts")) {
  const embed = given ?? false;
  const found = { ...(await factFigures(embed)), strangers: await strangers(embed) };
  if (given === undefined) record("recall", found, "--facts", "recall-facts");
  else console.log(JSON.stringify(found, null, 2));
  process.exit();
}
const conversations = readLocomo();
if (given !== undefined) {
  console.log(
    JSON.stringify(
      {
        "words only": byCategory(await together(conversations, { embed: false })),
        [`with ${given.model}`]: byCategory(await together(conversations, { embed: given })),
      },
      null,
      2,
    ),
  );
  process.exit();
}
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
  tidemark: {
    ...figures(all),
    "indexing, microseconds a turn": round(
      indexing.reduce((sum, us) => sum + us, 0) / indexing.length,
    ),
    "sessions@10": sessionsFound(all, conversations),
    "each conversation": each,
  },
  ...Object.fromEntries(
    Object.entries(BASELINES).map(([name, make]) => {
      const answers = conversations.flatMap((one) => theirs(one, make(one)));
      return [name, { ...figures(answers), "sessions@10": sessionsFound(answers, conversations) }];
    }),
  ),
  "mem0ai 3.3.1 OSS (infer: false, its own search, letters in threes as the embedder)": figures(
    await mem0Answers(conversations, MANY),
  ),
  "rec@10 of turns, of an annotator's facts, and of all in one list": {
    "words only": byCategory(await together(conversations, { embed: false })),
    "with a weak embedder (letters in threes)": byCategory(
      await together(conversations, { embed: LETTERS }),
    ),
  },
  "RealMem's messages": await realMemFigures(readRealMem()),
  "agents' transcripts": await agents(),
});
