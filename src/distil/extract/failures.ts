import { contentWords } from "../../text/content-words.ts";
import { oneLine } from "../../text/cut.ts";
import { captionOf, shortened } from "./subject.ts";
import { type Step, type Transcript } from "./transcript.ts";

/** A tool call that failed, how often, and what came right afterwards. */
export interface Failure {
  readonly name: string;
  readonly caption: string;
  readonly error: string;
  readonly steps: Step[];
  /** The next call of the same tool on a like subject that went well. */
  fixed?: Step;
  /** Calls of other tools that changed something between failure and success. */
  between: Step[];
}

const ERROR_LINE =
  /^\s{0,40}(?:\*\* ?\(|\[?error\b|error:|e\d{3} |err!|fatal|panic|traceback|exception|assert(?:ion)?(?:error)?\b|failed\b|failure|[A-Z][A-Za-z.]{2,60}(?:Error|Exception)\b|.{0,120}: (?:fatal )?error\b|.{0,80}(?:command not found|no such file|permission denied|cannot find|not found$|is not recognized|undefined (?:variable|function|method)|timed? ?out)|错误|失败|异常)/i;
/** A short answer that opens so is a failure even where the provider has no flag for it. */
const OPENS_FAILED = /^\s{0,20}(?:<tool_use_error>|error\b|traceback|exception|fatal|[A-Z][A-Za-z]{2,40}(?:Error|Exception)\b|command failed|failed to|your proposed edit has introduced|exit code:? [1-9]|错误|失败|报错)/i;
const SKIPPED = /sibling tool call errored|^command aborted|interrupted by user|doesn't want to proceed|request was aborted/i;
const LINES = 400;
/** What a shell or debugger prints around a failure. */
const AROUND = /^\s*(?:debugger (?:attached|listening)|waiting for the debugger|for help, see: http|npm warn|\(node:\d+\))/i;

export const failed = (answer: { readonly text: string; readonly failed: boolean }): boolean =>
  (answer.failed || OPENS_FAILED.test(answer.text.slice(0, 200))) && !SKIPPED.test(answer.text.slice(0, 200));

/** The line of an answer that says what went wrong. */
export function errorLine(text: string): string {
  const lines = text.slice(0, 40_000).split("\n", LINES).filter((line) => line.trim() !== "" && !AROUND.test(line));
  const trace = lines.findIndex((line) => /^\s{0,20}traceback/i.test(line));
  const best =
    (trace >= 0 ? lines.slice(trace + 1).find((line) => /^[A-Za-z_][\w.]{2,80}(?:Error|Exception|Warning|Interrupt)?: /.test(line)) : undefined) ??
    lines.find((line) => ERROR_LINE.test(line.slice(0, 300)) && !/^\s{0,20}(?:traceback|errors?:?\s*$|exit code)/i.test(line)) ??
    lines[0] ??
    "";
  return shortened(oneLine(best.slice(0, 2_000).replace(/<\/?[a-z_]{1,30}>/g, "")), 160);
}

export function findFailures({ turns }: Transcript): Failure[] {
  const found = new Map<string, Failure>();
  const open: Failure[] = [];
  const recent: Step[] = [];
  for (const step of turns.flatMap((turn) => turn.steps)) {
    if (step.answer === undefined) continue;
    if (failed(step.answer)) {
      const error = errorLine(step.answer.text);
      const key = `${step.name}\n${error.replace(/\d+/g, "0")}`;
      const known = found.get(key);
      if (known !== undefined) {
        known.steps.push(step);
        if (known.fixed !== undefined) open.push(known);
        delete known.fixed;
        known.between = [];
      } else {
        const failure: Failure = { name: step.name, caption: captionOf(step), error, steps: [step], between: [] };
        found.set(key, failure);
        open.push(failure);
      }
    } else {
      for (let at = open.length - 1; at >= 0; at -= 1) {
        const failure = open[at];
        if (failure === undefined) continue;
        if (failure.name === step.name && alike(failure.caption, captionOf(step))) {
          failure.fixed = step;
          failure.between = recent.filter((other) => other.index > (failure.steps.at(-1)?.index ?? 0) && other !== step);
          open.splice(at, 1);
        } else if (step.index - (failure.steps.at(-1)?.index ?? 0) > 40) open.splice(at, 1);
      }
    }
    recent.push(step);
    if (recent.length > 12) recent.shift();
  }
  return [...found.values()];
}

export function alike(a: string, b: string): boolean {
  if (a === b) return true;
  const words = new Set(contentWords(a));
  const others = new Set(contentWords(b));
  if (words.size === 0 || others.size === 0) return false;
  let shared = 0;
  for (const word of words) if (others.has(word)) shared += 1;
  return shared / Math.min(words.size, others.size) >= 0.6;
}
