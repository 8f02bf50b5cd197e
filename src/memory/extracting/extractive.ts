import { breathe } from "../../core/base.ts";
import { clip, oneLine } from "../../core/text/cut.ts";
import { identifiers } from "../../core/text/identifiers.ts";
import { bareWords, fitting } from "../../core/text/sentences.ts";
import { estimateTokens } from "../../core/tokens/estimate.ts";
import { type Candidate, distinct } from "./cues.ts";
import { type PartLine, partLines, renderParts, type SummaryPart } from "./instruction.ts";
import { plain, recordOf, reportsOf } from "./own-record.ts";
import type { Distiller, DistilTask, Fact } from "./task.ts";
import {
  captionOf,
  commandOf,
  isWork,
  readTranscript,
  repeatedFailures,
  subjectOf,
  type Turn,
  worked,
  writes,
} from "./transcript.ts";
import { answered, sayings, traps } from "./user-statements.ts";

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
function story(turns: readonly Turn[], previous: string, tokens: number): string {
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

/**
 * The tag of what was quoted and not told by a model: a model's later word on the same messages
 * takes its place.
 */
export const QUOTED = "quoted";

/**
 * Messages quoted in one go. What was said in a longer range is carried on from part to part, as
 * from fold to fold.
 */
const PART = 400;

/**
 * The distiller without a model: the same input always gives the same facts and summary, in time
 * linear in the text. It quotes and never rewords, so what it keeps is true as far as it was said.
 */
export const extractive: Distiller = async (task) => {
  const { messages, dialect, factsFrom, summaryTokens } = task;
  const parts = Math.max(1, Math.ceil(messages.length / PART));
  const size = Math.max(1, Math.ceil(messages.length / parts));
  let { previous: summary = "", record } = task;
  const facts: Fact[] = [];
  for (let from = 0; from < messages.length || from === 0; from += size) {
    await breathe();
    task.signal.throwIfAborted();
    const part = messages.slice(from, from + size);
    const turns = readTranscript(part, dialect);
    await breathe();
    const found = factsFound(turns, {
      messages: part,
      factsFrom: Math.max(0, factsFrom - from),
      record,
    });
    await breathe();
    summary = summaryTokens <= 0 ? "" : story(turns, summary, summaryTokens);
    facts.push(
      ...found.map((fact) => ({ ...fact, tags: [QUOTED], from: fact.from.map((at) => at + from) })),
    );
    const said = (name: string): string | undefined =>
      found.find((fact) => fact.key === `${record?.key}/${name}`)?.content;
    // The next part goes on from the work's state behind this one.
    record = record && {
      key: record.key,
      open: said("open-request"),
      done: said("outcome") ?? record.done,
    };
  }
  return { facts: latest(facts), summary, by: "extractive" };
};

/** The last fact of a name stands; a fact without words ends the one it names. */
function latest(facts: readonly Fact[]): readonly Fact[] {
  const nameOf = (fact: Fact): string | Fact =>
    (fact.content === "" ? fact.supersedes : fact.key) ?? fact;
  const last = new Map(facts.map((fact) => [nameOf(fact), fact]));
  return facts.filter((fact) => last.get(nameOf(fact)) === fact);
}

/**
 * Messages quoted while a turn waits, from the beginning and from the end: what was set out to do,
 * and what it came to.
 */
const [FIRST, LAST] = [400, 1_600];

/**
 * The task without the midst of a very long range: for a turn that must go out, when a model is
 * asked for all of it later.
 */
export function abridged(task: DistilTask): DistilTask {
  const { messages, injected, factsFrom } = task;
  const gap = messages.length - FIRST - LAST;
  if (gap <= 0) return task;
  // Lines beside the messages lose their places: they count as beside all of them.
  return {
    ...task,
    messages: [...messages.slice(0, FIRST), ...messages.slice(-LAST)],
    injected: injected?.map(({ text, origin }) => ({ text, origin })),
    factsFrom: factsFrom < FIRST ? factsFrom : Math.max(FIRST, factsFrom - gap),
  };
}

/**
 * Of a hundred messages so many lines at most: people say more of themselves where no tools are.
 */
const SHARE = { chat: 0.18, work: 0.07 } as const;
const LEAST_LINES = 6;
/** The record of a work with several requests is the longest line. */
const LONGEST_LINE = 600;
const TRAPS_SHARE = 0.02;

/** Finds without a model the facts the next session would act on. */
export function factsFound(
  turns: readonly Turn[],
  { messages, factsFrom, record: standing }: Pick<DistilTask, "messages" | "factsFrom" | "record">,
): Fact[] {
  const length = messages.length - factsFrom;
  if (length <= 0) return [];
  const isFresh = ({ from }: Candidate): boolean => from.some((index) => index >= factsFrom);
  const share = isWork(turns) ? SHARE.work : SHARE.chat;
  const record = recordOf(turns, standing);
  const told = record.filter(({ content }) => content !== "").length;
  const causes = distinct(
    traps(turns).filter(isFresh),
    Math.max(1, Math.ceil(length * TRAPS_SHARE)),
  );
  const all = [...sayings(turns), ...answered(turns)].filter(isFresh);
  const said = distinct(all, Math.max(LEAST_LINES, Math.ceil(length * share)) - told);
  return [...said, ...causes, ...record].map((fact) => ({
    ...fact,
    content: fitting(oneLine(fact.content), LONGEST_LINE),
    from: [...new Set(fact.from)].filter((index) => index >= 0).sort((a, b) => a - b),
  }));
}
