import type { Dialect, Speaker } from "../../dialect/common/dialect.ts";
import type { Message } from "../../model/request.ts";
import { cleaned } from "../../text/cut.ts";
import { withoutFences } from "../../text/fence.ts";
import { wholeHead, wholeTail } from "../../text/sentences.ts";
import { ownWords } from "./own-words.ts";
import { parsed } from "../../base/guards.ts";

/** A tool call with what came of it. */
export interface Step {
  /** Index of the message that made the call, and of the one that answered it. */
  readonly index: number;
  readonly name: string;
  readonly leaves: readonly Leaf[];
  answer?: { readonly index: number; readonly text: string; readonly failed: boolean };
}

/** A message as the distiller reads it. */
export interface Turn {
  readonly index: number;
  readonly speaker: Speaker;
  /** The speaker's own words: no fences of ours, no passages a program put in. */
  readonly text: string;
  /** Of those, what was not pasted, and not passed on from somebody who is named. */
  readonly own: string;
  /** Nothing in it but what a program put into the user's message. */
  readonly isNote: boolean;
  readonly steps: readonly Step[];
}

/** Are tools at work in it? */
export const isWork = (turns: readonly Turn[]): boolean =>
  turns.some(({ steps }) => steps.length > 0);

/** Of one text no more than this is read: beyond it stand dumps, whose names are not worth the time. */
const [HEAD, TAIL] = [120_000, 30_000];

const bounded = (text: string): string =>
  text.length <= HEAD + TAIL ? text : `${wholeHead(text, HEAD)}\n${wholeTail(text, TAIL)}`;
/** Colours of a terminal. */
const COLOURS = /\u001b\[[0-9;]{0,20}[A-Za-z]/g;
const readable = (text: string): string =>
  withoutFences(cleaned(bounded(text).replace(COLOURS, ""))).replace(
    /<\/?tidemark-[^<>]{0,200}>/gi,
    "",
  );

/** A mail or message that is passed on, and the line that names its sender: another's words. */
const QUOTED = /(?:^[^\n]{0,120}[:：]\s{0,3}\n\s{0,3})?^\s{0,4}>[^\n]*(?:\n|$)/gm;

export function readTranscript(messages: readonly Message[], dialect: Dialect): Turn[] {
  const waiting = new Map<string, Step[]>();
  return messages.map((message, index): Turn => {
    const speaker = dialect.speaker(message);
    const written = readable(dialect.text(message));
    const text = separate(written, speaker);
    // Server tools answer in the message that calls, so calls are noted before results are looked at.
    const steps = dialect.calls(message).map(({ id, name, input }) => {
      const step: Step = { index, name, leaves: leavesOf(input) };
      waiting.set(id, [...(waiting.get(id) ?? []), step]);
      return step;
    });
    for (const { id, text: said, failed } of dialect.results(message)) {
      const step = waiting.get(id)?.shift();
      if (step !== undefined) step.answer = { index, text: readable(said), failed };
    }
    return {
      index,
      speaker,
      text,
      own: ownWords(speaker === "user" ? text.replace(QUOTED, "") : text),
      isNote: text === "" && written.trim() !== "",
      steps,
    };
  });
}

/** What hosts add to such passages, outside of them. */
const HINT =
  /^(?:\[Request interrupted by user[^\]\n]{0,40}\]$|read the output file to retrieve).*$/gim;
const PASSAGE = /<([a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){1,4})(?:\s[^<>]{0,200})?>/g;
/** More tagged passages than any program puts into one message; bounds the search for their ends. */
const MOST_PASSAGES = 200;

/** Hosts put notes between hyphenated tags into the user's message (`<task-notification>…`); they are not the user's words. */
function separate(text: string, speaker: Speaker): string {
  const words = text.replace(HINT, "");
  if (speaker !== "user") return words.trim();
  let [own, position] = ["", 0];
  for (const { 1: name = "", index } of words.matchAll(PASSAGE).take(MOST_PASSAGES)) {
    const end = index < position ? -1 : words.indexOf(`</${name}>`, index);
    if (end < 0) continue;
    own += words.slice(position, index);
    position = end + name.length + 3;
  }
  return (own + words.slice(position)).trim();
}

/** A value inside a call's input, with the name it stands under. */
interface Leaf {
  readonly key: string;
  readonly value: string;
}

const DEEPEST = 12;
const MOST = 200;

/** Strings, numbers and booleans of any JSON, in order; a string that is itself JSON (OpenAI arguments) is read. */
export function leavesOf(input: unknown): Leaf[] {
  const found: Leaf[] = [];
  const visit = (value: unknown, key: string, depth: number): void => {
    if (found.length >= MOST || depth > DEEPEST || value === null || value === undefined) return;
    if (typeof value === "object")
      for (const [name, member] of Object.entries(value))
        visit(member, Array.isArray(value) ? key : name, depth + 1);
    else found.push({ key, value: cleaned(String(value)) });
  };
  visit(
    typeof input === "string" && /^\s*[[{]/.test(input) ? (parsed(input) ?? input) : input,
    "",
    0,
  );
  return found;
}
