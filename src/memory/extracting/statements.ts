import { either, phrases } from "../../core/base.ts";
import { specifics } from "../../core/text/sentences.ts";
import { type Clause, clausesOf, featuresOf, tokensOf } from "./clauses.ts";
import { heard, isQuestion, opened, spoken } from "./frames.ts";
import { isKnownWord, odds } from "./learned.ts";
import type { Fact } from "./task.ts";
import { isBrief, type Turn } from "./transcript.ts";

export const THANKS =
  /\b(?:thanks|thank you|great|perfect|nice|well done|love it|all good|not bad)\b/i;
export const REMEMBER = either(
  /(?:^|[.,;:!] |\bplease )remember(?: that| this)?\b(?! (?:when|how|me)\b)/i,
  /(?<!['’]ll )\bkeep (?:that |this )?in mind\b|\b(?:don['’]t|never) forget that\b/i,
);
/** A guess, or what is only thought of. */
export const UNSURE = phrases(
  "\\b",
  `maybe|perhaps|probably|might|could|should|seems?|it may|let(?: me|['’]s)|(?:one|some) day
  i (?:think|guess|suppose|hope|wonder|bet)|if(?! (?:possible|needed))`,
);
const ORDERS = phrases(
  "^",
  `(?:what|who|how|where)(?:['’]?s)?|whose|when|which|why|is|are|do|does|did|can|could|should
  would|will|am|were|has|need|any|looking|trying|quick|add|ask|be|calculate|change|check|compare
  compose|continue|convert|copy|create|define|delete|describe|design|draft|explain|find|fix
  generate|give|help|leave|let['’]s|list|make|move|pick|plan|proofread|put|quiz|read|recommend
  remove|rewrite|run|say|send|shorten|show|sing|solve|spell|suggest|summari[sz]e|teach|tell|test
  translate|try|update|use|write`,
);
/** Asks it, without a sign too, or orders what is over when it is done? */
export const isOrder = (sentence: string): boolean =>
  isQuestion(sentence) || ORDERS.test(opened(sentence));

/** A clause of the user's, with the features that it is judged by. */
interface Judged extends Clause {
  readonly features: ReadonlySet<string>;
  /** Log odds that a person would keep it. */
  readonly odds: number;
}

/**
 * From these log odds on a clause is kept, at work from more: bench/results/learn.json says what
 * each border lets in.
 */
const [KEPT, AT_WORK] = [1.2, 1] as const;
/** Log odds from which it is a wish that stands, and a change of what was told before. */
const [WISH, CHANGE] = [0.2, -0.7] as const;
/** Beside a clause that is kept one goes along with so much less. */
const ALONG = 1;
const judged = (text: string, earlier: readonly string[] = []): Judged[] => {
  const clauses = clausesOf(text);
  const features = featuresOf(clauses, earlier, isKnownWord);
  return clauses.map((clause, at) => {
    const seen = features[at] ?? new Set<string>();
    return { ...clause, features: seen, odds: odds("kept", seen) };
  });
};

const isWish = ({ features }: Judged): boolean => odds("wish", features) > WISH;

/** Does the sentence tell how things are to be done from now on? */
export const isRule = (sentence: string): boolean => judged(sentence).some(isWish);

/** Does the sentence take back, or change, what was said before it? */
export const isChange = (sentence: string): boolean =>
  judged(sentence).some(({ features }) => odds("change", features) > CHANGE);

/** From so low log odds on a sentence may be meant as it stands: no play, and no other's. */
const MEANT = -2;

/** The sentences of a message that may be meant, and those that `isMeant` holds for. */
export function meantIn(
  text: string,
  earlier?: readonly string[],
  isMeant = (_sentence: string): boolean => false,
): string[] {
  const likely = new Set(
    judged(text, earlier).flatMap((one) => (one.odds > MEANT ? one.sentence : [])),
  );
  return spoken(text).filter((one, at) => likely.has(at) || isMeant(one));
}

/** Share of words that are known here: of an English text hardly fewer. */
const ENGLISH = 0.4;
/** Log odds below which a text is not worth a model's reading. */
const READ = -3;

/** May the text tell something that lasts? In a language that is not known here it may. */
export function mayTell(text: string): boolean {
  const words = tokensOf(text).filter(({ word }) => /^\p{L}/u.test(word));
  const known = words.filter(({ word }) => isKnownWord(word));
  return known.length < ENGLISH * words.length || judged(text).some(({ odds }) => odds > READ);
}

/** A name of the user: one, so that a later takes its place. */
const NAMED = either(
  /\b(?:my name(?:['’]s| is)|i['’]?m called|i go by|address me|(?:every\w+|friends) calls? me)\b/iu,
  /\bcall me (?!back|when|if|at|on|later|crazy|an?|now|to|soon)\p{L}+/iu,
);
const FROM_NOW = /\b(?:from (?:now|here) on|going forward|in (?:the )?future)\b/i;
/** "I'm Jo, …" */
const CALLS_SELF = /^[Ii](?:['’]m| am) \p{Lu}\p{Ll}+(?<!ing)(?: \p{Lu}\p{Ll}+)?\W*(?:$|from\b)/u;
/** A greeting or thanks before what is said. */
const GREETING = either(
  /^(?:hi|hello|hey|good (?:morning|evening))(?: (?:there|again|all))?[,!.:]? (?=\S)/i,
  /^(?:thanks|thank you|thx|great|perfect|nice|cool|ok(?:ay)?)(?: again)?[,!.]+ (?=\S)/i,
);
/** It leans on what stands before it: told alone it would say nothing. */
export const LEANS = /\b(?:there|its?|that|then|th(?:em|ey|is|ese|ose)|s?he|him|his|her|one)\b/i;
/** Why something is wished or so: both are told in one. */
const REASON = /\b(?:but|so|because|since|cos|coz|cause|as)\b/i;
/** It begins with its own subject. */
const OWN = /^(?:i|we|my|our|please|don['’]?t|never|always|call me)\b/i;

/** How much less is asked of what the user says in so many words. */
function plainness(text: string): number {
  if (REMEMBER.test(text)) return 4;
  return NAMED.test(text) || CALLS_SELF.test(text) || FROM_NOW.test(text) ? 1.2 : 0;
}

/** The user's earlier messages that a message is read with. */
export const EARLIER = 12;

/** May a part that it gives, or a text that it names, go on in the next message? */
export const goesOn = (text: string): boolean => heard(text).others.length === 0;

/** What the user said that is worth keeping, in the user's own words. */
export function sayings(turns: readonly Turn[]): Fact[] {
  const work = isBrief(turns) ? 0 : AT_WORK;
  const said: string[] = [];
  return turns.flatMap(({ speaker, text: whole, own, index }) => {
    if (speaker !== "user" || own === "") return [];
    const sentences = spoken(own);
    const clauses = judged(own, said.slice(-EARLIER));
    if (goesOn(whole)) said.push(own);
    const isKept = (one: Judged, less: number): boolean => {
      const plain = plainness(one.text);
      const more = plain > 0 || isWish(one) ? -plain : work;
      return one.odds > KEPT + more - less && !one.text.endsWith("?");
    };
    return runs(clauses, sentences, isKept).map((run): Fact => {
      const [first, last] = [run[0], run.at(-1)];
      const sentence = sentences[first?.sentence ?? 0] ?? "";
      const text = sentence
        .slice(first?.start, last?.end)
        .replace(/^\W*[,;:–—-]\s*|[\s,;:(–—-]+$/gu, "");
      return {
        content: `User: ${text.replace(GREETING, "")}`,
        ...weighed(text, run),
        from: [index],
        origin: "user",
        ...(NAMED.test(text) ? { key: "user.name" } : {}),
      };
    });
  });
}

/** Clauses that are kept and stand beside each other say one thing, or each its own. */
function runs(
  clauses: readonly Judged[],
  sentences: readonly string[],
  isKept: (one: Judged, less: number) => boolean,
): Judged[][] {
  const found: Judged[][] = [];
  clauses.forEach((clause, at) => {
    const before = clauses[at - 1];
    const run = found.at(-1);
    const isBeside = before?.sentence === clause.sentence && before === run?.at(-1);
    if (!isKept(clause, isBeside ? ALONG : 0)) return;
    const between = sentences[clause.sentence]?.slice(before?.end, clause.start) ?? "";
    const isOwn = OWN.test(clause.text) && !LEANS.test(clause.text) && !REASON.test(between);
    if (isBeside && !isOwn) run?.push(clause);
    else found.push([clause]);
  });
  return found;
}

/** The category and the importance of what is said. */
function weighed(text: string, run: readonly Judged[]): Pick<Fact, "category" | "importance"> {
  const is = (question: "wish" | "need" | "taste"): boolean =>
    run.some(({ features }) => odds(question, features) > 0);
  const importance = REMEMBER.test(text) ? 0.85 : 0.8;
  if (is("wish")) return { category: "principle", importance };
  if (is("need")) return { category: "preference", importance };
  if (REMEMBER.test(text)) return { category: "core", importance };
  if (NAMED.test(text)) return { category: "core", importance: 0.7 };
  return {
    category: is("taste") ? "preference" : "core",
    importance: 0.6 + 0.03 * specifics(text),
  };
}
