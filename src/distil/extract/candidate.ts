import { contentWords } from "../../text/content-words.ts";
import { sentences, wholeHead } from "../../text/sentences.ts";
import type { Fact } from "../task/distiller.ts";
import { oneLine } from "../../text/cut.ts";
import type { Step } from "./transcript.ts";

/** A fact in the making. Of a message that carries a tool's result only its text is the user's. */
export interface Candidate extends Fact {
  readonly category:
    | "decision"
    | "principle"
    | "preference"
    | "correction"
    | "mistake-pattern"
    | "core"
    | "open-request"
    | "outcome";
}

/** The sentences of a text without its code. */
export const spoken = (text: string): string[] =>
  sentences(text).flatMap((one) => (one.code ? [] : [one.text]));

/** Longest fact, in characters. */
const LONGEST = 300;

/** At most `most` characters, cut between words and visibly. */
export function fitting(text: string, most = LONGEST): string {
  if (text.length <= most) return text;
  const head = wholeHead(text, most - 2);
  return head === "" ? "" : `${head} …`;
}

/** Share of distinct words two facts have in common from which they count as one. */
const SAME = 0.75;

/** The weightiest `most` of them, none that says what another says. */
export function distinct(candidates: readonly Candidate[], most: number): Candidate[] {
  const inTurn = candidates
    .map((candidate, at) => ({ candidate, at, words: new Set(contentWords(candidate.content)) }))
    .sort((a, b) => b.candidate.importance - a.candidate.importance || b.at - a.at);
  const kept: typeof inTurn = [];
  for (const item of inTurn) {
    if (kept.length >= most) break;
    const says = ({ words }: typeof item, shared = words.intersection(item.words).size): boolean =>
      shared >= SAME * Math.max(1, words.size + item.words.size - shared);
    if (!kept.some((other) => says(other))) kept.push(item);
  }
  return kept.sort((a, b) => a.at - b.at).map(({ candidate }) => candidate);
}

const PATH_KEYS =
  /^(?:(?:absolute_?|relative_?|target_?|notebook_?)?(?:file|path|file_?path|file_?name|notebook)|dir|directory|folder)$/i;
const COMMAND_KEYS = /^(?:command|cmd|script|code|expression|sql)$/i;
const ASK_KEYS =
  /^(?:query|pattern|url|uri|prompt|question|search|q|thought|text|message|title|subject|description)$/i;
const WRITERS =
  /(?:^|[_-]|\b)(?:write|edit|create|insert|append|replace|patch|update|save|move|rename|delete|remove|multiedit|put|set|add|book|cancel|send|submit|str_replace)/i;
const PLANNERS = /^(?:think|thought|todo|plan)/i;

/** Does the tool's name say that it changes something? */
export const writes = ({ name }: Step): boolean =>
  !PLANNERS.test(name) && WRITERS.test(name.replace(/([a-z])([A-Z])/g, "$1_$2"));

/** The path the call is about, whole. */
export const subjectOf = ({ leaves }: Step): string | undefined =>
  leaves.find(
    ({ key, value }) =>
      PATH_KEYS.test(key) && value.length > 0 && value.length <= 300 && !value.includes("\n"),
  )?.value;

/** The shell command or program text. */
export const commandOf = ({ leaves }: Step): string | undefined =>
  leaves.find(({ key, value }) => COMMAND_KEYS.test(key) && value.trim() !== "")?.value;

/** What the call was about, on one line. */
export function captionOf(step: Step, most = 160): string {
  const ask =
    step.leaves.length <= 3 ? step.leaves.find(({ key }) => ASK_KEYS.test(key))?.value : undefined;
  const said =
    commandOf(step) ??
    ask ??
    step.leaves
      .flatMap(({ key, value }) => (value === "" ? [] : [key === "" ? value : `${key}=${value}`]))
      .join(", ");
  return subjectOf(step) ?? fitting(oneLine(said), most);
}
