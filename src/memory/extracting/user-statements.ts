import { either, inOrder, phrases } from "../../core/base.ts";
import { contentWords, sentences } from "../../core/text/sentences.ts";
import { isStopword } from "../../core/text/terms.ts";
import type { Fact } from "./task.ts";
import { isWork, type Turn } from "./transcript.ts";

/** These words may stand before a sentence's beginning without changing it. */
const OPENING = inOrder(
  phrases(
    "^",
    "ok|okay|so|well|and|but|also|yeah|yes|oh|hey|hi|hello|um|then|now|right|sure|btw|by the way",
    "my dude|actually|sorry|no(?:pe)?(?=[,.!:;–—-])|just|please|thanks|thank you|alright|hmm|omg",
    "omfg|dude|correction|update|fyi|note(?: for later)?|one more thing|i was wrong",
    "for the record|wrong|in fact|currently|remember",
  ),
  /[\s,.:;!–—-]*/iu,
);
function opened(text: string): string {
  const rest = text.replace(OPENING, "");
  return rest === text ? text : opened(rest);
}

/** The sentences of a text without its code. */
export const spoken = (text: string): string[] =>
  sentences(text).flatMap((one) => (one.code ? [] : [one.text]));
/** How many words of content a sentence holds. */
export const telling = (sentence: string): number => new Set(contentWords(sentence)).size;
export const isQuestion = (sentence: string): boolean => /[?？]["'”’)\]]*$/u.test(sentence.trim());
export const THANKS =
  /\b(?:thanks|thank you|great|perfect|nice|well done|love it|all good|not bad)\b/i;
export const REMEMBER = either(
  /(?<!\bi )\bremember that\b|(?:^|[.,;!] )(?:please )?remember(?: this)?\b(?! (?:when|how|me)\b)/i,
  /\bkeep (?:that |this )?in mind\b|\bfor the record\b|\b(?:don['’]t|never) forget that\b/i,
);

/** A capital inside a sentence is a name; behind a comma at its end it calls the other speaker. */
const NAME = /(?<=[\p{Ll}\p{N},;:(/&+] ["'“]?)(?!I\b|I['’])\p{Lu}[\p{L}\p{N}'’-]*/gu;
const CALLED = /[,!]\s+\p{Lu}\p{Ll}+(?=[.!?…]*$)/u;
const NUMBER = /\p{N}|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b/iu;
/** How much of a sentence only this world has: names, figures, code. 0…4. */
export function specifics(sentence: string): number {
  const text = sentence.replace(CALLED, " ");
  const names = new Set(text.match(NAME)).size;
  return Math.min(4, names + Number(NUMBER.test(text)) + Number(/`|\w[_/]\w|\w\.\w/.test(text)));
}

/** It cannot be understood without what stands before it. */
const LEANS = phrases(
  "^",
  "because|which|after that|that|this|these|those|it|they(?! \\w+ (?:my|our)\\b)|them|she|he|her",
  "his|their|the other|the (?:first|second|last) one|there|here|instead|same|some|someone",
  "somebody|people|everyone|everything|nobody",
);
/** A mood, a meal, a guess or the day so far is over by tomorrow. */
const PASSES = phrases(
  "\\b",
  "(?<!from )today|tonight|yesterday|right now|at the moment|earlier|later|finally|by accident",
  "this (?:morning|afternoon|evening|week|minute)|last (?:night|week|weekend|\\w+day)",
  "a (?:moment|minute)|in (?:an?|one|two|five|ten|\\d+) (?:min\\w*|hours?|sec\\w*)",
  "(?:one|some) day|maybe|perhaps|might|may|i (?:think|guess|suppose|believe|assume|hope|bet)",
  "probably|could be|no idea|should|supposed to|looks like|seems?|let me|let['’]s",
);
/** Courage, impatience, or an order for this moment is no rule. */
const FOR_NOW = phrases(
  "\\b",
  "never (?:mind|say never)",
  "(?:do not|don['’]t) (?:give up|forget|worry|hesitate|know|mind|mention)|right away|at once",
  "immediately|asap|for now|(?<!from )now|again|just|yet|this time|until",
);
/** How the user wishes to be spoken to. */
const ADDRESS = /\bcall me (?!back|when|if|at|on|later|crazy)\p{L}/iu;
/** An order by itself is for once; these stand. */
const STANDS = either(
  /^(?:please )?(?:always|never|avoid|prefer)\b|^from (?:now|here) on\b|^in (?:the )?future\b/i,
  /^(?:don['’]t|do not|stop) (?:us[ei]|suggest|recommend|schedul|includ|mention|writ|answer|call)/i,
  /^(?:don['’]t|do not|stop) (?:add|put|book|rely|commit|push|format|rewrit|repeat|apologi|try)/i,
  /^(?:only )?use (?!the|this|that|it|these|those|my|your|an?|some|more)\w+/i,
  /^keep .* (?:under|below|within)\b/i,
  /^(?:when(?:ever)?|every time) [^,]*, (?:please )?(?:always|never|use|keep|answer|write|sort)\b/i,
);
const ORDERS = phrases(
  "^",
  "use|keep|write|answer|reply|respond|give|show|format|stick|sort|make|run|cite|correct|round",
  "start|end|put|name|address|explain|check|test|limit|begin|list|translate|speak",
  "i want (?:all|my)",
);
const ALWAYS = phrases(
  "\\b",
  "always|never|when(?:ever)? (?:you|i|we)|every time|(?:before|after|in|with) (?:every|each)",
  "by default|from (?:now|here) on|in future|instead of|rather than|at most",
  "(?:answers|replies|responses) .*",
);
const FROM_NOW = /\bfrom (?:now|here) on\b/i;
/** Where tools are at work, an order tells how the work is to be. */
const IN_WORK =
  /\b(?:must|shall|should) (?:always|never|not)\b|\bmust\b|^no \p{L}+.*!$|, no \p{L}+/iu;

/** Where tools are at work, and in a long talk, what names nothing is talk. */
type Manner = "work" | "long" | "short";
/** A conversation of so few turns holds little else. */
const FEW_TURNS = 12;

/** Does the sentence tell how things are to be done from now on? */
export function isRule(sentence: string, manner: Manner): boolean {
  const said = opened(sentence);
  if (isQuestion(said) || telling(said) === 0) return false;
  const isOfWork = manner === "work" && IN_WORK.test(said) && telling(said) > 1;
  const isStanding = STANDS.test(said) || (ORDERS.test(said) && ALWAYS.test(said));
  if (ADDRESS.test(said) || isOfWork || FROM_NOW.test(said)) return true;
  return isStanding && !FOR_NOW.test(said);
}

/** Told always: not to know it does harm. */
const NEEDS = phrases(
  "^(?:i|we|my|our)\\b.*\\b",
  "allerg(?:ic|y|ies)|intoleran(?:t|ce)|vegan|vegetarian|coeliac|celiac|diabet(?:es|ic)",
  "epilep(?:sy|tic)|asthma|pregnant|colou?r.?blind|dyslexi[ac]|kosher|halal|wheelchair|deaf",
);
/** The speaker, with what may stand between "I" and the verb. */
const SELF = inOrder(
  /^(?:i|we)(?:['’](?:ve|d|m|re|ll))?(?: have(?= (?:\w+ed|been|sold|left)\b))?/i,
  /(?: (?:am|are|would|do|do not|don['’]t|no longer|been|both|also|still|usually|really|just))*/i,
  /(?: (?:now|only|always|never|mostly|mainly|recently|sometimes|often))* /i,
);
/** A habit, a thing one has, a change that stays. */
const LIFE = phrases(
  "^",
  "live|work|study|teach|speak|play|own|drive|use|collect|earn|bank|train|learn|wear|report",
  "deploy|meet|smoke|drink|eat|cook|bake|host|belong|celebrate|commute|weigh|save|run|suffer",
  "moved|switched|changed|left|joined|stopped|quit|gave up|sold|bought",
  "got (?:married|engaged|divorced)|graduated|retired|grew up|adopted|became|dropped|decided",
  "chose|agreed",
  "have (?:an?|no|one|two|three|four|type|\\d+) (?!(?:\\w+ )?(?:question|idea|time|error|issue))",
);
/** A plan or an event is worth a memory where it has a name, a place or a day. */
const PLANS = phrases(
  "^",
  "(?:fly|leav|travell?|stay|visit|arriv|com|hir)(?:e|ing)?|signed",
  "take (?!an?|the|care|notes|time|it)|can['’]t (?:eat|drink|train|work|meet|have|use)",
  "want (?!to\\b|you\\b)|flew|hired",
);
const TASTE = phrases(
  "^",
  "(?:rather|prefer|(?:like|love)(?! to\\b)|hate|enjoy|dislike|avoid|(?:can['’]t|cannot) stand)",
);
const WANTS = phrases(
  "^want to ",
  "be|become|learn (?!about|how|more)|lose|save|move|buy|build|retire|pay|quit|improve|live",
);
/** Of what was just said, or of the other one. */
const HERE = phrases(
  "^\\S+ (?:stand )?",
  "it|this|that|these|those|you\\w*|the (?:idea|way|sound|look|breakdown)|how|what|where|to see",
);
/** "I'm …": a state that lasts, or something long under way; no mood. */
const STATE = phrases(
  "^",
  "an? (?!bit|little|lot|few)|working (?:as|at|for|in)|from|based|called|married|divorced|single",
  "retired|engaged|new to|\\w+-handed|\\d+|on \\w+ leave|moving (?:to|into|in)",
  "(?:learn|study|train|plann|writ|build|sav|teach|rent|rais|liv|team|expect)ing (?!on it)",
  "fluent|going to (?:be|become|move|have)|responsible for|not an?",
);
const VERB = phrases(
  "\\b",
  "is|are|has|have|lives?|works?|runs?|starts?|begins?|turns?|moved|ends?|died|meets?|uses?",
  "owns?|hates?|loves?|likes?|prefers?|can['’]t|cannot|expires?|costs?|speaks?|plays?|goes",
  "takes?|needs?|started|joined|left|switched|belongs?|leads?|listens?",
);

/** Of the talk itself, no thing of the world. */
const STEP =
  /\b(?:next|last|first|only|thing|point|question|problem|issue|fact|reason|answer|idea)\b/i;
const HAS = /^(?:has|have|hates?|loves?|likes?|can['’]t|lives?|works?|died|speaks?|plays?)$/i;

/** What a thing of this world or of the user's is: right behind its verb stands a value. */
function tellsOfThing(said: string, manner: Manner): boolean {
  const verb = VERB.exec(said);
  const subject = verb === null ? "" : said.slice(0, verb.index);
  const [first = ""] = subject.toLowerCase().split(" ", 1);
  const isOwn = /^(?:my|our)$/.test(first);
  const isNamed = isOwn || /^(?:the|each|every|they)$/.test(first) || !isStopword(first);
  if (verb === null || !isNamed || STEP.test(subject) || !/^(?:[^\s,:;]+ ){1,6}$/.test(subject))
    return false;
  const value =
    said
      .slice(verb.index + verb[0].length)
      .match(/^(?: (?!like|because|what|how|not|just)[^\s,;]+){1,6}/)?.[0] ?? "";
  if (specifics(` a${value}`) > 0) return true;
  const isTold = /^(?:is|are)$/i.test(verb[0])
    ? /^ (?:an? (?!bit|lot)|called|named)/i.test(value)
    : HAS.test(verb[0]);
  return isOwn && manner === "short" && isTold;
}

/** What the sentence says of its speaker: undefined for moods, steps and what is just going on. */
function readSelf(self: string, rest: string, manner: Manner): string | undefined {
  const known = specifics(rest);
  const isOfNow = known === 0 && /['’]d\b| would\b/i.test(self) && /^\w+ to\b/i.test(rest);
  if (HERE.test(rest) || isOfNow) return undefined;
  if (TASTE.test(rest) || WANTS.test(rest))
    return known > 0 || manner === "short" ? "preference" : undefined;
  const isState = /['’](?:m|re)\b| (?:am|are)\b/i.test(self);
  const lasts = isState ? STATE.test(rest) : LIFE.test(rest) && !/['’]ll\b/i.test(self);
  if (!(lasts && (known > 0 || isState || manner === "short")) && !(known > 0 && PLANS.test(rest)))
    return undefined;
  return /^(?:decided|chose|agreed)\b/i.test(rest) ? "decision" : "core";
}

const GOAL = /(?:^|\bis )(?:my|our) (?:[\w-]+ ){0,2}(?:favou?rite|goal|dream)\b/i;
/** A sentence that ends what was said before is kept. */
const OVER = either(
  /\bno longer\b|\bany ?(?:more|longer)\b(?! (?!because|since)\p{L})/iu,
  /(?:\bnot?|n['’]t) [^.]{1,60} after all\b|\b(?:is|are) (?:fine|allowed|ok) again\b/iu,
);
type Saying = Required<Pick<Fact, "category" | "importance">>;
const as = (category: string, base: number, known = 0): Saying => {
  const importance = Math.round(100 * base + 3 * known) / 100;
  return { category, importance };
};

/** What the sentence says of its speaker and his world; undefined where it says nothing. */
function readSaying(text: string, manner: Manner): Saying | undefined {
  if (isQuestion(text) || text.length > LONGEST_SAYING || telling(text) === 0) return undefined;
  const said = opened(text);
  if (REMEMBER.test(text)) return as("core", 0.85);
  if (isRule(text, manner)) return as("principle", 0.8);
  if (PASSES.test(said) || LEANS.test(said)) return undefined;
  if (NEEDS.test(said)) return as("preference", 0.8);
  const known = specifics(said);
  if (manner === "work" && known === 0) return undefined;
  if (GOAL.test(said)) return as("preference", 0.7);
  const self = SELF.exec(said)?.[0];
  const isThing =
    self === undefined && said.split("; ").some((clause) => tellsOfThing(clause, manner));
  const category = self && readSelf(self, said.slice(self.length), manner);
  if (category !== undefined || isThing) return as(category ?? "core", 0.6, known);
  const isOthers = /^(?:my|our) [\w-]+ (?:no longer|doesn['’]t|don['’]t)\b/i.test(said);
  return OVER.test(said) && !isOthers ? as("correction", 0.65) : undefined;
}

/** Does it say anything that is worth a memory? */
export const saysSomething = (text: string): boolean => readSaying(text, "short") !== undefined;

const VERBS: Readonly<Record<string, string>> = { moved: "live", joined: "work" };

/** A name for what the sentence settles, so that a later word on it takes its place. */
function keyOf(text: string): string | undefined {
  const said = opened(text);
  if (ADDRESS.test(said) || /^(?:my name(?:['’]s| is)|i['’]?m called|i go by)\s/i.test(said))
    return "user.name";
  const [, verb] =
    /\bI(?:['’]ve)?(?: now)? (live|work|teach|study|bank|moved|joined)\b.* \p{Lu}/u.exec(said) ??
    [];
  if (verb !== undefined) return `user.${VERBS[verb] ?? verb}`;
  const [, noun = "", value = ""] =
    /^(?:my|our) ((?!and\b)(?:[\w'’-]+ ){1,4}?)(?:is|are|moved|runs|starts)\b(.*)$/i.exec(said) ??
    [];
  const [figure, name] = [NUMBER.test(value) && "-figure", ` a${value}`.match(NAME) && "-name"];
  const kind = figure || name || "";
  return noun === "" ? undefined : `user.${noun.trim().toLowerCase().replace(/\s+/g, "-")}${kind}`;
}

/** Longer than this a sentence is a text that is worked on, not a word about its writer. */
const LONGEST_SAYING = 300;
/** A part that is played for longer than this was left without a word. */
const LONGEST_PLAY = 12;
const ENDS_PLAY = phrases(
  "\\b",
  "stop|end|enough|game over|back to|thanks|thank you|out of character|seriously|new topic",
);

/** What users said of themselves, their world, their rules, in their own sentences. */
export function sayings(turns: readonly Turn[]): Fact[] {
  const short = turns.length <= FEW_TURNS ? "short" : "long";
  const manner = isWork(turns) ? "work" : short;
  let [plays, awaits] = [0, false];
  return turns.flatMap(({ heard, index }) => {
    if (heard === undefined) return [];
    plays = ENDS_PLAY.test(heard.own) ? 0 : plays - 1;
    const said = plays <= 0 && !awaits ? heard.statements : [];
    if (heard.next === "play") plays = LONGEST_PLAY;
    awaits = heard.next === "text";
    return said.flatMap((text): Fact[] => {
      const saying = readSaying(text, manner);
      if (saying === undefined) return [];
      const key = saying.category === "core" || ADDRESS.test(text) ? keyOf(text) : undefined;
      return [{ ...saying, content: `User: ${text}`, key, origin: "user", from: [index] }];
    });
  });
}
