import { oneLine } from "../../text/cut.ts";
import { fitting } from "./candidate.ts";
import type { Step, Turn } from "./transcript.ts";

const ERROR_LINE =
  /^\s{0,40}(?:\*\* ?\(|\[?error\b|error:|e\d{3} |err!|fatal|panic|traceback|exception|assert(?:ion)?(?:error)?\b|failed\b|failure|[A-Z][A-Za-z.]{2,60}(?:Error|Exception)\b|.{0,120}: (?:fatal )?error\b|.{0,80}(?:command not found|no such file|permission denied|cannot find|not found$|is not recognized|undefined (?:variable|function|method)|timed? ?out)|错误|失败|异常)/i;
/** A short answer that opens so is a failure even where the provider has no flag for it. */
const OPENS_FAILED =
  /^\s{0,20}(?:<tool_use_error>|error\b|traceback|exception|fatal|[A-Z][A-Za-z]{2,40}(?:Error|Exception)\b|command failed|failed to|your proposed edit has introduced|exit code:? [1-9]|错误|失败|报错)/i;
const SKIPPED =
  /sibling tool call errored|^command aborted|interrupted by user|doesn't want to proceed|request was aborted/i;
const LINES = 400;
/** What a shell or debugger prints around a failure. */
const AROUND =
  /^\s*(?:traceback|errors?:?\s*$|exit code|debugger (?:attached|listening)|waiting for the debugger|for help, see: http|npm warn|\(node:\d+\))/i;

export const failed = (answer: { readonly text: string; readonly failed: boolean }): boolean =>
  (answer.failed || OPENS_FAILED.test(answer.text.slice(0, 200))) &&
  !SKIPPED.test(answer.text.slice(0, 200));

export const broke = ({ answer }: Step): boolean => answer !== undefined && failed(answer);
export const worked = ({ answer }: Step): boolean => answer !== undefined && !failed(answer);

/** The line of an answer that says what went wrong. */
export function errorLine(text: string): string {
  const lines = text
    .slice(0, 40_000)
    .split("\n", LINES)
    .filter((line) => line.trim() !== "" && !AROUND.test(line));
  const best = lines.find((line) => ERROR_LINE.test(line.slice(0, 300))) ?? lines[0] ?? text;
  return fitting(oneLine(best.slice(0, 2_000).replace(/<\/?[a-z_]{1,30}>/g, "")), 160);
}

/** What failed in one way more than once. */
export function repeatedFailures(
  turns: readonly Turn[],
): { first: Step; error: string; times: number }[] {
  const broken = turns
    .flatMap(({ steps }) => steps.filter(broke))
    .map((first) => ({ first, error: errorLine(first.answer?.text ?? "") }));
  const ways = Map.groupBy(
    broken,
    ({ first, error }) => `${first.name}\n${error.replace(/\d+/g, "0")}`,
  );
  return [...ways.values()].flatMap(([one, ...others]) =>
    one === undefined || others.length === 0 ? [] : [{ ...one, times: others.length + 1 }],
  );
}
