import { either, inOrder, phrases } from "../../core/base.ts";

/**
 * What a sentence makes of the words around it. "given": from here on stands a text that is
 * another's. "played": from here on a part is played. "unsure": what follows may be another's.
 * "framed": the sentence itself is not meant, or is another's. In doubt nothing is kept.
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
  /^(?:i(?:['’]ve)? )?(?:just )?(?:got|received|found|read|saw) (?:this|these|the following)\b/i,
);
const WITHIN = /^(?:for|in) (?:an?|my|our|the|this|that)\b/i;
/** A wish that is to last speaks of texts as well: "Always answer mails in short sentences." */
const LASTS = either(
  /\b(?:from (?:now|here) on|in future|going forward|when(?:ever)?|every|each|all|always|never)\b/i,
  /\b(?:remember|keep in mind|rules?|preferences?|don['’]t|about me)\b|^(?:please )?note\b/i,
);

/** Where the head of a sentence ends: what stands behind its colon is told apart. */
export const COLON = /[:：](?=\s|["'“„«]|$)/;
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

/** A text is asked about that stands before it, or elsewhere. */
export const pointsBack = (sentence: string): boolean =>
  /\b(?:this|these|those|that|it|above)\b/i.test(sentence) && !COLON.test(sentence);

function textFrame(sentence: string): Frame | undefined {
  const [head = ""] = sentence.split(COLON, 1);
  const isOpen = head.length < sentence.length;
  const isQuestion = /\?\W*$/.test(sentence);
  const said = head.replace(BEFORE, "");
  const hasText = TEXT.test(head);
  const isHandedOn = HANDS_ON.test(said) && (hasText || isOpen);
  const works = REWORKS.test(said) || (hasText && (WORKS.test(said) || isQuestion));
  if (LASTS.test(head)) return undefined;
  if (works || isHandedOn || (hasText && isOpen)) return "given";
  if (hasText && WITHIN.test(said)) return "unsure";
  if (isOpen && REPORTS.test(head)) return "given";
  return isOpen && !OWN_HEAD.test(said) ? "unsure" : undefined;
}

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
export const TAKEN_BACK =
  /\b(?:kidding|joking|messing with you|jk|a joke|made (?:that|it|this) up)\b|(?:^|\s)\/s\b/i;

/** What would be, is wished for, is a joke or another's: by its sentence alone not meant. */
const NOT_MEANT = either(
  /\b(?:if|unless|whether|in case|as though|where|in which) (?:i|we|my|our)\b/iu,
  /\bwould(?:n['’]t)?\b[^.]{0,100}\bif\b|\b(?:were|had) (?:i|we)\b|\bi wish (?:i|we|my)\b/iu,
  /\b(?:lol|lmao|rofl|(?:ha){2,}h?|he(?:he)+|obviously)\b|\byeah,? (?:sure|right)\b/iu,
  /[😂🤣😜😝🙃]|^according to (?!my|our)/iu,
  // A wish of a third person's, a plan that was none or was given up.
  /^(?!(?:i|we)\b)[\p{L}\p{N}' -]{1,40}? (?:wants?|wishes|hopes)\b/iu,
  /\b(?:would like|dreams? of|almost|nearly|was going to|were going to|cancell?ed|called off)\b/iu,
);

/** The frame that a sentence sets, if any. */
export function frameOf(sentence: string): Frame | undefined {
  const said = sentence.replace(BEFORE, "");
  if (PLAYED.test(said) || PART.test(said)) return "played";
  const frame = textFrame(sentence);
  if (frame !== undefined) return frame;
  if (REPORTS.test(said)) return "unsure";
  return NOT_MEANT.test(sentence) ? "framed" : undefined;
}
