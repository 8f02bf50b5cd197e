import { either, inOrder, phrases } from "../../core/base.ts";
import { specifics, telling } from "../../core/text/sentences.ts";
import { isQuestion, JOINT, opened, unasked } from "./frames.ts";
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
/** It leans on what stands before it, or is over by tomorrow. */
const FLEETING = either(
  /^(?:because|which|that|this|these|those|it|them|s?he|her|his|their|t?here|some\w*|people)\b/i,
  /\b(?:(?<!(?:from|starting|as of) )today|tonight|yesterday|tomorrow|right now)\b/i,
  /\b(?:a (?:moment|minute|sec(ond)?)|in \S+ (?:minutes|hours?)|this (?:morning|evening|week))\b/i,
);
/** How things are done is said with these. */
const MANNER = `use|leave out|keep|write|answer|reply|respond|give|show|format|stick|sort|run|cite
  correct|round|be|start|end|convert|put|name|address|explain|check|test|limit|begin|list|translate
  make(?! the)|speak|talk|stay`;
const ORDERS = phrases(
  "^",
  `${MANNER}
  (?:what|who|how|where)(?:['’]?s)?|whose|when|which|why|is|are|do|does|did|can|could|should
  would|will|am|were|has|need|any|looking|trying|quick|add|ask|calculate|change|compare|compose
  continue|convert|copy|create|define|delete
  describe|design|draft|find|fix|generate|help|leave|let['’]s|move|pick|plan|proofread|quiz
  read|recommend|remove|rewrite|say|send|shorten|sing|solve|spell|suggest|summari[sz]e|teach
  tell|try|update`,
);
/** Asks it, without a sign too, or orders what is over when it is done? */
export const isOrder = (sentence: string): boolean =>
  isQuestion(sentence) || ORDERS.test(opened(sentence));
/** A wish that stands by its form; one of courage, of patience, of what lies at hand does not. */
const STANDS = either(
  /^(?:do?n['’]?t|do not) (?!worry|be|give|forget|hesitate|know|mind|mention|think|get|let|ask)/i,
  /^stop (?:us|suggest|recommend|add|sign|writ|repeat|call|say|includ|mention|apologi|giv)\w+\b/i,
  /^no need to (?!worry|hurry|rush|answer|reply)/i,
  /^(?:never (?!mind|say|give|gonna|\w*[^s]s\b)|avoid |prefer |always (?!\w+ to\b))/i,
  /^please,? no\b|^no (?!way|one)\w.*(?:\b(?:please|ever)\b|!)|^i (?:like|prefer) it when you\b/i,
  /^(?=.*\b(?:not|only|always|never)\b).*\b(?:please|pl[sz])\b(?:, not .*)?\W*$/i,
  /^(?:only )?use (?!th\w+|it|my|your|an?|some|more)\w+|\bi (?:always|never|only) want\b/i,
);
const ORDER = phrases(
  "^(?:(?:when|every time)[^,]*, )?(?:(?:always|never|i want (?:all|my)) )?",
  MANNER,
);
/** Any other order is for once, but with these. */
const LASTING = either(
  /\b(?:always|never|every time|by default|in future|instead of|rather than|at most|whenever)\b/i,
  /\b(?:(?:before|after|in|with|on) (?:every|each)|when (?:you|i|we) (?!can)|(?:under|within) \d)/i,
  /\b(?:answers|replies|responses|messages|brief|concise|short|direct|formal|informal|polite)\b/i,
  /\b(?:in general|with me)\b/i,
  /, (?:not|no)\b|^when [^,]*, \w|^\w+(?: (?:(?:to|with) )?me)? in (?!th|an?\b|my|your)[\w ]+\W*$/i,
);
const AT_HAND = phrases(
  "\\b",
  `(?<!from )now|for now|right away|at once|immediately|asap|again|just|yet|this time|until|else
  one|next|as is|(?:do|\\w+ing|touch|change|delete|remove|in) (?:it|that|this|them|these|those)`,
);
const MUST = either(
  /\bfrom (?:now|here) on\b(?!,? (?:i|we)\b)|\b(?:must|should) (?:always|never|not)\b/i,
  /\bi do?n['’]?t want\b.*\bever\b|\bis not (?:ok|okay|allowed)\b/i,
  /^(?:whenever|(?:every|each) time) (?:you|i)\b.*\b(?:make|use|give|add|say|tell|put|keep|ask)\b/i,
  /^i(?:['’]d| would) (?:rather|prefer) you\b/i,
);
/** A wish that is put as a question. */
const POLITE = /^(?:(?:can|could|would|will) you|i(?:['’]d like| want) you to) (?:please )?/i;
/** Does the sentence tell how things are to be done from now on? */
export function isRule(sentence: string): boolean {
  const said = opened(sentence).replace(POLITE, "");
  if (isQuestion(said)) return false;
  const isWish = STANDS.test(said) ? telling(said) > 1 : ORDER.test(said) && LASTING.test(said);
  return MUST.test(said) || (isWish && !AT_HAND.test(said));
}

/** Told always: not to know it does harm, or it is what one lives for. */
const NEEDS = phrases(
  "^(?:i|we|all .* us|(?:all )?(?:my|our)|\\p{L}+(?:['’]s| is| has| of my)|.* is my)\\b.*\\b",
  `allerg(?:ic|y|ies)|intoleran(?:t|ce)|vegan|vegetarian|coeliac|celiac|hard of hearing|large print
  diabet(?:es|ic)|deaf|halal|epilep(?:sy|tic)|asthma|autis(?:m|tic)|pregnant|colou?r.?blind
  dyslexi[ac]|kosher|adhd|migraines?|dementia|arthriti[sc]|tinnitus|wheelchair
  can(?:['’]t|not) (?:have|eat|drink) (?!th|it)\\w+
  (?<=\\b(?:my|our) (?:[\\w-]+ ){0,2})(?:favou?rite|goal|dream)`,
);
/** A name of the user: one, so that a later takes its place. */
const NAMED = either(
  /\b(?:my name(?:['’]s| is)|i['’]?m called|i go by|address me|(?:every\w+|friends) calls? me)\b/iu,
  /\bcall me (?!back|when|if|at|on|later|crazy|an?|now|to|soon)\p{L}+/iu,
);
/** "I'm Jo", "I am Jo and I live in Gent": a name, or what one is by birth or faith. */
const CALLS_SELF =
  /^[Ii](?:['’]m| am) \p{Lu}\p{Ll}+(?<!ing)(?: \p{Lu}\p{Ll}+)?(?:[,.;!]|$| (?:and|from)\b)/u;
/** A life's turns and origin, told in a sentence about something else too. */
const BIOGRAPHY = either(
  /\bi (?:start|beg[au]n|took up|mov|came|left|retir|quit)\w*\b.*\b(?:years|months) ago\b/i,
  /\b(?:years|months) (?:since|after) i\b|\bwhere i(?:['’]m| am| come) from\b|\bback home in\b/i,
  /\bmy (?:home ?(?:country|town|land)|birthplace)\b/i,
  /^as an? (?!result|rule|test|first|next|example|joke|side|matter)[a-z -]{4,30},? (?:i|we)\b/i,
);
/** The speaker, with what may stand between "I" and the verb. */
const SELF = inOrder(
  /^(?:(?:my )?\w+ and )?(?:i|we)(?:['’](?:ve(?: got)?|d|m|re|ll))?/i,
  /(?: have(?= (?:\w+ed|been|sold|left)\b)| (?:am|are|would|do|don['’]t|not|no longer|been))*/i,
  /(?: (?:both|all|also|even|still|really|just|now|not|been|only|always|never|often|\w{2,}ly))* /i,
);
/** A day or a place may stand before the speaker. */
const WHEN =
  /^(?:on|at|for|as of|every|in(?= the \S+ings? | \d)) (?!now )(?:[\p{L}\d-]+ ){1,3}?(?=i |we )/iu;
/** A sentence without its "I": "Training for a marathon", "Can't stand coriander". */
const ELIDED = either(
  /^(?=(?:can['’]t|cannot) (?:stand|eat|drink)\b|(?:moved|switched|grew up|retired)\b|hate\b)/i,
  /^(?=(?:been (?!an?\b)|took up|signed up|own|live|work|(?:have|keep) (?:an?|two|three|\d+))\b)/i,
  /^(?=(?:allergic|based|married|diabetic|vegan|vegetarian|from \S+ originally)\b)/i,
  /^(?=(?:deaf|blind|dyslexic|pregnant|coeliac|single (?:mum|mom|dad|parent)|left-handed)\b)/i,
  /^(?=(?:train|learn|study|liv|work|teach|runn|sav|fly|mov|writ|rais|rent|grow|coach)ing\b)/i,
);
/** Words about what was just said, what lies at hand, or the other one. */
const HERE = phrases(
  "^(?:\\S+ ){0,2}?",
  `it|th(?:is(?! (?:year|month|season|summer|winter|term))|at|ese|ose)|you\\w*
  the (?:idea|way|sound|look|thought|\\w+ (?:one|version))|how
  what|where|again|(?:to|can(?:not|['’]t)) see|questions?|errors?|issues?|problems?|bugs?
  (?:an|no) idea|(?:a|the) (?:bit|little|lot|few|time|plan|list|array|file|string|table|winner)`,
);
const TASTE = phrases(
  "^",
  `rather|prefer|(?:like|love)(?! to\\b)|hate|enjoy|dislike|avoid|can(?:['’]t|not) stand
  keen on|into|value`,
);
/** What one is, has or goes through for long, or has changed; no mood, no step of the moment. */
const STATE = phrases(
  "^",
  `the (?!one|only|same)\\w+ (?:of|at|for|in)|on (?!page|step|line|level|day|chapter)\\w+ \\d+
  \\w+(?:arian|xic|betic|tistic)
  from|based|married|divorced|single|retired|engaged
  called|new to|on \\w+ leave|(?:afraid|scared) of|blind|fluent|responsible for|\\d+(?!%)
  \\w+-(?!\\w+ing)\\w+|(?:left|right) ?handed|in talks with|going to (?:be|become|move|have)
  used to (?!th)|writing (?:my|a) (?:\\S+ )?(?:thesis|book|novel)|\\w+ (?:since|for) (?:\\w*\\d+
  \\w+ years)
  (?:learn|study|train|plann|sav|teach|rent|rais|liv|team|join|expect|fly|mov|emigrat)ing
  joined|.*(?:since|for (?:[\\w-]+ ){0,2}(?:years?|months))|on the \\w+ floor|took up|signed up
  (?:got|getting|started) (?:married|engaged|divorced|promoted|\\d+|a new)
  bought|signed|hired|planted|adopted|graduated|grew up|became|decided|chose|cancell?ed|quit|sold
  (?:moved|switched|changed|left|dropped|stopped):? (?!the (?:file|code|line))|gave up|was born
  can(?:['’]t|not) (?:eat|drink|have|use|work|do)|had (?:\\w+ )?surgery|(?:not |have )?an?
  have (?:no|one|two|three|four|five|six|seven|type|high blood|low blood|\\d+)|lived?
  want to (?:be|become|learn (?!about|how|more)|lose|move|buy|build|retire|quit)`,
);
/** A plain verb tells a habit, but for these: a step, a thought, a feeling. */
const STEP = phrases(
  "^",
  `(?:was|were|had|did|want|need|hav|get|got|try|see|think|look|find|\\w+(?<!e)ed)(?:t?ing)?
  \\w+['’]t|can|could|will|wo|shall|should|must|may|might|am|is|mean|know|guess|agree|hope|love
  wanna|have to|apologi[sz]e|expect|require|promise|repeat|gotta|going|feel|felt|wish|understand
  forgot|wonder
  assume|notice|care(?! for)|mind|follow|click|manage(?= to)|went|came
  ran|wrote|sent|made|took|told|thought|knew
  meant|lost|left|broke|said|found|saw|put|won|met|keep(?= (?:\\w+ing|th\\w+|it|you\\w*|in)\\b)
  stay|remember|believe|appreciate`,
);
const TRIP = /^(?:fly|leave|travel|stay|visit|arrive|come|move)\b|^on \p{Lu}/u;
/** What the sentence says of its speaker: undefined for moods, steps and what is just going on. */
function ofSelf(self: string, rest: string, isBrief: boolean): string | undefined {
  const isState = /['’](?:m|re)\b| (?:am|are|been)\b/i.test(self);
  const isNamed = specifics(rest) > 0;
  if (HERE.test(rest) || (!isNamed && !isBrief && !isState)) return undefined;
  if (isNamed && TRIP.test(rest)) return "core";
  if (/['’](?:d|ll)\b| would\b/i.test(self))
    return /^(?:rather|prefer)/i.test(rest) ? "preference" : undefined;
  if (TASTE.test(rest)) return "preference";
  const isHabit =
    isBrief &&
    !STEP.test(rest) &&
    telling(rest) > 0 &&
    (!isState || (isNamed && /^\w+ing\b/.test(rest)));
  return isHabit || STATE.test(rest) ? "core" : undefined;
}

/** A name before the verb, or a thing of the user's; nothing of the talk itself. */
const SUBJECT =
  /^(?:(?:my|our|the|each|every) \S|\p{Lu}|(?:budget|rent|deadline|stack|m[uo]m|dad|kids?)\b)/u;
const VERB = phrases(
  `^(?:(?!(?:step|one|thing|point|question|problem|issue|fact|reason|answer|idea|it|that|which|who
    s?he|code|file|function|script|test|error|line|guess|bet|you|i|we|not|no longer|would|will
    could|build|\\w+n['’]t)\\b)[^\\s,:;]+ ){1,6}?`,
  `is|are|has|have|can['’]t|cannot|moved|ended|died|retired|started|joined|left|switched|turned
  was (?:built|born)|went (?:up|down)|costs?|lives?|works?|runs?|starts?|meets?|uses?|makes
  sells|builds|belongs?|leads|listens|takes? place|arrives?|expires?|stands?(?!-)|goes?|opens?
  closes?|(?<=^(?:my|our) .*)[a-z]{2,}[^su'’]s`,
);
/** Behind the verb stands what it is. */
const VALUE = /^ (?:(?!like|because|what|how|not|just|at \d+ ?%)[^\s,;]+ ?){1,6}/;
/** A name typed in small letters is one all the same; and whose a thing is, names it. */
const NAMES = either(
  /^ (?:called|named|(?:now )?(?:my|our)) \p{L}|^ (?:black|white|red|green|blue|gr[ea]y|teal)\b/iu,
  /^ an? (?!bit|lot|little|mess|pain|joke|disaster)|^ on \p{L}{3}/iu,
);
/** What a thing of this world or of the user's is: right behind its verb stands a value. */
function ofThing(said: string, isBrief: boolean): boolean {
  const [named = ""] = SUBJECT.test(said) ? (VERB.exec(said) ?? []) : [];
  const [value = ""] = named === "" ? [] : (VALUE.exec(said.slice(named.length)) ?? []);
  return (
    (isBrief &&
      (NAMES.test(value) || /\b(?:lives?|plays|speaks|studies|owns|teaches)$/.test(named))) ||
    specifics(` a${value}`) > 0
  );
}

/** It ends what was said before; what one cannot do ends nothing. */
const OVER = either(
  /\bno longer\b|(?:\bnot|n['’]t) [^.]{1,60} any ?(?:more|longer)\b(?! (?!because|since)\p{L})/iu,
  /(?:\bnot?|n['’]t) [^.]{1,60} after all\b|^you (?:can|may) .*\bagain\b/iu,
  /\b(?:is|are) (?:fine|allowed|ok(?:ay)?|welcome) again\b/iu,
  /^(?:my|our|the) [^.,]{1,40} (?:is|was|are|were|got) (?:cancell?ed|called off|off|closed)\b/iu,
);

type Saying = readonly [category: string, importance: number];
/** What a clause says of its speaker and his world; undefined where it says nothing. */
function readSaying(text: string, isBrief: boolean): Saying | undefined {
  // What is longer is a text that is worked on, not a word about its writer.
  if (isQuestion(text) || text.length > 300) return undefined;
  const plain = opened(text)
    .replace(/^got (?=(?:an?|two|three|four)\b)/i, "have ")
    .replace(/^((?:my|our) \S+)['’]s (?=(?:an?|all|on|in)\b)/i, "$1 is ");
  const said = ELIDED.test(plain) ? `I'm ${plain}` : plain.replace(WHEN, "");
  if (REMEMBER.test(text)) return ["core", 0.85];
  if (isRule(text)) return ["principle", 0.8];
  if (BIOGRAPHY.test(said)) return ["core", 0.7];
  // Its consequence may be unsure.
  if (FLEETING.test(said) || UNSURE.test(said.replace(/,? (?:so|but) .*/, ""))) return undefined;
  if (NEEDS.test(said)) return ["preference", 0.8];
  if (NAMED.test(said) || CALLS_SELF.test(said)) return ["core", 0.7];
  const self = SELF.exec(said)?.[0];
  const category = self && ofSelf(self, said.slice(self.length), isBrief);
  if (category || (!self && ofThing(said, isBrief)))
    return [category ?? "core", 0.6 + 0.03 * specifics(said)];
  return OVER.test(said) ? ["correction", 0.65] : undefined;
}

/** A greeting or thanks before what is said. */
const GREETING = either(
  /^(?:hi|hello|hey|good (?:morning|evening))(?: (?:there|again|all))?[,!.:]? (?=\S)/i,
  /^(?:thanks|thank you|thx|great|perfect|nice|cool|ok(?:ay)?)(?: again)?[,!.]+ (?=\S)/i,
);

/** A change that the user undid is not to be made so again. */
const UNDID = /\b(?:undid|undone|reverted|rolled (?:\w+ )?back)\b/i;

/** What users said of themselves, their world, their rules, in their own sentences. */
export function sayings(turns: readonly Turn[]): Fact[] {
  const brief = isBrief(turns);
  let unmeant = 0;
  return turns.flatMap(({ heard, index }) => {
    if (heard === undefined) return [];
    const said = unmeant > 0 ? [] : heard.statements;
    unmeant = Math.max(heard.unmeant, unmeant - 1);
    const fact = (text: string, [category, importance]: Saying): Fact => ({
      content: `User: ${text.replace(GREETING, "")}`,
      category,
      importance,
      from: [index],
      origin: "user",
      ...(NAMED.test(text) ? { key: "user.name" } : {}),
    });
    return said.flatMap((sentence, at): Fact[] => {
      // What was wrong with it stands before that it was undone.
      if (!brief && UNDID.test(sentence))
        return [fact(said.slice(Math.max(0, at - 1), at + 1).join(" "), ["correction", 0.75])];
      const whole = unasked(sentence, isOrder(sentence) && !isRule(sentence));
      const clauses = whole.split(JOINT);
      const told = clauses.flatMap((text): Fact[] => {
        const weighed = readSaying(text, brief);
        // "No logs!" says little without the sentence behind it.
        const more = /^no (?:\S+ ){0,2}\S+!$/i.test(text) ? ` ${said[at + 1] ?? ""}` : "";
        return weighed === undefined ? [] : [fact((text + more).trim(), weighed)];
      });
      if (told.length === clauses.length) return told;
      return told.slice(0, 1).map((one) => ({ ...one, content: `User: ${whole}` }));
    });
  });
}
