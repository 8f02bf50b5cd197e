import { type Identifier, type IdentifierKind, identifiers, kindOf } from "../../text/identifiers.ts";
import { writtenBy } from "./shell.ts";
import { commandOf, subjectOf, writes } from "./subject.ts";
import { type Step, type Transcript, type Turn } from "./transcript.ts";

/** What is known of one identifier across the conversation. */
export interface Entry {
  readonly text: string;
  readonly kind: IdentifierKind;
  /** In how many messages, by who used it. */
  user: number;
  said: number;
  called: number;
  seen: number;
  /** How often in all, repetitions within a message included. */
  count: number;
  /** Named as what a tool created or changed. */
  written: boolean;
  /** Stood in the summary before. */
  old: boolean;
  first: number;
  last: number;
  /** The last message that used it, not merely showed it. */
  used: number;
  /** The call it first came from, and the name it stood under. */
  source?: Step;
  label?: string;
  /** Seen as the name of a member: part of a shape, not a value. */
  member: boolean;
  /** How many values its label took in the answer it came from: one of a listing says less. */
  crowd: number;
  /** Message and voice that last counted. */
  stamp: number;
}

export type Ledger = ReadonlyMap<string, Entry>;
const VOICES = ["user", "said", "called", "seen"] as const;
type Voice = (typeof VOICES)[number];

const MOST = 60_000;
/** "name": value in JSON or what looks like it. */
const PAIR = /["']([A-Za-z_][A-Za-z0-9_-]{1,40})["']\s{0,3}[:=]\s{0,3}["']?([A-Za-z0-9_@$./:+-]{2,100})/g;

export function keepLedger({ turns }: Transcript, previous: string): Ledger {
  const entries = new Map<string, Entry>();

  const note = (text: string, kind: IdentifierKind, voice: Voice, index: number): Entry | undefined => {
    let entry = entries.get(text);
    if (entry === undefined) {
      if (entries.size >= MOST) return undefined;
      entry = { text, kind, user: 0, said: 0, called: 0, seen: 0, count: 0, written: false, old: false, first: index, last: index, used: -1, member: false, crowd: 1, stamp: -1 };
      entries.set(text, entry);
    }
    entry.count += 1;
    // Each message counts once per voice: a listing that repeats a name says it once.
    const stamp = (index + 1) * VOICES.length + VOICES.indexOf(voice);
    if (entry.stamp !== stamp) {
      entry[voice] += 1;
      entry.stamp = stamp;
    }
    entry.last = index;
    if (voice !== "seen") entry.used = index;
    return entry;
  };
  const noteAll = (found: readonly Identifier[], voice: Voice, index: number, source?: Step) => {
    for (const { text, kind } of found) {
      const entry = note(text, kind, voice, index);
      if (entry !== undefined && source !== undefined && entry.source === undefined && entry.first === index) entry.source = source;
    }
  };

  for (const { text, kind } of identifiers(previous)) {
    const entry = note(text, kind, "said", -1);
    if (entry !== undefined) entry.old = true;
  }
  for (const turn of turns) read(turn);
  return entries;

  function read(turn: Turn): void {
    if (turn.text !== "" && turn.speaker !== "system") noteAll(identifiers(turn.text), turn.speaker === "user" ? "user" : "said", turn.index);
    if (turn.notice !== "") noteAll(identifiers(turn.notice), "seen", turn.index);
    for (const step of turn.steps) {
      for (const { key, value } of step.leaves) {
        noteAll(identifiers(value), "called", turn.index, step);
        const whole = wholeValue(key, value);
        if (whole !== undefined) {
          const entry = note(value, whole, "called", turn.index);
          if (entry !== undefined && key !== "") entry.label ??= key;
        }
      }
      const subject = subjectOf(step);
      const command = commandOf(step);
      for (const path of [...(subject !== undefined && writes(step) ? [subject] : []), ...(command === undefined ? [] : writtenBy(command).map(({ path }) => path))]) {
        const entry = entries.get(path);
        if (entry !== undefined) entry.written = true;
      }
      if (step.answer !== undefined) answer(step.answer.text, step.answer.index, step);
    }
    for (const orphan of turn.orphans) answer(orphan.text, orphan.index);
  }

  function answer(text: string, index: number, source?: Step): void {
    noteAll(identifiers(text), "seen", index, source);
    if (!text.includes('"')) return;
    const crowds = new Map<string, Set<Entry>>();
    for (const [, label = "", value = ""] of text.matchAll(PAIR)) {
      const member = entries.get(label);
      if (member !== undefined) member.member = true;
      // "HATHAV" looks like a word; what makes it an identifier is the name it stands under.
      const entry = entries.get(value) ?? (isReference(label) && /^[A-Z0-9_-]{4,40}$/.test(value) ? note(value, "id", "seen", index) : undefined);
      if (entry === undefined) continue;
      entry.label ??= label;
      const crowd = crowds.get(label);
      if (crowd === undefined) crowds.set(label, new Set([entry]));
      else crowd.add(entry);
    }
    for (const crowd of crowds.values()) for (const entry of crowd) if (entry.first === index) entry.crowd = Math.max(entry.crowd, crowd.size);
  }
}

/** Does the name say that its value stands for something? */
export const isReference = (label: string): boolean =>
  /(?:^|[_-])(?:id|ids|number|code|key|url|uri|email|version|port|hash|sha|commit|branch|ticket|order|reservation|account|host|user)(?:$|[_-])|[a-z](?:Id|Number|Url|Email|Version|Port|Key|Code)$/.test(label) &&
  !/^(?:line|page|row|column|max|min|limit|offset|timeout|phone_code|zip)/i.test(label);

/** An argument that is one value: a path with spaces or in Chinese, an opaque code. */
function wholeValue(key: string, value: string): IdentifierKind | undefined {
  if (value.length < 2 || value.length > 300 || value.includes("\n")) return undefined;
  if (/(?:path|file|dir|folder|filename)$/i.test(key)) return "path";
  if (/[\s|*(){}<>"'`,;]/.test(value)) return undefined;
  const kind = kindOf(value);
  if (kind !== undefined) return kind;
  return /(?:^|_)(?:id|code|number|key|name)$/i.test(key) || /^[A-Z0-9]{3,8}$/.test(value) ? "id" : undefined;
}
