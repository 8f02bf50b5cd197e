import { contentWords } from "../../text/content-words.ts";
import { type Language } from "../../text/language.ts";
import { type Sentence, sentences, wholeHead } from "../../text/sentences.ts";
import { asks, corrects, decides, isCourtesy, prefers, rules, states } from "./cues.ts";
import { Asked, concluded, concludes, settles } from "./settling.ts";
import { type Step, type Transcript } from "./transcript.ts";
import { type Group, OPEN, type Unit } from "./units.ts";
import { isWithdrawn } from "./withdrawn.ts";

/** Something the user said, and whether it still waits for an answer. */
export class Request extends Asked {
  open: boolean;
  readonly courtesy: boolean;

  constructor({ index, text, own = "", open, courtesy = false }: { index: number; text: string; own?: string; open: boolean; courtesy?: boolean }) {
    super(index, text, own);
    this.open = open;
    this.courtesy = courtesy;
  }
}

/** Of more than these the oldest is not waited for any longer. */
const MOST_OPEN = 40;

/** Every message of the user in order. `earlier`: requests of the summary before, which come first. */
export function requestsOf({ turns }: Transcript, earlier: readonly { text: string; open: boolean }[]): Request[] {
  const requests = earlier.map(({ text, open }, at) => new Request({ index: at - earlier.length, text, open }));
  let waiting = requests.filter(({ open }) => open);
  let heard = { index: -1, text: "" };
  let steps: Step[] = [];
  for (const turn of turns) {
    steps.push(...turn.steps);
    if (turn.speaker === "user" && turn.text !== "") {
      const courtesy = isCourtesy(turn.text);
      const request = new Request({ index: turn.index, text: turn.text, own: turn.own, open: !courtesy, courtesy });
      for (const one of waiting) one.open = !isWithdrawn(turn.text, one);
      waiting = waiting.filter(({ open }) => open);
      requests.push(request);
      if (!courtesy) waiting.push(request);
      heard = turn;
      steps = [];
    } else if (concludes(turn)) {
      const conclusion = concluded(turn.text, heard, steps);
      for (const [at, request] of waiting.entries()) request.open = at >= waiting.length - MOST_OPEN && !settles(conclusion, request);
      waiting = waiting.filter(({ open }) => open);
    }
  }
  return requests;
}

/** What of a request is still to be done: all of it, or what was put off once the rest is answered. "" where nothing is asked for. */
export function stillAsked(request: Request): string {
  if (!request.later) return request.index < 0 || request.wanted ? request.own : "";
  return request.deferred;
}

/** Messages longer than this are documents with a request in them. */
const DOCUMENT = 400;
const SHORT = 40;
const MOST_SENTENCES = 400;

/** The units of the requests; `heads` are the beginnings, one for each, that a summary should not be without. */
export function askedUnits(requests: readonly Request[], { language, headLength }: { language: Language; headLength: number }): { heads: Unit[]; rest: Unit[] } {
  const heads: Unit[] = [];
  const rest: Unit[] = [];
  requests.forEach((request, position) => {
    const group: Group = { section: "asked", order: request.index, label: request.open ? OPEN[language] : "", style: "quote", size: 0 };
    const parts = sentences(request.text).slice(0, MOST_SENTENCES);
    const counts = parts.map(({ text }) => contentWords(text).length);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const fresh = 0.7 + (0.3 * (position + 1)) / requests.length;
    const first = mainPart(parts);
    parts.forEach((part, at) => {
      const value = request.courtesy ? 0.05 : valueOf(part, { words: counts[at] ?? 0, total, edge: at === 0 || at === parts.length - 1 || at === first, early: at < 8 }) * fresh * (request.open ? 1.6 : 1);
      const head = at === first && !request.courtesy ? headOf(part.text, headLength) : undefined;
      const push = (text: string, into: Unit[], continues?: string) => {
        into.push({ group, order: group.size, text, value, ...(continues === undefined ? {} : { continues }) });
        group.size += 1;
      };
      if (head === undefined) push(part.text, rest);
      else {
        push(head, heads);
        const remainder = part.text.slice(head.length);
        if (remainder.trim() !== "") push(remainder.trim(), rest, remainder.startsWith(" ") ? " " : "");
      }
    });
  });
  return { heads, rest };
}

/** A greeting is not what a message is about: the first sentence that says something. */
function mainPart(parts: readonly Sentence[]): number {
  const telling = parts.findIndex(({ text, code }) => !code && !isCourtesy(text) && contentWords(text).length >= 2);
  return Math.max(0, telling);
}

function headOf(text: string, most: number): string {
  const head = wholeHead(text, most);
  if (head !== "") return head;
  // A first word longer than the room (a path, a URL) is kept whole or not at all.
  return text.split(/\s/, 1)[0] ?? text;
}

function valueOf({ text, code }: Sentence, { words, total, edge, early }: { words: number; total: number; edge: boolean; early: boolean }): number {
  let value = 0.05 * Math.min(words, 40);
  if (code) value *= 0.35;
  // Documents say first what they are about; short messages are worth having whole.
  if (total > DOCUMENT) value *= early ? 0.8 : 0.4;
  else if (total <= SHORT) value *= 2;
  if (edge) value *= 1.3;
  if (!code && (asks(text) || corrects(text) || decides(text) || rules(text) || prefers(text) || states(text))) value *= 1.35;
  return value;
}
