import { type Dialect } from "../../dialect/dialect.ts";
import { type Message } from "../../model/request.ts";
import { contentWords } from "../../text/content-words.ts";
import { identifiers } from "../../text/identifiers.ts";
import { type Language } from "../../text/language.ts";
import { oneLine } from "../../text/one-line.ts";
import { sentences } from "../../text/sentences.ts";
import { originOf } from "../origin.ts";
import { fitting } from "./candidate.ts";
import { asks, concludesFirmly, corrects, decides, explainsFailure, isCourtesy, isExhaust, leansOnContext, noted, rules } from "./cues.ts";
import { type Keepsake, type KeepsakeKind } from "./keepsake.ts";
import { quotedIn } from "./quoted.ts";
import { readReply } from "./reply.ts";
import { rowsOf } from "./rows.ts";
import { plain } from "./told.ts";
import { type Transcript, type Turn } from "./transcript.ts";
import { SPEAKERS } from "./user-facts.ts";

/** Of one message no more statements than this are held for keepsakes. */
const BY_USER = 6;
const BY_ASSISTANT = 3;
/** A message as short as this is one statement: its sentences lean on each other ("You wrote Sara. It's Zara."). */
export const WHOLE = 160;
/** An answer as short as this leans on its question, if that is short too. */
const CURT = 60;
const QUESTION = 120;
const VALUE: Readonly<Partial<Record<KeepsakeKind, number>>> = { failed: 0.65, correction: 0.85, decision: 0.7, rule: 0.9 };
const SAID = { user: { marked: 0.42, plain: 0.36 }, agent: { marked: 0.3, plain: 0.2 } } as const;

/** Plain statements: the user's own, and what the assistant tells of names, numbers and places when it speaks to the user. */
export function statementsOf({ turns, language }: Transcript, { dialect, messages }: { dialect: Dialect; messages: readonly Message[] }): Keepsake[] {
  return turns.flatMap((turn, at) => {
    const byUser = turn.speaker === "user";
    const rows = byUser ? rowsOf(turn.text) : [];
    const quoted = byUser ? quotedIn(turn.text).said : [];
    if ((!byUser && (turn.speaker !== "assistant" || turn.steps.length > 0)) || (turn.own === "" && rows.length + quoted.length === 0)) return [];
    const message = messages[turn.index];
    const origin = message === undefined ? "untrusted" : originOf(dialect, message);
    const question = byUser ? "" : questionOf(turn, turns[at - 1], language);
    return (byUser ? [...quoted, ...rows, ...byTheUser(turn)] : byTheAssistant(turn)).map((text): Keepsake => {
      const content = oneLine(`${byUser ? SPEAKERS[language].user : SPEAKERS[language].agent}${fitting(text, 290 - question.length)}${question}`);
      // What somebody else decides or forbids is told, not obeyed.
      const kind = quoted.includes(text) ? "said" : byUser ? kindOf(text) : explainsFailure(text) ? "failed" : "said";
      const value = VALUE[kind] === undefined ? SAID[byUser ? "user" : "agent"][hasMark(text) ? "marked" : "plain"] : VALUE[kind] * (byUser ? 1 : 0.5);
      return { kind, text: content, value, fact: { content, importance: Math.min(value, 0.6), from: [turn.index], origin, category: kind === "failed" ? "mistake-pattern" : "core" }, earlier: false };
    });
  });
}

/** "Since 4be91d07." says nothing without what was asked. */
export function questionOf({ text }: Turn, before: Turn | undefined, language: Language): string {
  if (text.length > CURT || before?.speaker !== "user" || !/\S\s+\S|\p{Script=Han}{2}/u.test(before.text) || before.text.length > QUESTION) return "";
  return SPEAKERS[language].asked(oneLine(before.text));
}

const kindOf = (text: string): KeepsakeKind => (corrects(text) ? "correction" : explainsFailure(text) ? "failed" : rules(text) ? "rule" : decides(text) ? "decision" : "said");

function byTheUser({ own: all }: Turn): string[] {
  const parts = sentences(all).filter(({ code }) => !code);
  const tells = (text: string): boolean => {
    const words = contentWords(text).length;
    if (words === 0 || isCourtesy(text) || ASKING.test(text)) return false;
    return noted(text) || (hasMark(text) ? words >= 2 : words >= 3 && !asks(text));
  };
  if (all.length <= WHOLE && parts.length > 1 && parts.length <= 4 && parts.every(({ text }) => !ASKING.test(text) && !asks(text)) && contentWords(all).length >= 3) return isCourtesy(all) ? [] : [oneLine(all)];
  return telling(parts.filter(({ text }) => tells(text)).map(({ text }, at) => ({ text, at, weight: noted(text) ? 2 : hasMark(text) ? 1 : 0 })), BY_USER);
}

/** The weightiest of them, in the order they stand. */
const telling = (found: readonly { readonly text: string; readonly at: number; readonly weight: number }[], most: number): string[] =>
  [...found]
    .sort((a, b) => b.weight - a.weight || a.at - b.at)
    .slice(0, most)
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text);

/** An assistant names things in every sentence: the most telling of them, in the order they stand. */
function byTheAssistant({ own: all }: Turn): string[] {
  if (readReply(all).kind === "nod") return [];
  const parts = sentences(all)
    .filter(({ text, code }) => !code && contentWords(text).length >= 2 && !isCourtesy(text) && !ASKING.test(text))
    .map(({ text }, at) => ({ text: plain(text), at }))
    .map((one) => ({ ...one, weight: weightOf(one.text) }));
  return telling(parts.filter(({ weight }) => weight > 0), BY_ASSISTANT);
}

function weightOf(text: string): number {
  const failure = explainsFailure(text) && !(leansOnContext(text) && !hasMark(text));
  if (isExhaust(text) && !failure) return 0;
  const words = contentWords(text).length;
  const mark = hasMark(text);
  if (words < 3 && !mark) return 0;
  return (failure ? 3 : 0) + (concludesFirmly(text) && words >= 3 ? 3 : 0) + (mark ? (SETS.test(text) ? 2 : 1) : 0);
}

const ASKING = /[?？]["'”’)]*$/;
/** It says who, where or how much something is. */
const SETS = /\b(?:is|are|was|were|has|have|as|under|in|at|called|costs?|total|makes?|comes?|belongs?|lists?|gives?)\b|[:=]|是|在|有|叫|共/;
/** A name, a number or an identifier: what nobody can think of again. */
export const hasMark = (text: string): boolean => /\d/.test(text) || identifiers(text).length > 0 || /[\p{Ll}\p{N},;:)] \p{Lu}[\p{L}-]{2,}|^\p{Lu}[\p{Ll}-]{3,} \p{Lu}[\p{Ll}-]{2,}/u.test(text);
