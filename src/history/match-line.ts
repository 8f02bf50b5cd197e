import { endOfRun } from "../base/runs.ts";
import type { Entry, Fold, Session } from "../model/history.ts";
import type { Shown } from "./compare-message.ts";

/** What is known of a request's message before it is placed. */
export interface Reading {
  readonly content: string;
  readonly skeleton: string;
  readonly assistant: boolean;
  /** The first characters of an assistant's text. */
  readonly head: string;
  /** It calls tools, or answers calls. */
  readonly tools: boolean;
  /** Digest of the thinking it holds. */
  readonly thought?: string;
  /** What it weighs by our own count, thinking and all. */
  readonly tokens: number;
}

/** A session as it stands: its line without bodies, and its folds. */
export interface Conversation {
  readonly session: Session;
  readonly entries: readonly Entry[];
  readonly folds: readonly Fold[];
  /** How the messages of the latest request read that stood one by one on the first entries: those that are the same still do. */
  readonly read?: readonly Reading[];
}

/** The line of a session: what was seen, and how much of it the caller has confirmed. */
export interface Line {
  readonly entries: readonly Entry[];
  readonly confirmed: number;
  /** What a reading of another content shows of an entry. Undefined: not looked at yet, and taken for a part. */
  readonly shows: (position: number, reading: Reading) => Shown | undefined;
  /** How many first messages of the request are known to match. */
  readonly known: number;
  /** A reply in the request is the very object that the line's last request held. */
  readonly met: boolean;
  /** How often a message was shown otherwise where it stands. */
  readonly changes?: Readonly<Record<string, number>>;
}

export function matches(line: Line, position: number, reading: Reading | undefined): boolean {
  const entry = line.entries[position];
  if (entry === undefined || reading === undefined) return false;
  if (entry.content === reading.content) return true;
  // A cleared tool result is still the same message, but only where the caller had the true one before: a provisional
  // message with another result is another message.
  if (position >= line.confirmed || entry.skeleton !== reading.skeleton) return false;
  const shown = line.shows(position, reading);
  return shown === undefined || shown === "part" || shown === "cleared" || shown === "whole";
}

/** A message that is shown otherwise where it stands. */
export interface Change {
  readonly position: number;
  /** It has changed so again and again: what is known of it holds. */
  readonly usual: boolean;
  /** Not the same words alone say that it is this conversation. */
  readonly proven: boolean;
}

/** So many messages stand as they did for each that has changed; else it is another conversation in the same words. */
const STEADY = 4;

/**
 * The line from its beginning to its end, but for a few messages that their caller now shows otherwise: a result that came in
 * later, a corrected call, a clock. Undefined for any other request, and for one that shows all as it was.
 */
export function changedIn(
  line: Line,
  readings: readonly Reading[],
  labelled: boolean,
): { at: number; changed: readonly Change[] } | undefined {
  const { entries } = line;
  const changed: Change[] = [];
  let ours = labelled;
  let at = 0;
  for (let reading = readings[at]; reading && at < entries.length; reading = readings[++at]) {
    const same = matches(line, at, reading);
    const change = same ? undefined : changeOf(line, at, { reading, labelled });
    if (change) changed.push(change);
    else if (!same) break;
    ours ||= same && entries[at]?.reply === true;
  }
  const last = entries.length - 1;
  const ends =
    at > last ||
    (at === last &&
      entries[at]?.reply === true &&
      (readings.length === at || resembles(line, at, readings[at])));
  const bare = changed.filter(({ usual, proven }) => !usual && !proven);
  const few =
    bare.length <= 1 && changed.length <= Math.max(1, Math.floor((at - changed.length) / STEADY));
  return ends && few && ours && changed.length > 0 ? { at, changed } : undefined;
}

/** Once may be a correction; a clock changes with every turn. */
export const isUsual = (changes: Line["changes"], position: number, kin: boolean): boolean =>
  (changes?.[String(position)] ?? 0) >= (kin ? 1 : 2);

function changeOf(
  line: Line,
  position: number,
  { reading, labelled }: { reading: Reading; labelled: boolean },
): Change | undefined {
  const entry = line.entries[position];
  if (entry === undefined || position >= line.confirmed) return undefined;
  const said = entry.skeleton !== reading.skeleton;
  if (said && (entry.role === "assistant" || reading.assistant)) return undefined;
  const shown = line.shows(position, reading);
  if (shown === "foreign") return undefined;
  const usual = isUsual(line.changes, position, shown === "kin");
  // Other words of the user's are an edit, which leaves the line.
  return said && shown === "other" && !usual
    ? undefined
    : { position, usual, proven: labelled || line.met || shown === "own" };
}

export const holdsReply = ({ entries }: Line, from: number, to = entries.length): boolean =>
  endOfRun(from, (at) => at < to && entries[at]?.reply !== true) < to;

/** Fewer characters than this begin many a reply ("Hello!"), so they tell nothing. */
const TELLING = 16;
/** What an interrupted reply is marked with: a bracket, an asterisk, dots, a dash, a slash. Half a character may stand before. */
const MARKED = /^\ufffd?\s*(?:$|[[(<{*_…—–/-]|\.\.)/;

/** Is the message a cut or marked form of the reply archived at `position`? */
export function resembles(line: Line, position: number, reading: Reading | undefined): boolean {
  const entry = line.entries[position];
  if (entry === undefined || !reading?.assistant) return false;
  const archived = archivedHead(line, position);
  if (archived === undefined) return false;
  if (archived === "" || reading.head === "") return entry.skeleton === reading.skeleton;
  const shared = endOfRun(0, (at) => at < archived.length && archived[at] === reading.head[at]);
  const [rest, more] = [archived.slice(shared), reading.head.slice(shared)];
  // The whole of it with something behind; some of it, with a mark behind or nothing; all of it behind a mark.
  if (rest === "" && (shared >= TELLING || MARKED.test(more))) return true;
  if (shared >= TELLING) return MARKED.test(more);
  return (
    archived.length >= TELLING &&
    MARKED.test(reading.head) &&
    reading.head.includes(archived.slice(0, 2 * TELLING))
  );
}

/** A reply's first characters; with the beginning the caller put in its mouth, if there was one. */
function archivedHead({ entries }: Line, position: number): string | undefined {
  const entry = entries[position];
  if (entry?.reply) return entry.head;
  const next = entries[position + 1];
  return entry?.role === "assistant" && next?.reply ? entry.head + next.head : undefined;
}
