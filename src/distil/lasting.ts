import { type Usage } from "../model/ports.ts";
import { languageOf } from "../text/language.ts";
import { clip, oneLine } from "../text/one-line.ts";
import { estimateTokens } from "../tokens/estimate.ts";
import { messageText } from "./chunks.ts";
import { condense } from "./extract/condense.ts";
import { type Distilled, type DistilTask, type Fact } from "./distiller.ts";
import { corrects } from "./extract/cues.ts";
import { readEarlier } from "./extract/earlier.ts";
import { isUnfinished } from "./extract/facts.ts";
import { findFailures } from "./extract/failures.ts";
import { type Keepsake } from "./extract/keepsake.ts";
import { keepsakesOf } from "./extract/keepsakes.ts";
import { keepLedger } from "./extract/ledger.ts";
import { readTranscript } from "./extract/transcript.ts";
import { CARRIED, OPEN } from "./extract/units.ts";
import { withoutReplaced } from "./replaced.ts";
import { Statement, supersedes, Written } from "./survive.ts";

/** A summary made again, with what was missing named to the model. Undefined: no usable answer came. */
export type Again = (missing: readonly string[]) => Promise<{ summary: string; usage?: Usage } | undefined>;
type Whole = Distilled & { readonly summary: string };

/** Of the summary's bound: what the part that code carries over may take, and what the whole may go over it. */
export const CARRIED_SHARE = 0.25;
const OVER = 1.25;
/** With that part a summary takes at most so much of what it stands for: a fold must still free something. */
const REPLACED_SHARE = 0.4;
/** Facts that code adds to one distilling, and points that one correction names. */
const FACTS_MOST = 60;
/** Of what the summary stands for, the share those facts may take, and what they always may: facts stand in the next prompt, too, and a fold must free something. */
const SAVED_SHARE = 0.15;
const SAVED_LEAST = 400;
/** A plain statement in the words that everything is said in is worth no line and no fact. */
const WORTH_KEEPING = 0.2;
/** Of what the summary does say. */
const FADING_MOST = 32;
const NAMED_MOST = 20;
const NAMED_LENGTH = 240;
/** A correction costs a call: one open request or rule is worth it, or so much of the rest. */
const VITAL = 0.85;
const WORTH = 2;

/**
 * Sees to it that nothing that matters is lost: what neither summary nor facts say is asked for once more, and what is
 * missing still is carried over by code, within bounds, and saved as a fact. What was answered, replaced or pushed out may go.
 */
export async function lasting(task: DistilTask, first: Whole, how: Mending = {}): Promise<Whole> {
  return (await mended(task, first, how)).whole;
}

export interface Mending {
  readonly again?: Again;
  readonly over?: number;
  readonly replaced?: number;
  readonly found?: readonly Keepsake[];
  /** What was read of them when another summary of the same facts was mended. */
  readonly read?: Read;
}

interface Read {
  readonly keepsakes: readonly Keepsake[];
  readonly unsaved: readonly Keepsake[];
}

/** The same, and whether the summary as it came left anything out. */
export async function mended(task: DistilTask, first: Whole, { again, over = OVER, replaced = Infinity, found, read }: Mending): Promise<{ whole: Whole; complete: boolean; read: Read }> {
  task.answered?.();
  const known = [...(task.known ?? []), ...first.facts.map(({ content }) => content)];
  const { keepsakes, unsaved } = read ?? readOf(found ?? foundIn(task), first.facts, known);
  const missingFrom = (summary: string): Keepsake[] => missing(keepsakes, summary, known);
  let { summary, usage } = first;
  let lost = missingFrom(summary);
  if (again !== undefined && task.hurry?.aborted !== true && worthAsking(lost, summary)) {
    const second = await again(lost.slice(0, NAMED_MOST).map(({ text }) => clip(oneLine(text), NAMED_LENGTH)));
    usage = sum(usage, second?.usage);
    const left = second === undefined ? lost : missingFrom(second.summary);
    if (second !== undefined && weigh(left) < weigh(lost)) [summary, lost] = [second.summary, left];
  }
  const most = Math.floor(task.summaryTokens * over);
  if (estimateTokens(summary) > most) {
    summary = condense(summary, task.summaryTokens);
    lost = missingFrom(summary);
  }
  const facts = [...first.facts, ...savedOf(weightiest([...lost, ...unsaved.filter((one) => !lost.includes(one))]), task)];
  const carried = carriedOver(summary, lost, {
    share: Math.floor(task.summaryTokens * CARRIED_SHARE),
    most: Math.min(most, replaced * REPLACED_SHARE),
  });
  return { whole: { ...first, facts, summary: withoutReplaced(carried, keepsakes), ...(usage === undefined ? {} : { usage }) }, complete: lost.length === 0, read: { keepsakes, unsaved } };
}

function readOf(found: readonly Keepsake[], facts: readonly Fact[], known: readonly string[]): Read {
  const { keepsakes, siblings } = stillHolding(found, facts);
  return { keepsakes, unsaved: fading([...keepsakes, ...siblings], known) };
}

const weigh = (lost: readonly Keepsake[]): number => lost.reduce((total, { value }) => total + value, 0);
/** What code does as well as a model costs no call: to copy a name or what the assistant told, to mark as open what the summary only mentions. */
function worthAsking(lost: readonly Keepsake[], summary: string): boolean {
  const said = new Written([summary]);
  const telling = lost.filter((keepsake) => keepsake.kind !== "name" && !(keepsake.kind === "said" && keepsake.fact.origin === "agent") && !(keepsake.kind === "open" && said.says(keepsake)));
  if (telling.some(({ value, earlier }) => value >= VITAL && !earlier)) return true;
  // Ten sentences of one message are no more than what it said.
  const heaviest = new Map(weightiest(telling).reverse().map((one) => [one.fact.from.at(-1) ?? one.text, one]));
  return weigh([...heaviest.values()]) >= WORTH;
}

export function foundIn({ dialect, messages, previous = "" }: Pick<DistilTask, "dialect" | "messages" | "previous">): Keepsake[] {
  const transcript = readTranscript(messages, dialect);
  const earlier = readEarlier(previous, { last: messages.length === 0 });
  return keepsakesOf({ transcript, ledger: keepLedger(transcript, previous), failures: findFailures(transcript), earlier }, { dialect, messages });
}

/** With so many of its kind behind it, a statement is one of a routine. */
const ROUTINE = 3;
/** Before the range, and behind what it corrects. */
const STOOD = -0.5;

/**
 * Without what something said since has replaced. Words in common and another value make a later word of it for a summary; yet it may be
 * said of another thing ("the safe in hall C"), so only a correction takes it out of what is saved, or the next few of its kind: a routine.
 */
function stillHolding(found: readonly Keepsake[], facts: readonly Fact[]): { keepsakes: Keepsake[]; siblings: Keepsake[] } {
  const statements = new Map<string, Statement>();
  const read = (text: string): Statement => {
    const known = statements.get(text) ?? new Statement(text);
    statements.set(text, known);
    return known;
  };
  const fresh = found.flatMap(({ earlier, kind, text, fact }) => {
    const how = corrects(text.replace(/^[^:：\s]{1,8}[:：]\s?/, "")) ? ("correction" as const) : ("other" as const);
    // Of two lines of the last summary the correction is the later word.
    return kind === "open" || (earlier && how === "other") ? [] : [{ text, at: earlier ? STOOD : placeOf(fact), how }];
  });
  const named = facts.flatMap(({ content, supersedes: older }) => (older === undefined ? [] : [{ text: content, at: Infinity, how: "correction" as const }, { text: older, at: Infinity, how: "correction" as const }]));
  const later = [...fresh, ...named];
  const keepsakes: Keepsake[] = [];
  const siblings: Keepsake[] = [];
  for (const keepsake of found) {
    const { kind, text, fact } = keepsake;
    let others = 0;
    const isCorrected = kind !== "open" && later.some((one) => {
      if (one.at <= placeOf(fact) || (one.at === STOOD && kind === "correction") || one.text === text || (one.how === "other" && others >= ROUTINE) || !supersedes(read(one.text), read(text), one.how)) return false;
      if (one.how === "other") others += 1;
      return one.how === "correction";
    });
    if (isCorrected || others >= ROUTINE) continue;
    if (others === 0) keepsakes.push(keepsake);
    else if (fact.origin === "user") siblings.push(keepsake);
  }
  return { keepsakes, siblings };
}

const placeOf = ({ from }: Fact): number => from.at(-1) ?? -1;

/** The weightiest first, of equals the latest, each once. What waits for an answer must stand in the summary itself, as what waits. */
function missing(keepsakes: readonly Keepsake[], summary: string, known: readonly string[]): Keepsake[] {
  const waiting = new Written(readEarlier(summary, { last: true }).requests.flatMap(({ text, open }) => (open ? [text] : [])));
  const anywhere = new Written([summary, ...known]);
  return eachOnce(keepsakes.filter((keepsake) => (keepsake.kind === "open" ? !waiting.says(keepsake, { named: true }) : !anywhere.says(keepsake))));
}

/**
 * What stands in no fact, though the summary may say it. A summary is written anew with each fold, by a model that sees its words and
 * not their source: a line that it drops two folds on would be gone.
 */
const fading = (keepsakes: readonly Keepsake[], known: readonly string[]): Keepsake[] => {
  const saved = new Written(known);
  return eachOnce(keepsakes.filter((keepsake) => keepsake.kind !== "open" && !keepsake.earlier && !isUnfinished(keepsake.fact) && !saved.says(keepsake, { named: true })), { named: true }).slice(0, FADING_MOST);
};

function eachOnce(keepsakes: readonly Keepsake[], how: { readonly named?: boolean } = {}): Keepsake[] {
  const seen = new Written();
  return weightiest(keepsakes).filter((keepsake) => {
    if (seen.says(keepsake, keepsake.kind === "open" ? { named: true } : how)) return false;
    seen.add(keepsake.text);
    return keepsake.kind !== "said" || keepsake.value >= WORTH_KEEPING;
  });
}

const weightiest = (keepsakes: readonly Keepsake[]): Keepsake[] => [...keepsakes].sort((a, b) => b.value - a.value || placeOf(b.fact) - placeOf(a.fact));

/** In their order, as far as there is room. */
function savedOf(lost: readonly Keepsake[], { dialect, messages, previous = "" }: DistilTask): Fact[] {
  let all: number | undefined;
  let taken = 0;
  return lost.slice(0, FACTS_MOST).flatMap(({ fact }) => {
    const tokens = estimateTokens(fact.content);
    if (taken + tokens > SAVED_LEAST) {
      all ??= estimateTokens([previous, ...messages.map((message) => messageText(dialect, message))].join("\n"));
      if (taken + tokens > SAVED_SHARE * all) return [];
    }
    taken += tokens;
    return [fact];
  });
}

/** The summary with a part of code's own at its end, or its part of that name filled up; the least goes without. */
function carriedOver(summary: string, lost: readonly Keepsake[], { share, most }: { share: number; most: number }): string {
  const language = languageOf(summary);
  const title = `## ${CARRIED[language]}`;
  let room = Math.min(share, most - estimateTokens(summary)) - estimateTokens(title);
  const lines: string[] = [];
  for (const { kind, text } of lost) {
    const line = `- ${kind === "open" ? OPEN[language] : ""}${oneLine(text)}`;
    const cost = estimateTokens(line) + 1;
    if (cost > room) continue;
    room -= cost;
    lines.push(line);
  }
  // Joints cost a little that the lines alone do not: the last one gives way.
  for (; lines.length > 0; lines.pop()) {
    const whole = withPart(summary, title, lines);
    if (estimateTokens(whole) <= most) return whole;
  }
  return summary;
}

function withPart(summary: string, title: string, lines: readonly string[]): string {
  const at = summary.lastIndexOf(title);
  if (at < 0) return [summary.trimEnd(), title, ...lines].join("\n");
  return [summary.slice(0, at + title.length), ...lines].join("\n") + summary.slice(at + title.length);
}

const sum = (one: Usage | undefined, other: Usage | undefined): Usage | undefined =>
  one === undefined || other === undefined
    ? (one ?? other)
    : { input: one.input + other.input, cacheWrite: one.cacheWrite + other.cacheWrite, cacheRead: one.cacheRead + other.cacheRead, output: one.output + other.output };
