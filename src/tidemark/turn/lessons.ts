import type { Message } from "../../core/request.ts";
import { fence } from "../../core/text/fence.ts";
import { contentWords, sentences } from "../../core/text/sentences.ts";
import { estimateTokens } from "../../core/tokens/estimate.ts";
import { isQuestion } from "../../memory/extracting/cues.ts";
import { captionOf, errorLine, failed, leavesOf } from "../../memory/extracting/transcript.ts";
import { isCorrection, isRebuke } from "../../memory/extracting/user-statements.ts";
import { maskedTexts } from "../../memory/saving/commit.ts";
import { type Call as Made, offersTool, type Result } from "../../providers/common/dialect.ts";
import type { Call, Ground, Kept, Weighing } from "../../session/core.ts";
import { type Outgoing, type PlacedCall, placementFor } from "../../session/outgoing-request.ts";
import {
  cureOf,
  errorClass,
  type Lesson,
  toolName,
  UNNAMED,
} from "../../workspace/pages/learnings.ts";
import { besideAt } from "./already-shown.ts";

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
  const asked = made === undefined ? "" : askedOf(made);
  const name = toolName(tool);
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
        alike(askedOf(one), asked) &&
        askedOf(one) !== asked;
      return same ? [learn({ text, asked: askedOf(one), cure: asked })] : [];
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

const askedOf = ({ name, input }: Pick<Made, "name" | "input">): string =>
  captionOf({ index: 0, name, leaves: leavesOf(input) });

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
  return sentences(text)
    .slice(0, FIRST)
    .some(
      (sentence) => isCorrection(sentence.text) || (isRebuke(sentence.text) && !isQuestion(reply)),
    );
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
    lessons.push(
      learning(core, call, { kind: "correction", text, reply: dialect.text(reply), at }),
    );
  });
  return () => lessons.forEach((lesson) => core.background.run(lesson()));
}

/** This many failures of one call are no chance. */
const OFTEN = 3;
/** Messages looked back over. */
const LOOKED = 64;

/** A call that has failed since it last went well. */
interface Streak {
  readonly name: string;
  readonly asked: string;
  readonly from: number;
  readonly count: number;
  readonly class: string;
}

/** One line of ours, for the message it goes with. */
export interface Warning {
  readonly index: number;
  readonly text: string;
  readonly tokens: number;
}

/**
 * What to say of a call that fails again and again, in our words alone: a tool could order in its
 * own. It goes with the user's next words. In a tool loop it goes behind the results: as a message
 * of the system's where a text would end the loop.
 */
export function warningFor({ marks }: Weighing, outgoing: Outgoing): Warning | undefined {
  const { dialect, conversation, positions, limit, view, level, ratio } = outgoing;
  const index = conversation.findLastIndex((message) => dialect.speaker(message) !== "system");
  const last = conversation[index];
  if (last === undefined || index < outgoing.added || (positions[index] ?? -1) < 0)
    return undefined;
  const speaker = dialect.speaker(last);
  const endsLoop = dialect.traits.joinsTurns && placementFor(outgoing) !== "system";
  if (speaker === "assistant" || (speaker === "tool" && endsLoop)) return undefined;
  if (!justFailed(outgoing, index)) return undefined;
  const isSaid = (streak: Streak): boolean =>
    view.recalls.some(
      (at) =>
        at >= streak.from &&
        besideAt(outgoing, at)?.text.includes(opening(outgoing, streak)) === true,
    );
  const due = streaksOf(outgoing, index).find((streak) => streak.count >= OFTEN && !isSaid(streak));
  if (due === undefined) return undefined;
  const kind = due.class;
  const words = `${opening(outgoing, due)} ${due.count} times: ${kind} — ${cureOf(kind)}.`;
  const text = fence("failing", words);
  const tokens = estimateTokens(text);
  const room = (limit * marks.brim - level.used) / ratio - 1;
  return tokens > room ? undefined : { index, text, tokens };
}

/** The line as far as it is the same however often the call failed. */
const opening = ({ request }: Call, { name }: Streak): string =>
  `The same call of ${offersTool(request, name) ? `the tool ${toolName(name)}` : "a tool"} failed`;

/**
 * Has a call failed since the message before this one that could have told of it? Most turns end
 * here.
 */
function justFailed({ dialect, conversation }: Call, index: number): boolean {
  for (let at = index; at > index - LOOKED; at--) {
    const message = conversation[at];
    if (message === undefined) return false;
    const speaker = dialect.speaker(message);
    if (at < index && speaker === "user") return false;
    if (dialect.results(message).some(failed)) return true;
    if (at === index && speaker === "tool") return false;
  }
  return false;
}

/** Calls that failed and have not gone well since, the one that failed last at the end. */
function streaksOf({ dialect, conversation }: Call, index: number): Streak[] {
  let streaks: Streak[] = [];
  const calls = new Map<string, Made>();
  const first = Math.max(0, index + 1 - LOOKED);
  for (const [place, message] of conversation.slice(first, index + 1).entries()) {
    for (const made of dialect.calls(message)) calls.set(made.id, made);
    for (const result of dialect.results(message)) {
      const made = calls.get(result.id);
      // One that was stopped neither failed nor went well.
      if (made === undefined || (result.failed && !failed(result))) continue;
      const asked = askedOf(made);
      const isSame = (streak: Streak): boolean =>
        streak.name === made.name && alike(streak.asked, asked);
      const same = streaks.find(isSame);
      streaks = streaks.filter((streak) => !isSame(streak));
      if (!failed(result)) continue;
      streaks.push({
        name: made.name,
        asked,
        from: same?.from ?? first + place,
        count: (same?.count ?? 0) + 1,
        class: errorClass(result.text),
      });
    }
  }
  return streaks.reverse();
}
