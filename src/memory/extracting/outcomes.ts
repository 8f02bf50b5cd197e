import { inOrder, phrases } from "../../core/base.ts";
import { clip, oneLine } from "../../core/text/cut.ts";
import { bareWords, fitting, specifics, telling } from "../../core/text/sentences.ts";
import { asksUser, broke, isWork, type Turn, worked } from "./transcript.ts";
import { DOCUMENT, isQuestion, opened, spoken } from "./frames.ts";
import { REMEMBER, THANKS } from "./statements.ts";
import type { DistilTask, Fact } from "./task.ts";

const [ASKED, TOLD] = [160, 280];
const DONE = phrases(
  "\\b",
  `done|completed?|finished|implemented|fixed|successfully|pushed|created|submitted|updated
  added|ha(?:s|ve) been|cancell?ed|booked|closed|resolved`,
);
/** The name of what was made, which no tool may list again. */
const MADE = inOrder(
  /[^\n.]*\b(?:ID|[Nn]umber|[Oo]rder|[Tt]icket)\b[^\n.]{0,30}?\b/,
  /(?=[A-Z]*\d|[A-Z]{4})([A-Z\d]{4,})\b/,
);
/** A cause: what something named cannot do. */
const CANNOT =
  /\b(?:doesn['’]t|does not|can(?:['’]t|not)) (?:support|read|see|know|handle|accept|allow)\b/i;
export const plain = (text: string): string => text.replace(/[*#`>|]+|-{3,}/g, "");

/**
 * The state of a work with tools: what is open, and what came of it; each one record of the
 * conversation under a lasting name, and one of each thing that was made. Where nothing is open any
 * more, what was open ends.
 */
export function recordOf(
  turns: readonly Turn[],
  { key, open }: Partial<NonNullable<DistilTask["record"]>> = {},
): Fact[] {
  const asks = isWork(turns) ? turns.filter(isRequest) : [];
  const replyBefore = ({ index }: Turn): string =>
    turns.findLast((turn) => turn.index < index && turn.speaker === "assistant")?.text ?? "";
  const wanted = (before: number): string => {
    const at = asks.findLastIndex(({ index }) => index < before);
    const ask = asks[at];
    // A yes says little without what it is said to.
    const isYes = ask && /^ye(?:s|ah|p)\b/i.test(ask.asked) && isQuestion(replyBefore(ask));
    const asked = isYes ? [asks[at - 1], ask] : [ask];
    const said = asked
      .map((one) => one?.asked ?? "")
      .join(" ")
      .trim();
    return clip(oneLine(said || bareWords(open ?? "")), ASKED);
  };
  const record = (category: string, content: string, importance: number, at?: Turn): Fact => ({
    ...{ content, category, importance, origin: "agent", key: key && `${key}/${category}` },
    from: at === undefined ? [] : [at.index],
  });
  const reports = turns.filter((turn, at) => isReport(turn, turns.slice(0, at), open));
  // A word on the side behind the report itself tells less than it does.
  const main = reports.findLast(({ text }) => text.length >= TOLD) ?? reports.at(-1);
  const facts = reports.flatMap((report): Fact[] => {
    const [, made] = MADE.exec(plain(report.text)) ?? [];
    const said = [wanted(report.index), reported(report)].filter((part) => part !== "");
    const fact = record("outcome", `Done: ${said.join(" — ")}`, 0.7, report);
    if (made === undefined) return report === main ? [fact] : [];
    return [{ ...fact, key: key && `${key}/outcome/${made}` }];
  });
  const last = asks.at(-1);
  const asked = wanted(Infinity);
  if (telling(asked) > 1 && isOpen(turns.filter(({ index }) => index > (last?.index ?? -1))))
    return [...facts, record("open-request", `Open request: ${asked}`, 0.8, last)];
  if (key === undefined) return facts;
  return [
    ...facts,
    { ...record("open-request", "", 0.8), key: undefined, supersedes: `${key}/open-request` },
  ];
}

/** A text that is given with the request is no request, nor are thanks. */
const isRequest = ({ speaker, asked, text }: Turn): boolean =>
  speaker === "user" &&
  text.length <= DOCUMENT &&
  !REMEMBER.test(asked) &&
  telling(asked) > (THANKS.test(asked) ? 4 : 1);

/** A request is open where the worker asks back, says nothing, or failed last. */
function isOpen(since: readonly Turn[]): boolean {
  const end = since.findLast(({ speaker }) => speaker === "assistant");
  if (since.some(({ speaker, own }) => speaker === "user" && THANKS.test(own))) return false;
  if (end === undefined || end.text === "" || end.steps.length > 0) return true;
  const said = spoken(end.text);
  const last = since.flatMap(({ steps }) => steps).at(-1);
  const isStuck = last !== undefined && (broke(last) || isQuestion(end.text));
  return isStuck && !said.some((text) => DONE.test(text));
}

/** Words that say what came of a request, right behind calls that went well. */
function isReport(turn: Turn, before: readonly Turn[], open: string | undefined): boolean {
  const said = turn.speaker === "assistant" && turn.steps.length === 0 ? spoken(turn.text) : [];
  const last = before.findLast(({ speaker, steps }) => speaker === "user" || steps.length > 0);
  return (
    (last?.steps.some(worked) ?? open !== undefined) &&
    said.slice(0, 2).some((one) => DONE.test(one)) &&
    !isQuestion(said[0] ?? "") &&
    reported(turn) !== ""
  );
}

/** A report in its first sentences, before what it lists, and what it made; "All done." is none. */
function reported({ text }: Turn): string {
  const [head = ""] = text.split(/^\s*(?:[-*+•|]|\d{1,3}[.)])\s/m).filter((part) => part !== "");
  const said = spoken(plain(head)).map((one) => one.replace(/:$/, "."));
  const told = said.filter((one) => telling(one) > 1);
  const [made = "", name = ""] = MADE.exec(plain(text)) ?? [];
  if (name !== "" && !told.some((one) => one.includes(name)))
    told.splice(1, 0, oneLine(made).trim());
  return fitting(told.join(" "), TOLD);
}

const ANSWERS = /"([^"\n]{3,300})"\s?[=:]\s?"([^"\n]{1,300})"/g;

/** Decisions: what was answered to a tool's question. And causes that an agent's call rests on. */
export const answered = (turns: readonly Turn[]): Fact[] =>
  turns.flatMap(({ steps, index, text }) => [
    ...steps.flatMap(({ name, answer }): Fact[] => {
      if (answer === undefined || answer.failed || !asksUser(name)) return [];
      return [...answer.text.slice(0, 4_000).matchAll(ANSWERS)].map(([, question, reply]) => ({
        ...{ category: "decision", importance: 0.65, origin: "agent", from: [answer.index] },
        content: fitting(`User decided: ${question} → ${reply}`, TOLD),
      }));
    }),
    ...(steps.some(worked) ? spoken(text) : []).filter(isCause).map((said): Fact => ({
      ...{ category: "codebase-knowledge", importance: 0.6, origin: "agent", from: [index] },
      content: `Agent: ${said}`,
    })),
  ]);

const isCause = (said: string): boolean =>
  CANNOT.test(said) &&
  said.length < TOLD &&
  specifics(said) > 0 &&
  opened(said) === said &&
  !/\b(?:you|i|we)\b/i.test(said);
