import { either, inOrder } from "../../core/base.ts";
import { FILLERS, isQuestion, meanings } from "./cues.ts";

/**
 * What a sentence makes of the words around it. "given": from here on stands a text that is
 * another's. "played": from here on a part is played. "unsure": what follows may be the words of
 * a text that is asked for. "framed": the sentence itself is not meant, or is another's.
 */
type Frame = "given" | "played" | "unsure" | "framed";

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Texts in which somebody speaks who is not the user, or not as the user would. */
const VOICES = words(
  "cv resume résumé bio biography profile persona prompt story tale novel fiction poem song " +
    "lyric script scene screenplay dialogue dialog character narrator protagonist role roleplay " +
    "role-play game joke riddle monologue speech diary perspective sketch theatre limerick " +
    "haiku fanfic testimonial",
);
/** Texts of any kind. */
const TEXTS = words(
  "text sentence phrase paragraph grammar spelling translation email e-mail mail message letter " +
    "chapter quote review comment post tweet article abstract essay transcript conversation chat " +
    "ticket complaint ad advert description excerpt snippet passage wording draft caption blurb " +
    "statement reply answer feedback quotation line lines thread interview testimony slogan note " +
    "entry",
);
/** What is done to a text that is there. */
const REWORKS = words(
  "translate proofread correct rewrite rephrase paraphrase reword summarize summarise polish " +
    "shorten condense classify label annotate spellcheck proof edit quote transcribe parse " +
    "tl;dr tldr",
);
/** What may be done to a text, and to much else. */
const WORKS = words(
  "improve analyze analyse explain review critique comment reply respond answer rate fix check " +
    "convert format extract interpret simplify continue complete finish make turn read evaluate " +
    "grade put respond look help judge tell is are does what",
);
const COMPOSES = words("write draft compose create generate invent give");

const WORD = /[\p{L}\p{N}]+(?:[-;'’][\p{L}]+)*/gu;
const wordsIn = (text: string): string[] =>
  (text.match(WORD) ?? []).map((word) => word.toLowerCase().replace("’", "'"));
const holds = (list: ReadonlySet<string>, said: readonly string[]): boolean =>
  said.some((word) => list.has(word) || list.has(word.replace(/s$/, "")));

/** How the user wishes to be spoken to, whatever is spoken of. */
export const ADDRESS = either(
  /\bcall me (?!back|when|if|at|on|later|crazy)\p{L}/iu,
  /^(?:please )?(?:keep|make|write|give|use|limit|format)\b.*\b(?:answers|replies|responses)\b/iu,
  /^(?:please )?(?:every|each|all) (?:answers?|repl(?:y|ies)|responses?)\b/iu,
);
/** A wish that is to last speaks of texts as well: "Always answer in short sentences." */
const LASTS = either(
  /\b(?:from now on|from here on|in (?:the )?future|going forward|when(?:ever)?|every|each|all)\b/i,
  /\b(?:always|never|remember|keep in mind|note that|please note|rules?|preferences?|don['’]t)\b/i,
  /\b(?:know|about me)\b|^note\b/i,
);
const THIS = /\b(?:this|these|those|that|it|the following|below|above|as follows)\b/i;
/** A head that points to what follows it. */
const POINTS =
  /\b(?:this|these|the following|as follows|below|like so|along (?:these|the) lines)\b[^:]{0,30}$/i;
const HANDS_ON = either(
  /^(?:here(?:['’]s| is| are| comes?)|this is|that is|these are|below is|(?:the )?below)\b/i,
  /^(?:i(?:['’]ve)? )?(?:just )?(?:got|received|found|read|saw) (?:this|these|the following)\b/i,
);
const NEAR = /\b(?:below|above|attached|enclosed|following)\b/i;
/** "Does this sound rude?" */
const ABOUT_THIS = /^(?:\S+ ){0,3}(?:this|these) (?!is\b)/i;
/** "What the tenant wrote to me." */
const OTHERS_SAID = inOrder(
  /\bwhat (?!(?:i|we|you)\b)[\p{L}' ]{1,40}/iu,
  /\b(?:wrote|written|said|says|sent|posted|told|replied|answered)\b/iu,
);

/** Where the head of a sentence ends: what stands behind its colon is told apart. */
export const COLON = /[:：](?=\s|["'“„«\ue000-\uf8ff]|$)/;
/** Heads of what one says oneself: "One more thing: …". */
const OWN_HEADS = words(
  "thing note fyi ps p.s important context background reminder update correction about info " +
    "detail fact rule preference heads-up news also yes no sure warning request wish goal plan " +
    "constraint requirement allergy diet setup stack way reason point problem",
);
const TELLS = /\b(?:i|i['’]m|i['’]ve|we|my|our|you|your|always|never|don['’]t|please)\b/i;

/** Behind what is no head of one's own, words that could be anybody's are not taken for it. */
const isOwnHead = (head: string, said: readonly string[]): boolean =>
  said.every((word) => FILLERS.has(word)) ||
  holds(OWN_HEADS, said) ||
  (/^(?:i|i['’](?:m|ve)|we|my|our)\b/i.test(head) && head.search(SPOKE) < 0);

/** What a sentence that asks for work on a text, or hands one on, makes of the words behind it. */
function textFrame(sentence: string): Frame | undefined {
  const [head = ""] = sentence.split(COLON, 1);
  const isOpen = head.length < sentence.length;
  const said = wordsIn(head);
  const verb = said.find((word) => !OPENINGS.has(word)) ?? "";
  const place = said.findIndex((word) => TEXTS.has(word) || VOICES.has(word) || REWORKS.has(word));
  const before = place < 0 ? head : said.slice(0, place).join(" ");
  if (LASTS.test(isOpen ? head : before) || (!isOpen && ADDRESS.test(head))) return undefined;
  const hasVoice = holds(VOICES, said);
  const hasText = hasVoice || holds(TEXTS, said);
  const asks =
    [REWORKS, WORKS, COMPOSES].some((list) => list.has(verb)) ||
    meanings(head).has("requests") ||
    isQuestion(sentence);
  const isNew = asks && holds(COMPOSES, said) && !THIS.test(head);
  const isHanded = hasText && (isOpen || HANDS_ON.test(head) || NEAR.test(head)) && !isNew;
  if (isHanded || OTHERS_SAID.test(head) || (isOpen && POINTS.test(head))) return "given";
  if (asks && !isNew && (holds(REWORKS, said) || (hasText && THIS.test(head)))) return "given";
  if (hasVoice && (asks || /^(?:for|in) /i.test(head))) return "unsure";
  if (hasText && asks) return isNew ? "unsure" : "given";
  if (isQuestion(sentence) && ABOUT_THIS.test(sentence)) return "unsure";
  const tells = asks || TELLS.test(sentence.slice(head.length));
  return isOpen && tells && !isOwnHead(head, said) ? "unsure" : undefined;
}
/** These stand before a verb that asks. */
const OPENINGS = new Set([...FILLERS, ..."can could would will you help me to kindly".split(" ")]);

/** A text is asked about that stands before, or elsewhere. */
export const pointsBack = (sentence: string): boolean =>
  THIS.test(sentence) && !COLON.test(sentence);

/** These may stand before the word that opens a play. */
const BEFORE_PLAY =
  /^(?:(?:please|now|ok|okay|so|well|and|but|just|first|hey|today|hi|alright)\b[\s,!]+)+/i;
const ASKED_TO = /^(?:let['’]s|(?:can|could|would) you|i(?:['’]d like| want| need) you to)\s+/i;
const PLAYED = either(
  /^(?:imagine|pretend|suppose|supposing|assume|assuming|hypothetically|once upon a time)\b/i,
  /^(?:picture (?:this|me|yourself)|say (?:i|we|my|you|that)|what if|as if)\b/i,
  /^in (?:an?|another|this) (?:\w+ )?(?:world|universe|scenario|life|game|experiment)\b/i,
  /^(?:as a joke|hypothetical\b|thought experiment|your name is)/i,
  // Parts are given out: "I'm the patient, you're the doctor."
  /^i(?:['’]m| am) (?:an?|the) [^.]{1,40}[,;] (?:and )?you(?:['’]re| are)\b/i,
  /^(?:act|speak|talk|behave|respond|answer|reply) (?:as|like) (?:if|though|an?|my|the)\b/i,
  /^(?:play|be) (?:an?|my|the|as)\b|^role-?play|^you(?: are|['’]re)(?: now)? (?:an?|the|my)\b/i,
  /^you(?: are|['’]re|['’]ll be) (?:now )?playing\b/i,
);

/** It was no more than a joke, all of it. */
export const TAKEN_BACK = either(
  /\b(?:just |only )?(?:kidding|joking|messing with you|pulling your leg)\b|\bjk\b|(?:^|\s)\/s\b/i,
  /\b(?:just|only) a joke\b|\bmade (?:that|it|this) up\b|\bnot (?:true|really)\W*$/i,
);

/** What would be, is wished for, is a joke or another's: by its sentence alone not meant. */
const NOT_MEANT = either(
  /\bif (?:i|we|you|he|she|it|they|my \w+)\b[^.]{0,80}\b(?:were|was|had|could|would|did)\b/iu,
  /\bif (?:i|we) (?:[a-z]{2,}ed|lived|went|got|came|took|made|won|knew|became|ate|drove)\b/iu,
  /\bwould(?:n['’]t)?\b[^.]{0,100}\bif\b|\b(?:were|had) (?:i|we)\b|\bi wish (?:i|we|my)\b/iu,
  /\b(?:lol|lmao|rofl|(?:ha){2,}h?|he(?:he)+)\b|\byeah,? (?:sure|right)\b|[😂🤣😜😝🙃]/iu,
  // "Tell my brother that I'm ill", "a chat where I'm the customer", "according to the page".
  /^(?:[\p{L}]+[\s,]+){0,3}(?:tell|write|text|email|inform) (?!me\b)[^.]{1,40} (?:that|saying) /iu,
  /\b(?:where|in which) i(?:['’]m| am)\b|^according to (?!my|our)/iu,
);
const UNSURE = /\b(?:if|unless|whether|in case|as though) (?:i|we|my|our)\b/i;

const SPOKE = either(
  /\b(?:says?|said|writes?|wrote|tells|told|claims?|claimed|states?|stated|replied|replies)\b/gi,
  /\b(?:answered|answers|asked|asks|mentioned|reads?|goes|explained|insists?|insisted)\b/gi,
  /\b(?:posted|tweeted|commented|texted|emailed|begins|starts|added|noted|complained)\b/gi,
);
/** A quotation stands next, or its mark. */
const QUOTES = /^[^.]{0,20}["“„«\ue000-\uf8ff]/;
/** In indirect speech these alone are sure to tell another's words. */
const SURELY =
  /^(?:says?|said|writes|wrote|tells|told|claim|replied|insist|tweeted|posted|texted)/i;
const BY_ME = either(
  /\b(?:i|we|you|i['’]ve|we['’]ve|i['’]d)(?: \w+)?\s$|\b(?:was|were|been)\s$/i,
  /\b(?:i|we)\b.*\bto\s$/i,
);

/** What another said: in so many words to the end of the message, or told in this sentence. */
function reported(sentence: string): Frame | undefined {
  for (const { index, 0: verb } of sentence.matchAll(SPOKE)) {
    const before = sentence.slice(0, index);
    if (before.trim() === "" || BY_ME.test(before)) continue;
    const behind = sentence.slice(index + verb.length);
    if (/^[^:"“„«]{0,40}[:：](?:\s|["'“„«]|$)/.test(behind)) return "given";
    // A person of the user's own world may tell, in other words, what is true of the user.
    const isTold = !/\b(?:my|our)\b/i.test(before) || QUOTES.test(behind);
    if (SURELY.test(verb) && isTold) return "framed";
  }
  return undefined;
}

/** The frame that a sentence sets, if any. */
export function frameOf(sentence: string): Frame | undefined {
  const opens = sentence.replace(BEFORE_PLAY, "").replace(ASKED_TO, "");
  if (PLAYED.test(opens) && !meanings(sentence).has("thanks")) return "played";
  const frame = textFrame(sentence);
  if (frame !== undefined) return frame;
  const means = meanings(sentence);
  const isUnsure = UNSURE.test(sentence) && !means.has("rules");
  return isUnsure || NOT_MEANT.test(sentence) ? "framed" : reported(sentence);
}
