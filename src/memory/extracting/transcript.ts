import { asDict, dictIn, either, inOrder } from "../../core/base.ts";
import type { Message } from "../../core/request.ts";
import { cleaned, oneLine } from "../../core/text/cut.ts";
import { withoutFences } from "../../core/text/fence.ts";
import { fitting, wholeHead, wholeTail } from "../../core/text/sentences.ts";
import type { Dialect, Speaker } from "../../providers/common/dialect.ts";
import { heard } from "./frames.ts";

interface Chosen {
  readonly dialect: Dialect;
  readonly messages: readonly Message[];
}

/**
 * Names of tools that hand the agent's question to the user, no other's that answer: "ask_docs"
 * says what a page says, and a server's tool ("mcp__forms__ask_user") what it likes.
 */
const ASKS_USER = new RegExp(
  "^(?:ask_?(?:the_?)?(?:user|human)(?:_?(?:questions?|input))?|ask_?followup_?questions?" +
    "|(?:request|get)_?(?:user|human)_?input)$",
  "i",
);

export const asksUser = (name: string): boolean => ASKS_USER.test(name);

/** Tells of a message that it brings nothing but what the user chose where the agent asked. */
export function choices({ dialect, messages }: Chosen): (message: Message) => boolean {
  const asked = new Set(
    messages.flatMap((message) =>
      dialect.calls(message).flatMap(({ id, name }) => (asksUser(name) ? id : [])),
    ),
  );
  return (message) => {
    const results = asked.size > 0 ? dialect.results(message) : [];
    return results.length > 0 && results.every(({ id, failed }) => asked.has(id) && !failed);
  };
}

/** A tool call with what came of it. */
interface ToolStep {
  readonly name: string;
  /** `index`: of the message that answered it. */
  answer?: { readonly index: number; readonly text: string; readonly failed: boolean };
}

/** A message as the distiller reads it. */
export interface Turn {
  readonly index: number;
  readonly speaker: Speaker;
  /** The speaker's own words: no fences of ours, no passages a program put in. */
  readonly text: string;
  /** The text without what is somebody else's: with quotations, and without. */
  readonly asked: string;
  readonly own: string;
  readonly steps: readonly ToolStep[];
}

/** Are tools at work in it? */
export const isWork = (turns: readonly Turn[]): boolean =>
  turns.some(({ steps }) => steps.length > 0);

/** What is named nothing in a longer conversation, and where tools are at work, is talk. */
const BRIEF = 12;
export const isBrief = (turns: readonly Turn[]): boolean => turns.length <= BRIEF && !isWork(turns);

/**
 * Of one text no more than this is read: beyond it stand dumps, whose names are not worth the time.
 */
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

/** The messages as turns; `first` is the index of the first one. */
export function readTranscript(messages: readonly Message[], dialect: Dialect, first = 0): Turn[] {
  const waiting = new Map<string, ToolStep[]>();
  return messages.map((message, at): Turn => {
    const index = first + at;
    const speaker = dialect.speaker(message);
    const text = readable(dialect.text(message)).replace(HINT, "").trim();
    // Server tools answer in the message that calls, so calls are noted before results are looked
    // at.
    const steps = dialect.calls(message).map(({ id, name }) => {
      const step: ToolStep = { name };
      waiting.set(id, [...(waiting.get(id) ?? []), step]);
      return step;
    });
    for (const { id, text: said, failed } of dialect.results(message)) {
      const step = waiting.get(id)?.shift();
      if (step !== undefined) step.answer = { index, text: readable(said), failed };
    }
    const told = speaker === "user" ? heard(text) : undefined;
    const { asked = text, own = text } = told ?? {};
    return { index, speaker, text, asked, own, steps };
  });
}

/** Harnesses put these into a user's message. */
const HINT =
  /^(?:\[Request interrupted by user[^\]\n]{0,40}\]$|read the output file to retrieve).*$/gim;

/** What a call is about stands under such a name. */
const SUBJECT = either(
  /(?:path|file|file_?name|notebook)$|^(?:dir|directory|command|cmd|script|code|expression|sql)$/i,
  /^(?:query|pattern|url|uri|prompt|question|search|q|thought|text|message|title)$/i,
);

/** The subject of a call on one line, else all that it was given; OpenAI gives JSON in a text. */
export function captionOf(input: unknown): string {
  const given = typeof input === "string" ? (dictIn(input) ?? { "": input }) : input;
  const members = Object.entries(asDict(given))
    .filter(([, value]) => ["string", "number", "boolean"].includes(typeof value))
    .map(([key, value]) => ({ key, value: cleaned(String(value)).trim() }))
    .filter(({ value }) => value !== "");
  const subject = members.find(({ key }) => SUBJECT.test(key))?.value;
  const all = members.map(({ key, value }) => (key === "" ? value : `${key}=${value}`)).join(", ");
  return fitting(oneLine(subject ?? all), 160);
}

const ERROR_LINE = inOrder(
  /^\s{0,40}/i,
  either(
    /\*\* ?\(|\[?error\b|error:|e\d{3} |err!|fatal|panic|traceback|exception/i,
    /assert(?:ion)?(?:error)?\b|failed\b|failure|[A-Z][A-Za-z.]{2,60}(?:Error|Exception)\b/i,
    /.{0,120}: (?:fatal )?error\b|.{0,80}(?:command not found|no such file|permission denied)/i,
    /.{0,80}(?:cannot find|not found$|is not recognized|timed? ?out)/i,
    /.{0,80}undefined (?:variable|function|method)/i,
  ),
);
/** A short answer that opens so is a failure even where the provider has no flag for it. */
const OPENS_FAILED = either(
  /^\s{0,20}(?:<tool_use_error>|error\b|traceback|exception|fatal)/i,
  /^\s{0,20}(?:[A-Z][A-Za-z]{2,40}(?:Error|Exception)\b|command failed|failed to)/i,
  /^\s{0,20}(?:your proposed edit has introduced|exit code:? [1-9])/i,
);
const SKIPPED = either(
  /sibling tool call errored|^command aborted|interrupted by user|doesn't want to proceed/i,
  /request was aborted/i,
);
const LINES = 400;

export const failed = (answer: { readonly text: string; readonly failed: boolean }): boolean =>
  (answer.failed || OPENS_FAILED.test(answer.text.slice(0, 200))) &&
  !SKIPPED.test(answer.text.slice(0, 200));

export const broke = ({ answer }: ToolStep): boolean => answer !== undefined && failed(answer);
export const worked = ({ answer }: ToolStep): boolean => answer !== undefined && !failed(answer);

/** The line of an answer that says what went wrong. */
export function errorLine(text: string): string {
  const lines = text
    .slice(0, 40_000)
    .split("\n", LINES)
    .filter((line) => line.trim() !== "");
  const best = lines.find((line) => ERROR_LINE.test(line.slice(0, 300))) ?? lines[0] ?? text;
  return fitting(oneLine(best.slice(0, 2_000).replace(/<\/?[a-z_]{1,30}>/g, "")), 160);
}

/** The parts of a summary, in their order; a model is asked for the same ones. */
export const HEADINGS = {
  open: "Open requests",
  rules: "Rules and corrections",
  decisions: "Decisions",
  failed: "Failed approaches",
  names: "Identifiers",
  done: "Done",
  state: "Where it stands",
} as const;
export type SummaryPart = keyof typeof HEADINGS;
const PARTS = Object.keys(HEADINGS) as SummaryPart[];

export interface PartLine {
  readonly part: SummaryPart;
  readonly text: string;
}

const SUMMARY_LINES = 2_000;
const HEADING = /^\s{0,3}(?:#{1,6}\s+(.{1,80}?)|\*\*(.{1,80})\*\*):?\s*$/;

/** A summary's lines with the part each stands in; under headings of others: where it stands. */
export function partLines(summary: string): PartLine[] {
  let part: SummaryPart = "state";
  return summary.split("\n", SUMMARY_LINES).flatMap((line) => {
    const heading = HEADING.exec(line);
    if (heading !== null) {
      const title = (heading[1] ?? heading[2] ?? "").toLowerCase();
      part = PARTS.find((known) => HEADINGS[known].toLowerCase() === title) ?? "state";
      return [];
    }
    const text = line.replace(/^\s{0,20}(?:[-*+•]|\d{1,3}[.)、])\s+/, "").trim();
    return text === "" ? [] : [{ part, text }];
  });
}

export const renderParts = (lines: readonly PartLine[]): string =>
  PARTS.flatMap((part) => {
    const own = lines.filter((line) => line.part === part);
    return own.length === 0 ? [] : [`## ${HEADINGS[part]}`, ...own.map(({ text }) => `- ${text}`)];
  }).join("\n");
