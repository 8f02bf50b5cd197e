import type { Message } from "../../core/request.ts";
import { TOOL_NAMES } from "../../core/tool-names.ts";
import { contentWords } from "../../core/text/sentences.ts";
import { isCorrection } from "../../memory/extracting/extractive.ts";
import { isRule, meantIn } from "../../memory/extracting/statements.ts";
import { captionOf, errorLine, failed } from "../../memory/extracting/transcript.ts";
import { heard, isQuestion } from "../../memory/extracting/frames.ts";
import { maskedTexts } from "../../memory/saving/commit.ts";
import { offersTool, type Result } from "../../providers/common/dialect.ts";
import type { Call, Ground, Kept } from "../../session/ports.ts";
import type { PlacedCall } from "../../session/outgoing-request.ts";
import { type Lesson, toolName, UNNAMED } from "../../workspace/pages/learnings.ts";

const LEARNED = {
  type: "notice",
  about: "learned",
  text: "A line was written to the learnings.",
} as const;

/** A correction comes first in a message, and says what it has to say in a few sentences. */
const FIRST = 3;
/** "Exit code 1" and no more teaches nothing. */
const BARE =
  /^\W*(?:(?:command |tool )?(?:failed|error)|exit(?:ed)?(?: with)?(?: code| status)?)[\W\d]*$/i;
/** A correction is a remark; a page that begins with "no" is something else. */
const LONGEST_CORRECTION = 2_000;
/**
 * The last messages of a request: those before were there when Tidemark was not, or were looked at
 * in their turn.
 */
const NEWEST = 12;

interface Answered {
  readonly before: readonly Message[];
  readonly result: Result;
  readonly at: number;
}

/** A failure with its cause and what was asked; a success after one, as the cure of it. */
function lessonsOf(
  core: Ground & Kept,
  call: Call,
  { before, result, at }: Answered,
): (() => Promise<unknown>)[] {
  const { dialect } = call;
  const calls = new Map(
    before.flatMap((earlier) => dialect.calls(earlier)).map((one) => [one.id, one]),
  );
  const made = calls.get(result.id);
  // A name that a model made up is words like any other.
  const tool =
    made !== undefined && (made.server || offersTool(call.request, made.name))
      ? made.name
      : UNNAMED;
  const asked = made === undefined ? "" : captionOf(made.input);
  const name = toolName(tool);
  // A memory that is not there is no failure of the work.
  if (TOOL_NAMES.some((one) => one === tool)) return [];
  const learn = (told: { text: string; asked?: string; cure?: string }) =>
    learning(core, call, { kind: "error", tool, at, ...told });
  const cause = causeOf(result);
  if (cause !== undefined) {
    core.emit({
      ...LEARNED,
      what: "error",
      tool: name,
      characters: result.text.length,
    });
    return [learn({ text: cause, asked })];
  }
  if (made === undefined || failed(result)) return [];
  const mended = before
    .flatMap((earlier) => dialect.results(earlier))
    .flatMap((earlier) => {
      const one = calls.get(earlier.id);
      const text = causeOf(earlier);
      const same =
        one !== undefined &&
        text !== undefined &&
        one.name === made.name &&
        alike(captionOf(one.input), asked) &&
        captionOf(one.input) !== asked;
      return same ? [learn({ text, asked: captionOf(one.input), cure: asked })] : [];
    });
  return mended.slice(-1);
}

/**
 * Writes it, without secrets, where the person's are: what a tool says of one user is not for the
 * next.
 */
const learning =
  (core: Ground & Kept, { who }: Call, lesson: Lesson) =>
  (): Promise<void> =>
    core.workspace.learn(maskedTexts(lesson), who.home);

/** Are two calls asked for nearly the same? */
function alike(one: string, other: string): boolean {
  const [words, others] = [new Set(contentWords(one)), new Set(contentWords(other))];
  const fewest = Math.min(words.size, others.size);
  return one === other || (fewest > 0 && words.intersection(others).size / fewest >= 0.6);
}

/** Why it failed, in the tool's words; undefined where it did not, or says no more than that. */
function causeOf(result: Result): string | undefined {
  if (!failed(result)) return undefined;
  const cause = errorLine(result.text);
  return BARE.test(cause) || cause === "" ? undefined : cause;
}

/**
 * "No, …" to a question answers it, whatever follows; a rule in answer to what was done corrects
 * that.
 */
function correctsReply(text: string, reply: string): boolean {
  return meantIn(heard(text).own)
    .slice(0, FIRST)
    .some((sentence) => isCorrection(sentence) || (!isQuestion(reply) && isRule(sentence)));
}

/**
 * Tool errors and corrections, noted as they pass: by rules, without a model. They are told at
 * once, and written when what this returns is called: the turn does not wait for its own lessons.
 */
export function noteLessons(core: Ground & Kept, call: PlacedCall): () => void {
  const { dialect, conversation } = call;
  const at = core.now();
  const lessons: (() => Promise<unknown>)[] = [];
  const from = Math.max(call.added, conversation.length - NEWEST);
  conversation.slice(from).forEach((message, offset) => {
    const index = from + offset;
    const before = conversation.slice(Math.max(0, index - NEWEST), index);
    for (const result of dialect.results(message))
      lessons.push(...lessonsOf(core, call, { before, result, at }));
    if (dialect.speaker(message) !== "user") return;
    const text = dialect.text(message);
    const reply = conversation
      .slice(0, index)
      .findLast((earlier) => dialect.speaker(earlier) === "assistant");
    if (!reply || text.length > LONGEST_CORRECTION || !correctsReply(text, dialect.text(reply)))
      return;
    core.emit({ ...LEARNED, what: "correction", characters: text.length });
    lessons.push(learning(core, call, { kind: "correction", text, at }));
  });
  return () => lessons.forEach((lesson) => core.background.run(lesson()));
}
