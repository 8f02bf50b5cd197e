import { clip, oneLine } from "../../text/one-line.ts";
import { sentences } from "../../text/sentences.ts";
import { meanings } from "../cues/read.ts";
import { type Candidate, fitting } from "./candidate.ts";
import { failed } from "./failures.ts";
import { DOCUMENT } from "./own-words.ts";
import { isQuestion, telling } from "./specific.ts";
import { captionOf, commandOf, writes } from "./subject.ts";
import { type Step, type Transcript, type Turn } from "./transcript.ts";

const OPENING = "Open request: ";
const OPEN = new RegExp(`^${OPENING}`);
const ASKED = 160;
const TELLS = 200;
/** The tool by which a worker hands in what it was asked for. */
const FINISHES = /^(?:submit|finish|done|complete|attempt_completion|final_answer)/i;
const TOLD = 280;
/** The worker says what comes next, so it has not ended. */
const GOES_ON = /^(?:(?:now|next|first|then|ok|good|great|perfect)[,.:!]? )?(?:let me|let's|i'll|i will|i need to|now i|next,? i|lass mich|ich werde|让我|接下来|现在我)/i;

/** What stood of the work before the range. */
interface Standing {
  readonly open?: string;
  readonly done?: string;
}

/** The state of the work: what is open, and what was done last; each one record of the conversation. */
export function recordOf(transcript: Transcript, standing: Standing = {}): Candidate[] {
  const { turns } = transcript;
  const isWork = turns.some(({ steps }) => steps.length > 0);
  // What was open before the range is what a worker that nobody has spoken to since is still at.
  const asks = [...(standing.open === undefined ? [] : [before(standing.open)]), ...turns.filter((turn) => isRequest(turn, isWork))];
  return [...openPart(asks, turns), ...donePart(asks, reportsOf(transcript, standing.open !== undefined), standing)];
}

function openPart(asks: readonly Turn[], turns: readonly Turn[]): Candidate[] {
  const last = asks.at(-1);
  const behind = turns.filter(({ index }) => index > (last?.index ?? Infinity));
  const open = last === undefined || !isOpen(behind) || hasEnded(turns) ? [] : [{ text: openText(asks, behind), index: last.index }];
  const waiting = [...open, ...putOff(asks.slice(0, -1), turns)];
  if (waiting.length === 0) return [];
  const content = `${OPENING}${waiting.map(({ text }) => text).join("; ")}`;
  return [{ content, category: "open-request", importance: 0.8, origin: "agent", from: waiting.map(({ index }) => index) }];
}

function donePart(asks: readonly Turn[], reports: readonly Turn[], { done }: Standing): Candidate[] {
  // A word on the side behind the report itself tells less than it does.
  const full = reports.findLast(({ text }) => text.length >= TELLS);
  const report = full ?? (done === undefined ? reports.at(-1) : undefined);
  if (report === undefined) return [];
  const toward = asks.filter(({ index }) => index < report.index);
  const asked = toward.length === 0 ? "" : `${chain(toward)} — `;
  const from = [...toward.slice(-1), report].map(({ index }) => index);
  return [{ content: `Done: ${asked}${reported(report)}`, category: "outcome", importance: 0.7, origin: "agent", from }];
}

/** A request of before the range, as a turn. */
function before(open: string): Turn {
  const own = open.replace(OPEN, "").replace(/ — so far: .*$/, "");
  return { index: -1, speaker: "user", text: own, own, notice: "", steps: [], orphans: [] };
}

/** The words behind work that say what came of it. */
export function reportsOf({ turns }: Transcript, atWork = false): Turn[] {
  return turns.some(({ steps }) => steps.length > 0) ? turns.filter((turn) => isReport(turn, turns, atWork)) : [];
}

function isRequest(turn: Turn, works: boolean): boolean {
  if (turn.speaker !== "user" || turn.own.trim() === "" || (turn.index > 0 && turn.text.length > DOCUMENT)) return false;
  const means = meanings(turn.own);
  if (means.has("remember")) return false;
  if (works && (!means.has("thanks") || means.has("requests"))) return true;
  const said = sentences(turn.own).filter(({ code }) => !code);
  if (said.length === 0 || (means.has("thanks") && said.every(({ text }) => !isQuestion(text) && telling(text) < 5))) return false;
  return means.has("requests") || (works && (said.some(({ text }) => isQuestion(text)) || means.has("rules")));
}

/** A nod ("yes, do it all") is said of the request before it. */
function chain(asks: readonly Turn[]): string {
  const parts: string[] = [];
  for (const { own } of asks.slice(-3).reverse()) {
    const line = clip(oneLine(own), ASKED);
    if (!parts.includes(line)) parts.unshift(line);
    if (telling(line) > 3) break;
  }
  return parts.join(" / ");
}

function isOpen(behind: readonly Turn[]): boolean {
  if (behind.some((turn) => turn.speaker === "user" && turn.own !== "" && meanings(turn.own).has("thanks"))) return false;
  const end = behind.findLast(({ speaker }) => speaker === "assistant");
  if (end === undefined || end.text === "" || end.steps.length > 0) return true;
  const said = spoken(end);
  if (said.slice(-2).some((text) => GOES_ON.test(text))) return true;
  if (behind.every(({ steps }) => steps.length === 0) || said.some((text) => meanings(text).has("done"))) return false;
  return isQuestion(said.at(-1) ?? "") || said.some((text) => meanings(text).has("refuses"));
}

const spoken = ({ text }: Turn): string[] => sentences(text).flatMap((one) => (one.code ? [] : [one.text]));

const hasEnded = (turns: readonly Turn[]): boolean => {
  const last = turns.flatMap(({ steps }) => steps).at(-1);
  return last?.answer !== undefined && FINISHES.test(last.name) && !failed(last.answer);
};

/** A word behind work that says what came of it, and announces nothing. */
function isReport(turn: Turn, turns: readonly Turn[], atWork: boolean): boolean {
  if (turn.speaker !== "assistant" || (turn.steps.length > 0 && !hasEnded(turns))) return false;
  const said = spoken(turn).filter((text) => !(meanings(text).has("thanks") && telling(text) < 3));
  if (said.slice(-1).some((text) => turn.steps.length === 0 && GOES_ON.test(text)) || !said.slice(0, 2).some((text) => meanings(text).has("done"))) return false;
  if (answersNotice(turn, turns)) return false;
  const from = turns.findLast(({ speaker, own, index }) => speaker === "user" && own !== "" && index < turn.index)?.index;
  // Work of before the range counts where it went on into it.
  return (from === undefined && atWork) || turns.some(({ index, steps }) => index >= (from ?? 0) && index <= turn.index && steps.length > 0);
}

/** A word about what a program reported on the side: nothing was changed or run for it. */
function answersNotice({ index: end }: Turn, turns: readonly Turn[]): boolean {
  const last = turns.findLast(({ speaker, index }) => speaker === "user" && index < end);
  return last !== undefined && last.notice !== "" && last.own === "" && turns.every(({ index, steps }) => index <= last.index || index >= end || !steps.some(works));
}

const works = (step: Step): boolean => writes(step) || commandOf(step) !== undefined;

function openText(asks: readonly Turn[], behind: readonly Turn[]): string {
  const done = soFar(behind.flatMap(({ steps }) => steps));
  return done === "" ? chain(asks) : `${chain(asks)} — so far: ${done}`;
}

/** What was done about an open request, and what it broke on: the worker's own calls, no word of a tool. */
function soFar(steps: readonly Step[]): string {
  const answered = steps.flatMap((step) => (step.answer === undefined ? [] : [{ step, broke: failed(step.answer) }]));
  const made = answered.findLast(({ step, broke }) => !broke && (writes(step) || /\bgit (?:commit|tag|push)\b/.test(captionOf(step))));
  const broken = answered.findLast(({ broke }) => broke);
  return [...(made === undefined ? [] : [called(made.step)]), ...(broken === undefined ? [] : [`${called(broken.step)} failed`])].join("; ");
}

/** A shell's way to its folder says nothing. */
const called = (step: Step): string => clip(captionOf(step).replace(/^cd \S+ && /, ""), 90);

/** A report in its first sentences, marks and tables taken off, with the codes that stand behind them. */
function reported({ text }: Turn): string {
  const flat = oneLine(text.replace(/```[\s\S]*?(?:```|$)/g, " ").replace(/[*#`>|]+|-{3,}/g, " "));
  const told = fitting(flat, TOLD);
  const codes = new Set(flat.slice(told.length).match(/\b(?=[A-Z]*\d|[A-Z]{6})[A-Z][A-Z\d]{4,11}\b/g) ?? []);
  const rest = [...codes].filter((code) => !told.includes(code)).slice(0, 3);
  return rest.length === 0 ? told : `${told} (${rest.join(", ")})`;
}

/** Sentences that put something off and share their words with nothing that was said to be done since. */
function putOff(asks: readonly Turn[], turns: readonly Turn[]): { text: string; index: number }[] {
  return asks.flatMap(({ own, index }) =>
    sentences(own)
      .filter(({ text, code }) => !code && !isQuestion(text) && meanings(text).has("defers") && meanings(text).has("requests"))
      .filter(({ text }) => !turns.some((turn) => turn.index > index && answers(turn, text)))
      .map(({ text }) => ({ text, index })),
  ).slice(-3);
}

function answers(turn: Turn, request: string): boolean {
  const asked = new Set(wordsOf(request));
  const shared = new Set(wordsOf(turn.text).filter((word) => asked.has(word))).size;
  const about = shared >= Math.max(1, asked.size / 2);
  return about && (turn.speaker === "user" ? meanings(turn.text).has("withdraws") : meanings(turn.text).has("done"));
}

const wordsOf = (text: string): string[] => oneLine(text).toLowerCase().match(/[\p{L}\p{N}]{4,}|\p{Script=Han}{2}/gu) ?? [];
