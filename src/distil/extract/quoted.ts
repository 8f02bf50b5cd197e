import { contentWords } from "../../text/content-words.ts";
import { oneLine } from "../../text/one-line.ts";
import { sentences } from "../../text/sentences.ts";
import { asks, isCourtesy } from "./cues.ts";
import { DOCUMENT } from "./own-words.ts";

const QUOTE = /^\s{0,4}>/;
const MARKS = /^(?:\s{0,4}>\s?)+/;
const FROM = /^(?:From|Von|De|Da|Från|Fra|Od|От|发件人|差出人)\s?[:：]\s*(\S.{0,120})$/iu;
const HEADER = /^(?:[\p{L}-]{2,20}|Reply to)\s?[:：]\s/u;
/** "On Wed, 4 Nov at 09:12, Hildur Magnúsdóttir wrote:", "Am 3.11. schrieb Jens Petersen:" */
const BEFORE = /(?:^|[,，]\s*)([^,，:：]{2,60}?)\s*(?:<[^<>]{1,80}>\s*)?(?:wrote|writes|said|says|replied|schrieb|schreibt|a écrit|écrit|escribió|ha scritto|escreveu|skrev|写道|说)\s?[:：]\s*$/iu;
const BEHIND = /\b(?:schrieb|schreibt|skrev|wrote)\s+([^,:：<]{2,60}?)\s*(?:<[^<>]{1,80}>\s*)?[:：]\s*$/iu;
/** Of one mail so many sentences are told. */
const MOST = 4;

export interface Quoted {
  /** What others said, each with who said it. */
  readonly said: readonly string[];
  /** The text without it. */
  readonly rest: string;
}

/** Words of others that somebody passes on: "I am the landlord" in a mail is its sender's. Quotations that name nobody stay as they are. */
export function quotedIn(text: string): Quoted {
  if (text.length > DOCUMENT || !/^\s{0,4}>/m.test(text)) return { said: [], rest: text };
  const said: string[] = [];
  const rest: string[] = [];
  let block: string[] = [];
  const close = (): void => {
    if (block.length === 0) return;
    const bare = block.map((line) => line.replace(MARKS, "").trim());
    const last = rest.findLastIndex((line) => line.trim() !== "");
    // A thousand spaces in a row would be tried in every part of the patterns.
    const above = oneLine(rest[last] ?? "").replace(/ {2,}/g, " ");
    const named = BEFORE.exec(above)?.[1] ?? BEHIND.exec(above)?.[1];
    const sender = nameOf(named ?? bare.map((line) => FROM.exec(line)?.[1]).find((one) => one !== undefined) ?? "");
    if (sender === "") rest.push(...block);
    else {
      if (named !== undefined) rest.splice(last, 1);
      said.push(...told(bare).map((words) => `${sender}: "${words}"`));
    }
    block = [];
  };
  for (const line of text.split("\n")) {
    if (QUOTE.test(line)) block.push(line);
    else {
      close();
      rest.push(line);
    }
  }
  close();
  return { said, rest: rest.join("\n").trim() };
}

/** A mail's head ends with its first empty line. */
function told(lines: readonly string[]): string[] {
  const head = lines.findIndex((line) => FROM.test(line));
  const from = head < 0 ? 0 : lines.findIndex((line, at) => at > head && !HEADER.test(line));
  const body = from < 0 ? [] : lines.slice(from);
  return sentences(body.join("\n"))
    .filter(({ text, code }) => !code && contentWords(text).length >= 2 && !isCourtesy(text) && !asks(text) && !/[?？]["'”’)]*$/.test(text))
    .slice(0, MOST)
    .map(({ text }) => oneLine(text));
}

const nameOf = (words: string): string => words.replace(/<[^<>]*>|["“”]/g, "").trim().slice(0, 60);
