import { inOrder, phrases } from "../../core/base.ts";
import { clip, oneLine } from "../../core/text/cut.ts";
import { fitting } from "../../core/text/sentences.ts";
import { DOCUMENT, isQuestion, spoken } from "./frames.ts";
import { REMEMBER, telling, THANKS } from "./statements.ts";
import type { DistilTask, Fact } from "./task.ts";
import { broke, isWork, type Turn, worked } from "./transcript.ts";

const ASKED = 160;
const TOLD = 280;
/** The worker says what comes next, so it has not ended. */
const GOES_ON = inOrder(
  /^(?:(?:now|next|first|then|ok|good|great|perfect)[,.:!]? )?/i,
  /(?:let me(?! know\b)|let['’]s|now i|next,? i|i need to|i(?:['’]ll| will)(?! be| wait))/i,
);
const DONE = phrases(
  "\\b",
  "done|completed?|finished|implemented|fixed|successfully|pushed|created|submitted|updated",
  "added|ha(?:s|ve) been|cancell?ed|booked|closed|resolved",
);
const ASKS = /\b(?:please|can you|could you|now|need|want|next|go ahead)\b|\?/i;
/** Courtesy, and the heading of a list. */
const NO_NEWS = /^here(?:['’]s| is| are)\b|\b(?:let me know|feel free|anything else)\b/i;
const LIST = /^\s*(?:[-*+•|]\s|\d{1,3}[.)]\s)/m;

/**
 * The state of a work with tools: what is open, and what came of it; each one record of the
 * conversation under a lasting name. Where nothing is open any more, what was open ends.
 */
export function recordOf(
  turns: readonly Turn[],
  { key, open, done }: Partial<NonNullable<DistilTask["record"]>> = {},
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
  const report =
    reports.findLast(({ text }) => text.length >= TOLD) ??
    (done === undefined ? reports.at(-1) : undefined);
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

/** A text that is given with the request is no request, and its first lines tell little of one. */
function isRequest({ speaker, asked, text }: Turn): boolean {
  const isThanks = THANKS.test(asked) && (telling(asked) < 3 || !ASKS.test(asked));
  const isShort = telling(asked) > 1 && text.length <= DOCUMENT;
  return speaker === "user" && isShort && !isThanks && !REMEMBER.test(asked);
}

/** A request is open where the worker goes on, asks back, says nothing, or failed last. */
function isOpen(since: readonly Turn[]): boolean {
  const end = since.findLast(({ speaker }) => speaker === "assistant");
  if (since.some(({ speaker, own }) => speaker === "user" && THANKS.test(own))) return false;
  if (end === undefined || end.text === "" || end.steps.length > 0) return true;
  const said = spoken(end.text);
  const last = said.at(-1) ?? "";
  const steps = since.flatMap((turn) => turn.steps);
  const isStuck = steps.slice(-1).some(broke) || (steps.length > 0 && isQuestion(last));
  return GOES_ON.test(last) || (isStuck && !said.some((text) => DONE.test(text)));
}

/** Words that say what came of a request, behind calls for it that went well. */
function isReport(
  { speaker, text, steps }: Turn,
  before: readonly Turn[],
  open: string | undefined,
): boolean {
  const said = speaker === "assistant" && steps.length === 0 ? spoken(text) : [];
  if (isQuestion(said[0] ?? "") || !said.slice(0, 2).some((one) => DONE.test(one))) return false;
  const from = before.findLastIndex((one) => one.speaker === "user" && one.own !== "");
  const hasWorked = before.slice(from + 1).some((one) => one.steps.some(worked));
  return (hasWorked || (from < 0 && open !== undefined)) && !GOES_ON.test(said.at(-1) ?? "");
}

/** A report in its first sentences, before what it lists; "All done." tells nothing. */
function reported({ text }: Turn): string {
  const list = text.search(LIST);
  const said = spoken((list > 0 ? text.slice(0, list) : text).replace(/[*#`>|]+|-{3,}/g, ""))
    .map((one) => one.replace(/:$/, "."))
    .filter((one) => telling(one) > 1 && !NO_NEWS.test(one))
    .join(" ");
  return fitting(said, TOLD);
}

/** "AskUserQuestion", "ask_user", "ask_followup_question"; not "Task". */
const ASKS_USER = /^ask(?=[A-Z_]|$)|_ask(?:_|$)|user_?input|clarify/i;
const ANSWERS = /"([^"\n]{3,300})"\s?[=:]\s?"([^"\n]{1,300})"/g;

/** What the user answered to a question that a tool asked: a decision, though a tool tells it. */
export const answered = (turns: readonly Turn[]): Fact[] =>
  turns
    .flatMap(({ steps }) => steps)
    .flatMap(({ name, answer }): Fact[] =>
      answer === undefined || answer.failed || !ASKS_USER.test(name)
        ? []
        : [...answer.text.slice(0, 4_000).matchAll(ANSWERS)].map(([, question, reply]) => ({
            ...{ category: "decision", importance: 0.65 },
            content: fitting(`User decided: ${question} → ${reply}`, TOLD),
            origin: "tool",
            from: [answer.index],
          })),
    );
