import { either, inOrder, phrases, remembering } from "../../core/base.ts";
import { sentences } from "../../core/text/sentences.ts";

/** A message of the user's, told apart by whose its words are. In doubt they are another's. */
export interface Heard {
  /** The user's own words, as far as the text that they are about, with what they quote. */
  readonly asked: string;
  /** The same without quotations. */
  readonly own: string;
  /** What is pasted, quoted, passed on, or given to be worked on. */
  readonly others: readonly string[];
  /** The sentences of `own` that are meant as they stand. */
  readonly statements: readonly string[];
  /** So many of the next messages may be played, or hold the text that is announced here. */
  readonly unmeant: number;
}

/** Longer texts are documents, or hold something pasted, named in a line before or behind it. */
export const DOCUMENT = 1_500;
const EDGE = 400;
/** Messages for which a part is played, once it is given. */
const PLAY = 12;

/** Code in a block, lines passed on, words between tags or behind a tag that stays open. */
const MARKED = either(
  /^[ \t]{0,20}(?:(```|~~~)[^\n]*\n[\s\S]*?(?:^[ \t]{0,20}\1[^\n]*$|(?![\s\S])))/gim,
  /^\s{0,4}>[^\n]*(?:\n|$)/gim,
  /<(?<t>[a-z][\w-]*)(?:\s[^<>]{0,99})?>(?:\n[^]*?(?:<\/\k<t>>|(?![^]))|[^]{0,800}?<\/\k<t>>)/gim,
);
/** The head of a mail, a greeting, or a line of a talk written down. */
const LETTER = either(
  /^(?:from|to|subject|date|sent):[^\n]*\n(?:[^\n]*\n){0,2}?(?:from|to|cc|subject|date|sent):/im,
  /^(?:dear|to whom)\b[^.!?\n]{0,60}$|(?<=\n[ \t]*\n[ \t]*)(?:hi|hello|hey|greetings|good day)\b/im,
  /^[ \t>*]{0,6}(?:user|assistant|human|ai|system|customer|client|agent|interviewer)(?:\*\*)?: /im,
);
/** Fewer words than four are a title or a name, and more where only the little words are small. */
const QUOTE = inOrder(
  /(?<![\p{L}\p{N}])(?=["'“„](?![\p{Lu}\d](?![^"“”\n]{0,600}\s\p{Ll}{4})))/gu,
  /(["'“„])(?:[^"“”\s]+\s){3}[^"“”\n]{1,600}?(?:\1|[“”])(?!\p{L})/u,
);
/** The sentences of a text without its code. */
export const spoken = (text: string): string[] =>
  sentences(text).flatMap((one) => (one.code ? [] : [one.text]));
export const isQuestion = (sentence: string): boolean => /[?？]["'”’)\]]*$/u.test(sentence.trim());

/** These words may stand before a sentence's beginning without changing it. */
const OPENER = phrases(
  "",
  `ok(?:ay)?|so|well|and|but|also|yeah|yes|oh|hey|hi|hello|then|now|right|sure|btw|by the way
  hmm?|actually|sorry|no(?:pe)?(?=[,.!:;–—-])|just|first|pl[sz]|please(?!,? no\\b)|thanks
  (?:these days|nowadays|at the moment|last \\w+)(?=,? (?:i|we|my|our)\\b)
  (?!hope|suppos|apparent|ideal|hypo)\\p{L}{3,}ly(?=,? (?:i|we|my|our)\\b)
  om+f?g|ffs
  thank you|argh|jeez|man|dude|my (?:dude|friend)|heads up|(?:small |quick )?(?:update|intro)|fyi
  correction
  note(?: for later)?
  (?:in (?:this|our|my) (?:repo\\w*|project|team|company)|at (?:home|work))(?=,? (?:i|we)\\b)
  one more thing|i was wrong|for the record|in fact|lately|since (?!i|you|we|it|the|my)\\w+`,
);
const OPENING = new RegExp(`^(?:${OPENER.source}[\\s,.:;!–—-]*)+`, "iu");
/** Sloppy spelling is read as if it were whole. */
export const opened = (sentence: string): string =>
  sentence
    .replace(/\b(can|don|won|doesn|didn|isn|aren)t\b/gi, "$1't")
    .replace(/\bi(m|ve)\b/gi, "I'$1")
    .replace(OPENING, "");

const ASKING = inOrder(
  /^(?:(?:can|could|would|will) (?:you|u)|help me(?: to)?|let['’]?s|i(?:['’]d like| want| need))/i,
  /\b[\s,]*(?:you )?(?:to )?(?:pl[sz] |please )?/i,
);
const TEXT = phrases(
  "\\b",
  `(?:cv|r[eé]sum[eé]|bio|profile|persona|prompt|story|tale|novel|fiction|poem|song|lyric|script
  scene|dialogue?|monologue|speech|essay|text|sentence|phrase|grammar|paragraph|translation
  e-?mail|mail|message|letter|review|comment|post|tweet|article|quote|joke|transcript|ticket
  conversation|chat|complaint|draft|caption|slogan|diary|perspective|excerpt|slack thread|minutes
  [’']s application|survey|utterance|apology|fan ?fic|backstory|screenplay|stanza|blurb|eulogy
  vow|testimonial|flyer|advert|headline|testimony|summary|summaries|spelling
  (?:job )?ad|posting|(?:the|my|any) mistake|rows like th\\w+|passive|(?:past|present) tense|verse
  rhyme|limerick|haiku|sonnet|ballad|(?:about|landing|web) ?page)s?`,
);
/** These are done to a text, whatever it is called. */
const REWORKS = phrases(
  "^",
  `translate|proof-?read|correct|re(?:write|phrase|word)|paraphrase|summari[sz]e|classify
  (?:put|turn|make) (?:this|it|that) (?:in|into|more|less|sound|\\w+er)|cluster|pasting`,
);
/** A wish that is to last speaks of texts as well: "Always answer mails in short sentences." */
const LASTS = phrases(
  "\\b",
  "from now on|whenever|every|each|all|always|never|stop|no need|don['’]t|remember|mind|rules?",
);
/** Where the head of a sentence ends: what stands behind its colon or dash is told apart. */
const COLON = /[:：](?=\s|["'“„«]|$)|\s(?:[-–—]|-?>+)(?= (?:i|we|my|our)\b)/i;
/** These are about the speaker, or about what was said: nothing is handed over with them. */
const OWN = /^(?:i|we|my|our)\b/i;
const TALK = /^(?:i|we|my|our|it|th(?!e\b)\w+|you|got|been|signed|took)\b|!$/i;
/** What stands beside it is pointed at. */
const POINTS = either(
  /^here\b/i,
  /^(?!it\b|th|you\b|.*let['’]s).*\b(?:th(?:is|at|[eo]se|e[ym])|it|above|below|s?he|him|her)\b/i,
);
const THIS = /^(?!(?:i|we|my|our)\b).*\bth(?:is|ese)\b.*\?/i;
/** So does a line that does not end. */
const OPEN = either(POINTS, /[^.!]$/i);
/** It comes to "I" from something else, and has stated nothing before. */
const MIXED = inOrder(
  /^(?!(?:i|we|my|our|as|in|on|at|when\w*|if|since|before|after|every|and|while|once|because)\b)/i,
  /(?!\S+ and i\b)/i,
  /(?!(?:got|been|signed|took|moved|\w+ing|how|wh\w+|is|are|do|does|can|should|any|need|stop)\b)/i,
  /(?:(?!\S*(?:\b(?:is|are|was|ha[sv]e?|been|not)|['’](?:s|ve|t))\b)\S+ )+?/i,
  /(?<!, |\b(?:when\w*|if|time|while|because|than|as) )(?:i(?! mean)|i['’](?:m|ve|d))\b/i,
);
/** Heads of what one says oneself, and has not come upon: "My plan: …". */
const OWN_HEAD = phrases(
  "",
  `^(?!i (?:overheard|(?:heard|read|saw|found|got) (?:this|an?|some\\w+|on\\w*|in|from)))(?:i|we)
  ^my
  ^(?:our|me)
  \\b(?:plan|info|facts?|reason|news|change|rule|important|thing|wrong|mistake|problem|update)`,
);
/** A line of a program's about what went wrong: what stands beside it is the user's own. */
const FAULT = /\b(?:error|warning|fatal|panic|not found|unable to)\b|\w(?:Error|Exception)\b/i;
/** Another's words are told: somebody stands before the verb who is neither "I" nor "we". */
const REPORTS = inOrder(
  /(?:^|\bwhat )(?!(?:i|we|you|please|don['’]t|always|never)\b)/iu,
  /(?:(?:(?:one of )?(?:my|our)|an?|th\w+|some\w+)(?: [\p{L}'’-]+){1,4}?|[\p{L}.'’-]+(?: \S+)?) /iu,
  either(
    /(?:says?|said|writes?|wrote|tells?|told|claims?|claimed|complains?|replied|texted|asks)\b/iu,
    /(?:e-?mailed|messaged|posted|texts|goes(?= i)|(?:sent|left) (?:us|me))\b/iu,
  ),
);
/** It hands over the words behind it, or they would hold if something else did. */
const HANDED = either(
  /^here(?:['’]s| is| are) (?!my|our|what|how)/i,
  /^(?:if|should) (?:i|we)\b.*\b(?:i|we)(?:['’]d| would)\b/i,
);
/** A part is given: "Act as my boss"; "You are Nova, a pilot", but not "You are right". */
const PLAYED = phrases(
  "(?:^|[,;:–—-] )",
  `(?:imagin\\w+|suppos(?:e|ing)|assum(?:e|ing)|hypothetical\\w*)(?!(?: that)?,? (?!you\\b).*\\?$)
  what if you\\b|pretend\\w*|picture (?:this|me)|enact
  act out|simulat\\w+|improv\\w*|rehears\\w+|practi[cs]e (?:an?|my|the|with)
  mock \\w+
  take (?:the|a) (?:role|part)|guess (?:the|which|who)|your name is|(?:you )?play|as if
  say (?:i|we|my|you|that)|(?:you )?be (?:an?|my|the)|pov|(?:.* )?role[- ]?play\\w*|riddle
  (?:act|speak|talk|behave|respond|answer|reply) (?:as|like) (?:if|though|an?|my|the)|act as
  (?:new|next|first)? ?scene|chapter \\d+|(?:for )?my (?:\\S+ )?(?:character|hero(?:ine)?)
  i(?:['’]m| am) .{1,60} you(?:['’]re| are) (?:an?|the|my)|.* is (?:pure |all )?fiction
  i(?:['’]ll| will) (?:be|play) (?:the|an?|your)|(?:job |mock )?interview practi[cs]e
  from now on you(?:['’]re| are| talk)|it['’]?s (?:the year )?1[0-8]\\d\\d|(?:me|you) ?= ?\\w+`,
);
const PART =
  /^[Yy]ou(?:['’]ll be| are|['’]re| be)(?: now)? (?:(?:an?|the|my|playing)\b|\p{Lu}).*[^!]$/u;
/** The text is to be made, and is not handed over next. */
const MAKES = /\b(?:draft|write|compose|make|create|generate|give|suggest|tell)\b/i;
/** All of it was no more than a joke, a part, or a letter. */
const TAKEN_BACK = phrases(
  "(?<![\\p{L}/])",
  `(?:kidding|joking|jk|a joke|made (?:that|it|this) up|/s|sincerely
  (?:best|kind|warm)(?:est)? (?:regards|wishes)|pretend to be
  (?:pretend|imagine|assume|suppose)(?: that)? (?:i|we|you|my)
  you(?:['’]re| are| be| play) .{1,60} (?:and|,) i(?:['’]m| am| play|['’]ll be)
  i(?:['’]m| am| play|['’]ll be) .{1,60} (?:and|,) you(?:['’]re| are)? (?:an?|the|my|be|play))`,
);
/** What would be, is wished for, is a joke, another's wish, or a plan that was given up. */
const NOT_MEANT = either(
  /\b(?:(?<!even )if|unless(?! i (?:ask|say|tell))|in case|as though|were|had) (?:i|we|my|our)\b/iu,
  /\b(?:whether|in which|i wish) (?:i|we|my|our)\b|\bdreams? of\b|^according to (?!my|our)/iu,
  /^(?:imagin\w+|suppos(?:e|ing)|assum(?:e|ing)|hypothetical\w*|what if)\b/iu,
  /\bwould(?:n['’]t)?\b[^.]{0,100}\bif\b|\bwould like(?! to (?:know|ask|learn))\b/iu,
  /\b(?:lol|lmao|rofl|(?:ha){2,}h?|he(?:he)+|obviously|imaginary|fictional|made-up)\b/iu,
  /\byeah,? (?:sure|right)\b|[😂🤣😜😝🙃🙄]|^oh,? (?:yes|yeah|sure|great|joy)\b/iu,
  /^(?!(?:i|we)\b)(?:(?! (?:i|we) )[\p{L}\p{N}' -]){1,40}? (?:wants?|wishes|hopes)\b/iu,
  /\b(?:almost|nearly|(?:was|were) going to)\b|\bbut [^.]{0,30}\b(?:cancell?ed|called)\b/iu,
);

/**
 * What a sentence makes of the words around it. "given": behind it stands a text that is another's.
 * "played": a part is played from here on. "unsure": what follows may be another's. "framed": it is
 * not meant itself, or is another's.
 */
function frameOf(
  sentence: string,
  isFirst: boolean,
): "given" | "played" | "unsure" | "framed" | undefined {
  const plain = opened(sentence);
  const said = plain.replace(ASKING, "");
  if (PLAYED.test(said) || PART.test(said)) return "played";
  const [head = ""] = said.split(COLON, 1);
  const isOpen = head.length < said.length;
  const isAsked = isQuestion(said) || (isFirst && !plain.endsWith("!"));
  if (!LASTS.test(head)) {
    const isWork = REWORKS.test(head) || (isOpen && REPORTS.test(head));
    if (isWork || (TEXT.test(head) && (isOpen || (isAsked && !TALK.test(plain))))) return "given";
    if (isOpen && !OWN_HEAD.test(head) && !FAULT.test(said)) return "unsure";
  }
  if ((isFirst && THIS.test(plain)) || REPORTS.test(said) || HANDED.test(plain)) return "unsure";
  return NOT_MEANT.test(sentence) || MIXED.test(plain) ? "framed" : undefined;
}

/**
 * A text that is set apart: in the line above it or below, which says nothing of its speaker, it is
 * asked about or pointed at, and in none of its own lines anything is asked.
 */
function isBlock(own: string): boolean {
  const lines = own.split("\n").map(spoken);
  const isOwn = (one: string): boolean => OWN.test(opened(one));
  return [OPEN, POINTS].some((hands, at) => {
    const said = lines.filter(({ length }) => length > 0);
    const line = (at === 0 ? said.shift() : said.pop()) ?? [];
    const isAside =
      line.length < 3 &&
      !line.some((one) => isOwn(one) || FAULT.test(one)) &&
      hands.test(opened(line.at(-1) ?? ""));
    return isAside && said.flat().some(isOwn) && !said.flat().some(isQuestion);
  });
}

/** Takes out words that are marked as another's by how they stand there. */
function withoutPasted(text: string, take: (part: string) => string): string {
  const rest = text.replace(MARKED, take);
  const [before = ""] = rest.split(LETTER, 1);
  if (before !== rest) take(rest.slice(before.length));
  const own = before.trim();
  if (own.length <= DOCUMENT) return own;
  take(own);
  const lines = own.split("\n").filter((line) => /\S/.test(line));
  return [lines[0], lines.at(-1)].filter((line = "") => line.length <= EDGE).join("\n");
}

/** Tells the user's own words of a message from those that are somebody else's. */
export const heard = remembering((text: string): Heard => {
  const others: string[] = [];
  const taken = (as: string) => (part: string) => {
    others.push(part);
    return as;
  };
  const asked = withoutPasted(text, taken("\n"));
  const own = asked.replace(QUOTE, taken("“…”"));
  const said = spoken(own);
  const frames = said.map((one, index) => frameOf(one, index === 0));
  const found = frames.findIndex((frame) => frame !== undefined && frame !== "framed");
  const at = found < 0 ? said.length : found;
  const [before, first = ""] = [said.slice(0, at), said[at]];
  const isGiven = frames[at] === "given";
  const statements =
    TAKEN_BACK.test(own) || isBlock(own)
      ? []
      : before.filter((_, index) => frames[index] === undefined);
  const [head = ""] = first.split(COLON, 1);
  const behind = [first.slice(head.length + 1), ...said.slice(at + 1)].join("\n").trim();
  const cut = [...before, head].join("\n");
  if (isGiven && behind !== "")
    return { asked: cut, own: cut, others: [...others, behind], statements, unmeant: 0 };
  const unmeant =
    frames[at] === "played" ? PLAY : Number(isGiven && others.length === 0 && !MAKES.test(first));
  return { asked, own, others, statements, unmeant };
});

/** A person of the user's, whose "my" may be left out. */
const KIN = /(?:mum|mom|dad|wife|husband|partner|(?:boy|girl)friend|son|daughter|kids?)\b/iu;
/** A sentence of one's own, so far: who begins with another's words goes on with them. */
const BEGINS_OWN =
  /(?<=^(?:\p{L}{2,8}[,!.]? ){0,2}?(?:my|our|i|i['’]?m|we|you can|call me|please|never)\b.*)/iu;
/** Behind it stands a clause that leans on nothing before it. */
export const JOINT = inOrder(
  /(?:\s*[,;–—]\s*(?:(?:and|so|also|plus)\s+)?|\s+(?:and|so|plus)\s+)/iu,
  BEGINS_OWN,
  /(?=(?:i|we|my|our|please|don['’]t|never|always|call me)\b)/,
  /(?!.* (?:there|its?|that|then|th(?:em|ey|is|ese|ose)|s?he|him|his|her|one)\b)/,
);
/** A question or an order, and behind it why it is asked. */
const ASKED = inOrder(
  /^[^?]*?(?:[,;–—(.-]|\band)\s*(?:(?:and|but|so|because|since|as|cause|cos) )?/iu,
  new RegExp(`(?=${KIN.source}|(?:i['’]?(?:m|ve)?|we|my|our|please|don['’]?t|in future)\\b)`),
);
/** Or a question. */
const ASKS = inOrder(
  /(?:[,;:–—-]\s*|\s(?=so (?:wh|how|is|can|should)))/iu,
  /(?:(?:(?:and|so|but) )?(?:wh\w+|how|can|could|should|is|are|do|does|did|any)\b.*|[^,;:]+\?)$/,
);
/** The sentence without what it asks. */
export const unasked = (sentence: string, isAsked: boolean): string =>
  (isAsked ? sentence.replace(ASKED, "") : sentence).replace(ASKS, "");
