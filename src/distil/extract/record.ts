import { contentWords } from "../../text/content-words.ts";
import { clip, oneLine } from "../../text/cut.ts";
import { sentences } from "../../text/sentences.ts";
import { meanings } from "../cues/languages.ts";
import { type Candidate, fitting, captionOf, commandOf, writes } from "./candidate.ts";
import { failed } from "./failures.ts";
import { DOCUMENT } from "./own-words.ts";
import { isQuestion, telling } from "./specific.ts";
import { type Step, type Turn } from "./transcript.ts";

const OPENING = "Open request: ";
const ASKED = 160;
const TELLS = 200;
/** The tool by which a worker hands in what it was asked for. */
const FINISHES = /^(?:submit|finish|done|complete|attempt_completion|final_answer)/i;
const TOLD = 280;
/** The worker says what comes next, so it has not ended. */
const GOES_ON =
  /^(?:(?:now|next|first|then|ok|good|great|perfect)[,.:!]? )?(?:let me|let's|i'll|i will|i need to|now i|next,? i|lass mich|ich werde|让我|接下来|现在我)/i;

/** The state of the work: what is open, and what was done last; each one record of the conversation. `standing` is what stood before the range. */
export function recordOf(
  turns: readonly Turn[],
  { open, done }: { readonly open?: string | undefined; readonly done?: string | undefined } = {},
): Candidate[] {
  const isWork = turns.some(({ steps }) => steps.length > 0);
  const asks = turns.filter((turn) => isRequest(turn, isWork));
  if (open !== undefined) {
    // What was open before the range is what a worker without new orders is still at.
    const own = open.replace(OPENING, "").replace(/ — so far: .*$/, "");
    asks.unshift({ index: -1, speaker: "user", text: own, own, isNote: false, steps: [] });
  }
  return [...openPart(asks, turns), ...donePart(asks, reportsOf(turns, open !== undefined), done)];
}

function openPart(asks: readonly Turn[], turns: readonly Turn[]): Candidate[] {
  const waiting = putOff(asks.slice(0, -1), turns);
  const last = asks.at(-1);
  const behind = turns.filter(({ index }) => index > (last?.index ?? Infinity));
  if (last !== undefined && isOpen(behind) && !hasEnded(turns)) {
    const done = soFar(behind.flatMap(({ steps }) => steps));
    waiting.unshift({
      text: done === "" ? chain(asks) : `${chain(asks)} — so far: ${done}`,
      index: last.index,
    });
  }
  const content = `${OPENING}${waiting.map(({ text }) => text).join("; ")}`;
  return waiting.length === 0
    ? []
    : [
        {
          content,
          category: "open-request",
          importance: 0.8,
          origin: "agent",
          from: waiting.map(({ index }) => index),
        },
      ];
}

function donePart(
  asks: readonly Turn[],
  reports: readonly Turn[],
  done: string | undefined,
): Candidate[] {
  // A word on the side behind the report itself tells less than it does.
  const report =
    reports.findLast(({ text }) => text.length >= TELLS) ??
    (done === undefined ? reports.at(-1) : undefined);
  if (report === undefined) return [];
  const toward = asks.filter(({ index }) => index < report.index);
  const from = [...toward.slice(-1), report].map(({ index }) => index);
  return [
    {
      content: `Done: ${[chain(toward), reported(report)].filter((part) => part !== "").join(" — ")}`,
      category: "outcome",
      importance: 0.7,
      origin: "agent",
      from,
    },
  ];
}

/** The words behind work that say what came of it. */
export const reportsOf = (turns: readonly Turn[], atWork = false): Turn[] =>
  turns.some(({ steps }) => steps.length > 0)
    ? turns.filter((turn) => isReport(turn, turns, atWork))
    : [];

function isRequest(turn: Turn, works: boolean): boolean {
  if (
    turn.speaker !== "user" ||
    turn.own.trim() === "" ||
    (turn.index > 0 && turn.text.length > DOCUMENT)
  )
    return false;
  const means = meanings(turn.own);
  if (means.has("remember")) return false;
  if (works && (!means.has("thanks") || means.has("requests"))) return true;
  const said = spoken(turn.own);
  if (
    said.length === 0 ||
    (means.has("thanks") && said.every((text) => !isQuestion(text) && telling(text) < 5))
  )
    return false;
  return means.has("requests") || (works && (said.some(isQuestion) || means.has("rules")));
}

const ITEM = /^(?:[-*+•–]|\d{1,3}[.)、])\s+/;

const fromFirstTelling = (said: readonly string[]): readonly string[] => {
  const first = said.findIndex((text) => telling(text) > 1);
  return first < 0 ? said : said.slice(first);
};

/** A nod ("yes, do it all") is said of the request before it; "go on" alone says nothing. */
function chain(asks: readonly Turn[]): string {
  const parts: string[] = [];
  for (const { own } of asks.slice(-3).reverse()) {
    const line = clip(oneLine(own), ASKED);
    if (telling(line) > 1 && !parts.includes(line)) parts.unshift(line);
    if (telling(line) > 3) break;
  }
  return parts.join(" / ");
}

function isOpen(behind: readonly Turn[]): boolean {
  if (behind.some(({ speaker, own }) => speaker === "user" && meanings(own).has("thanks")))
    return false;
  const end = behind.findLast(({ speaker }) => speaker === "assistant");
  if (end === undefined || end.text === "" || end.steps.length > 0) return true;
  const said = spoken(end.text);
  if (said.slice(-2).some((text) => GOES_ON.test(text))) return true;
  if (
    behind.every(({ steps }) => steps.length === 0) ||
    said.some((text) => meanings(text).has("done"))
  )
    return false;
  return isQuestion(said.at(-1) ?? "") || said.some((text) => meanings(text).has("refuses"));
}

const spoken = (text: string): string[] =>
  sentences(text).flatMap((one) => (one.code ? [] : [one.text]));

const hasEnded = (turns: readonly Turn[]): boolean => {
  const last = turns.flatMap(({ steps }) => steps).at(-1);
  return last?.answer !== undefined && FINISHES.test(last.name) && !failed(last.answer);
};

/** A word behind work that says what came of it, and announces nothing. */
function isReport(turn: Turn, turns: readonly Turn[], atWork: boolean): boolean {
  if (turn.speaker !== "assistant" || (turn.steps.length > 0 && !hasEnded(turns))) return false;
  const said = spoken(turn.text).filter(
    (text) => !(meanings(text).has("thanks") && telling(text) < 3),
  );
  if (
    (turn.steps.length === 0 && GOES_ON.test(said.at(-1) ?? "")) ||
    !said.slice(0, 2).some((text) => meanings(text).has("done"))
  )
    return false;
  const before = turns.slice(0, turn.index);
  const last = before.findLast(
    ({ speaker, own, isNote }) => speaker === "user" && (own !== "" || isNote),
  );
  const since = turns.slice(last?.index ?? 0, turn.index + 1).flatMap(({ steps }) => steps);
  // Of what a program reported on the side a word tells only where something was changed or run for it; work of before the range counts where it went on into it.
  if (last?.isNote === true)
    return since.some((step) => writes(step) || commandOf(step) !== undefined);
  return (last === undefined && atWork) || since.length > 0;
}

/** What was done about an open request, and what it broke on: the worker's own calls, no word of a tool. */
function soFar(steps: readonly Step[]): string {
  const made = steps.findLast(
    (step) =>
      step.answer !== undefined &&
      !failed(step.answer) &&
      (writes(step) || /\bgit (?:commit|tag|push)\b/.test(captionOf(step))),
  );
  const broken = steps.findLast(({ answer }) => answer !== undefined && failed(answer));
  return [
    ...(made === undefined ? [] : [called(made)]),
    ...(broken === undefined ? [] : [`${called(broken)} failed`]),
  ].join("; ");
}

/** A shell's way to its folder says nothing. */
const called = (step: Step): string => clip(captionOf(step).replace(/^cd \S+ && /, ""), 90);

/** What is said, on one line, without code and marks. */
export const plain = ({ text }: Turn): string =>
  oneLine(text.replace(/```[\s\S]*?(?:```|$)/g, " ").replace(/[*#`>|]+|-{3,}/g, " "));

/** A report in its first sentences, with the codes that stand behind them. "All done." and the heading of a list tell nothing. */
function reported(turn: Turn): string {
  const said = spoken(turn.text.replace(/[*#`>|]+|-{3,}/g, ""));
  const flat = fromFirstTelling(said.filter((text) => !text.endsWith(":")))
    .map((text) => text.replace(ITEM, ""))
    .reduce((all, text) => `${all}${/[\p{L}\p{N})]$/u.test(all) ? ";" : ""} ${text}`, "")
    .trim();
  const told = fitting(flat, TOLD);
  const codes = new Set(
    flat.slice(told.length).match(/\b(?=[A-Z]*\d|[A-Z]{6})[A-Z][A-Z\d]{4,11}\b/g),
  );
  const rest = [...codes].filter((code) => !told.includes(code)).slice(0, 3);
  return rest.length === 0 ? told : `${told} (${rest.join(", ")})`;
}

/** Sentences that put something off and share their words with nothing that was said to be done since. */
const putOff = (asks: readonly Turn[], turns: readonly Turn[]): { text: string; index: number }[] =>
  asks
    .flatMap(({ own, index }) =>
      spoken(own)
        .filter(
          (text) =>
            !isQuestion(text) && meanings(text).has("defers") && meanings(text).has("requests"),
        )
        .filter(
          (text) =>
            !turns.some((turn) => turn.index > index && answers(turn, new Set(contentWords(text)))),
        )
        .map((text) => ({ text, index })),
    )
    .slice(-3);

const answers = ({ text, speaker }: Turn, asked: ReadonlySet<string>): boolean =>
  asked.intersection(new Set(contentWords(text))).size >= Math.max(1, asked.size / 2) &&
  meanings(text).has(speaker === "user" ? "withdraws" : "done");
