import type { Message } from "../../model/request.ts";
import { isCorrection, isRebuke } from "../../distil/extract/sayings.ts";
import type { Call as Made, Result } from "../../dialect/common/dialect.ts";
import { errorLine, failed } from "../../distil/extract/failures.ts";
import { offersTool } from "../../dialect/common/reading.ts";
import { leavesOf } from "../../distil/extract/transcript.ts";
import { captionOf } from "../../distil/extract/candidate.ts";
import { isQuestion } from "../../distil/extract/specific.ts";
import { contentWords } from "../../text/content-words.ts";
import { sentences } from "../../text/sentences.ts";
import { toolName, UNNAMED } from "../../workspace/pages/learnings.ts";
import type { Call } from "../session/core.ts";
import type { PlacedCall } from "../session/outgoing.ts";

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
const LONGEST = 2_000;
/** The last messages of a request: those before were there when Tidemark was not, or were looked at in their turn. */
const NEWEST = 12;

interface Answered {
  readonly before: readonly Message[];
  readonly result: Result;
  readonly at: number;
}

/** A failure with its cause and what was asked; a success after one, as the cure of it. */
function lessonsOf(call: Call, { before, result, at }: Answered): (() => Promise<unknown>)[] {
  const { core, who, dialect } = call;
  const calls = new Map(
    before.flatMap((earlier) => dialect.calls(earlier)).map((one) => [one.id, one]),
  );
  const made = calls.get(result.id);
  // A name that a model made up is words like any other.
  const tool =
    made !== undefined && (made.server || offersTool(call.request, made.name))
      ? made.name
      : UNNAMED;
  const asked = made === undefined ? "" : askedOf(made);
  const name = toolName(tool);
  noteCall(core, who.root, name);
  const learn =
    (lesson: { text: string; asked?: string; cure?: string }) => async (): Promise<void> => {
      const mask = await core.mask();
      const masked = Object.fromEntries(
        Object.entries(lesson).map(([part, value]) => [part, mask(value)]),
      );
      // With the person: what a tool says of one user is not for the next.
      await core.workspace.learn(
        { kind: "error", tool: mask(tool), text: "", ...masked, at },
        who.learns,
      );
    };
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
        alike(askedOf(one), asked) &&
        askedOf(one) !== asked;
      return same ? [learn({ text, asked: askedOf(one), cure: asked })] : [];
    });
  return mended.slice(-1);
}

/** Tools told apart for one identity. */
const TOOLS = 200;

/** A task that fails tells which tools were called meanwhile. */
function noteCall({ process: { called } }: Call["core"], root: string, tool: string): void {
  const known = called.get(root) ?? new Map<string, number>();
  if (known.size < TOOLS || known.has(tool))
    called.set(root, new Map(known).set(tool, (known.get(tool) ?? 0) + 1));
}

/** Are two calls asked for nearly the same? */
export function alike(one: string, other: string): boolean {
  const [words, others] = [new Set(contentWords(one)), new Set(contentWords(other))];
  const fewest = Math.min(words.size, others.size);
  return one === other || (fewest > 0 && words.intersection(others).size / fewest >= 0.6);
}

/** What a call was for, on one line. */
export const askedOf = ({ name, input }: Pick<Made, "name" | "input">): string =>
  captionOf({ index: 0, name, leaves: leavesOf(input) });

/** Why it failed, in the tool's words; undefined where it did not, or says no more than that. */
function causeOf(result: Result): string | undefined {
  if (!failed(result)) return undefined;
  const cause = errorLine(result.text);
  return BARE.test(cause) || cause === "" ? undefined : cause;
}

/** "No, …" to a question answers it, whatever follows; a rule in answer to what was done corrects that. */
function correctsReply(text: string, reply: string): boolean {
  return sentences(text)
    .slice(0, FIRST)
    .some(
      (sentence) => isCorrection(sentence.text) || (isRebuke(sentence.text) && !isQuestion(reply)),
    );
}

/** Tool errors and corrections, noted as they pass: by rules, without a model. They are told at once, and written when what this returns is called: the turn does not wait for its own lessons. */
export function noteLessons(call: PlacedCall): () => void {
  const { core, who, dialect, conversation } = call;
  const at = core.now();
  const lessons: (() => Promise<unknown>)[] = [];
  const from = Math.max(call.added, conversation.length - NEWEST);
  conversation.slice(from).forEach((message, offset) => {
    const index = from + offset;
    const before = conversation.slice(Math.max(0, index - NEWEST), index);
    for (const result of dialect.results(message))
      lessons.push(...lessonsOf(call, { before, result, at }));
    if (dialect.speaker(message) !== "user") return;
    const text = dialect.text(message);
    const reply = conversation
      .slice(0, index)
      .findLast((earlier) => dialect.speaker(earlier) === "assistant");
    if (!reply || text.length > LONGEST || !correctsReply(text, dialect.text(reply))) return;
    lessons.push(async () => {
      const mask = await core.mask();
      core.emit({ ...LEARNED, what: "correction", characters: text.length });
      await core.workspace.learn(
        { kind: "correction", text: mask(text), reply: mask(dialect.text(reply)), at },
        who.learns,
      );
    });
  });
  return () => lessons.forEach((lesson) => core.background.run(lesson()));
}
