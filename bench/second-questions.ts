// Whether a question asked again in other words, or a step along shared names, finds more past turns: LoCoMo's shared five and
// RealMem's personas, words only, through the public API. A question is asked again by its words that no hit holds, or by its
// names alone; what is found so takes the last two of ten places. Neither wins, so recall asks once and walks no graph.
//   npm run bench -- second-questions
import { performance } from "node:perf_hooks";
import { openTidemark, type Tidemark } from "../src/index.ts";
import { namesOf } from "../src/core/text/identifiers.ts";
import { contentTerms } from "../src/core/text/terms.ts";
import { readQuestion } from "../src/memory/turns/question.ts";
import {
  type Conversation,
  importConversation,
  type Question,
  readLocomo,
} from "./support/locomo.ts";
import { readRealMem } from "./support/realmem.ts";
import { percentile, record, round } from "./support.ts";

const WAYS = ["asked once", "again by words that no hit holds", "again by names that no hit holds"];
/** Places of ten that the second answer takes. */
const GIVEN = 2;

interface Answer {
  readonly question: Question;
  readonly recall: number[];
  readonly ms: number[];
  /** Evidence that was not found, as much of it as shares a name with a hit, and turns that do. */
  readonly missed: number;
  readonly near: number;
  readonly beside: number;
}

async function answer(
  tidemark: Tidemark,
  { turns }: Conversation,
  question: Question,
): Promise<Answer> {
  const search = (text: string) => tidemark.memory.search(text, { limit: 10, in: ["history"] });
  const { telling, names } = readQuestion(question.text);
  const begun = performance.now();
  const first = await search(question.text);
  const once = performance.now() - begun;
  const refs = first.map(({ ref = "" }) => ref);
  const held = new Set(first.flatMap(({ text }) => contentTerms(text).terms));
  const open = telling.filter((term) => !held.has(term));
  const share = (found: readonly string[]): number =>
    question.evidence.filter((ref) => found.includes(ref)).length / question.evidence.length;
  const [recall, ms] = [[share(refs)], [once]];
  for (const asked of [open, open.filter((term) => names.includes(term))]) {
    const again = performance.now();
    const more = asked.length === 0 ? [] : await search(asked.join(" "));
    const news = more.flatMap(({ ref = "" }) => (refs.includes(ref) ? [] : ref)).slice(0, GIVEN);
    ms.push(once + performance.now() - again);
    recall.push(share([...refs.slice(0, 10 - news.length), ...news]));
  }
  const speakers = new Set(turns.map(({ name }) => name));
  const named = (text: string) => namesOf(text).filter((name) => !speakers.has(name));
  const met = new Set(first.flatMap(({ text }) => named(text)));
  const beside = turns.filter(({ text }) => named(text).some((name) => met.has(name)));
  const missed = question.evidence.filter((ref) => !refs.includes(ref));
  const near = missed.filter((ref) => beside.some((turn) => turn.ref === ref));
  return { question, recall, ms, missed: missed.length, near: near.length, beside: beside.length };
}

async function answers(conversations: readonly Conversation[]): Promise<Answer[]> {
  const all: Answer[] = [];
  for (const one of conversations) {
    const tidemark = await openTidemark({ workspace: false, embed: false });
    let known = 0;
    for (const question of one.questions.toSorted((a, b) => (a.after ?? 0) - (b.after ?? 0))) {
      const { after = Infinity } = question;
      const turns = one.turns.filter(({ session }) => session >= known && session < after);
      if (turns.length > 0) await importConversation(tidemark, { ...one, turns });
      known = Math.max(known, after);
      const before = one.turns.filter(({ session }) => session < after);
      all.push(await answer(tidemark, { ...one, turns: before }, question));
    }
    await tidemark.close();
  }
  return all;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

const told = (all: readonly Answer[]) => ({
  questions: all.length,
  ...Object.fromEntries(
    WAYS.map((way, at) => [
      way,
      {
        "rec@10": round(100 * mean(all.map(({ recall }) => recall[at] ?? 0))),
        "p95 ms": percentile(
          all.map(({ ms }) => ms[at] ?? 0),
          0.95,
        ),
      },
    ]),
  ),
  "of evidence missed, percent that shares a name with a hit": round(
    (100 * mean(all.map(({ near }) => near))) / mean(all.map(({ missed }) => missed)),
  ),
  "turns that do, of one question": round(mean(all.map(({ beside }) => beside))),
});

const locomo = await answers(readLocomo());
const of = (category: number) => told(locomo.filter((one) => one.question.category === category));
record("second-questions", {
  "LoCoMo, categories 1-4": told(locomo.filter(({ question }) => question.category !== 5)),
  "LoCoMo, multi-hop": of(1),
  "LoCoMo, single-hop": of(4),
  "RealMem's messages": told(await answers(readRealMem())),
});
