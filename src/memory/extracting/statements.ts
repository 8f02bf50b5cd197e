import { either, inOrder, phrases } from "../../core/base.ts";
import { contentWords } from "../../core/text/sentences.ts";
import { isQuestion, opened, ORDERS } from "./frames.ts";
import type { Fact } from "./task.ts";
import { isWork, type Turn } from "./transcript.ts";

/** How many words of content a sentence holds. */
export const telling = (sentence: string): number => new Set(contentWords(sentence)).size;
export const THANKS =
  /\b(?:thanks|thank you|great|perfect|nice|well done|love it|all good|not bad)\b/i;
export const REMEMBER = either(
  /(?:^|[.,;:!] |\bplease )remember(?: that| this)?\b(?! (?:when|how|me)\b)/i,
  /(?<!['’]ll )\bkeep (?:that |this )?in mind\b|\b(?:don['’]t|never) forget that\b/i,
);
/** A guess, or what is only thought of. */
export const UNSURE = phrases(
  "\\b",
  "maybe|perhaps|probably|might|should|seems?|it may|let(?: me|['’]s)|(?:one|some) day",
  "i (?:think|guess|suppose|hope|wonder|bet)|if",
);
/** It leans on what stands before it, or is over by tomorrow. */
const FLEETING = either(
  /^(?:because|which|that|this|these|those|it|them|s?he|her|his|their|t?here|some\w*|people)\b/i,
  /\b(?:(?<!from )today|tonight|yesterday|tomorrow|right now|this (?:morning|evening|week))\b/i,
  /\b(?:a (?:moment|minute|sec(?:ond)?)|in \S+ (?:minutes|hours?))\b/i,
);

/** How much of a sentence only this world has: names inside it, figures, code. 0…4. */
export function specifics(sentence: string): number {
  const names = new Set(sentence.match(NAME)).size;
  const isCode = /`|\w[_/]\w|\w\.\w/.test(sentence);
  return Math.min(4, names + Number(NUMBER.test(sentence)) + Number(isCode));
}
const NAME = /(?<=[\p{Ll}\p{N},;:(/&+] ["'“]?)(?!I\b|I['’])\p{Lu}[\p{L}\p{N}'’-]*/gu;
const NUMBER = /\p{N}|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b/iu;

/** A wish that stands by its form; of courage and of patience none. */
const STANDS = inOrder(
  /^(?:don['’]t|do not|never|stop(?= \w+ing\b)|avoid|prefer|always|no(?=.*\bplease\b)) /i,
  /(?!(?:worr|be\b|give up|forget|hesitate|know|mind|mention|think|get|let|ask|say|\w+ to\b))/i,
);
/** Any other order is for once, but with a word of how long it holds. */
const HOLDS = /^(?:(?:when|every time)[^,]*, )?(?:(?:always|never|only|i want (?:all|my)) )?/i;
const LASTING = either(
  /\b(?:always|never|every|each|by default|in future|instead of|rather than|at most|whenever)\b/i,
  /\bwhen (?:you|i|we) (?!can)|\b(?:under|within) \d|\b(?:answers|repl(?:y|ies)|messages)\b.*\w/i,
  /\b(?:brief|concise|short|direct|(?:in)?formal|polite)\b|, not?\b/i,
  /^\w+(?: (?:to|with) me)? in (?!th|an?\b|my|your)[\w ]+\W*$/i,
);
const AT_HAND = phrases(
  "\\b",
  "(?<!from )now|right away|at once|immediately|asap|again|just|yet|this time|until|else|one|next",
  "(?:do|\\w+ing|touch|change|delete|remove|in) (?:it|that|this|them|these|those)",
);
const MUST = either(
  /\bfrom (?:now|here) on\b(?!,? (?:i|we)\b)/i,
  /(?<!\b(?:that|this|it) )\b(?:must|should) (?:always|never|not)\b/i,
);

/** Does the sentence tell how things are to be done from now on? */
export function isRule(sentence: string): boolean {
  const said = opened(sentence);
  if (isQuestion(said) || telling(said) === 0) return false;
  const order = said.replace(HOLDS, "");
  const lasts = order !== said || LASTING.test(said);
  const isWish = (STANDS.test(said) && telling(said) > 1) || (ORDERS.test(order) && lasts);
  return MUST.test(said) || (isWish && !AT_HAND.test(said));
}

/** Told always: not to know it does harm, or it is what one lives for. */
const NEEDS = either(
  phrases(
    "^(?:i|we|my|our|\\p{L}+ (?:is|of my))\\b.*\\b",
    "allerg(?:ic|y|ies)|intoleran(?:t|ce)|vegan|vegetarian|coeliac|celiac|diabet(?:es|ic)|deaf",
    "epilep(?:sy|tic)|asthma|pregnant|colou?r.?blind|dyslexi[ac]|kosher|halal|wheelchair",
  ),
  /(?:^|\bis )(?:my|our) (?:[\w-]+ ){0,2}(?:favou?rite|goal|dream)\b/iu,
);
/** How the user is called; by one name, so that a later takes its place. */
const NAMED = either(
  /\b(?:my name(?:['’]s| is)|i['’]?m called|i go by|address me)\b/iu,
  /\bcall me (?!back|when|if|at|on|later|crazy|an?|now|to|soon)\p{L}+/iu,
);
/** "I'm Jo", "I am Jo and I live in Gent": a name, or what one is by birth or faith. */
const CALLS_SELF =
  /^[Ii](?:['’]m| am) \p{Lu}\p{Ll}+(?<!ing)(?: \p{Lu}\p{Ll}+)?(?:[,.;!]|$| (?:and|from)\b)/u;

type Saying = readonly [category: string, importance: number];
/** Without a name or a figure it is so important, and told in passing where much is told. */
const PLAIN = 0.6;

/** The speaker, with what may stand between "I" and the verb; nothing of what one would do. */
const SELF = inOrder(
  /^(?:i|we)(?:['’](?:ve|m|re)|(?:['’]d| would)(?= (?:rather|prefer)))?(?: (?:am|are|do)\b)?/i,
  /(?: (?:don['’]t|not|no longer|been|both|also|still|only|always|never|just|now|\w{2,}ly)\b)*/i,
  /(?: have(?= \w+(?:ed|en|ld|ft)\b))? /i,
);
/** Lasting states and undertakings, as against moods and steps. */
const STATE = phrases(
  "^",
  "(?:not )?an? (?!bit|little|lot|few)|from|based|married|divorced|single|retired|engaged|called",
  "\\d+(?!%)|\\w+-handed|new to|on \\w+ leave|afraid of|fluent|responsible for",
  "working (?:as|at|for|in)|going to (?:be|become|move|have)",
  "(?:learn|study|train|plann|writ|build|sav|teach|rent|rais|liv|team|expect|fly|mov)ing",
);
/** Verbs of the moment, of the past, and of the talk itself: what else one does, one does often. */
const MOMENT = phrases(
  "^(?:\\d\\S* )?",
  "think|guess|hope|kn[eo]w|mean|see|feel|find|get|need|agree|understand|wonder|believe|remember",
  "forgot|look|try|hear|say|tell|ask|let|will|could|should|must|may|had|was|were|did|went|came",
  "saw|felt|found|got(?! (?:married|engaged|divorced|\\d))|said|told|made|took|met|gave|put|ran",
  "can(?:not|['’]t)?(?! (?:eat|drink|have|use|work|do|drive|stand))|want(?! to (?:be|learn|move))",
  "have (?:to|been|(?:\\w+ )?\\w+ (?:question|idea|time|error|issue|problem))",
  "(?!mov|switch|chang|join|sign|hir|adopt|dropp|decid|cancel|stopp|graduat)\\w+ed",
);
/** Of what was just said, or of the other one. */
const HERE = /^(?:\S+ ){1,2}?(?:it|this|that|these|those|you\w*|how|what|where|to see)\b/i;
const TASTE = /^(?:rather|prefer|like|love|hate|enjoy|dislike|avoid|can['’]t stand)\b(?! to\b)/i;

/** A lasting word of its speaker on himself: no mood, no step, nothing that is just going on. */
function ofSelf(self: string, rest: string): Saying | undefined {
  const known = PLAIN + 0.03 * specifics(rest);
  if (HERE.test(rest)) return undefined;
  if (TASTE.test(rest)) return ["preference", known];
  const isState = /['’](?:m|re)\b| (?:am|are|been)\b/i.test(self);
  if (isState ? !STATE.test(rest) : MOMENT.test(rest)) return undefined;
  return ["core", isState ? Math.max(known, 0.63) : known];
}

/** The subject is a thing of this world or of the user's, in a few words. */
const THING = /^(?:my|our|the|each|every|\p{Lu}[\p{L}\p{N}.'’-]*)(?: [^\s,:;]+){0,5} $/u;
/** A thing of the talk itself has no value. */
const OF_TALK = phrases(
  "\\b",
  "step|one|thing|point|question|problem|issue|fact|reason|answer|idea|it|that|which|who|he|she",
  "you|i|we|not|no longer|would|will|could|\\w+n['’]t",
);
const VERBS = new RegExp(
  phrases(
    "\\b",
    "is|are|has|have|can['’]t|cannot|moved|ended|died|retired|started|joined|left|switched|turned",
    "was (?:built|born)|went (?:up|down)|costs?|(?<=\\b(?:my|our) [^.,]{1,40})[a-z]{2,}[^su'’]s",
    "(?:live|work|run|start|meet|use|belong|lead|take|arrive|expire|stand|goe)s?",
  ),
  "giu",
);
const VALUE = /^ (?:(?!like|because|what|how|not|just)[^\s,;]+ ?){1,6}/;
/** Behind a thing of the user's own, what says something without a name. */
const TOLD =
  /^(?:is|are) (?:an? (?!bit|lot)|called|named|about)|^(?:has|have|hates?|loves?|likes?) /i;

/** Right behind the verb of a thing stands a value: a name, a figure, what it is called. */
function ofThing(said: string): Saying | undefined {
  for (const { 0: verb, index } of [...said.matchAll(VERBS)].slice(0, 3)) {
    const [subject, told] = [said.slice(0, index), said.slice(index)];
    if (!THING.test(subject) || OF_TALK.test(subject)) continue;
    const known = specifics(` a${VALUE.exec(told.slice(verb.length))?.[0] ?? ""}`);
    if (known > 0 || (/^(?:my|our) (?!.*['’]s )/i.test(subject) && TOLD.test(told)))
      return ["core", PLAIN + 0.03 * known];
  }
  return undefined;
}

/** It ends what was said before; what one cannot do ends nothing. */
const OVER = either(
  /\bno longer\b|(?:\bnot|n['’]t) [^.]{1,60} any ?(?:more|longer)\b(?! (?!because|since)\p{L})/iu,
  /(?:\bnot?|n['’]t) [^.]{1,60} after all\b|^you (?:can|may) .*\bagain\b/iu,
  /\b(?:is|are) (?:fine|allowed|ok(?:ay)?|welcome) again\b|^[^,]* (?:died|retired)\b/iu,
  /^(?:my|our|the) [^.,]{1,40} (?:is|was|are|were|got) (?:cancell?ed|called off|off|closed)\b/iu,
);

/** Category and weight of a sentence on its speaker and his world; undefined: it says nothing. */
function readSaying(text: string): Saying | undefined {
  // What is longer is a text that is worked on, not a word about its writer.
  if (isQuestion(text) || text.length > 300 || telling(text) === 0) return undefined;
  const said = opened(text);
  if (REMEMBER.test(text)) return ["core", 0.85];
  if (isRule(text)) return ["principle", 0.8];
  if (FLEETING.test(said) || UNSURE.test(said)) return undefined;
  if (NEEDS.test(said)) return ["preference", 0.8];
  if (NAMED.test(said) || CALLS_SELF.test(said)) return ["core", 0.7];
  const [self] = SELF.exec(said) ?? [];
  const clauses = self === undefined ? said.split(/; |, (?=my |our )/) : [];
  const told = self === undefined ? undefined : ofSelf(self, said.slice(self.length));
  return (
    told ??
    clauses.map(ofThing).find((one) => one !== undefined) ??
    (OVER.test(said) ? ["correction", 0.65] : undefined)
  );
}

/** Does it say anything that is worth a memory? */
export const saysSomething = (text: string): boolean => readSaying(text) !== undefined;

/** A sentence without a name is talk in a longer conversation, and where tools are at work. */
const BRIEF = 12;
export const isBrief = (turns: readonly Turn[]): boolean => turns.length <= BRIEF && !isWork(turns);

/** The users' own sentences on themselves, their world, their rules. */
export function sayings(turns: readonly Turn[]): Fact[] {
  const brief = isBrief(turns);
  let unmeant = 0;
  return turns.flatMap(({ heard, index }) => {
    if (heard === undefined) return [];
    const said = unmeant > 0 ? [] : heard.statements;
    unmeant = Math.max(heard.unmeant, unmeant - 1);
    return said.flatMap((text): Fact[] => {
      const [category = "", importance = 0] = readSaying(text) ?? [];
      const key = NAMED.test(text) ? "user.name" : undefined;
      const fact = { content: `User: ${text}`, category, importance, key, from: [index] };
      return importance > PLAIN || (brief && category !== "") ? [{ ...fact, origin: "user" }] : [];
    });
  });
}
