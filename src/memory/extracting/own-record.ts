import { either, inOrder, present } from "../../core/base.ts";
import { clip, oneLine } from "../../core/text/cut.ts";
import { fitting } from "../../core/text/sentences.ts";
import { type Candidate, isQuestion, meanings, spoken, telling } from "./cues.ts";
import type { DistilTask } from "./task.ts";
import {
  broke,
  captionOf,
  isWork,
  type ToolStep,
  type Turn,
  worked,
  writes,
} from "./transcript.ts";
import { DOCUMENT } from "./whose-words.ts";

const ITEM = /^(?:[-*+•–]|\d{1,3}[.)、])\s+/;
const OPENING = "Open request: ";
const ASKED = 160;
const TELLS = 200;
/** The tool by which a worker hands in what it was asked for. */
const FINISHES = /^(?:submit|finish|done|complete|attempt_completion|final_answer)/i;
const TOLD = 280;
/** The worker says what comes next, so it has not ended. */
const GOES_ON = inOrder(
  /^(?:(?:now|next|first|then|ok|good|great|perfect)[,.:!]? )?/i,
  either(
    /(?:let me(?! know(?:[.!,]|(?: if| when| once| what you| how it)\b))|let's)/i,
    /(?:i(?:'ll| will)(?! be (?:here|happy|glad|around)| wait)|i need to|now i|next,? i)/i,
  ),
);

/**
 * The state of the work: what is open, and what was done last; each one record of the conversation
 * under a lasting name. `open` and `done` are what stood before the range. Where nothing is open
 * any more, what was open ends.
 */
export function recordOf(
  turns: readonly Turn[],
  { key, open, done }: Partial<NonNullable<DistilTask["record"]>> = {},
): Candidate[] {
  const works = isWork(turns);
  const asks = turns.filter((turn) => isRequest(turn, works));
  if (open !== undefined) {
    // A worker without new orders is still at the request that was open before.
    const own = open.replace(OPENING, "").replace(/ — so far: .*$/, "");
    asks.unshift({ index: -1, speaker: "user", text: own, own, steps: [] });
  }
  const waiting = openIn(asks, turns);
  const outcome = doneIn(asks, reportsOf(turns, open !== undefined), done);
  const name = (category: string): string | undefined => key && `${key}/${category}`;
  const common = { category: "open-request", origin: "agent" } as const;
  const ends = {
    ...common,
    content: "",
    supersedes: name("open-request"),
    importance: 0,
    from: [],
  };
  return present<Candidate>([
    waiting && { ...waiting, ...common, importance: 0.8, key: name("open-request") },
    outcome && {
      ...outcome,
      ...common,
      category: "outcome",
      importance: 0.7,
      key: name("outcome"),
    },
    key !== undefined && waiting === undefined && ends,
  ]);
}

type RecordLine = Pick<Candidate, "content" | "from">;

function openIn(asks: readonly Turn[], turns: readonly Turn[]): RecordLine | undefined {
  const last = asks.at(-1);
  const behind = turns.filter(({ index }) => index > (last?.index ?? Infinity));
  const wanted = chain(asks);
  if (last === undefined || wanted === "" || !isOpen(behind) || hasEnded(turns)) return undefined;
  const done = soFar(behind.flatMap(({ steps }) => steps));
  const content = `${OPENING}${wanted}${done === "" ? "" : ` — so far: ${done}`}`;
  return { content, from: [last.index] };
}

function doneIn(
  asks: readonly Turn[],
  reports: readonly Turn[],
  done: string | undefined,
): RecordLine | undefined {
  // A word on the side behind the report itself tells less than it does.
  const report =
    reports.findLast(({ text }) => text.length >= TELLS) ??
    (done === undefined ? reports.at(-1) : undefined);
  if (report === undefined) return undefined;
  const toward = asks.filter(({ index }) => index < report.index);
  const said = [chain(toward), reported(report)].filter((part) => part !== "");
  return {
    content: `Done: ${said.join(" — ")}`,
    from: [...toward.slice(-1), report].map(({ index }) => index),
  };
}

/** The words behind work that say what came of it. */
export const reportsOf = (turns: readonly Turn[], atWork = false): Turn[] =>
  isWork(turns) ? turns.filter((turn) => isReport(turn, turns, atWork)) : [];

function isRequest({ speaker, own, index, text }: Turn, works: boolean): boolean {
  const isDocument = index > 0 && text.length > DOCUMENT;
  if (speaker !== "user" || own.trim() === "" || isDocument) return false;
  const means = meanings(own);
  return !means.has("remember") && (means.has("requests") || (works && !means.has("thanks")));
}

/** A nod ("yes, do it all") is said of the request before it; "go on" alone says nothing. */
function chain(asks: readonly Turn[]): string {
  const parts: string[] = [];
  for (const { own } of asks.slice(-3).reverse()) {
    const line = clip(wish(oneLine(own)), ASKED);
    if (telling(line) > 1 && !parts.includes(line)) parts.unshift(line);
    if (telling(line) > 3) break;
  }
  return parts.join(" / ");
}

/** A longer message is told by what it asks for, without the words before that. */
function wish(own: string): string {
  if (own.length <= ASKED) return own;
  const said = spoken(own);
  const from = said.findIndex((text) => meanings(text).has("requests"));
  return said.slice(Math.max(0, from)).join(" ");
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

const hasEnded = (turns: readonly Turn[]): boolean => {
  const last = turns.flatMap(({ steps }) => steps).at(-1);
  return last !== undefined && FINISHES.test(last.name) && worked(last);
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
  const last = before.findLast(({ speaker, own }) => speaker === "user" && own !== "");
  const since = turns.slice(last?.index ?? 0, turn.index + 1).flatMap(({ steps }) => steps);
  // Work of before the range counts where it went on into it.
  return (last === undefined && atWork) || since.length > 0;
}

/**
 * What was done about an open request, and what it broke on: the worker's own calls, no word of a
 * tool.
 */
function soFar(steps: readonly ToolStep[]): string {
  const made = steps.findLast(
    (step) => worked(step) && (writes(step) || /\bgit (?:commit|tag|push)\b/.test(captionOf(step))),
  );
  const failed = called(steps.findLast(broke));
  return [called(made), failed === "" ? "" : `${failed} failed`]
    .filter((part) => part !== "")
    .join("; ");
}

/** A shell's way to its folder says nothing. */
const called = (step?: ToolStep): string =>
  step === undefined ? "" : clip(captionOf(step).replace(/^cd \S+ && /, ""), 90);

/** The text on one line, without code and marks. */
export const plain = ({ text }: Turn): string =>
  oneLine(text.replace(/```[\s\S]*?(?:```|$)/g, " ").replace(/[*#`>|]+|-{3,}/g, " "));

/**
 * A report in its first sentences, with the codes that stand behind them. "All done." and the
 * heading of a list tell nothing.
 */
function reported(turn: Turn): string {
  const said = spoken(turn.text.replace(/[*#`>|]+|-{3,}/g, "")).filter(
    (text) => !text.endsWith(":"),
  );
  const first = said.findIndex((text) => telling(text) > 1);
  const flat = said
    .slice(Math.max(0, first))
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
