import { phrases } from "../../core/base.ts";
import { clip, oneLine } from "../../core/text/cut.ts";
import { fitting } from "../../core/text/sentences.ts";
import { isQuestion, spoken } from "./frames.ts";
import { DOCUMENT } from "./pasted.ts";
import { REMEMBER, telling, THANKS } from "./statements.ts";
import type { DistilTask, Fact } from "./task.ts";
import { broke, isWork, type Turn, worked } from "./transcript.ts";

const ASKED = 160;
const TOLD = 280;
/** The worker says what comes next, so it has not ended. */
const GOES_ON = phrases(
  "^(?:(?:now|next|first|then|ok|good|great|perfect)[,.:!]? )?",
  "let me(?! know\\b)|let['’]s|now i|next,? i|i need to|i(?:['’]ll| will)(?! be| wait)",
);
const DONE = phrases(
  "\\b",
  "done|completed?|finished|implemented|fixed|successfully|pushed|created|submitted|updated",
  "added|ha(?:s|ve) been|cancell?ed|booked|closed|resolved",
);
const ASKS = /\b(?:please|can you|could you|now|need|want|next|go ahead)\b|\?/i;
/** Courtesy, and the heading of a list. */
const NO_NEWS = /^here(?:['’]s| is| are)\b|\b(?:let me know|feel free|anything else)\b/i;

/**
 * The state of a work with tools: what is open, and what came of it; each one record of the
 * conversation under a lasting name. Where nothing is open any more, what was open ends.
 */
export function recordOf(
  turns: readonly Turn[],
  { key, open }: Partial<NonNullable<DistilTask["record"]>> = {},
): Fact[] {
  const asks = isWork(turns) ? turns.filter(isRequest) : [];
  const wanted = (before: number): string => {
    const ask = asks.findLast(({ index }) => index < before);
    return clip(oneLine(ask?.asked ?? open?.replace(/^Open request: /, "") ?? ""), ASKED);
  };
  const record = (category: string, content: string, from: readonly Turn[]): Fact => ({
    ...{ content, category, origin: "agent", key: key && `${key}/${category}` },
    ...{ importance: category === "outcome" ? 0.7 : 0.8, from: from.map(({ index }) => index) },
  });
  const reports = turns.filter((turn, at) => isReport(turn, turns.slice(0, at), open));
  // A word on the side behind the report itself tells less than it does.
  const report = reports.findLast(({ text }) => text.length >= TOLD) ?? reports.at(-1);
  const facts: Fact[] = [];
  if (report !== undefined) {
    const said = [wanted(report.index), reported(report)].filter((part) => part !== "");
    facts.push(record("outcome", `Done: ${said.join(" — ")}`, [report]));
  }
  const since = turns.filter(({ index }) => index > (asks.at(-1)?.index ?? -1));
  const request = wanted(Infinity);
  if (telling(request) > 1 && isOpen(since))
    return [...facts, record("open-request", `Open request: ${request}`, asks.slice(-1))];
  const ends = { ...record("open-request", "", []), key: undefined };
  return key === undefined ? facts : [...facts, { ...ends, supersedes: `${key}/open-request` }];
}

/** A text that is given with the request is no request, nor are thanks that ask for nothing. */
function isRequest({ speaker, asked, text }: Turn): boolean {
  if (speaker !== "user" || text.length > DOCUMENT || REMEMBER.test(asked)) return false;
  return telling(asked) > (THANKS.test(asked) && !ASKS.test(asked) ? 9 : 1);
}

/** A request is open where the worker goes on, asks back, says nothing, or failed last. */
function isOpen(since: readonly Turn[]): boolean {
  const end = since.findLast(({ speaker }) => speaker === "assistant");
  if (since.some(({ speaker, own }) => speaker === "user" && THANKS.test(own))) return false;
  if (end === undefined || end.text === "" || end.steps.length > 0) return true;
  const said = spoken(end.text);
  const steps = since.flatMap((turn) => turn.steps);
  const isStuck = steps.slice(-1).some(broke) || (steps.length > 0 && isQuestion(end.text));
  return GOES_ON.test(said.at(-1) ?? "") || (isStuck && !said.some((text) => DONE.test(text)));
}

/** Words that say what came of a request, behind calls for it that went well. */
function isReport(turn: Turn, before: readonly Turn[], open: string | undefined): boolean {
  const said = turn.speaker === "assistant" && turn.steps.length === 0 ? spoken(turn.text) : [];
  const from = before.findLastIndex((one) => one.speaker === "user" && one.own !== "");
  const hasWorked = before.slice(from + 1).some(({ steps }) => steps.some(worked));
  return (
    (hasWorked || (from < 0 && open !== undefined)) &&
    !isQuestion(said[0] ?? "") &&
    said.slice(0, 2).some((one) => DONE.test(one)) &&
    !GOES_ON.test(said.at(-1) ?? "")
  );
}

/** A report in its first sentences, before what it lists; "All done." tells nothing. */
function reported({ text }: Turn): string {
  const [head = ""] = text.split(/^\s*(?:[-*+•|]|\d{1,3}[.)])\s/m).filter((part) => part !== "");
  const said = spoken(head.replace(/[*#`>|]+|-{3,}/g, "")).map((one) => one.replace(/:$/, "."));
  return fitting(said.filter((one) => telling(one) > 1 && !NO_NEWS.test(one)).join(" "), TOLD);
}

/** "AskUserQuestion", "ask_user", "ask_followup_question"; not "Task". */
const ASKS_USER = /^ask(?=[A-Z_]|$)|_ask(?:_|$)|user_?input|clarify/i;
const ANSWERS = /"([^"\n]{3,300})"\s?[=:]\s?"([^"\n]{1,300})"/g;

/** What the user answered to a question that a tool asked: a decision, though a tool tells it. */
export const answered = (turns: readonly Turn[]): Fact[] =>
  turns
    .flatMap(({ steps }) => steps)
    .flatMap(({ name, answer }): Fact[] => {
      if (answer === undefined || answer.failed || !ASKS_USER.test(name)) return [];
      const { text, index } = answer;
      return [...text.slice(0, 4_000).matchAll(ANSWERS)].map(([, question, reply]) => ({
        ...{ category: "decision", importance: 0.65, origin: "tool", from: [index] },
        content: fitting(`User decided: ${question} → ${reply}`, TOLD),
      }));
    });
