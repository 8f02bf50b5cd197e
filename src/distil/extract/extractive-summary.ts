import { identifiers } from "../../text/identifiers.ts";
import { clip, oneLine } from "../../text/cut.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import { type SummaryPart, partLines, type PartLine, renderParts } from "../task/instruction.ts";
import { plain, recordOf, reportsOf } from "./record.ts";
import { answered, sayings, traps } from "./user-statements.ts";
import {
  captionOf,
  commandOf,
  repeatedFailures,
  subjectOf,
  type Turn,
  worked,
  writes,
} from "./transcript.ts";
import { bareWords, fitting } from "../../text/sentences.ts";

/**
 * A line that competes for room: `value` decides which stay, `at` the order in which they stand.
 */
interface StoryLine extends PartLine {
  readonly value: number;
  readonly at: number;
}
type StoryPoint = readonly [part: SummaryPart, text: string, value: number, at?: number];

const NAMES = 30;
const FILES = 12;
const ASKED = 200;
const SAID = 360;

/**
 * What the conversation needs to go on, as a story: asked, ruled, decided, tried, done; within
 * `tokens`.
 */
export function story(turns: readonly Turn[], previous: string, tokens: number): string {
  const stood = partLines(previous);
  const open = recordOf(turns, { open: stood.find(({ part }) => part === "open")?.text }).filter(
    ({ category }) => category === "open-request",
  );
  const told: readonly StoryPoint[] = [
    ...open.map(({ content }): StoryPoint => ["open", content, 2]),
    ...[...sayings(turns), ...answered(turns), ...traps(turns)].map(
      ({ content, category, importance, from }): StoryPoint => [
        PARTS[category] ?? "rules",
        content,
        importance,
        from[0],
      ],
    ),
    ...repeatedFailures(turns).map(({ first, error, times }): StoryPoint => {
      const call = `${first.name} (${clip(captionOf(first), 60)})`;
      return ["failed", `${call} failed ${times} times: ${error}`, 0.5, first.index];
    }),
    ...turns
      .filter(({ speaker, own }) => speaker === "user" && own !== "")
      .map(({ own, index }): StoryPoint => [
        "done",
        `Asked: ${fitting(oneLine(own), ASKED)}`,
        0.45,
        index,
      ]),
    ...reportsOf(turns).map((turn): StoryPoint => [
      "done",
      fitting(plain(turn), ASKED),
      0.5,
      turn.index,
    ]),
    ...work(turns).map((text): StoryPoint => ["done", text, 0.7]),
    ...turns
      .filter(({ speaker, text }) => speaker === "assistant" && text !== "")
      .slice(-1)
      .map((last): StoryPoint => ["state", fitting(plain(last), SAID), 1.8]),
    ...namesAgain(turns).map((text, at): StoryPoint => ["names", text, 0.3, at]),
  ];
  const length = Math.max(1, turns.length);
  const fresh = told.map(([part, text, value, at = length]) => ({
    part,
    text: oneLine(bareWords(text)),
    at,
    value: value + (0.15 * at) / length,
  }));
  // Open requests are told anew; where the work stood is history by now.
  const earlier = stood
    .filter(({ part }) => part !== "open" || open.length === 0)
    .map(({ part, text }, at, { length: lines }) => ({
      part: part === "state" ? "done" : part,
      text,
      value: (WORTH[part] ?? 0.6) + (0.1 * at) / lines,
      at: at - lines,
    }));
  return within([...earlier, ...fresh], tokens);
}

/** Facts of all other categories are rules. */
const PARTS: Readonly<Record<string, SummaryPart>> = {
  decision: "decisions",
  "mistake-pattern": "failed",
};
/** A line of the earlier summary weighs 0.6 unless its part is named here. */
const WORTH: Readonly<Record<string, number>> = { state: 0.4, names: 0.25 };

/** Files changed and commits made, one line each. */
function work(turns: readonly Turn[]): string[] {
  const steps = turns.flatMap((turn) => turn.steps).filter(worked);
  const changed = steps.filter(writes).flatMap((step) => subjectOf(step) ?? []);
  const files = [...new Set(changed.reverse())];
  const commits = steps
    .filter((step) => /\bgit commit\b/.test(commandOf(step) ?? ""))
    .map((step) => COMMITTED.exec(commandOf(step) ?? "")?.[1] ?? captionOf(step, 80));
  const more = files.length > FILES ? ` and ${files.length - FILES} more` : "";
  return [
    files.length === 0 ? "" : `Files changed: ${files.slice(0, FILES).join(", ")}${more}`,
    commits.length === 0 ? "" : `Commits: ${commits.slice(-4).join("; ")}`,
  ];
}
const COMMITTED = /-m ["'](?:\$\(cat <<'?EOF'?\s*)?([^"'\n]{4,100})/;

/**
 * Identifiers that one of the two said or called again after they were first seen, the last used
 * first.
 */
function namesAgain(turns: readonly Turn[]): string[] {
  const uses = turns.flatMap(({ speaker, own, steps, index }) => {
    const called = steps.map(
      (step) => subjectOf(step) ?? step.leaves.map(({ value }) => value.slice(0, 200)).join(" "),
    );
    const names = [own, ...called].flatMap((one) => identifiers(one.slice(0, 4_000)));
    return speaker === "system"
      ? []
      : [...new Set(names.map(({ text }) => text))].map((name) => ({ name, index }));
  });
  return [...Map.groupBy(uses, ({ name }) => name)]
    .filter(([name, used]) => used.length > 1 && name.length < 120)
    .sort(([, a], [, b]) => (b.at(-1)?.index ?? 0) - (a.at(-1)?.index ?? 0))
    .slice(0, NAMES)
    .map(([name]) => name);
}

/** Tokens of all headings together, at most. */
const HEADS = 40;

/** The weightiest lines that fit, each once, in their parts and in the order in which they came. */
function within(lines: readonly StoryLine[], tokens: number): string {
  const kept = new Map<string, StoryLine>();
  let room = tokens - HEADS;
  for (const line of [...lines].sort((a, b) => b.value - a.value || b.at - a.at)) {
    const cost = estimateTokens(line.text) + 2;
    if (line.text === "" || cost > room || kept.has(line.text.toLowerCase())) continue;
    room -= cost;
    kept.set(line.text.toLowerCase(), line);
  }
  return renderParts([...kept.values()].sort((a, b) => a.at - b.at));
}
