import { identifiers } from "../../text/identifiers.ts";
import { clip, oneLine } from "../../text/cut.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import { type Part, partLines, type PartLine, renderParts } from "../task/instruction.ts";
import { fitting, captionOf, commandOf, subjectOf, writes } from "./candidate.ts";
import { failed, repeatedFailures } from "./failures.ts";
import { plain, recordOf, reportsOf } from "./record.ts";
import { sayings } from "./sayings.ts";
import { type Turn } from "./transcript.ts";
import { answered, traps } from "./traps.ts";
import { bareWords } from "../../text/sentences.ts";

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
export function story(turns: readonly Turn[], previous: string, tokens: number): string {
  const length = Math.max(1, turns.length);
  const fresh = (part: Part, text: string, { at, value }: { at: number; value: number }): Line => ({
    part,
    text: oneLine(bareWords(text)),
    at,
    value: value + (0.15 * at) / length,
  });
  const open = recordOf(turns, {
    open: partLines(previous).find(({ part }) => part === "open")?.text,
  }).filter(({ category }) => category === "open-request");
  const lines: Line[] = [
    ...earlier(previous, open.length > 0),
    ...open.map(({ content }) => fresh("open", content, { at: length, value: 2 })),
    ...sayings(turns).map(({ content, category, importance, from }) =>
      fresh(category === "decision" ? "decisions" : "rules", content, {
        at: from[0] ?? 0,
        value: importance,
      }),
    ),
    ...answered(turns).map(({ content, from }) =>
      fresh("decisions", content, { at: from[0] ?? 0, value: 0.8 }),
    ),
    ...traps(turns).map(({ content, importance, from }) =>
      fresh("failed", content, { at: from[0] ?? 0, value: importance }),
    ),
    ...repeatedFailures(turns).map(({ first, error, times }) =>
      fresh(
        "failed",
        `${first.name} (${clip(captionOf(first), 60)}) failed ${times} times: ${error}`,
        { at: first.index, value: 0.5 },
      ),
    ),
    ...turns
      .filter(({ speaker, own }) => speaker === "user" && own !== "")
      .map((turn) =>
        fresh("done", `Asked: ${fitting(oneLine(turn.own), ASKED)}`, {
          at: turn.index,
          value: 0.45,
        }),
      ),
    ...reportsOf(turns).map((turn) =>
      fresh("done", fitting(plain(turn), ASKED), { at: turn.index, value: 0.5 }),
    ),
    ...work(turns).map((text) => fresh("done", text, { at: length, value: 0.7 })),
    ...turns
      .filter(({ speaker, text }) => speaker === "assistant" && text !== "")
      .slice(-1)
      .map((turn) => fresh("state", fitting(plain(turn), SAID), { at: length, value: 1.8 })),
    ...namesAgain(turns).map((text, at) => fresh("names", text, { at, value: 0.3 })),
  ];
  return within(lines, tokens);
}

/** The lines of the summary before: what was open is told anew, where it stood is history by now. */
function earlier(previous: string, toldAnew: boolean): Line[] {
  const lines = partLines(previous).filter(({ part }) => part !== "open" || !toldAnew);
  return lines.map(({ part, text }, at) => ({
    part: part === "state" ? "done" : part,
    text,
    value: (WORTH[part] ?? 0.6) + (0.1 * at) / lines.length,
    at: at - lines.length,
  }));
}

/** Of each part of a summary before; all others weigh 0.6. */
const WORTH: Readonly<Record<string, number>> = { state: 0.4, names: 0.25 };

/** Files changed and commits made, one line each. */
function work(turns: readonly Turn[]): string[] {
  const steps = turns
    .flatMap((turn) => turn.steps)
    .filter(({ answer }) => answer !== undefined && !failed(answer));
  const files = [
    ...new Set(
      steps
        .filter(writes)
        .flatMap((step) => subjectOf(step) ?? [])
        .reverse(),
    ),
  ];
  const commits = steps
    .filter((step) => /\bgit commit\b/.test(commandOf(step) ?? ""))
    .map(
      (step) =>
        /-m ["'](?:\$\(cat <<'?EOF'?\s*)?([^"'\n]{4,100})/.exec(commandOf(step) ?? "")?.[1] ??
        captionOf(step, 80),
    );
  const more = files.length > FILES ? ` and ${files.length - FILES} more` : "";
  return [
    ...(files.length === 0 ? [] : [`Files changed: ${files.slice(0, FILES).join(", ")}${more}`]),
    ...(commits.length === 0 ? [] : [`Commits: ${commits.slice(-4).join("; ")}`]),
  ];
}

/** Identifiers that one of the two said or called again after they were first seen, the last used first. */
function namesAgain(turns: readonly Turn[]): string[] {
  const seen = new Map<string, number>();
  const again = new Set<string>();
  for (const { speaker, own, steps, index } of turns) {
    const used =
      speaker === "system"
        ? []
        : [
            own,
            ...steps.map(
              (step) =>
                subjectOf(step) ?? step.leaves.map(({ value }) => value.slice(0, 200)).join(" "),
            ),
          ];
    for (const name of new Set(
      used.flatMap((one) => identifiers(one.slice(0, 4_000)).map(({ text }) => text)),
    )) {
      if (seen.has(name)) again.add(name);
      seen.set(name, index);
    }
  }
  return [...again]
    .filter((name) => name.length < 120)
    .sort((a, b) => (seen.get(b) ?? 0) - (seen.get(a) ?? 0))
    .slice(0, NAMES);
}

/** What the headings of all parts weigh at most. */
const HEADS = 40;

/** The weightiest lines that fit, each once, in their parts and in the order in which they came. */
function within(lines: readonly Line[], tokens: number): string {
  const kept = new Map<string, Line>();
  let room = tokens - HEADS;
  for (const line of [...lines].sort((a, b) => b.value - a.value || b.at - a.at)) {
    const cost = estimateTokens(line.text) + 2;
    if (line.text === "" || cost > room || kept.has(line.text.toLowerCase())) continue;
    room -= cost;
    kept.set(line.text.toLowerCase(), line);
  }
  return renderParts([...kept.values()].sort((a, b) => a.at - b.at));
}
