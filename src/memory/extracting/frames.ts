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
const QUOTED = "“…”";

/** The head of a mail; a greeting of a letter, or of a mail behind something else. */
const LETTER = either(
  /^(?:from|to|subject|date|sent):[^\n]*\n(?:[^\n]*\n){0,2}?(?:from|to|cc|subject|date|sent):/im,
  /^(?:dear|to whom)\b[^.!?\n]{0,60}$|(?<=\n[ \t]*\n[ \t]*)(?:hi|hello|hey|greetings|good day)\b/im,
);
/** A line of a conversation that was written down. */
const SPEAKER = /^[ \t>*]{0,6}(?:\[[^\]\n]{1,30}\] ?)?(\p{L}[\p{L} ]{0,24})(?:\*\*)?:(?:\*\*)? /gmu;
const ROLES = /^(?:user|assistant|human|ai|bot|system|customer|client|agent|support|interviewer)$/i;

/** Where a text begins that is a mail or a conversation written down; its end for none. */
function beginOfOthers(text: string): number {
  const lines = [...text.matchAll(SPEAKER)].slice(0, 400);
  const names = lines.map(([, name = ""]) => name.toLowerCase());
  const speakers = new Set(names).size;
  const isTalk =
    names.some((name) => ROLES.test(name)) || (speakers > 1 && names.length > speakers);
  const letter = text.search(LETTER);
  return Math.min(
    letter < 0 ? text.length : letter,
    isTalk ? (lines[0]?.index ?? text.length) : text.length,
  );
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
  const isEdge = (line: string, at: number): boolean =>
    (at === 0 || at === lines.length - 1) && line.length <= EDGE;
  others.push(lines.filter((line, at) => !isEdge(line, at)).join("\n"));
  return lines.filter(isEdge).join("\n");
}

/** The sentences of a text without its code. */
export const spoken = (text: string): string[] =>
  sentences(text).flatMap((one) => (one.code ? [] : [one.text]));
export const isQuestion = (sentence: string): boolean => /[?？]["'”’)\]]*$/u.test(sentence.trim());

/** These words may stand before a sentence's beginning without changing it. */
const OPENING = new RegExp(
  "^(?:(?:ok(?:ay)?|so|well|and|but|also|yeah|yes|oh|hey|hi|hello|then|now|right|sure|btw|my dude" +
    "|by the way|actually|sorry|no(?:pe)?(?=[,.!:;–—-])|just|first|please|thanks|thank you|hmm?" +
    "|omfg|correction|update|fyi|note(?: for later)?|one more thing|i was wrong|for the record" +
    "|in fact)\\b[\\s,.:;!–—-]*)+",
  "iu",
);
export const opened = (sentence: string): string => sentence.replace(OPENING, "");

/**
 * What a sentence makes of the words around it. "given": from here on stands a text that is
 * another's. "played": from here on a part is played. "unsure": what follows may be another's.
 * "framed": the sentence itself is not meant, or is another's.
 */
type Frame = "given" | "played" | "unsure" | "framed";

const ASKING = inOrder(
  /^(?:(?:can|could|would|will) you|help me(?: to)?|let['’]s|i(?:['’]d like| want| need))/i,
  /\b[\s,]*(?:you )?(?:to )?(?:please )?/i,
);
const TEXT = phrases(
  "\\b",
  "(?:cv|r[eé]sum[eé]|bio(?:graphy)?|profile|persona|prompt|story|tale|novel|fiction|poem|song",
  "lyric|script|scene|screenplay|dialogue?|monologue|speech|essay|text|sentence|phrase|grammar",
  "paragraph|translation|e-?mail|mail|message|letter|review|comment|post|tweet|article|quote|joke",
  "transcript|conversation|chat|ticket|complaint|draft|caption|slogan|diary|perspective|excerpt)s?",
);
const REWORKS =
  /^(?:translate|proofread|correct|re(?:write|phrase|word)|paraphrase|summari[sz]e|classify)\b/i;
const WORKS = phrases(
  "^",
  "improve|fix|check|review|write|draft|compose|generate|create|invent|give|continue|make|finish",
  "complete|turn|answer|reply|respond|read|explain|rate|convert|shorten|look|edit|judge|quiz",
);
const HANDS_ON = /^(?:here(?:['’]s| is| are| comes?)|this is|these are|(?:the )?below)\b/i;
/** A wish that is to last speaks of texts as well: "Always answer mails in short sentences." */
const LASTS = phrases(
  "\\b",
  "from (?:now|here) on|in future|going forward|when(?:ever)?|every|each|all|always|never|don['’]t",
  "remember|keep in mind|rules?|preferences?",
);
/** Where the head of a sentence ends: what stands behind its colon is told apart. */
const COLON = /[:：](?=\s|["'“„«]|$)/;
/** Heads of what one says oneself: "My plan: …". */
const OWN_HEAD = either(
  /^(?:i|i['’](?:m|ve|d)|we|my|our)\b|\b(?:remember|remind|me|thing|context|background|rule)\b/i,
  /\b(?:important|wish|plan|info|fact|reason|news|warning|goal|point|problem|stack|deadline)\b/i,
  /\b(?:wrong|mistake)\b/i,
);
/** Another's words are told: somebody stands before the verb who is neither "I" nor "we". */
const REPORTS = inOrder(
  /(?:^|\bwhat )(?!(?:i|we|you|please|don['’]t|always|never)\b)/iu,
  /(?:(?:my|our|the|an?|some|this|that)(?: [\p{L}'’-]+){1,4}?|[\p{L}.'’-]+(?: [\p{L}'’-]+)?) /iu,
  /(?:says?|said|writes?|wrote|tells?|told|claims?|claimed|insists?|replied|texted|posted)\b/iu,
);
const PLAYED = either(
  /^(?:imagine|pretend|suppos(?:e|ing)|assum(?:e|ing)|hypothetical(?:ly)?|once upon a time)\b/i,
  /^(?:picture (?:this|me|yourself)|say (?:i|we|my|you|that)|what if|as if|your name is)\b/i,
  /^(?:act|speak|talk|behave|respond|answer|reply) (?:as|like) (?:if|though|an?|my|the)\b/i,
  /^(?:play|be) (?:an?|my|the|as)\b|^(?:do )?(?:an? )?role-?play\b|^play\b/i,
);
/** "You are Nova, a pilot"; "you are right" gives no part. */
const PART = /^You(?: are|['’]re|['’]ll be)(?: now)? (?:an?\b|the\b|my\b|playing\b|\p{Lu})/u;
/** It was no more than a joke, all of it. */
const TAKEN_BACK = /\b(?:kidding|joking|jk|a joke|made (?:that|it|this) up)\b|(?:^|\s)\/s\b/i;
/** What would be, is wished for, is a joke, another's wish, or a plan that was given up. */
const NOT_MEANT = either(
  /\b(?:if|unless|whether|in case|as though|in which|were|had|i wish) (?:i|we|my|our)\b/iu,
  /\bwould(?:n['’]t)?\b[^.]{0,100}\bif\b|\bwould like\b|\bdreams? of\b|^according to (?!my|our)/iu,
  /\b(?:lol|lmao|rofl|(?:ha){2,}h?|he(?:he)+|obviously)\b|\byeah,? (?:sure|right)\b|[😂🤣😜😝🙃]/iu,
  /^(?!(?:i|we)\b)[\p{L}\p{N}' -]{1,40}? (?:wants?|wishes|hopes)\b/iu,
  /\b(?:almost|nearly|(?:was|were) going to|cancell?ed|called off)\b/iu,
);

/** The frame that a sentence sets, if any. */
function frameOf(sentence: string): Frame | undefined {
  const said = opened(sentence).replace(ASKING, "");
  if (PLAYED.test(said) || PART.test(said)) return "played";
  const [head = ""] = said.split(COLON, 1);
  const isOpen = head.length < said.length;
  const hasText = TEXT.test(head);
  if (!LASTS.test(head)) {
    const works = hasText && (WORKS.test(head) || isQuestion(said) || isOpen);
    const tells = isOpen && (HANDS_ON.test(head) || REPORTS.test(head));
    if (REWORKS.test(head) || works || tells) return "given";
    if (isOpen && !OWN_HEAD.test(head)) return "unsure";
  }
  if (REPORTS.test(said)) return "unsure";
  return NOT_MEANT.test(sentence) || sentence.includes(QUOTED) ? "framed" : undefined;
}

/** A text is asked about that stands before it, or elsewhere. */
const POINTS_BACK = /\b(?:this|these|those|that|it|above)\b/i;

/** Tells the user's own words of a message from those that are somebody else's. */
export const heard = remembering((text: string): Heard => {
  const others: string[] = [];
  const asked = withoutPasted(text, others);
  const isPasted = others.length > 0;
  const own = asked.replace(QUOTE, (quote) => {
    others.push(quote);
    return QUOTED;
  });
  const said = spoken(own);
  const frames = said.map(frameOf);
  // What to do with a pasted text is asked; what else is said beside it is the user's own.
  const at = frames.findIndex(
    (frame) => frame !== undefined && frame !== "framed" && !(frame === "given" && isPasted),
  );
  const first = said[at] ?? "";
  const [head = ""] = first.split(COLON, 1);
  const statements = TAKEN_BACK.test(own)
    ? []
    : said.filter((_, index) => frames[index] === undefined && (at < 0 || index < at));
  if (frames[at] !== "given")
    return { asked, own, others, statements, next: frames[at] === "played" ? "play" : undefined };
  const behind = [first.slice(head.length + 1), ...said.slice(at + 1)].join("\n").trim();
  if (behind !== "") {
    const cut = [...said.slice(0, at), head].join("\n");
    return { asked: cut, own: cut, others: [...others, behind], statements };
  }
  // What is asked about at the end of a message stands before it.
  const next = isPasted ? undefined : "text";
  if (at === 0 || !POINTS_BACK.test(first)) return { asked, own, others, statements, next };
  return {
    asked: first,
    own: first,
    others: [...others, ...said.slice(0, at)],
    statements: [],
    next,
  };
});
