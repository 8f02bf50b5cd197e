// RealMem's messages, each searched for in the sessions before it: by Tidemark, and by the baselines.
import { openTidemark } from "../../src/index.ts";
import { excerpt } from "../../src/engine/turn/excerpt.ts";
import { contentTerms } from "../../src/text/terms.ts";
import { estimateTokens } from "../../src/tokens/estimate.ts";
import { round } from "../support.ts";
import { type Conversation, importConversation } from "./locomo.ts";
import { BASELINES } from "./recall-baselines.ts";
import { type Answered, figures, sessionsFound, wordsOfFacts } from "./recall-figures.ts";

const MANY = 60;
/** What recall beside a message shows of one turn: some 120 tokens. */
const CUT = 480;
/** A baseline's index holds what is said later too: such hits are passed over. */
const DEEP = 2_000;

async function ours(persona: Conversation): Promise<Answered[]> {
  const tidemark = await openTidemark({ workspace: false, embed: false });
  const answers: Answered[] = [];
  let known = 0;
  const inTime = [...persona.questions].sort((one, other) => (one.after ?? 0) - (other.after ?? 0));
  for (const question of inTime) {
    const { after = known } = question;
    const turns = persona.turns.filter(({ session }) => session >= known && session < after);
    await importConversation(tidemark, { ...persona, turns });
    known = Math.max(known, after);
    const hits = await tidemark.memory.search(question.text, { limit: MANY, in: ["history"] });
    const found = hits.map(({ ref = "", text }) => ({ ref, text }));
    answers.push({ question, found, ms: 0 });
  }
  await tidemark.close();
  return answers;
}

function theirs(persona: Conversation, make: (typeof BASELINES)[string]): Answered[] {
  const find = make(persona);
  return persona.questions.map((question) => {
    const before = find(question.text, DEEP)
      .flatMap((at) => persona.turns[at] ?? [])
      .filter(({ session }) => session < (question.after ?? Infinity));
    return { question, found: before.slice(0, MANY), ms: 0 };
  });
}

/** Words of the needed facts among the hits that fit; a long hit whole, or cut to its best sentences. */
function words(answers: readonly Answered[], tokens: number, isCut: boolean): number {
  const shares = answers.map(({ question, found }) => {
    const terms = new Set(contentTerms(question.text).terms);
    const shown: string[] = [];
    let left = tokens;
    for (const { text } of found) {
      const said = isCut ? excerpt(text, terms, CUT) : text;
      left -= estimateTokens(said);
      if (left < 0) break;
      shown.push(said);
    }
    return wordsOfFacts(question.facts ?? [], shown.join("\n"));
  });
  return round((100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length);
}

function told(answers: readonly Answered[], personas: readonly Conversation[]) {
  const { "rec@10": recall, "any@10": any, "nDCG@10": gain } = figures(answers)["categories 1-4"];
  const within = (isCut: boolean) =>
    Object.fromEntries([600, 1_000].map((tokens) => [tokens, words(answers, tokens, isCut)]));
  return {
    "rec@10": recall,
    "any@10": any,
    "nDCG@10": gain,
    "sessions@10": sessionsFound(answers, personas),
    "words of the needed facts within tokens": {
      "hits whole": within(false),
      "hits cut": within(true),
    },
  };
}

export async function realMemFigures(personas: readonly Conversation[]) {
  const found: Answered[] = [];
  for (const persona of personas) found.push(...(await ours(persona)));
  const others = Object.entries(BASELINES).map(([name, make]) => [
    name,
    told(
      personas.flatMap((persona) => theirs(persona, make)),
      personas,
    ),
  ]);
  return { messages: found.length, tidemark: told(found, personas), ...Object.fromEntries(others) };
}
