import { either, inOrder, phrases, remembering } from "../../core/base.ts";
import { sentences } from "../../core/text/sentences.ts";

/** A message of the user's, told apart by whose its words are. In doubt they are another's. */
interface Heard {
  /** The user's own words, as far as the text that they are about, with what they quote. */
  readonly asked: string;
  /** The same without quotations. */
  readonly own: string;
  /** What is pasted, quoted, passed on, or given to be worked on. */
  readonly others: readonly string[];
}

/** Longer texts are documents, or hold something pasted, named in a line before or behind it. */
export const DOCUMENT = 1_500;
const EDGE = 400;

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
/** Heads of what one says oneself, and has not come upon: "My plan: …". */
const TALK = /^(?:i|we|my|our|it|th(?!e\b)\w+|you|got|been|signed|took)\b|!$/i;
/** Another's words are told: somebody stands before the verb who is neither "I" nor "we". */
const REPORTS = inOrder(
  /(?:^|\bwhat )(?!(?:i|we|you|please|don['’]t|always|never)\b)/iu,
  /(?:(?:(?:one of )?(?:my|our)|an?|th\w+|some\w+)(?: [\p{L}'’-]+){1,4}?|[\p{L}.'’-]+(?: \S+)?) /iu,
  either(
    /(?:says?|said|writes?|wrote|tells?|told|claims?|claimed|complains?|replied|texted|asks)\b/iu,
    /(?:e-?mailed|messaged|posted|texts|goes(?= i)|(?:sent|left) (?:us|me))\b/iu,
  ),
);
/** Does the sentence hand over a text that is another's behind it? */
function hands(sentence: string, isFirst: boolean): boolean {
  const plain = opened(sentence);
  const said = plain.replace(ASKING, "");
  const [head = ""] = said.split(COLON, 1);
  const isOpen = head.length < said.length;
  const isAsked = isQuestion(said) || (isFirst && !plain.endsWith("!"));
  if (LASTS.test(head)) return false;
  if (REWORKS.test(head) || (isOpen && REPORTS.test(head))) return true;
  return TEXT.test(head) && (isOpen || (isAsked && !TALK.test(plain)));
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
  const at = said.findIndex((one, index) => hands(one, index === 0));
  const [before, first = ""] = [said.slice(0, at), said[at]];
  const [head = ""] = first.split(COLON, 1);
  const behind = [first.slice(head.length + 1), ...said.slice(at + 1)].join("\n").trim();
  if (at < 0 || behind === "") return { asked, own, others };
  const cut = [...before, head].join("\n");
  return { asked: cut, own: cut, others: [...others, behind] };
});
