import { either, inOrder, phrases } from "../../core/base.ts";
import { contentWords, fitting, sentences } from "../../core/text/sentences.ts";
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
  /\bremember that\b|(?:^|[.,;!] )(?:please )?remember(?: this)?\b(?! (?:when|how|me)\b)/i,
  /\bkeep (?:that |this )?in mind\b|\bfor the record\b|\b(?:don['’]t|never) forget that\b/i,
);

/** A capital inside a sentence is a name; behind a comma at its end it calls the other speaker. */
const NAME = /(?<=[\p{Ll}\p{N},;:(/&+] ["'“]?)(?!I\b|I['’])\p{Lu}[\p{L}\p{N}'’-]*/gu;
const CALLED = /[,!]\s+\p{Lu}\p{Ll}+(?=[.!?…]*$)/u;
const NUMBER = /\p{N}|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve)\b/iu;
/** How much of a sentence only this world has: names, figures, code. 0…4. */
function specifics(sentence: string): number {
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
/** Courage for somebody else, or an order for this moment, is no rule. */
const FOR_NOW = phrases(
  "\\b",
  "never (?:mind|say never)",
  "(?:do not|don['’]t) (?:give up|forget|worry|hesitate|know|mind|mention)|right away|at once",
  "immediately|asap|for now",
);
/** How the user wishes to be spoken to. */
const ADDRESS = /\bcall me (?!back|when|if|at|on|later|crazy)\p{L}/iu;
const ORDERS = phrases(
  "^",
  "always|never|only|use|keep|avoid|write|answer|reply|respond|give|show|format|stick|sort",
  "don['’]t|do not|make sure|run|cite|correct|round|stop|prefer|start|end|put|name|address",
  "explain|check|test|limit|begin|ask|tell|mark|list|mention|translate|speak|talk",
  "from (?:now|here) on|in (?:the )?future",
  "(?:when(?:ever)?|every time|each time|before|after) [^,]*, \\w+|i want (?:all|every|each|my)",
);
const STANDS = either(
  /^(?:always|never|avoid|prefer|only|don['’]t|do not|stop \w+ing \w+)\b/i,
  /^keep .* (?:under|below|within)\b/i,
  /^use (?!the|this|that|it|these|those|my|your)\b/i,
  /\b(?:always|never|when(?:ever)?|every|each|all|any|by default|at most|no more than)\b/i,
  /\b(?:from (?:now|here) on|in (?:the )?future|instead of|rather than)\b/i,
);
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
  if (FOR_NOW.test(said) || isQuestion(said) || telling(said) === 0) return false;
  const isOfWork = manner === "work" && IN_WORK.test(said) && telling(said) > 1;
  return ADDRESS.test(said) || (ORDERS.test(said) && STANDS.test(said)) || isOfWork;
}

/** Told always: not to know it does harm. */
const NEEDS = phrases(
  "^(?:i|we|my|our)\\b.*\\b",
  "allerg(?:ic|y|ies)|intoleran(?:t|ce)|vegan|vegetarian|coeliac|celiac|diabet(?:es|ic)",
  "epilep(?:sy|tic)|asthma|pregnant|colou?r.?blind|dyslexi[ac]|kosher|halal|wheelchair|deaf",
);
/** The speaker, with what may stand between "I" and the verb. */
const SELF = inOrder(
  /^(?:i|we)(?:['’](?:ve|d|m|re|ll))?(?: (?:have|am|are)(?= (?:\w+ed|been|sold|left|an?)\b))?/i,
  /(?: (?:am|are|would|do|do not|don['’]t|no longer|been|both|also|still|usually|really|just))*/i,
  /(?: (?:now|only|always|never|mostly|mainly|recently|sometimes|often|totally|100%))* /i,
);
/** Of this very moment, of what was just said, or of the mind only. */
const MOMENT = phrases(
  "^",
  "see|think|know|understand|mean|guess|agree|feel|hope|wonder|get|wait|promise|suggest",
  "recommend|ask|thank|wish|bet|say|hear|look|try|forget|remember|notice|believe|suppose|doubt",
  "appreciate|need|care|mind|can(?!['’]t)|could(?:n['’]t)?|wanna|gonna|gotta|hang",
  "(?:can['’]t|cannot) (?:find|see|open|get)|want to (?:know|see|ask|go|check|say|thank|try)",
  "\\w+ (?:it|this|that|these|you|your|the idea)",
  "have (?:an? |no )?(?:\\w+ )?(?:question|idea|look|problem|error|issue|feeling|minute|meeting)",
  "have to",
);
/** What was done or felt once is history; what changed with it lasts. */
const EVENT = phrases(
  "^",
  "was|were|had|did(?:n['’]t)?|went|saw|got|came|ate|made|said|told|found|felt|slept|ran|took",
  "met|lost|spent|thought|heard|forgot|woke|broke|wrote|won|sent|put|paid|burnt|\\w+ed",
);
const CHANGED = phrases(
  "^",
  "moved|switched|changed|left|joined|started|stopped|quit|gave up|given up|sold|bought|married",
  "born|got (?:married|engaged|divorced)|graduated|grew up|adopted|signed|dropped|retired|became",
);
const TASTE = phrases("^", "rather|prefer|like|love|hate|enjoy|dislike|want|avoid|can['’]t stand");
/** "I'm …": a state that lasts, or something long under way; no mood. */
const STATE = phrases(
  "^",
  "an?|the|from|based|on|in|called|married|divorced|single|retired|engaged|new to|\\w+-handed",
  "\\d+",
  "(?:learn|study|train|plann|mov|work|writ|build|sav|teach|expect|rent|rais|liv|team|hop)ing",
  "fluent|going to (?:be|become|move|have|start|get|stop|give)|responsible",
  "not (?!sure|ready|here)\\w+",
);
/** A journey is a plan where it has a place or a day. */
const UNDER_WAY = /^(?!(?:fly|leav|travell?|stay|visit|driv|com)ing\b)\w+ing\b/i;
const VERB = phrases(
  "\\b",
  "is|are|has|have|lives?|works?|runs?|starts?|begins?|turns?|moved|ends?|died|meets?|uses?",
  "owns?|hates?|loves?|likes?|prefers?|can['’]t|cannot|expires?|costs?|speaks?|plays?|goes",
  "takes?|started|joined|left|switched|belongs?|leads?|listens?|needs?|isn['’]t|aren['’]t",
  "doesn['’]t",
);

/** What a thing of this world or of the user's is: behind its verb stands a value. */
function tellsOfThing(said: string, manner: Manner): boolean {
  const verb = VERB.exec(said);
  if (verb === null || !/^[^,:;]{1,60}$/.test(said.slice(0, verb.index))) return false;
  const value = ` a${said.slice(verb.index + verb[0].length)}`;
  const isUnderWay = /^ a (?:\w+ly )?\w+ing\b/.test(value);
  const isOwn = /^(?:my|our)\b/i.test(said) && manner === "short" && !isUnderWay;
  return specifics(value) > 0 || (isOwn && telling(value) > 0);
}

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
  if (/^(?:my|our) (?:\w+ )?(?:favou?rite|goal|dream)\b/i.test(said)) return as("preference", 0.7);
  const self = SELF.exec(said)?.[0];
  if (self === undefined) return tellsOfThing(said, manner) ? as("core", 0.55, known) : undefined;
  const rest = said.slice(self.length);
  const isBare = (manner !== "short" || /['’]ll| will /i.test(self)) && specifics(rest) === 0;
  if (MOMENT.test(rest) || (isBare && !STATE.test(rest) && !CHANGED.test(rest))) return undefined;
  if (/^(?:decided|chose|agreed)\b/i.test(rest)) return as("decision", 0.65);
  if (TASTE.test(rest)) return as("preference", 0.65, known);
  const isLasting = /^(?:i|we)(?:['’](?:m|re)| am| are)\b/i.test(self)
    ? STATE.test(rest) || (specifics(rest) > 0 && !UNDER_WAY.test(rest))
    : CHANGED.test(rest) || !EVENT.test(rest);
  return isLasting ? as("core", 0.6, known) : undefined;
}

/** "9443, not 8080"; "use pnpm instead"; "not any more". */
const CONTRAST = either(
  /[,;]\s(?:not|no)\s(?!(?:one|doubt|time|matter|sure|only|even|just|to|that|problem)\b)\w/i,
  /\b(?:is|are|was)(?:n['’]t| not)\b[^.;]{1,60},\s(?:it['’]s|they['’]re|it)\b|\bno longer\b/i,
  /\binstead\b(?! of \w+ing\b)|\brather than\b|\bany ?more\b|\bany longer\b|\bmisunderstood\b/i,
  /\bi (?:meant|said)\b|\bthat(?:['’]s| is) not\b|(?:['’]s| is) wrong\b|\bshould have\b|\bundid\b/i,
  /^(?:actually|correction|i was wrong)\b|^not\b.+,/i,
);
const OPENS = /^(?:no|nope|nah|wrong|sorry)\s*[,.!:;–—-]\s*/i;
/** A correction is a sentence; what is longer is a text. */
const LONGEST_CORRECTION = 400;

/** Does the sentence say that something was wrong, and what is right? */
export function isCorrection(sentence: string): boolean {
  const text = sentence.trim();
  const said = text.replace(OPENS, "");
  if (text.length > LONGEST_CORRECTION || isQuestion(text) || FOR_NOW.test(text)) return false;
  if (telling(said) < 2 || (THANKS.test(text) && specifics(said) === 0)) return false;
  return CONTRAST.test(text) || (said !== text && (specifics(said) > 0 || isRule(said, "short")));
}

/** Does it say anything that is worth a memory, or correct something? */
export const saysSomething = (text: string): boolean =>
  readSaying(text, "short") !== undefined || isCorrection(text);

/** A name for what the sentence settles, so that a later word on it takes its place. */
function keyOf(text: string): string | undefined {
  const said = opened(text);
  if (ADDRESS.test(said) || /^(?:my name(?:['’]s| is)|i['’]?m called|i go by)\s/i.test(said))
    return "user.name";
  if (/^I\S*(?: now)? (?:live in|based in|living in|moved to) [A-Z]/.test(said)) return "user.home";
  if (/^i(?: now)? (?:work (?:at|for)|joined)\s/i.test(said)) return "user.work";
  const [, noun = "", value = ""] =
    /^(?:my|our) ((?!and\b)(?:[\w'’-]+ ){1,4}?)(?:is|are|moved|runs|starts)\b(.*)$/i.exec(said) ??
    [];
  const [figure, name] = [NUMBER.test(value) && "-figure", ` a${value}`.match(NAME) && "-name"];
  const kind = figure || name || "";
  return noun === "" ? undefined : `user.${noun.trim().toLowerCase().replace(/\s+/g, "-")}${kind}`;
}

/** Longer than this a sentence is a text that is worked on, not a word about its writer. */
const LONGEST_SAYING = 300;
/** A rule of so few words tells its subject in the next sentence. */
const SHORT = 4;
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
    return said.flatMap((text, at): Fact[] => {
      const saying = readSaying(text, manner);
      if (saying === undefined) return [];
      const isShort = saying.category === "principle" && telling(text) < SHORT;
      const next = isShort && !isQuestion(said[at + 1] ?? "") ? ` ${said[at + 1] ?? ""}` : "";
      const content = fitting(`User: ${text}${next}`.trim(), 2 * LONGEST_SAYING);
      const key = saying.category === "core" || ADDRESS.test(text) ? keyOf(text) : undefined;
      return [{ ...saying, content, key, origin: "user", from: [index] }];
    });
  });
}

/** "AskUserQuestion", "ask_user", "ask_followup_question"; not "Task". */
const ASKS_USER = /^ask(?=[A-Z_]|$)|_ask(?:_|$)|user_?input|clarify/i;
const ANSWERS = /"([^"\n]{3,300})"\s?[=:]\s?"([^"\n]{1,300})"/g;

/** What the user answered to a question that a tool asked: a decision, though a tool tells it. */
export const answered = (turns: readonly Turn[]): Fact[] =>
  turns
    .flatMap(({ steps }) => steps)
    .flatMap(({ name, answer }): Fact[] =>
      answer === undefined || answer.failed || !ASKS_USER.test(name)
        ? []
        : [...answer.text.slice(0, 4_000).matchAll(ANSWERS)].map(([, question, reply]) => ({
            ...as("decision", 0.65),
            content: fitting(`User decided: ${question} → ${reply}`, LONGEST_SAYING),
            origin: "tool",
            from: [answer.index],
          })),
    );
