import { contentWords } from "../../text/content-words.ts";
import { type Identifier, identifiers } from "../../text/identifiers.ts";
import { type Language } from "../../text/language.ts";
import { sentences } from "../../text/sentences.ts";
import { type Candidate, type Category, fitting } from "./candidate.ts";
import { asks, corrects, decides, isCourtesy, leansOnContext, places, prefers, rules, states } from "./cues.ts";
import { keyOf } from "./keys.ts";
import { DOCUMENT } from "./own-words.ts";
import { quotedIn } from "./quoted.ts";
import { type Transcript, type Turn } from "./transcript.ts";

/** From a message so many statements are taken, and from a document in it. */
const MOST = { own: 10, document: 4 } as const;

export const SPEAKERS: Readonly<Record<Language, { user: string; agent: string; agentSaid: (words: string) => string; asked: (words: string) => string }>> = {
  en: { user: "User: ", agent: "Agent: ", agentSaid: (words) => ` (the agent had said: "${words}")`, asked: (words) => ` (asked: "${words}")` },
  zh: { user: "用户：", agent: "助手：", agentSaid: (words) => `（助手此前说：“${words}”）`, asked: (words) => `（问：“${words}”）` },
};

/** What users said about themselves, their world, their rules and choices. */
export function userFacts({ turns, language }: Transcript): Candidate[] {
  const found: Candidate[] = [];
  let said: Turn | undefined;
  for (const turn of turns) {
    if (turn.speaker === "assistant" && turn.text !== "") said = turn;
    if (turn.speaker !== "user" || turn.text === "") continue;
    const taken = { own: 0, document: 0 };
    for (const { text, document } of partsOf(turn)) {
      const whose = document ? "document" : "own";
      const reading = taken[whose] < MOST[whose] ? read(text, document) : undefined;
      if (reading === undefined) continue;
      taken[whose] += 1;
      const { user, agentSaid } = SPEAKERS[language];
      const key = keyOf(text);
      const bare = corrects(text) && contentWords(text).length < 6 && said !== undefined && said.index === turn.index - 1 ? related(text, said) : undefined;
      const context = bare === undefined ? "" : agentSaid(fitting(bare, 120));
      found.push({
        content: `${user}${fitting(text, 290 - context.length)}${context}`,
        ...reading,
        ...(key === undefined ? {} : { key, importance: Math.max(reading.importance, 0.75) }),
        from: bare === undefined || said === undefined ? [turn.index] : [said.index, turn.index],
      });
    }
  }
  return found;
}

/** What the user says, and behind it what a long text beside it says. */
function partsOf({ text, own }: Turn): { text: string; document: boolean }[] {
  const long = text.length > DOCUMENT;
  const said = sentences(long ? own : quotedIn(text).rest).flatMap(({ text: sentence, code }) => (code ? [] : [{ text: sentence, document: false }]));
  if (!long) return said;
  const known = new Set(said.map(({ text: sentence }) => sentence));
  return [...said, ...sentences(text).flatMap(({ text: sentence, code }) => (code || known.has(sentence) ? [] : [{ text: sentence, document: true }]))];
}

function read(text: string, document: boolean): { category: Category; importance: number } | undefined {
  if (isCourtesy(text) || /[?？]["'”’)]*$/.test(text)) return undefined;
  const words = contentWords(text).length;
  const names = identifiers(text);
  const named = names.length > 0;
  if (words === 0) return undefined;
  const correction = corrects(text);
  const rule = rules(text);
  const statement = states(text);
  const preference = prefers(text);
  const decision = decides(text);
  if (leansOnContext(text) && words < 4 && !named && !correction) return undefined;
  // In a pasted document "we use" and "it was decided" are its author's, "always" is the user's more often than not.
  if (document && !preference && !(rule && /\b(?:always|never|must|do not|don'?t)\b|必须|务必|不要|禁止|总是/i.test(text))) return undefined;
  if (correction && (words >= 2 || named)) return { category: rule ? "principle" : decision ? "decision" : statement ? "core" : "mistake-pattern", importance: 0.8 };
  if (rule && words >= 2) return { category: "principle", importance: document ? 0.6 : 0.8 };
  if (preference) return { category: "preference", importance: 0.7 };
  if (statement && !(asks(text) && !keyOf(text) && !named)) return { category: "core", importance: named ? 0.7 : 0.6 };
  if (decision && (words >= 2 || named)) return { category: "decision", importance: 0.65 };
  if (named && words >= 3 && places(text) && !asks(text)) return { category: "core", importance: 0.6 };
  if (!document && names.some(isAddress)) return { category: "core", importance: 0.45 };
  return undefined;
}

/** Names that point at one thing in the world: what they stand for is worth a line even inside a request. */
const isAddress = ({ kind, text }: Identifier): boolean => kind === "url" || kind === "email" || kind === "hash" || /^[A-Z]{2,10}-\d+$/.test(text);

/** The agent's sentence that shares most words with the correction, else its last statement. */
function related(text: string, said: Turn): string | undefined {
  const words = new Set(contentWords(text));
  let best: string | undefined;
  let most = -1;
  for (const { text: sentence, code } of sentences(said.text)) {
    if (code) continue;
    const shared = contentWords(sentence).filter((word) => words.has(word)).length;
    if (shared >= most) {
      best = sentence;
      most = shared;
    }
  }
  return best;
}
