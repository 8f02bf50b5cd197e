// What stands in the request that `begin` gives back, with `recall: {}`: the evidence of LoCoMo's questions, words of the facts that
// RealMem's messages need, and what messages get that ask nothing of this memory; how much it grows, and how long it takes.
//   npm run bench -- recall-begin
import { execFileSync } from "node:child_process";
import { dialectFor } from "../src/providers/detect.ts";
import { oneLine } from "../src/core/text/cut.ts";
import { withoutFences } from "../src/core/text/fence.ts";
import { readTranscripts } from "./support/agent-requests.ts";
import { ask, fill, grow, openRecalling, WAYS, type Way } from "./support/asking.ts";
import { type Conversation, importConversation, readLocomo } from "./support/locomo.ts";
import { readRealMem, smallTalk } from "./support/realmem.ts";
import { allWordsOfFacts, wordsOfFacts } from "./support/recall-figures.ts";
import { percentile, record, round } from "./support.ts";

const BUDGETS = [600, 1_000] as const;
const TURNS = 10_000;
const GROWN = 50;
/** Of the small talk, every third message is asked: there is much of it, and all alike. */
const smallTalkOf = (persona: Conversation) => smallTalk(persona).filter((_, at) => at % 3 === 0);
const DAY = 86_400_000;
/** Greetings, thanks and nods: by their form they ask nothing of the past. */
const NODS = [
  "Hi!",
  "Hello there. Good morning!",
  "Hey, how are you? I hope you are well.",
  "Thanks!",
  "Thanks, that works.",
  "Thank you so much. You are a great help!",
  "Great, thank you. That is all for today.",
  "Ok.",
  "Okay, got it. Thanks again!",
  "Perfect. Let's go on.",
  "Yes, please do.",
  "Yes. Go ahead, please.",
  "Sounds good to me.",
  "Understood. I'll do that.",
  "Continue.",
  "Next, please.",
  "Good night. See you tomorrow!",
  "No, that's fine. Never mind.",
  "Wow, that was quick. I like it.",
  "I see. That makes sense now.",
] as const;

const mean = (values: readonly number[]): number =>
  round(values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length));
const percent = (values: readonly number[]): number => mean(values.map((value) => 100 * value));
const gotAny = (brought: readonly number[]): number =>
  percent(brought.map((tokens) => (tokens > 0 ? 1 : 0)));

async function questions(tokens: number, way: Way) {
  const found: { adversarial: boolean; share: number; brought: number }[] = [];
  for (const conversation of readLocomo()) {
    const room = await openRecalling(tokens);
    await fill(room, conversation, way);
    const said = new Map(conversation.turns.map(({ ref, text }) => [ref, oneLine(text)]));
    for (const { text, evidence, category } of conversation.questions) {
      const { request, brought } = await ask(room, text);
      const stands = evidence.filter((ref) => request.includes(said.get(ref) ?? ""));
      const share = stands.length / evidence.length;
      found.push({ adversarial: category === 5, share, brought });
    }
    await room.tidemark.close();
  }
  const shareOf = (adversarial: boolean) =>
    percent(found.flatMap((one) => (one.adversarial === adversarial ? [one.share] : [])));
  return {
    "evidence in the request": shareOf(false),
    adversarial: shareOf(true),
    "got anything": gotAny(found.map(({ brought }) => brought)),
    "tokens brought": mean(found.map(({ brought }) => brought)),
  };
}

/** Users' own messages to agents, none of which knows LoCoMo's people. */
const agentsMessages = (): string[] => [
  ...new Set(
    readTranscripts().flatMap(({ messages }) => {
      const dialect = dialectFor({ messages });
      return messages
        .filter((message) => dialect.speaker(message) === "user")
        .filter((message) => dialect.results(message).length === 0)
        .map((message) => withoutFences(dialect.text(message)).trim())
        .filter((text) => text !== "");
    }),
  ),
];

async function strangers(personas: readonly Conversation[]) {
  const [agents, talk] = [[], []] as [number[], number[]];
  const [first, ...others] = readLocomo();
  const messages = agentsMessages();
  for (const conversation of first === undefined ? [] : [first, ...others]) {
    const room = await openRecalling(BUDGETS[0]);
    await fill(room, conversation, "imported");
    for (const text of messages) agents.push((await ask(room, text)).brought);
    if (conversation === first)
      for (const { text } of personas.flatMap(smallTalkOf))
        talk.push((await ask(room, text)).brought);
    await room.tidemark.close();
  }
  return {
    "users' messages to agents, asked of LoCoMo's memory": {
      messages: agents.length,
      "got anything": gotAny(agents),
    },
    "RealMem's small talk, asked of LoCoMo's memory": {
      messages: talk.length,
      "got anything": gotAny(talk),
    },
  };
}

/** Messages and small talk in the order in which they were said, each asked of what was said before. */
async function messages(tokens: number, personas: readonly Conversation[]) {
  const [words, allWords]: [number[], number[]] = [[], []];
  const [needing, talking, nodding] = [[], [], []] as [number[], number[], number[]];
  const growth: number[] = [];
  for (const persona of personas) {
    const room = await openRecalling(tokens);
    const asked = [
      ...persona.questions.map(({ text, after = 0, facts }) => ({ text, after, facts })),
      ...smallTalkOf(persona).map(({ text, session }) => ({
        text,
        after: session,
        facts: undefined,
      })),
    ].sort((one, other) => one.after - other.after);
    let known = 0;
    for (const { text, after, facts } of asked) {
      const turns = persona.turns.filter(({ session }) => session >= known && session < after);
      await importConversation(room.tidemark, { ...persona, turns });
      known = Math.max(known, after);
      const { recalled, brought } = await ask(room, text);
      (facts === undefined ? talking : needing).push(brought);
      if (facts === undefined) continue;
      words.push(wordsOfFacts(facts, recalled));
      allWords.push(allWordsOfFacts(facts, recalled));
    }
    for (const nod of NODS) nodding.push((await ask(room, nod)).brought);
    const own = persona.turns.filter(({ role }) => role === "user").slice(-GROWN);
    growth.push(
      await grow(
        room,
        own.map(({ text }) => text),
      ),
    );
    await room.tidemark.close();
  }
  return {
    "words of the needed facts": percent(words),
    "the same with stop words, each word as often as it stands": percent(allWords),
    "messages that need something and got anything": gotAny(needing),
    "messages in sessions that no later one needs, which got anything": gotAny(talking),
    [`${NODS.length} greetings, thanks and nods that got anything`]: gotAny(nodding),
    [`tokens beside ${GROWN} messages in one chat`]: growth,
  };
}

/** LoCoMo's conversations again and again, as sessions of their own. */
async function speed() {
  const room = await openRecalling(BUDGETS[0]);
  const conversations = readLocomo();
  let turns = 0;
  for (let copy = 0; turns < TURNS; copy += 1)
    for (const { id, ...one } of conversations) {
      if (turns >= TURNS) break;
      const said = one.turns.map((turn) => ({ ...turn, at: turn.at + copy * 200 * DAY }));
      await importConversation(room.tidemark, { ...one, turns: said, id: `${id}/${copy}` });
      turns += said.length;
    }
  const ms: number[] = [];
  for (const { text } of conversations
    .flatMap((one) => one.questions)
    .filter((_, at) => at % 4 === 0))
    ms.push((await ask(room, text)).ms);
  await room.tidemark.close();
  const [, ...later] = ms;
  return {
    turns,
    questions: later.length,
    p50: percentile(later, 0.5),
    p95: percentile(later, 0.95),
  };
}

const byBudget = async <T>(work: (tokens: number) => Promise<T>) => {
  const measured: Record<string, T> = {};
  for (const tokens of BUDGETS) measured[`${tokens} tokens`] = await work(tokens);
  return measured;
};

async function all(): Promise<void> {
  const personas = readRealMem();
  const locomo: Record<string, unknown> = {};
  for (const way of WAYS) locomo[way] = await byBudget((tokens) => questions(tokens, way));
  record("recall-begin", {
    data: "../shared/data/locomo (CC BY-NC), ../shared/data/realmem (Apache-2.0), ../shared/data/agents; words only, facts quoted without a model",
    "LoCoMo's questions": locomo,
    "RealMem's messages": await byBudget((tokens) => messages(tokens, personas)),
    strangers: await strangers(personas),
    "begin, own ms": JSON.parse(
      execFileSync(process.execPath, [import.meta.filename, "speed"], { encoding: "utf8" }),
    ) as unknown,
  });
}

// Timed in a process of its own: what the rest leaves in memory is not the host's to clear away.
if (process.argv[2] === "speed") console.log(JSON.stringify(await speed()));
else await all();
