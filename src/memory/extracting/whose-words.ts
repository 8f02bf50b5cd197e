import { remembering } from "../../core/base.ts";
import { sentences } from "../../core/text/sentences.ts";
import { COLON, frameOf, pointsBack, TAKEN_BACK } from "./frames.ts";

/** A message of the user's, told apart by whose its words are. */
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
const QUOTE =
  /(?<![\p{L}\p{N}])(?:"[^"\n]{3,}"|“[^”]{3,}”|„[^“”"]{3,}[“”"]|'[^'\n]{12,}'(?!\p{L}))/gu;
/** One of these stands for each quotation. */
const QUOTED = "“…”";
/** A title is short, and says neither "I" nor what is to be done. */
const SAYS = /\b(?:i|i['’]m|i['’]ve|my|me|we|our|you|your|always|never|don['’]t|please)\b/i;
const TITLE = 3;

/** Two such lines are the head of a mail. */
const MAIL_HEAD = /^(?:from|to|cc|subject|date|sent):[^\n]*\n/im;
const MAIL = new RegExp(`${MAIL_HEAD.source}(?:[^\\n]*\\n){0,2}?${MAIL_HEAD.source}`, "im");
const SALUTE = /^(?:dear|to whom)\b[^.!?\n]{0,60}[,:]?[ \t]*$/im;
const HELLO =
  /(?<=\n[ \t]*\n[ \t]*)(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening|day))\b/i;
/** A line of a conversation that was written down. */
const SPEAKER = /^[ \t>*]{0,6}(?:\[[^\]\n]{1,30}\] ?)?(\p{L}[\p{L} ]{0,24})(?:\*\*)?:(?:\*\*)? /gmu;
const ROLES = /^(?:user|assistant|human|ai|bot|system|customer|client|agent|support|interviewer)$/i;

/** Where a text begins that is a mail or a conversation written down; its end for none. */
function beginOfOthers(text: string): number {
  const places = [MAIL, SALUTE, HELLO].map((sign) => text.search(sign));
  const lines = [...text.matchAll(SPEAKER)].slice(0, 400);
  const speakers = Map.groupBy(lines, ([, name = ""]) => name.toLowerCase());
  const isTalk =
    [...speakers.keys()].some((name) => ROLES.test(name)) ||
    (speakers.size > 1 && [...speakers.values()].some((said) => said.length > 1));
  if (isTalk) places.push(lines[0]?.index ?? -1);
  return Math.min(text.length, ...places.filter((place) => place >= 0));
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

/** What is marked as another's by how it stands there: between fences and tags, behind ">". */
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

const isTitle = (quote: string): boolean =>
  (quote.match(/\S+/g)?.length ?? 0) <= TITLE && !SAYS.test(quote);

/** Tells the user's own words of a message from those that are somebody else's. */
export const heard = remembering((text: string): Heard => {
  const others: string[] = [];
  const asked = withoutPasted(text, others);
  const isPasted = others.length > 0;
  const marked = asked.replace(QUOTE, (quote) => {
    if (isTitle(quote)) return quote;
    others.push(quote);
    return QUOTED;
  });
  const said = sentences(marked).flatMap((one) => (one.code ? [] : [one.text]));
  const frames = said.map(
    (one) => frameOf(one) ?? (one.includes(QUOTED) ? ("framed" as const) : undefined),
  );
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
