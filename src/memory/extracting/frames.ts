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
  /** The next messages may be played, or hold the text that is announced here. */
  readonly next?: "play" | "text" | undefined;
}

/** Longer texts are documents, or hold something pasted. */
export const DOCUMENT = 1_500;
/** A pasted document is named in a line before or behind it. */
const EDGE = 400;

const FENCED = /^[ \t]{0,20}(```|~~~)[^\n]*\n[\s\S]*?(?:^[ \t]{0,20}\1[^\n]*$|(?![\s\S]))/gm;
/** A mail or message that is passed on, and the line that names its sender. */
const PASSED_ON = /(?:^[^\n]{0,120}[:：]\s{0,3}\n\s{0,3})?^\s{0,4}>[^\n]*(?:\n|$)/gm;
const TAG = /<([a-z][a-z0-9_-]{0,40})(?:\s[^<>]{0,200})?>/gi;
/** More tags than any program puts into one message; bounds the search for their ends. */
const MOST_TAGS = 200;
/** Fewer words than four are a title or a name. */
const QUOTE = either(
  /(?<![\p{L}\p{N}])"(?:[^"\s]+\s){3}[^"\n]+"|“(?:[^”\s]+\s){3}[^”]+”/gu,
  /„(?:[^“”"\s]+\s){3}[^“”"]+[“”"]|(?<![\p{L}\p{N}])'(?:[^'\s]+\s){3}[^'\n]+'(?!\p{L})/gu,
);
/** One of these stands for each quotation. */
const QUOTED = "“…”";

/** Two such lines are the head of a mail; a letter greets, and a mail in the middle of a text. */
const MAIL_HEAD = /^(?:from|to|cc|subject|date|sent):[^\n]*\n/im;
const LETTERS = [
  new RegExp(`${MAIL_HEAD.source}(?:[^\\n]*\\n){0,2}?${MAIL_HEAD.source}`, "im"),
  /^(?:dear|to whom)\b[^.!?\n]{0,60}[,:]?[ \t]*$/im,
  /(?<=\n[ \t]*\n[ \t]*)(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening|day))\b/i,
];
/** A line of a conversation that was written down. */
const SPEAKER = /^[ \t>*]{0,6}(?:\[[^\]\n]{1,30}\] ?)?(\p{L}[\p{L} ]{0,24})(?:\*\*)?:(?:\*\*)? /gmu;
const ROLES = /^(?:user|assistant|human|ai|bot|system|customer|client|agent|support|interviewer)$/i;

/** Where a text begins that is a mail or a conversation written down; its end for none. */
function beginOfOthers(text: string): number {
  const lines = [...text.matchAll(SPEAKER)].slice(0, 400);
  const speakers = Map.groupBy(lines, ([, name = ""]) => name.toLowerCase());
  const isTalk =
    [...speakers.keys()].some((name) => ROLES.test(name)) ||
    (speakers.size > 1 && [...speakers.values()].some((said) => said.length > 1));
  const places = LETTERS.map((sign) => text.search(sign)).filter((place) => place >= 0);
  return Math.min(text.length, ...places, isTalk ? (lines[0]?.index ?? text.length) : text.length);
}

/** The text without passages between tags; of a tag that never closes all that stands behind it. */
function untagged(text: string, others: string[]): string {
  let [own, position] = ["", 0];
  const low = text.toLowerCase();
  for (const { 0: tag, 1: name = "", index } of [...text.matchAll(TAG)].slice(0, MOST_TAGS)) {
    if (index < position) continue;
    const close = low.indexOf(`</${name.toLowerCase()}>`, index);
    const standsAlone = /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, index - 20), index));
    if (close < 0 && !(standsAlone && text[index + tag.length] === "\n")) continue;
    const end = close < 0 ? text.length : close + name.length + 3;
    others.push(text.slice(index, end));
    own += text.slice(position, index);
    position = end;
  }
  return own + text.slice(position);
}

/** What is marked as another's by how it stands there is put among `others`. */
function withoutPasted(text: string, others: string[]): string {
  const take = (part: string): string => {
    others.push(part);
    return "\n";
  };
  const rest = untagged(text.replace(FENCED, take), others).replace(PASSED_ON, take);
  const begin = beginOfOthers(rest);
  if (begin < rest.length) others.push(rest.slice(begin));
  const own = rest.slice(0, begin).trim();
  if (own.length <= DOCUMENT) return own;
  const lines = own.split("\n").filter((line) => /\S/.test(line));
  const edges = [lines.shift() ?? "", lines.pop() ?? ""];
  const long = edges.filter((line) => line.length > EDGE);
  others.push([...lines, ...long].join("\n"));
  return edges.filter((line) => line.length <= EDGE).join("\n");
}

/**
 * What a sentence makes of the words around it. "given": from here on stands a text that is
 * another's. "played": from here on a part is played. "unsure": what follows may be another's.
 * "framed": the sentence itself is not meant, or is another's.
 */
type Frame = "given" | "played" | "unsure" | "framed";

/** These may stand before the word that opens a sentence. */
const BEFORE = new RegExp(
  "^(?:(?:ok|okay|so|well|and|but|now|please|hey|hi|thanks|just|first|then|(?:can|could|would)" +
    "(?: you)?|will you|help me(?: to)?|kindly|let['’]s|i(?:['’]d like| want| need)(?: you)? to)" +
    "\\b[\\s,!]*)+",
  "i",
);
const TEXT = new RegExp(
  "\\b(?:cv|r[eé]sum[eé]|bio(?:graphy)?|profile|persona|prompt|story|tale|novel|fiction|poem|song" +
    "|lyric|script|scene|screenplay|dialogue?|monologue|speech|essay|text|sentence|phrase|grammar" +
    "|paragraph|translation|e-?mail|mail|message|letter|review|comment|post|tweet|article|quote" +
    "|transcript|conversation|chat|ticket|complaint|draft|caption|slogan|statement|diary" +
    "|perspective|limerick|haiku|abstract|excerpt|snippet|joke)s?\\b",
  "i",
);
const REWORKS = phrases(
  "^",
  "translate|proofread|correct|rewrite|rephrase|paraphrase|reword|summari[sz]e|polish|transcribe",
  "classify|annotate|spell-?check|tl;?dr",
);
const WORKS = phrases(
  "^",
  "improve|fix|check|review|write|draft|compose|generate|create|invent|give|continue|make",
  "complete|turn|answer|reply|respond|read|explain|rate|grade|convert|shorten|look|edit|evaluate",
  "judge|quiz|analy[sz]e|critique|interpret|comment|finish|extract",
);
const HANDS_ON = either(
  /^(?:here(?:['’]s| is| are| comes?)|this is|these are|below is|(?:the )?below)\b/i,
  /^(?:i(?:['’]ve)? )?(?:got|received|found) (?:this|these|the following)\b/i,
);
const WITHIN = /^(?:for|in) (?:an?|my|our|the|this|that)\b/i;
/** A wish that is to last speaks of texts as well: "Always answer mails in short sentences." */
const LASTS = either(
  /\b(?:from (?:now|here) on|in future|going forward|when(?:ever)?|every|each|all|always|never)\b/i,
  /\b(?:remember|keep in mind|rules?|preferences?|don['’]t|about me)\b|^(?:please )?note\b/i,
);
/** Where the head of a sentence ends: what stands behind its colon is told apart. */
const COLON = /[:：](?=\s|["'“„«]|$)/;
/** Heads of what one says oneself: "One more thing: …". */
const OWN_HEAD = either(
  /^(?:i|i['’](?:m|ve|d)|we|my|our|no|yes|ok|sorry|always|never)\b|\b(?:remember|remind|me)\b/i,
  /\b(?:note|fyi|p\.?s|thing|update|correction|context|background|important|rules?|wish|plan)\b/i,
  /\b(?:preferences?|info|fact|reason|news|warning|goal|point|problem|request|stack|setup)\b/i,
);
/** Another's words are told: somebody stands before the verb who is neither "I" nor "we". */
const REPORTS = inOrder(
  /(?:^|\bwhat )(?!(?:i|we|you|please|don['’]t|always|never)\b)/iu,
  /(?:(?:my|our|the|an?|some|this|that)(?: [\p{L}'’-]+){1,4}?|[\p{L}.'’-]+(?: [\p{L}'’-]+)?) /iu,
  /(?:says?|said|writes?|wrote|tells?|told|claims?|claimed|insists?|replied|texted|posted)\b/iu,
);
const PLAYED = either(
  /^(?:imagine|pretend|suppose|supposing|assum(?:e|ing)|hypothetical(?:ly)?|once upon a time)\b/i,
  /^(?:picture (?:this|me|yourself)|say (?:i|we|my|you|that)|what if|as if|thought experiment)\b/i,
  /^in (?:an?|another) (?:\w+ )?(?:world|universe|scenario|life|game|experiment)\b|^as a joke\b/i,
  /^i(?:['’]m| am) (?:an?|the) [^.]{1,40}[,;] (?:and )?you(?:['’]re| are)\b|^your name is\b/i,
  /^(?:act|speak|talk|behave|respond|answer|reply) (?:as|like) (?:if|though|an?|my|the)\b/i,
  /^(?:play|be) (?:an?|my|the|as)\b|^(?:do )?(?:an? )?role-?play\b|^play\b/i,
);
/** "You are Nova, a pilot"; "you are right" gives no part. */
const PART = /^You(?: are|['’]re|['’]ll be)(?: now)? (?:an?\b|the\b|my\b|playing\b|\p{Lu})/u;
/** It was no more than a joke, all of it. */
const TAKEN_BACK =
  /\b(?:kidding|joking|messing with you|jk|a joke|made (?:that|it|this) up)\b|(?:^|\s)\/s\b/i;
/** What would be, is wished for, is a joke, another's wish, or a plan that was given up. */
const NOT_MEANT = either(
  /\b(?:if|unless|whether|in case|as though|where|in which) (?:i|we|my|our)\b/iu,
  /\bwould(?:n['’]t)?\b[^.]{0,100}\bif\b|\b(?:were|had) (?:i|we)\b|\bi wish (?:i|we|my)\b/iu,
  /\b(?:lol|lmao|rofl|(?:ha){2,}h?|he(?:he)+|obviously)\b|\byeah,? (?:sure|right)\b/iu,
  /[😂🤣😜😝🙃]|^according to (?!my|our)/iu,
  /^(?!(?:i|we)\b)[\p{L}\p{N}' -]{1,40}? (?:wants?|wishes|hopes)\b/iu,
  /\b(?:would like|dreams? of|almost|nearly|was going to|were going to|cancell?ed|called off)\b/iu,
);

/** The frame that a sentence sets, if any. */
function frameOf(sentence: string): Frame | undefined {
  const opened = sentence.replace(BEFORE, "");
  if (PLAYED.test(opened) || PART.test(opened)) return "played";
  const [head = ""] = sentence.split(COLON, 1);
  const said = head.replace(BEFORE, "");
  const isOpen = head.length < sentence.length;
  const hasText = TEXT.test(head);
  const isHandedOn = HANDS_ON.test(said) && (hasText || isOpen);
  const works =
    REWORKS.test(said) || (hasText && (WORKS.test(said) || /\?\W*$/.test(sentence) || isOpen));
  if (!LASTS.test(head)) {
    if (works || isHandedOn || (isOpen && REPORTS.test(head))) return "given";
    if ((hasText && WITHIN.test(said)) || (isOpen && !OWN_HEAD.test(said))) return "unsure";
  }
  if (REPORTS.test(opened)) return "unsure";
  return NOT_MEANT.test(sentence) || sentence.includes(QUOTED) ? "framed" : undefined;
}

/** A text is asked about that stands before it, or elsewhere. */
const pointsBack = (sentence: string): boolean =>
  /\b(?:this|these|those|that|it|above)\b/i.test(sentence) && !COLON.test(sentence);

/** Tells the user's own words of a message from those that are somebody else's. */
export const heard = remembering((text: string): Heard => {
  const others: string[] = [];
  const asked = withoutPasted(text, others);
  const isPasted = others.length > 0;
  const marked = asked.replace(QUOTE, (quote) => {
    others.push(quote);
    return QUOTED;
  });
  const said = sentences(marked).flatMap((one) => (one.code ? [] : [one.text]));
  const frames = said.map(frameOf);
  // What to do with a pasted text is asked; what else is said beside it is the user's own.
  const at = frames.findIndex(
    (frame) => frame !== undefined && frame !== "framed" && !(frame === "given" && isPasted),
  );
  const first = said[at] ?? "";
  const head = first.split(COLON, 1)[0] ?? "";
  const isLast = at === said.length - 1 && head.length >= first.length - 1;
  const isGiven = frames[at] === "given";
  // What is asked about at the end of a message stands before it.
  const isBehind = isGiven && isLast && at > 0 && pointsBack(first);
  if (isBehind) others.push(said.slice(0, at).join("\n"));
  if (isGiven && !isLast) others.push([first.slice(head.length), ...said.slice(at + 1)].join("\n"));
  const isNone = isBehind || TAKEN_BACK.test(marked);
  const cut = isGiven && !isLast ? [...said.slice(0, at), head].join("\n") : undefined;
  const announces = isGiven && isLast && !isPasted ? "text" : undefined;
  return {
    asked: isBehind ? first : (cut ?? asked),
    own: isBehind ? first : (cut ?? marked),
    others,
    statements: said.filter(
      (_, index) => !isNone && frames[index] === undefined && (at < 0 || index < at),
    ),
    next: frames[at] === "played" ? "play" : announces,
  };
});
