// RealMem's messages, each searched for in the sessions before it: by Tidemark, and by the baselines.
import { openTidemark } from "../../src/index.ts";
import { excerpt, gist } from "../../src/memory/recalling/excerpt.ts";
import { contentTerms } from "../../src/core/text/terms.ts";
import { estimateTokens } from "../../src/core/tokens/estimate.ts";
import { round } from "../support.ts";
import { type Conversation, importConversation } from "./locomo.ts";
import { BASELINES } from "./recall-baselines.ts";
import {
  allWordsOfFacts,
  type Answered,
  figures,
  sessionsFound,
  wordsOfFacts,
} from "./recall-figures.ts";

const MANY = 60;
/** What recall beside a message shows of one turn: some 120 tokens. */
const CUT = 480;
/** The talks that a gist is made of, as beside a message. */
const TALKS = 5;
/** What a talk counts beside the one before it: hits of a search do not say how far they are apart. */
const LATER = 0.75;
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

/** What is shown of the hits, best first: each whole, each cut to its best sentences, or the gist of the first talks they are from. */
const WAYS: Readonly<
  Record<string, (answer: Answered, persona: Conversation, tokens: number) => string[]>
> = {
  "hits whole": ({ found }) => found.map(({ text }) => text),
  "hits cut": ({ question, found }) => {
    const terms = termsOf(question);
    return found.map(({ text }) => excerpt(text, terms, CUT));
  },
  "gist of their talks": ({ question, found }, { turns }, tokens) => {
    const at = new Map(turns.map(({ ref }, place) => [ref, place]));
    const places = found.flatMap(({ ref }) => at.get(ref) ?? []);
    const sessions = [...new Set(places.map((place) => turns[place]?.session))].slice(0, TALKS);
    const talks = sessions.map((session) => {
      const beside = new Set(places.flatMap((place) => [place - 1, place, place + 1]));
      return turns.filter((turn, place) => turn.session === session && beside.has(place));
    });
    const texts = talks.map((talk, rank) => ({
      weight: LATER ** rank,
      texts: talk.map(({ text }) => text),
    }));
    return gist(texts, termsOf(question), { tokens, standing: () => false }).flat();
  },
};

const termsOf = ({ text }: Answered["question"]) => new Set(contentTerms(text).terms);

type Share = typeof wordsOfFacts;

/** Words of the needed facts in what is shown within so many tokens. */
function words(
  asked: readonly Asked[],
  { tokens, way, share }: { tokens: number; way: (typeof WAYS)[string]; share: Share },
): number {
  const shares = asked.map(({ answer, persona }) => {
    const shown: string[] = [];
    let left = tokens;
    for (const said of way(answer, persona, tokens)) {
      left -= estimateTokens(said);
      if (left < 0) break;
      shown.push(said);
    }
    return share(answer.question.facts ?? [], shown.join("\n"));
  });
  return round((100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length);
}

interface Asked {
  readonly answer: Answered;
  readonly persona: Conversation;
}

function told(asked: readonly Asked[], personas: readonly Conversation[]) {
  const answers = asked.map(({ answer }) => answer);
  const { "rec@10": recall, "any@10": any, "nDCG@10": gain } = figures(answers)["categories 1-4"];
  const within = (share: Share) =>
    Object.fromEntries(
      Object.entries(WAYS).map(([name, way]) => [
        name,
        Object.fromEntries(
          [600, 1_000].map((tokens) => [tokens, words(asked, { tokens, way, share })]),
        ),
      ]),
    );
  return {
    "rec@10": recall,
    "any@10": any,
    "nDCG@10": gain,
    "sessions@10": sessionsFound(answers, personas),
    "words of the needed facts within tokens": within(wordsOfFacts),
    "the same with stop words, each word as often as it stands": within(allWordsOfFacts),
  };
}

export async function realMemFigures(personas: readonly Conversation[]) {
  const found: Asked[] = [];
  for (const persona of personas)
    for (const answer of await ours(persona)) found.push({ answer, persona });
  const others = Object.entries(BASELINES).map(([name, make]) => {
    const asked = personas.flatMap((persona) =>
      theirs(persona, make).map((answer) => ({ answer, persona })),
    );
    return [name, told(asked, personas)];
  });
  return { messages: found.length, tidemark: told(found, personas), ...Object.fromEntries(others) };
}
