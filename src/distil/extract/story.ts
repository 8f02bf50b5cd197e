import { identifiers } from "../../text/identifiers.ts";
import { clip, oneLine } from "../../text/one-line.ts";
import { wholeHead } from "../../text/sentences.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import { type Part, partLines, type PartLine, renderParts } from "../headings.ts";
import { fitting } from "./candidate.ts";
import { failed, findFailures } from "./failures.ts";
import { recordOf, reportsOf } from "./record.ts";
import { sayings } from "./sayings.ts";
import { captionOf, commandOf, subjectOf, writes } from "./subject.ts";
import { type Transcript, type Turn } from "./transcript.ts";
import { answered, traps } from "./traps.ts";
import { bareWords } from "../../text/speaker.ts";

/** A line that competes for room: `value` decides which stay, `at` the order in which they stand. */
interface Line extends PartLine {
  readonly value: number;
  readonly at: number;
}

const NAMES = 30;
const FILES = 12;
const ASKED = 200;
const SAID = 360;

/** What the conversation needs to go on, as a story: asked, ruled, decided, tried, done; within `tokens`. */
export function story(transcript: Transcript, previous: string, tokens: number): string {
  const { turns } = transcript;
  const length = Math.max(1, turns.length);
  const fresh = (part: Part, text: string, { at, value }: { at: number; value: number }): Line => ({ part, text: oneLine(bareWords(text)), at, value: value + (0.15 * at) / length });
  const open = recordOf(transcript, openIn(previous).slice(0, 1).map((open) => ({ open }))[0]).filter(({ category }) => category === "open-request");
  const lines: Line[] = [
    ...earlier(previous, open.length > 0),
    ...open.map(({ content }) => fresh("open", content, { at: length, value: 2 })),
    ...sayings(transcript).map(({ content, category, importance, from }) => fresh(PART[category] ?? "rules", content, { at: from[0] ?? 0, value: importance })),
    ...answered(transcript).map(({ content, from }) => fresh("decisions", content, { at: from[0] ?? 0, value: 0.8 })),
    ...traps(transcript).map(({ content, importance, from }) => fresh("failed", content, { at: from[0] ?? 0, value: importance })),
    ...findFailures(transcript).filter(({ steps }) => steps.length > 1).map(({ name, caption, error, steps }) => fresh("failed", `${name} (${clip(caption, 60)}) failed ${steps.length} times: ${error}`, { at: steps[0]?.index ?? 0, value: 0.5 })),
    ...turns.filter(({ speaker, own }) => speaker === "user" && own !== "").map((turn) => fresh("done", `Asked: ${fitting(oneLine(turn.own), ASKED)}`, { at: turn.index, value: 0.45 })),
    ...reportsOf(transcript).map((turn) => fresh("done", fitting(plain(turn), ASKED), { at: turn.index, value: 0.5 })),
    ...work(turns).map((text) => fresh("done", text, { at: length, value: 0.7 })),
    ...standsAt(turns).map((text) => fresh("state", text, { at: length, value: 1.8 })),
    ...namesAgain(turns).map((text, at) => fresh("names", text, { at, value: 0.3 })),
  ];
  return within(lines, tokens);
}

const PART: Readonly<Record<string, Part>> = { decision: "decisions", principle: "rules", preference: "rules", correction: "rules", core: "rules" };

/** Requests that the summary before holds for open. */
export const openIn = (previous: string): string[] => partLines(previous).flatMap(({ part, text }) => (part === "open" ? [text] : []));

/** The lines of the summary before: what was open is told anew, where it stood is history by now. */
function earlier(previous: string, toldAnew: boolean): Line[] {
  const lines = partLines(previous);
  return lines.flatMap(({ part, text }, at): Line[] => {
    if (part === "open" && toldAnew) return [];
    const value = part === "state" ? 0.4 : part === "names" ? 0.25 : 0.6;
    return [{ part: part === "state" ? "done" : part, text, value: value + (0.1 * at) / Math.max(1, lines.length), at: at - lines.length }];
  });
}

const plain = ({ text }: Turn): string => oneLine(text.replace(/```[\s\S]*?(?:```|$)/g, " ").replace(/[*#`>|]+|-{3,}/g, " "));

function standsAt(turns: readonly Turn[]): string[] {
  const last = turns.findLast(({ speaker, text }) => speaker === "assistant" && text !== "");
  return last === undefined ? [] : [fitting(plain(last), SAID)];
}

/** Files changed and commits made, one line each. */
function work(turns: readonly Turn[]): string[] {
  const steps = turns.flatMap((turn) => turn.steps).filter(({ answer }) => answer !== undefined && !failed(answer));
  const files = [...new Set(steps.filter(writes).flatMap((step) => subjectOf(step) ?? []).reverse())];
  const commits = steps.filter((step) => /\bgit commit\b/.test(commandOf(step) ?? "")).map((step) => /-m ["'](?:\$\(cat <<'?EOF'?\s*)?([^"'\n]{4,100})/.exec(commandOf(step) ?? "")?.[1] ?? captionOf(step, 80));
  const more = files.length > FILES ? ` and ${files.length - FILES} more` : "";
  return [
    ...(files.length === 0 ? [] : [`Files changed: ${files.slice(0, FILES).join(", ")}${more}`]),
    ...(commits.length === 0 ? [] : [`Commits: ${commits.slice(-4).join("; ")}`]),
  ];
}

/** Identifiers that one of the two said or called again after they were first seen, the last used first. */
function namesAgain(turns: readonly Turn[]): string[] {
  const seen = new Map<string, { uses: number; last: number }>();
  for (const turn of turns) {
    const used = turn.speaker === "system" ? [] : [turn.own, ...turn.steps.map((step) => subjectOf(step) ?? step.leaves.map(({ value }) => value.slice(0, 200)).join(" "))];
    for (const text of new Set(used.flatMap((one) => identifiers(one.slice(0, 4_000)).map((name) => name.text)))) {
      const known = seen.get(text);
      seen.set(text, { uses: (known?.uses ?? 0) + 1, last: turn.index });
    }
  }
  return [...seen].filter(([text, { uses }]) => uses > 1 && text.length < 120).sort(([, a], [, b]) => b.last - a.last || b.uses - a.uses).slice(0, NAMES).map(([text]) => text);
}

/** The weightiest lines that fit, each once, in their parts and in the order in which they came. */
function within(lines: readonly Line[], tokens: number): string {
  const seen = new Set<string>();
  const once = [...lines].sort((a, b) => b.value - a.value || b.at - a.at).filter(({ text }) => {
    const key = text.toLowerCase();
    if (text === "" || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  let room = tokens - HEADS;
  const kept = once.filter(({ text }) => {
    const cost = estimateTokens(text) + 2;
    if (cost > room) return false;
    room -= cost;
    return true;
  });
  const told = (some: readonly Line[]): string => renderParts([...some].sort((a, b) => a.at - b.at));
  for (; kept.length > 0; kept.pop()) if (estimateTokens(told(kept)) <= tokens) return told(kept);
  // A budget of a few tokens: the beginning of the weightiest line, as far as it goes.
  for (let most = Math.min(once[0]?.text.length ?? 0, tokens * 4); most > 0; most = Math.floor(most / 2)) {
    const first = wholeHead(once[0]?.text ?? "", most);
    if (estimateTokens(first) <= tokens) return first;
  }
  return "";
}

/** What the headings of all parts weigh at most. */
const HEADS = 40;
