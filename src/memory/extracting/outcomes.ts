import { phrases } from "../../core/base.ts";
import { clip, oneLine } from "../../core/text/cut.ts";
import { bareWords, fitting } from "../../core/text/sentences.ts";
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

/**
 * The state of a work with tools: what is open, and what came of it; each one record of the
 * conversation under a lasting name. Where nothing is open any more, what was open ends.
 */
export function recordOf(
  turns: readonly Turn[],
  { key, open }: Partial<NonNullable<DistilTask["record"]>> = {},
): Fact[] {
  const asks = isWork(turns) ? turns.filter(isRequest) : [];
  const wanted = (ask: Turn | undefined): string =>
    clip(oneLine(ask?.asked ?? bareWords(open ?? "")), ASKED);
  const record = (category: string, content: string, importance: number, at?: Turn): Fact => ({
    ...{ content, category, importance, origin: "agent", key: key && `${key}/${category}` },
    from: at === undefined ? [] : [at.index],
  });
  const facts: Fact[] = [];
  const reports = turns.filter((turn, at) => isReport(turn, turns.slice(0, at), open));
  // A word on the side behind the report itself tells less than it does.
  const report = reports.findLast(({ text }) => text.length >= TOLD) ?? reports.at(-1);
  if (report !== undefined) {
    const said = [wanted(asks.findLast(({ index }) => index < report.index)), reported(report)];
    const content = `Done: ${said.filter((part) => part !== "").join(" — ")}`;
    facts.push(record("outcome", content, 0.7, report));
  }
  const last = asks.at(-1);
  if (telling(wanted(last)) > 1 && isOpen(turns.filter(({ index }) => index > (last?.index ?? -1))))
    return [...facts, record("open-request", `Open request: ${wanted(last)}`, 0.8, last)];
  const ends = { ...record("open-request", "", 0.8), key: undefined };
  return key === undefined ? facts : [...facts, { ...ends, supersedes: `${key}/open-request` }];
}

/** A text that is given with the request is no request, nor are thanks. */
const isRequest = ({ speaker, asked, text }: Turn): boolean =>
  speaker === "user" &&
  text.length <= DOCUMENT &&
  !REMEMBER.test(asked) &&
  telling(asked) > (THANKS.test(asked) ? 4 : 1);

/** A request is open where the worker goes on, asks back, says nothing, or failed last. */
function isOpen(since: readonly Turn[]): boolean {
  const end = since.findLast(({ speaker }) => speaker === "assistant");
  if (since.some(({ speaker, own }) => speaker === "user" && THANKS.test(own))) return false;
  if (end === undefined || end.text === "" || end.steps.length > 0) return true;
  const said = spoken(end.text);
  const last = since.flatMap(({ steps }) => steps).at(-1);
  const isStuck = last !== undefined && (broke(last) || isQuestion(end.text));
  return GOES_ON.test(said.at(-1) ?? "") || (isStuck && !said.some((text) => DONE.test(text)));
}

/** Words that say what came of a request, right behind calls that went well. */
function isReport(turn: Turn, before: readonly Turn[], open: string | undefined): boolean {
  const said = turn.speaker === "assistant" && turn.steps.length === 0 ? spoken(turn.text) : [];
  const last = before.findLast(({ speaker, steps }) => speaker === "user" || steps.length > 0);
  return (
    (last?.steps.some(worked) ?? open !== undefined) &&
    said.slice(0, 2).some((one) => DONE.test(one)) &&
    !isQuestion(said[0] ?? "") &&
    !GOES_ON.test(said.at(-1) ?? "")
  );
}

/** A report in its first sentences, before what it lists; "All done." tells nothing. */
function reported({ text }: Turn): string {
  const [head = ""] = text.split(/^\s*(?:[-*+•|]|\d{1,3}[.)])\s/m).filter((part) => part !== "");
  const said = spoken(head.replace(/[*#`>|]+|-{3,}/g, "")).map((one) => one.replace(/:$/, "."));
  return fitting(said.filter((one) => telling(one) > 1).join(" "), TOLD);
}

/** Names of tools that ask the user: "AskUserQuestion", "ask_followup_question". */
const ASKS_USER = /^ask(?=[A-Z_]|$)|_ask(?:_|$)|user_?input|clarify/i;
const ANSWERS = /"([^"\n]{3,300})"\s?[=:]\s?"([^"\n]{1,300})"/g;

/** The answers to a question that a tool asked are decisions, though a tool tells them. */
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
