// Facts alone: how well a question finds them, beside FTS5 with porter over the same texts, and how
// many strangers' messages are answered with something. Sets: MADial's English half (human labels),
// LoCoMo's facts by an annotator, RealMem's memories, and sixty questions of our own.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openTidemark } from "../../src/index.ts";
import type { Embedder } from "../../src/core/request.ts";
import { round } from "../support.ts";
import { conversations } from "./facts.ts";
import { readLocomo } from "./locomo.ts";
import { ftsOver } from "./recall-baselines.ts";

const DATA = join(import.meta.dirname, "../../../shared/data");

interface FactGiven {
  readonly text: string;
  readonly refs: readonly string[];
  readonly category?: string;
  readonly at?: string | number;
}
interface Asked {
  readonly query: string;
  readonly wanted: readonly string[];
}
/** The facts of one person, and what is asked of them. */
interface World {
  readonly facts: readonly FactGiven[];
  readonly asked: Readonly<Record<string, readonly Asked[]>>;
}

const linesOf = (file: string): unknown[] =>
  readFileSync(join(DATA, file), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

/** The last user's message before the first turn that should remember, and all of them. */
function madial(): World[] {
  const events = linesOf("madial/memory.jsonl").flatMap((line) =>
    Object.entries(line as Record<string, { time: string; event: string }>),
  );
  const second = events.findIndex(([id]) => id === "2");
  const users = [events.slice(0, second), events.slice(second)];
  const dialogues = linesOf("madial/dialogue.jsonl") as {
    dialogue: string[];
    "test-turn": number[];
    "relevant-id": number[];
    "user-id": number;
  }[];
  return users.map((own, at) => {
    const talks = dialogues.filter((one) => one["user-id"] === at + 1);
    const asked = (last: boolean): Asked[] =>
      talks.map((one) => {
        const said = one.dialogue
          .slice(0, one["test-turn"][0])
          .flatMap((line) => /^<(?!Assistant)\w+>: "?([^]*?)"?\s*$/.exec(line)?.[1] ?? []);
        const query = last ? (said.at(-1) ?? "") : said.join(" ");
        return { query, wanted: one["relevant-id"].map(String) };
      });
    return {
      facts: own.map(([id, { time, event }]) => ({ text: event, refs: [id], at: `${time}Z` })),
      asked: { "MADial, last message": asked(true), "MADial, all messages": asked(false) },
    };
  });
}

function locomo(): World[] {
  const days = new Map(
    readLocomo().map(({ id, turns }) => [id, new Map(turns.map(({ ref, at }) => [ref, at]))]),
  );
  return conversations().map(({ id, observations, questions }) => ({
    facts: observations.map(({ text, turns }) => ({
      text,
      refs: turns,
      at: days.get(id)?.get(turns[0] ?? ""),
    })),
    asked: Object.fromEntries(
      [true, false].map((adversarial) => [
        adversarial ? "LoCoMo's facts, adversarial" : "LoCoMo's facts",
        questions
          .filter(
            ({ category, evidence }) => (category === 5) === adversarial && evidence.length > 0,
          )
          .map(({ question, evidence }) => ({ query: question, wanted: evidence })),
      ]),
    ),
  }));
}

function realmem(): World[] {
  const { conversations: personas } = JSON.parse(
    readFileSync(join(DATA, "realmem/realmem-dev4.json"), "utf8"),
  ) as {
    conversations: {
      sessions: { messages: { id: string; at: string }[] }[];
      questions: { text: string; facts: [message: string, fact: string][] }[];
    }[];
  };
  return personas.map(({ sessions, questions }) => {
    const days = new Map(
      sessions.flatMap(({ messages }) => messages.map(({ id, at }) => [id, at] as const)),
    );
    const facts = new Map(questions.flatMap((one) => one.facts.map(([id, text]) => [text, id])));
    return {
      facts: [...facts].map(([text, id]) => ({ text, refs: [text], at: days.get(id) })),
      asked: {
        "RealMem's facts": questions
          .filter((one) => one.facts.length > 0)
          .map(({ text, facts: own }) => ({
            query: text,
            wanted: [...new Set(own.map(([, fact]) => fact))],
          })),
      },
    };
  });
}

const OWN = JSON.parse(readFileSync(join(import.meta.dirname, "own-facts.json"), "utf8")) as {
  facts: [id: string, category: string, text: string][];
  questions: [text: string, facts: string[]][];
  strangers: string[];
};

const own = (): World[] => [
  {
    facts: OWN.facts.map(([id, category, text]) => ({ text, category, refs: [id] })),
    asked: { "our own sixty": OWN.questions.map(([query, wanted]) => ({ query, wanted })) },
  },
];

/** Of what is wanted, in the first so many hits. */
function judged(wanted: readonly string[], hits: readonly (readonly string[])[]) {
  const within = (most: number): number => {
    const found = new Set(hits.slice(0, most).flat());
    return wanted.filter((ref) => found.has(ref)).length / wanted.length;
  };
  const first = hits.findIndex((refs) => refs.some((ref) => wanted.includes(ref)));
  return {
    "R@1": within(1),
    "R@3": within(3),
    "R@10": within(10),
    MRR: first < 0 ? 0 : 1 / (first + 1),
  };
}
type Judgement = ReturnType<typeof judged>;

const meanOf = (all: readonly Judgement[]) =>
  Object.fromEntries(
    (["R@1", "R@3", "R@10", "MRR"] as const).map((name) => [
      name,
      round((100 * all.reduce((sum, one) => sum + one[name], 0)) / all.length),
    ]),
  );

const MOST = 10;

async function open(facts: readonly FactGiven[], embed: Embedder | false) {
  const tidemark = await openTidemark({ workspace: false, distil: "extractive", embed });
  const refs = new Map<string, readonly string[]>();
  for (const { text, category, at, refs: its } of facts) {
    const saved = await tidemark.memory.save({
      content: text,
      ...(category === undefined ? {} : { category }),
      ...(at === undefined ? {} : { at }),
    });
    refs.set(saved.id, [...(refs.get(saved.id) ?? []), ...its]);
  }
  await tidemark.idle();
  return { tidemark, refs };
}

/** What each finds of each set. */
export async function factFigures(embed: Embedder | false) {
  const answers: Record<string, { tidemark: Judgement[]; fts: Judgement[] }> = {};
  for (const { facts, asked } of [...own(), ...madial(), ...locomo(), ...realmem()]) {
    const { tidemark, refs } = await open(facts, embed);
    const plain = ftsOver(facts.map(({ text }) => text));
    for (const [name, questions] of Object.entries(asked)) {
      const of = (answers[name] ??= { tidemark: [], fts: [] });
      for (const { query, wanted } of questions) {
        const hits = await tidemark.memory.recall(query, { limit: MOST });
        const found = hits.map(({ id }) => refs.get(id) ?? []);
        const theirs = plain(query, MOST).map((at) => facts[at]?.refs ?? []);
        of.tidemark.push(judged(wanted, found));
        of.fts.push(judged(wanted, theirs));
      }
    }
    await tidemark.close();
  }
  return Object.fromEntries(
    Object.entries(answers).map(([name, { tidemark, fts }]) => [
      name,
      { questions: tidemark.length, tidemark: meanOf(tidemark), "FTS5 porter": meanOf(fts) },
    ]),
  );
}

/** As much as a recall beside a turn asks. */
const RELEVANT = 0.25;

/** How many of the strangers' messages a recall beside a turn answers with something. */
export async function strangers(embed: Embedder | false) {
  const [world] = own();
  const { tidemark } = await open(world?.facts ?? [], embed);
  const told: [string, string[]][] = [];
  for (const message of OWN.strangers) {
    const hits = (await tidemark.memory.recall(message)).filter(
      ({ why }) => Math.max(why.words, why.meaning) >= RELEVANT,
    );
    if (hits.length > 0)
      told.push([message, hits.map(({ text, score }) => `${score.toFixed(2)} ${text}`)]);
  }
  await tidemark.close();
  return { asked: OWN.strangers.length, answered: told.length, told };
}
