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

/** A wish that stands by its form; of courage, of patience, and of what lies at hand none. */
const STANDS = either(
  /^(?:don['’]t|do not) (?!worry|be|give|forget|hesitate|know|mind|mention|think|get|let|ask)/i,
  /^stop (?:us|suggest|recommend|add|sign|writ|repeat|call|say|includ|mention|apologi[sz])ing\b/i,
  /^(?:never (?!mind|say|give|gonna|\w*[^s]s\b)|avoid |prefer |always (?!\w+ to\b))/i,
  /^please,? no\b|^no .*\bplease\b|^(?=.*\b(?:not|only)\b).*\bplease\W*$/i,
  /^(?:only )?use (?!th\w+|it|my|your|an?|some|more)\w+|^i (?:always|never|only) want\b/i,
);
/** Any other order is for once, but with one of these. */
const ORDER = phrases(
  "^(?:(?:when|every time)[^,]*, )?(?:(?:always|never|i want (?:all|my)) )?",
  "use|keep|write|answer|reply|respond|give|show|format|stick|sort|make|run|cite|correct|round|be",
  "start|end|put|name|address|explain|check|test|limit|begin|list|translate|speak|talk|stay",
);
const LASTING = either(
  /\b(?:always|never|every time|by default|in future|instead of|rather than|at most|whenever)\b/i,
  /\b(?:(?:before|after|in|with|on) (?:every|each)|when (?:you|i|we) (?!can)|(?:under|within) \d)/i,
  /\b(?:answers|replies|responses|messages|brief|concise|short|direct|formal|informal|polite)\b/i,
  /, (?:not|no)\b|^when [^,]*, \w|^\w+(?: (?:to|with) me)? in (?!th|an?\b|my|your)[\w ]+\W*$/i,
);
const AT_HAND = phrases(
  "\\b",
  "(?<!from )now|for now|right away|at once|immediately|asap|again|just|yet|this time|until|else",
  "one|next|(?:do|\\w+ing|touch|change|delete|remove|in) (?:it|that|this|them|these|those)",
);
const MUST = /\bfrom (?:now|here) on\b(?!,? (?:i|we)\b)|\b(?:must|should) (?:always|never|not)\b/i;

/** Does the sentence tell how things are to be done from now on? */
export function isRule(sentence: string): boolean {
  const said = opened(sentence);
  if (isQuestion(said)) return false;
  const isWish = STANDS.test(said) ? telling(said) > 1 : ORDER.test(said) && LASTING.test(said);
  return MUST.test(said) || (isWish && !AT_HAND.test(said));
}

/** Told always: not to know it does harm, or it is what one lives for. */
const NEEDS = either(
  phrases(
    "^(?:i|we|(?:both |all )?(?:my|our)|\\p{L}+ (?:is|of my))\\b.*\\b",
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
/** The speaker, with what may stand between "I" and the verb. */
const SELF = inOrder(
  /^(?:my \w+ and )?(?:i|we)(?:['’](?:ve(?: got)?|d|m|re|ll))?/i,
  /(?: have(?= (?:\w+ed|been|sold|left)\b))?/,
  /(?: (?:am|are|would|do|don['’]t|not|no longer|been|both|also|still|really|just|now|\w{2,}ly))*/i,
  /(?: (?:only|always|never|sometimes|often))* /i,
);
/** Of what was just said, or of the other one. */
const HERE = phrases(
  "^\\S+ (?:stand )?",
  "it|th(?:is|at|ese|ose)|you\\w*|the (?:idea|way|sound|look|thought)|how|what|where|to see",
);
const TASTE =
  /^(?:rather|prefer|(?:like|love)(?! to\b)|hate|enjoy|dislike|avoid|can(?:['’]t|not) stand)\b/i;
/** What one is, has or has changed; no mood. */
const STATE = phrases(
  "^",
  "from|based|married|divorced|single|retired|engaged|called",
  "\\d+(?!%)|\\w+-(?!\\w+ing)\\w+|new to|on \\w+ leave|afraid of|fluent|responsible for",
  "(?:learn|study|train|plann|sav|teach|rent|rais|liv|team|expect|fly|mov)ing (?!on|it|this)",
  "going to (?:be|become|move|have)|joined|used to (?!th)|\\w+ed .*since",
  "got (?:married|engaged|divorced|\\d+)|bought|signed|hired|planted|graduated|grew up|adopted",
  "(?:moved|switched|changed|left|dropped|stopped) (?!the|both|all|two)|became|decided|chose",
  "cancell?ed|can(?:['’]t|not) (?:eat|drink|have|use|work|do|drive) (?!th|it|an)",
  "(?:(?:not |have )?an?|have (?:no|one|two|three|four|type|\\d+)) (?!(?:\\w+ )?(?:bit|little|lot",
  "few|question|idea|time|error|issue|problem|bug|plan|list|array|file|string|table|winner|\\d+))",
  "want to (?:be|become|learn (?!about|how|more)|lose|move|buy|build|retire|quit)",
  "quit|gave up|sold|live|work|study|teach|speak|play|own|drive|use|collect|earn|wear|eat|drink",
  "smoke|commute|cook|bake|build|run|take|bank|train|weigh|suffer|meet|host|deploy|sail|ride|grow",
);
/** No step, no thought and no feeling; where it is done again and again, or names something. */
const DOES =
  /^(?!(?:was|were|had|did|want|need|hav|get|got|try|see|think|look|find|\w+ed)(?:t?ing)?\b)\w/i;
const USUAL = either(
  /\b(?:(?:every|each) (?!time)|usually|mostly|often|twice|once an?|\w+days|weekends|\w{3,}ly\b)/u,
  /\b(?:a (?:week|month)|for (?:\w+ )?(?:years|months|decades)|as an?|at an? |(?:my|our) kids)\b/,
  /(?<=\s)\p{Lu}[\p{L}-]{2,}/u,
);
/** A trip, where it names something. */
const TRIP = /^(?:fly|leave|travel|stay|visit|arrive|come|move)\b/i;
/** What the sentence says of its speaker: undefined for moods, steps and what is just going on. */
function ofSelf(self: string, rest: string, isBrief: boolean): string | undefined {
  const known = specifics(rest);
  const isState = /['’](?:m|re)\b| (?:am|are|been)\b/i.test(self);
  const isIdle = /['’](?:d|ll)\b| would\b/i.test(self);
  if (HERE.test(rest) || (known === 0 && !isBrief && !isState)) return undefined;
  if (known > 0 && TRIP.test(rest)) return "core";
  if (TASTE.test(rest))
    return isIdle && !/^(?:rather|prefer)/i.test(rest) ? undefined : "preference";
  const does = isBrief && (!isState || /^\w+ing\b/.test(rest)) && DOES.test(rest);
  return !isIdle && (STATE.test(rest) || (does && USUAL.test(rest))) ? "core" : undefined;
}

/** A name before the verb, or a thing of the user's; nothing of the talk itself. */
const THING = /^(?:my|our|the|each|every|\p{Lu}[\p{L}\p{N}.'’-]*)(?: [^\s,:;]+){0,5} $/u;
const OF_TALK = phrases(
  "\\b",
  "step|one|thing|point|question|problem|issue|fact|reason|answer|idea|it|that|which|who|he|she",
  "code|file|function|script|test|error|line|guess|bet|you|i|we|not|no longer|would|will|could",
  "\\w+n['’]t",
);
const VERBS = new RegExp(
  phrases(
    "\\b",
    "is|are|has|have|can['’]t|cannot|moved|ended|died|retired|started|joined|left|switched|turned",
    "was (?:built|born)|went (?:up|down)|costs?|(?<=\\b(?:my|our) [^.,]{1,40})[a-z]{2,}[^su'’]s",
    "lives?|works?|runs?|starts?|meets?|uses?|belongs?|leads|listens|takes? place|arrives?",
    "expires?|stands?|goes?",
  ),
  "giu",
);
const VALUE = /^ (?:(?!like|because|what|how|not|just)[^\s,;]+ ?){1,6}/;
/** Behind a thing of the user's own, what says something without a name. */
const TOLD =
  /^(?:(?:is|are) (?:an?(?! bit| lot)|called|named|about|on|in)|has|have|(?:hat|lov|lik)es?) /i;

/** What a thing of this world or of the user's is: right behind its verb stands a value. */
const ofThing = (said: string, isBrief: boolean): boolean =>
  [...said.matchAll(VERBS)].some(({ 0: verb, index }) => {
    const [subject, told] = [said.slice(0, index), said.slice(index)];
    if (!THING.test(subject) || OF_TALK.test(subject)) return false;
    const [value = ""] = VALUE.exec(told.slice(verb.length)) ?? [];
    if (specifics(` a${value}`) > 0 || /^(?:died|retired)\b/i.test(told)) return true;
    return isBrief && /^(?:my|our) (?!.*['’]s )/i.test(subject) && TOLD.test(told);
  });

/** It ends what was said before; what one cannot do ends nothing. */
const OVER = either(
  /\bno longer\b|(?:\bnot|n['’]t) [^.]{1,60} any ?(?:more|longer)\b(?! (?!because|since)\p{L})/iu,
  /(?:\bnot?|n['’]t) [^.]{1,60} after all\b|^you (?:can|may) .*\bagain\b/iu,
  /\b(?:is|are) (?:fine|allowed|ok(?:ay)?|welcome) again\b/iu,
  /^(?:my|our|the) [^.,]{1,40} (?:is|was|are|were|got) (?:cancell?ed|called off|off|closed)\b/iu,
);

/** What a clause says of its speaker and his world; undefined where it says nothing. */
function readSaying(
  text: string,
  isBrief: boolean,
): readonly [category: string, importance: number] | undefined {
  // What is longer is a text that is worked on, not a word about its writer.
  if (isQuestion(text) || text.length > 300) return undefined;
  const said = opened(text);
  if (REMEMBER.test(text)) return ["core", 0.85];
  if (isRule(text)) return ["principle", 0.8];
  if (FLEETING.test(said) || UNSURE.test(said)) return undefined;
  if (NEEDS.test(said)) return ["preference", 0.8];
  if (NAMED.test(said) || CALLS_SELF.test(said)) return ["core", 0.7];
  const self = SELF.exec(said)?.[0];
  const category = self && ofSelf(self, said.slice(self.length), isBrief);
  if (category || (!self && ofThing(said, isBrief)))
    return [category ?? "core", 0.6 + 0.03 * specifics(said)];
  return OVER.test(said) ? ["correction", 0.65] : undefined;
}

/** A sentence of one's own, so far: who begins with another's words goes on with them. */
const OWN =
  /(?<=^(?:\p{L}{2,8}[,!.] |so |and |both )*(?:my|our|i|we|you can|call me|please|never)\b.*)/iu;
/** Behind it stands a clause that leans on nothing before it. */
const JOINT = inOrder(
  /(?:\s*[,;–—]\s*(?:(?:and|so|also|plus)\s+)?|\s+(?:and|so|plus)\s+)/iu,
  OWN,
  /(?=(?:i|we|my|our|please|don['’]t|never|always|call me)\b)/,
  /(?!.* (?:there|its?|that|then|th(?:em|ey|is|ese|ose)|s?he|him|his|her|one)\b)/,
);
/** Or a question. */
const ASKS = inOrder(
  /[,;:–—-]\s*/iu,
  OWN,
  /(?:(?:and|so|but) )?(?:what|how|which|where|who|can|could|should|is|do|any)\b.*\?$/,
);

/** What is named nothing in a longer conversation, and where tools are at work, is talk. */
const BRIEF = 12;
export const isBrief = (turns: readonly Turn[]): boolean => turns.length <= BRIEF && !isWork(turns);

/** What users said of themselves, their world, their rules, in their own sentences. */
export function sayings(turns: readonly Turn[]): Fact[] {
  const brief = isBrief(turns);
  let unmeant = 0;
  return turns.flatMap(({ heard, index }) => {
    if (heard === undefined) return [];
    const said = unmeant > 0 ? [] : heard.statements;
    unmeant = Math.max(heard.unmeant, unmeant - 1);
    return said.flatMap((sentence): Fact[] => {
      const whole = sentence.replace(ASKS, "");
      const clauses = whole.split(JOINT);
      const told = clauses.flatMap((text): Fact[] => {
        const [category, importance = 0] = readSaying(text, brief) ?? [];
        const key = NAMED.test(text) ? "user.name" : undefined;
        if (category === undefined) return [];
        const content = `User: ${text}`;
        return [{ content, category, importance, key, from: [index], origin: "user" }];
      });
      return told.length === clauses.length
        ? told
        : told.slice(0, 1).map((fact) => ({ ...fact, content: `User: ${whole}` }));
    });
  });
}
