import { type Dialect } from "../../dialect/dialect.ts";
import { type Message } from "../../model/request.ts";
import { contentWords } from "../../text/content-words.ts";
import { identifiers } from "../../text/identifiers.ts";
import { oneLine } from "../../text/one-line.ts";
import { sentences } from "../../text/sentences.ts";
import { type Fact } from "../distiller.ts";
import { originOf } from "../origin.ts";
import { putsOff, requestsOf, stillAsked } from "./asked.ts";
import { fitting } from "./candidate.ts";
import { asks, corrects, decides, explainsFailure, isCourtesy, isExhaust, rules } from "./cues.ts";
import { type Earlier } from "./earlier.ts";
import { factsOf } from "./facts.ts";
import { type Failure } from "./failures.ts";
import { type Ledger } from "./ledger.ts";
import { type Transcript } from "./transcript.ts";
import { SPEAKERS } from "./user-facts.ts";

export type KeepsakeKind = "open" | "rule" | "correction" | "decision" | "failed" | "said";

/** Something that must not be lost: a later summary says it, or a fact does. */
export interface Keepsake {
  readonly kind: KeepsakeKind;
  readonly text: string;
  /** 0…1: the least goes first where room is short. */
  readonly value: number;
  /** What would be saved of it; a line of the summary before has nobody's word to rest on. */
  readonly fact: Fact;
  /** It stood in the summary before. */
  readonly earlier: boolean;
}

export interface Findings {
  readonly transcript: Transcript;
  readonly ledger: Ledger;
  readonly failures: readonly Failure[];
  readonly earlier: Earlier;
}

const VALUE: Readonly<Record<KeepsakeKind, number>> = { open: 1, rule: 0.9, correction: 0.85, decision: 0.7, failed: 0.65, said: 0.4 };
/** An older one gives way to a newer one of its kind. */
const OLDER = 0.8;
/** Of one message no more statements than this are held for keepsakes; longer ones are documents. */
const SAID_BY_USER = 6;
const SAID_BY_ASSISTANT = 2;
const DOCUMENT = 1_500;

/** What was said in the range or stood in the summary before, as far as wording and names tell that it matters. */
export function keepsakesOf(findings: Findings, { dialect, messages, facts = factsOf(findings, { dialect, messages, factsFrom: 0 }) }: { dialect: Dialect; messages: readonly Message[]; facts?: readonly Fact[] }): Keepsake[] {
  const { transcript, earlier } = findings;
  const found = facts.map((fact): Keepsake => {
    const kind = kindOf(fact);
    return { kind, text: fact.content, value: Math.max(fact.importance, VALUE[kind]), fact, earlier: false };
  });
  return [...found, ...said(transcript, { dialect, messages }), ...open(findings), ...stood(earlier)];
}

function kindOf({ category, content, origin }: Fact): KeepsakeKind {
  if (category === "principle" || category === "preference") return "rule";
  if (category === "mistake-pattern" || category === "incident") return origin === "user" && corrects(content.replace(/^[^:：]{1,8}[:：]\s?/, "")) ? "correction" : "failed";
  return category === "decision" ? "decision" : "said";
}

/** Plain statements: the user's own, and what the assistant tells of names, numbers and places when it speaks to the user. */
function said({ turns, language }: Transcript, { dialect, messages }: { dialect: Dialect; messages: readonly Message[] }): Keepsake[] {
  return turns.flatMap((turn) => {
    const byUser = turn.speaker === "user";
    if ((!byUser && (turn.speaker !== "assistant" || turn.steps.length > 0)) || turn.text.length > DOCUMENT) return [];
    const message = messages[turn.index];
    return sentences(turn.text)
      .filter(({ text, code }) => !code && contentWords(text).length >= 3 && !isCourtesy(text) && !/[?？]["'”’)]*$/.test(text) && (byUser ? !asks(text) || hasMark(text) : tells(text)))
      .slice(0, byUser ? SAID_BY_USER : SAID_BY_ASSISTANT)
      .map(({ text }): Keepsake => {
        const content = oneLine(`${byUser ? SPEAKERS[language].user : SPEAKERS[language].agent}${fitting(text, 290)}`);
        const origin = message === undefined ? "untrusted" : originOf(dialect, message);
        const value = byUser ? VALUE.said : VALUE.said / 2;
        return { kind: "said", text: content, value, fact: { content, importance: value, from: [turn.index], origin, category: "core" }, earlier: false };
      });
  });
}

/** A name, a number or an identifier: what nobody can think of again. */
const hasMark = (text: string): boolean => /\d/.test(text) || identifiers(text).length > 0 || /[\p{Ll}\p{N},;:)] \p{Lu}[\p{Ll}-]{2,}|^\p{Lu}[\p{Ll}-]{3,} \p{Lu}[\p{Ll}-]{2,}/u.test(text);

/** An assistant names things in every sentence; what it says of who, where or how many they are is worth keeping. */
const tells = (text: string): boolean => !isExhaust(text) && hasMark(text) && /\b(?:is|are|was|were|has|have|as|under|in|at|called|costs?)\b|是|在|有|叫/.test(text);

/** What still waits for an answer, the last request aside: whoever reads on has it before him. */
function open({ transcript, earlier }: Findings): Keepsake[] {
  const requests = requestsOf(transcript, earlier.requests);
  const last = transcript.turns.findLast(({ speaker, text }) => speaker === "user" && text !== "")?.index;
  return requests.flatMap((request): Keepsake[] => {
    if (!request.open || request.courtesy) return [];
    const words = stillAsked(request);
    if (words === "" || (request.index === last && words === request.text)) return [];
    const text = fitting(oneLine(words), 260);
    const before = request.index < 0;
    const fact: Fact = { content: text, importance: 0.6, category: "core", from: before ? [] : [request.index], origin: before ? "untrusted" : "user" };
    return [{ kind: "open", text, value: VALUE.open * (before ? OLDER : 1), fact, earlier: before }];
  });
}

/** Lines of the summary before, by what they do. */
function stood({ lines }: Earlier): Keepsake[] {
  return lines.flatMap(({ text, section }): Keepsake[] => {
    const words = oneLine(text);
    if (contentWords(words).length < 2 || words.length > 1_000) return [];
    const bare = words.replace(/^[^:：\s]{1,8}[:：]\s?/, "");
    const kind: KeepsakeKind = putsOff(bare) ? "open" : corrects(bare) ? "correction" : rules(bare) ? "rule" : section === "failed" || explainsFailure(bare) ? "failed" : section === "decided" || decides(bare) ? "decision" : "said";
    const byUser = section === "asked" || words.startsWith(SPEAKERS.en.user) || words.startsWith(SPEAKERS.zh.user);
    if (kind === "said" && !(byUser && !asks(bare) && !/[?？]["'”’)]*$/.test(bare)) && !(hasMark(bare) && !asks(bare))) return [];
    const content = fitting(words, 300);
    return content === "" ? [] : [{ kind, text: content, value: VALUE[kind] * OLDER, fact: { content, importance: 0.4, from: [], origin: "untrusted" }, earlier: true }];
  });
}
