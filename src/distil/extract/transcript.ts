import { type Dialect, type Speaker } from "../../dialect/dialect.ts";
import { type Message } from "../../model/request.ts";
import { cleaned } from "../../text/cut.ts";
import { withoutFences } from "../../text/fence.ts";
import { wholeHead, wholeTail } from "../../text/sentences.ts";
import { type Leaf, leavesOf } from "./leaves.ts";
import { ownWords } from "./own-words.ts";

/** A tool call with what came of it. */
export interface Step {
  /** Index of the message that made the call, and of the one that answered it. */
  readonly index: number;
  readonly name: string;
  readonly leaves: readonly Leaf[];
  readonly answer?: { readonly index: number; readonly text: string; readonly failed: boolean };
}

/** A message as the distiller reads it. */
export interface Turn {
  readonly index: number;
  readonly speaker: Speaker;
  /** The speaker's own words: no fences of ours, no passages a program put in. */
  readonly text: string;
  /** Of those, what was not pasted, and not passed on from somebody who is named. */
  readonly own: string;
  /** What a program put into the user's message (`<task-notification>…`), tags taken off. */
  readonly notice: string;
  readonly steps: readonly Step[];
  /** Results whose call stands before the range. */
  readonly orphans: readonly { readonly index: number; readonly text: string; readonly failed: boolean }[];
}

export interface Transcript {
  readonly turns: readonly Turn[];
}

/** Of one text no more than this is read: beyond it stand dumps, whose names are not worth the time. */
const HEAD = 120_000;
const TAIL = 30_000;

const bounded = (text: string): string => (text.length <= HEAD + TAIL ? text : `${wholeHead(text, HEAD)}\n${wholeTail(text, TAIL)}`);
/** Colours of a terminal. */
const COLOURS = /\u001b\[[0-9;]{0,20}[A-Za-z]/g;
const readable = (text: string): string => withoutFences(cleaned(bounded(text).replace(COLOURS, ""))).replace(/<\/?tidemark-[^<>]{0,200}>/gi, "");

/** A mail or message that is passed on, and the line that names its sender: another's words. */
const QUOTED = /(?:^[^\n]{0,120}[:：]\s{0,3}\n\s{0,3})?^\s{0,4}>[^\n]*(?:\n|$)/gm;

export function readTranscript(messages: readonly Message[], dialect: Dialect): Transcript {
  const waiting = new Map<string, { -readonly [key in keyof Step]: Step[key] }[]>();
  const turns: Turn[] = [];
  messages.forEach((message, index) => {
    const speaker = dialect.speaker(message);
    const { own, notice } = separate(readable(dialect.text(message)), speaker);
    const orphans: { index: number; text: string; failed: boolean }[] = [];
    // Server tools answer in the message that calls, so calls are noted before results are looked at.
    const steps = dialect.calls(message).map((call) => {
      const step: { -readonly [key in keyof Step]: Step[key] } = { index, name: call.name, leaves: leavesOf(call.input) };
      const queue = waiting.get(call.id);
      if (queue === undefined) waiting.set(call.id, [step]);
      else queue.push(step);
      return step;
    });
    for (const result of dialect.results(message)) {
      const answer = { index, text: readable(withoutFences(result.text)), failed: result.failed };
      const step = waiting.get(result.id)?.shift();
      if (step === undefined) orphans.push(answer);
      else step.answer = answer;
    }
    turns.push({ index, speaker, text: own, own: ownWords(speaker === "user" ? own.replace(QUOTED, "") : own), notice, steps, orphans });
  });
  return { turns };
}

const PASSAGE = /<([a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){1,4})(?:\s[^<>]{0,200})?>/g;
/** More tagged passages than any program puts into one message; bounds the search for their ends. */
const MOST_PASSAGES = 200;

/** Hosts put notes between hyphenated tags into the user's message; they are not the user's words. */
function separate(text: string, speaker: Speaker): { own: string; notice: string } {
  const words = text.replace(/^\[Request interrupted by user[^\]\n]{0,40}\]$/gm, "");
  if (speaker !== "user" || !words.includes("</")) return { own: words.trim(), notice: "" };
  let own = "";
  let notice = "";
  let position = 0;
  let count = 0;
  for (const match of words.matchAll(PASSAGE)) {
    if (match.index < position) continue;
    if ((count += 1) > MOST_PASSAGES) break;
    const closing = `</${match[1] ?? ""}>`;
    const end = words.indexOf(closing, match.index);
    if (end < 0) continue;
    own += words.slice(position, match.index);
    notice += `${words.slice(match.index + match[0].length, end)}\n`;
    position = end + closing.length;
  }
  const told = notice.replace(/<[^<>]{0,100}>/g, " ").replace(/\s+/g, " ").trim();
  // "Read the output file: /tmp/a.out" beside a note that names the file is the program's word, too.
  const said = (own + words.slice(position)).split("\n").filter((line) => !(line.match(/\S*\/\S{8,}/g) ?? []).some((path) => told.includes(path)));
  return { own: said.join("\n").trim(), notice: told };
}
