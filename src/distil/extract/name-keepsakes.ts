import { type Dialect } from "../../dialect/dialect.ts";
import { type Message } from "../../model/request.ts";
import { contentWords } from "../../text/content-words.ts";
import { identifiers } from "../../text/identifiers.ts";
import { oneLine } from "../../text/one-line.ts";
import { sentences } from "../../text/sentences.ts";
import { type Fact } from "../distiller.ts";
import { originOf } from "../origin.ts";
import { fitting } from "./candidate.ts";
import { failed } from "./failures.ts";
import { type Entry, type Ledger } from "./ledger.ts";
import { givenTo, madeBy } from "./made.ts";
import { writtenBy } from "./shell.ts";
import { DOCUMENT } from "./own-words.ts";
import { captionOf, commandOf, shortened } from "./subject.ts";
import { questionOf } from "./statements.ts";
import { plain } from "./told.ts";
import { type Transcript, type Turn } from "./transcript.ts";
import { SPEAKERS } from "./user-facts.ts";

/** An identifier with the words that say what it is. */
export interface Named {
  readonly text: string;
  readonly value: number;
  readonly fact: Fact;
}

/** Of a hundred messages at most forty; a short range may still name a handful. */
export const namesMost = (messages: number): number => Math.min(24, Math.max(8, Math.round(messages * 0.4)));
/** Said by people, said by the assistant, written by a call, given by a result. */
const VALUE = { user: 0.34, said: 0.3, called: 0.3, seen: 0.28 } as const;
/** Used again, it will be once more. */
const AGAIN = 0.02;
const SENTENCE_MOST = 240;
const FROM_A_TURN = 3;

/** Identifiers that were said, written or given; those a text only showed are left out. */
export function namesSaid({ turns, language }: Transcript, ledger: Ledger, { dialect, messages }: { dialect: Dialect; messages: readonly Message[] }): Named[] {
  const found = new Map<string, Named>();
  const note = (name: string, words: string, value: number, index: number): void => {
    const again = Math.min(3, Math.max(0, used(ledger.get(name)) - 1)) * AGAIN;
    const known = found.get(name);
    if (words === "" || (known !== undefined && known.value >= value + again)) return;
    const message = messages[index];
    const content = fitting(oneLine(words));
    if (!content.includes(name)) return;
    found.set(name, { text: content, value: value + again, fact: { content, importance: value, from: [index], origin: message === undefined ? "untrusted" : originOf(dialect, message), category: "core" } });
  };
  for (const [at, turn] of turns.entries()) {
    if (turn.speaker !== "system" && wordsOf(turn) !== "") {
      const byUser = turn.speaker === "user";
      const question = byUser ? "" : questionOf(turn, turns[at - 1], language);
      said(turn, question, (name, sentence) => note(name, `${byUser ? SPEAKERS[language].user : SPEAKERS[language].agent}${sentence}${question}`, byUser ? VALUE.user : VALUE.said, turn.index));
    }
    for (const step of turn.steps) {
      if (step.answer !== undefined && failed(step.answer)) continue;
      const command = commandOf(step);
      for (const { path, how } of command === undefined ? [] : writtenBy(command)) if (path.includes("/") || /\.\w{1,8}$/.test(path)) note(path, `${how} ${path} (${aroundOf(`${step.name}: `, oneLine(command ?? ""), path)})`, VALUE.called, step.index);
      for (const { id, line } of givenTo(step)) note(id.text, aroundOf(`${step.name}: `, line, id.text), VALUE.called, step.index);
      for (const { id, line } of madeBy(step)) {
        const caption = captionOf(step, 80);
        note(id.text, `${step.name}${caption === "" || line.includes(caption) ? "" : ` (${caption})`}: ${aroundOf("", oneLine(line), id.text)}`, VALUE.seen, step.answer?.index ?? step.index);
      }
    }
  }
  // What stands in one line is one thing to keep.
  const lines = new Map<string, Named>();
  for (const one of found.values()) if ((lines.get(one.text)?.value ?? 0) < one.value) lines.set(one.text, one);
  return [...lines.values()];
}

/** Names of what was pasted belong to it, unless it is short. */
const wordsOf = ({ text, own }: Turn): string => (text.length <= DOCUMENT ? text : own);

/** The sentences of a turn that name something. Beside calls an assistant names what it is about to look at. */
function said(turn: Turn, question: string, note: (name: string, sentence: string) => void): void {
  const working = turn.speaker === "assistant" && turn.steps.length > 0;
  const given = working ? turn.steps.flatMap(({ leaves }) => leaves.map(({ value }) => value)).join("\n") : "";
  let taken = 0;
  for (const { text: raw, code } of sentences(wordsOf(turn))) {
    const text = plain(raw);
    // A name alone, as in a list, says nothing of what it is.
    if (code || taken >= FROM_A_TURN || /[?？]["'”’)]*$/.test(text) || (question === "" && contentWords(text).length < 2)) continue;
    const names = identifiers(text).filter(({ kind, text: name }) => isLasting(kind, name) && !(working && given.includes(name)));
    const first = names[0];
    if (first === undefined) continue;
    taken += 1;
    note(first.text, aroundOf("", text, first.text));
  }
}

/** What cannot be looked up by its meaning. */
const isLasting = (kind: Entry["kind"], name: string): boolean =>
  kind === "url" || kind === "email" || kind === "hash" || kind === "path" || (kind === "id" && /\d{2}/.test(name)) || (kind === "version" && /\d.*\d.*\d/.test(name)) || (kind === "number" && /^\d{5,}$/.test(name));

const used = (entry: Entry | undefined): number => (entry === undefined ? 0 : entry.user + entry.said + entry.called);

/** The words with the name in them, cut from the front where it stands late. */
function aroundOf(label: string, words: string, name: string): string {
  const at = words.indexOf(name);
  if (at < 0) return "";
  if (at + name.length <= SENTENCE_MOST) return `${label}${shortened(words, SENTENCE_MOST)}`;
  const from = words.indexOf(" ", at - SENTENCE_MOST / 2);
  return `${label}… ${shortened(words.slice(from < 0 || from > at ? at : from + 1), SENTENCE_MOST)}`;
}
