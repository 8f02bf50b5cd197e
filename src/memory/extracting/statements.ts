import { either, inOrder, phrases } from "../../core/base.ts";
import { contentWords } from "../../core/text/sentences.ts";
import { isQuestion, opened } from "./frames.ts";
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

/** A capital inside a sentence is a name. */
const NAME = /(?<=[\p{Ll}\p{N},;:(/&+] ["'“]?)(?!I\b|I['’])\p{Lu}[\p{L}\p{N}'’-]*/gu;
const NUMBER = /\p{N}|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b/iu;
/** How much of a sentence only this world has: names, figures, code. 0…4. */
export function specifics(sentence: string): number {
  const names = new Set(sentence.match(NAME)).size;
  const isCode = /`|\w[_/]\w|\w\.\w/.test(sentence);
  return Math.min(4, names + Number(NUMBER.test(sentence)) + Number(isCode));
}

/** It leans on what stands before it, or is over by tomorrow: a mood, a guess, a moment. */
const FLEETING = either(
  /^(?:because|which|that|this|these|those|it|them|s?he|her|his|their|t?here|some\w*|people)\b/i,
  /\b(?:(?<!from )today|tonight|yesterday|tomorrow|right now|maybe|probably|might|should|seems)\b/i,
  /\b(?:this (?:morning|afternoon|evening|week)|a (?:moment|minute)|in \S+ (?:minutes|hours?))\b/i,
  /\b(?:let(?: me|['’]s)|(?:one|some) day|i (?:think|guess|suppose|hope)|(?:it|you) may)\b/i,
);

/** How the user wishes to be spoken to; by one name, so that a later takes its place. */
const ADDRESS = either(
  /\b(?:[Cc]all me (?:[Dd]r\.? |[Mm]\p{Ll}{1,2}\.? )?|[Ii] go by )\p{Lu}|\b[Aa]ddress me\b/u,
  /\b[Cc]all me (?!back|when|if|at|on|later|crazy|an?|now|to|soon)\p{Ll}+\W*$/u,
);
const NAMED = either(ADDRESS, /\b[Mm]y name(?:['’]s| is)\b|\bI['’]?m called\b/u);
const FROM_NOW = /\bfrom (?:now|here) on\b(?!,? (?:i|we)\b)/i;
/** A ban stands, and what is to be used; of courage, of patience, and of what lies at hand not. */
const STANDS = either(
  /^(?:don['’]t|do not) (?!worry|be|give|forget|hesitate|know|mind|mention|think|get|let|ask)/i,
  /^stop (?:us|suggest|recommend|add|sign|writ|repeat|call|say|includ|mention|apologi[sz])ing\b/i,
  /^(?:never (?!mind|say|give|gonna)|avoid |always (?!\w+ to\b)|prefer |no .*\bplease\b)/i,
  /^(?:only )?use (?!the|this|that|it|these|those|my|your|an?|some|more)\w+/i,
);
/** How the assistant is to speak: in which language, how long, in which tone. */
const SPEAK = either(
  /^(?:answer|reply|respond|write|speak|talk|explain)(?: (?:to|with) me)?(?: only)? in (?!th)/iu,
  /^(?:keep|make) (?:all |your |the |my )?(?:answers|replies|responses|explanations|messages)\b/iu,
  /^(?:be|stay) (?:more |as )?(?:brief|concise|short|direct|formal|informal|polite|honest)\b/iu,
);
const AT_HAND = phrases(
  "\\b",
  "(?<!from )now|for now|right away|at once|immediately|asap|again|just|yet|this time|until",
  "(?:do|\\w+ing|touch|change|delete|remove|in) (?:it|that|this|them|these|those)|else|one|next",
);
/** Another order is for once; with one of these it stands. */
const ORDER = phrases(
  "^(?:(?:when|every time)[^,]*, )?(?:i want (?:all|my) )?",
  "use|keep|write|answer|reply|respond|give|show|format|stick|sort|make|run|cite|correct|round",
  "start|end|put|name|address|explain|check|test|limit|begin|list|translate|speak|always|never",
);
const LASTING = phrases(
  "\\b",
  "always|never|whenever|when (?:you|i|we)|every time|(?:before|after|in|with|on) (?:every|each)",
  "by default|in (?:the )?future|instead of|rather than|at most|(?:under|within) [\\d,]+",
  "(?:answers|replies|responses) .*|, (?:not|no)|^when [^,]*, \\w+",
);
/** Where tools are at work, it tells how the work is to be. */
const MUST = /\b(?:must|shall|should) (?:always|never|not)\b|\bmust\b/i;

/** Where tools are at work, and in a long talk, what names nothing is talk. */
type Manner = "work" | "long" | "short";
/** A conversation of so few turns holds little else. */
const FEW_TURNS = 12;

/** Does the sentence tell how things are to be done from now on? */
export function isRule(sentence: string, manner: Manner): boolean {
  const said = opened(sentence);
  if (isQuestion(said) || telling(said) === 0) return false;
  if (ADDRESS.test(said) || FROM_NOW.test(said)) return true;
  if (manner === "work" && MUST.test(said) && telling(said) > 1) return true;
  const stands = STANDS.test(said) || (ORDER.test(said) && LASTING.test(said));
  return (SPEAK.test(said) || (stands && telling(said) > 1)) && !AT_HAND.test(said);
}

/** Told always: not to know it does harm. */
const NEEDS = phrases(
  "^(?:i|we|my|our|\\p{L}+ (?:is|of my))\\b.*\\b",
  "allerg(?:ic|y|ies)|intoleran(?:t|ce)|vegan|vegetarian|coeliac|celiac|diabet(?:es|ic)",
  "epilep(?:sy|tic)|asthma|pregnant|colou?r.?blind|dyslexi[ac]|kosher|halal|wheelchair|deaf",
);
/** "I'm Jo", "I am Jo and I live in Gent": a name, or what one is by birth or faith. */
const CALLS_SELF = inOrder(
  /^[Ii](?:['’]m| am) \p{Lu}\p{Ll}+(?<!ing)(?: \p{Lu}\p{Ll}+)?/u,
  /(?:[,.;!]|$| (?:and|from|by the way)\b)/u,
);
/** The speaker, with what may stand between "I" and the verb. */
const SELF = inOrder(
  /^(?:i|we)(?:['’](?:ve|d|m|re|ll))?(?: have(?= (?:\w+ed|been|sold|left)\b))?/i,
  /(?: (?:am|are|would|do|do not|don['’]t|no longer|been|both|also|still|usually|really|just))*/i,
  /(?: (?:now|only|always|never|mostly|mainly|recently|sometimes|often))* /i,
);
/** Of what was just said, or of the other one. */
const HERE = phrases(
  "^\\S+ (?:stand )?",
  "it|this|that|these|those|you\\w*|the (?:idea|way|sound|look|thought)|how|what|where|to see",
);
const TASTE = either(
  /^(?:rather|prefer|(?:like|love)(?! to\b)|hate|enjoy|dislike|avoid|(?:can['’]t|cannot) stand)\b/i,
  /^want to (?:be|become|learn (?!about|how|more)|lose|move|buy|build|retire|quit|improve)\b/i,
  // A wish of few words; one for this moment has an article.
  /^want (?!(?:to|you\w*|an?|the|some|more|it|th\w+|my|her|him)\b)[\p{L} -]{1,40}\W*$/iu,
);
/** What one is, does or has, something long under way, a change that stays; no mood. */
const LASTS = phrases(
  "^",
  "an? (?!bit|little|lot|few)|from|based|married|divorced|single|retired|engaged|\\d+(?!%)",
  "\\w+-handed|working (?:as|at|for|in)|called|new to|on \\w+ leave|moving (?:to|into)|afraid of",
  "not an?|(?:learn|study|train|plann|writ|build|sav|teach|rent|rais|liv|team|expect)ing (?!on it)",
  "fluent|going to (?:be|become|move|have)|responsible for|live|work|study|teach|speak|play|own",
  "drive|use|collect|earn|bank|train|learn|wear|report|deploy|meet|smoke|drink|eat|cook|bake",
  "host|belong|celebrate|commute|weigh|save|run|suffer|moved|switched|changed|left|joined",
  "stopped|quit|gave up|sold|bought|signed|hired|planted|got (?:married|engaged|divorced)|chose",
  "graduated|grew up|adopted|became|dropped|can['’]t (?:eat|drink|train|work|have|use)|decided",
  "have (?:an?|no|one|two|three|four|type|\\d+) (?!(?:\\w+ )?(?:question|idea|time|error|issue))",
);
/** A trip, where it names something. */
const TRIP = /^(?:fly|leave|travel|stay|visit|arrive|come|move)\b/i;
/** A habit, whatever of. */
const HABIT = inOrder(
  /^(?!(?:was|were|had|went|got|did|saw|made|came|took|\w+ed)\b).*/i,
  /\b(?:only|every|each|(?:once|twice|times) an?|on \w+days?)\b/i,
);
/** It has its day: a plan, or what came of one. */
const DAY = either(
  /\b(?:January|February|March|April|May|June|July|August|September|October|November)\b/u,
  /\b(?:December|(?:[MmSsFf][a-z]+|[Tt]ues|[Ww]ednes|[Tt]hurs)day|20\d\d|\d+(?:st|nd|rd|th))\b/u,
);

/** What the sentence says of its speaker: undefined for moods, steps and what is just going on. */
function ofSelf(self: string, rest: string, manner: Manner): string | undefined {
  const known = specifics(rest);
  const isState = /['’](?:m|re)\b| (?:am|are)\b/i.test(self);
  if (HERE.test(rest) || (known === 0 && manner !== "short" && !isState)) return undefined;
  const isIdle = /['’]d\b| would\b/i.test(self) && !/^rather|^prefer/i.test(rest);
  if (TASTE.test(rest)) return isIdle ? undefined : "preference";
  const isDated = manner !== "work" && DAY.test(rest) && !/\byou\b|^need\b/i.test(rest);
  if (known > 0 && (isDated || TRIP.test(rest))) return "core";
  const isHabit = !isState && manner === "short" && HABIT.test(rest);
  const lasts = isHabit || LASTS.test(rest);
  return lasts && !/['’]ll\b/i.test(self) ? "core" : undefined;
}

const VERB = phrases(
  "\\b",
  "is|are|has|have|lives?|works?|runs?|starts?|begins?|turn(?:s|ed)|moved|ends?|died|meets?|uses?",
  "owns?|hates?|loves?|likes?|prefers?|can['’]t|cannot|expires?|costs?|speaks?|plays?|goes",
  "takes?|needs?|started|joined|left|switched|belongs?|leads?|listens?|arrives?|comes?|was built",
);
/** A name before the verb, or a thing of the user's; nothing of the talk itself. */
const THING = /^(?:my|our|the|each|every|they|\p{Lu}[\p{L}\p{N}.'’-]*)(?: [^\s,:;]+){0,5} $/u;
const OF_TALK = phrases(
  "\\b",
  "step|one|thing|point|question|problem|issue|fact|reason|answer|idea|it|that|which|who|he|she",
  "you|i|we|not|no longer|would|will|could|\\w+n['’]t",
);
const VALUE = /^ (?:(?!like|because|what|how|not|just)[^\s,;]+ ?){1,6}/;
/** Behind a thing of the user's own, what says something without a name. */
const TOLD = either(
  /^(?:is|are) (?:an? (?!bit|lot)|called|named|about)/i,
  /^(?:has|have|hates?|loves?|likes?|can['’]t|lives?|works?|speaks?|plays?) \S/i,
);

/** What a thing of this world or of the user's is: right behind its verb stands a value. */
function ofThing(said: string, manner: Manner): boolean {
  const verb = VERB.exec(said);
  const subject = said.slice(0, verb?.index ?? 0);
  if (verb === null || !THING.test(subject) || OF_TALK.test(subject)) return false;
  const told = said.slice(verb.index);
  const [value = ""] = VALUE.exec(told.slice(verb[0].length)) ?? [];
  if (specifics(` a${value}`) > 0 || /^(?:died|retired)\b/i.test(told)) return true;
  return /^(?:my|our) (?!.*['’]s )/i.test(subject) && manner === "short" && TOLD.test(told);
}

const GOAL = /(?:^|\bis )(?:my|our) (?:[\w-]+ ){0,2}(?:favou?rite|goal|dream)\b/i;
/** A sentence that ends what was said before is kept; what others do or one cannot ends nothing. */
const OVER = either(
  /\bno longer\b|(?:\bnot|n['’]t) [^.]{1,60} any ?(?:more|longer)\b(?! (?!because|since)\p{L})/iu,
  /(?:\bnot?|n['’]t) [^.]{1,60} after all\b|\b(?:is|are) (?:fine|allowed|ok) again\b/iu,
  /^you (?:can|may) .*\bagain\b/iu,
);
const ENDS_NOTHING =
  /^(?:my|our) [\w-]+ (?:no longer|doesn['’]t|don['’]t)\b|\b(?:can['’]t|cannot|hardly)\b/i;

/** Longer than this a sentence is a text that is worked on, not a word about its writer. */
const LONGEST_SAYING = 300;

type Saying = Required<Pick<Fact, "category" | "importance">>;
const as = (category: string, base: number, known = 0): Saying => ({
  category,
  importance: Math.round(100 * base + 3 * known) / 100,
});

/** What the sentence says of its speaker and his world; undefined where it says nothing. */
function readSaying(text: string, manner: Manner): Saying | undefined {
  if (isQuestion(text) || text.length > LONGEST_SAYING || telling(text) === 0) return undefined;
  const said = opened(text);
  if (REMEMBER.test(text)) return as("core", 0.85);
  if (isRule(text, manner)) return as("principle", 0.8);
  if (FLEETING.test(said)) return undefined;
  if (NEEDS.test(said)) return as("preference", 0.8);
  const known = specifics(said);
  if (manner === "work" && known === 0) return undefined;
  if (GOAL.test(said)) return as("preference", 0.7);
  if (NAMED.test(said) || CALLS_SELF.test(said)) return as("core", 0.7);
  const self = SELF.exec(said)?.[0];
  const isThing =
    self === undefined && said.split(/; |, (?=my |our )/).some((one) => ofThing(one, manner));
  const category = self && ofSelf(self, said.slice(self.length), manner);
  if (category !== undefined || isThing) return as(category ?? "core", 0.6, known);
  return OVER.test(said) && !ENDS_NOTHING.test(said) ? as("correction", 0.65) : undefined;
}

/** Does it say anything that is worth a memory? */
export const saysSomething = (text: string): boolean => readSaying(text, "short") !== undefined;

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
      const key = NAMED.test(text) ? "user.name" : undefined;
      return [{ ...saying, content: `User: ${text}`, key, origin: "user", from: [index] }];
    });
  });
}
