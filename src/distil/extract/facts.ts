import { type Dialect } from "../../dialect/dialect.ts";
import { type Origin } from "../../model/memory.ts";
import { type Message } from "../../model/request.ts";
import { oneLine } from "../../text/one-line.ts";
import { sentences } from "../../text/sentences.ts";
import { type Fact } from "../distiller.ts";
import { originOf } from "../origin.ts";
import { requestsOf } from "./asked.ts";
import { type Candidate, distinct, fitting } from "./candidate.ts";
import { asks } from "./cues.ts";
import { type Failure } from "./failures.ts";
import { type Ledger } from "./ledger.ts";
import { nameFacts } from "./name-facts.ts";
import { type Transcript } from "./transcript.ts";
import { userFacts } from "./user-facts.ts";
import { agentFacts, failureFacts, workFacts } from "./work-facts.ts";

export interface Findings {
  readonly transcript: Transcript;
  readonly ledger: Ledger;
  readonly failures: readonly Failure[];
}

export interface Source {
  readonly dialect: Dialect;
  readonly messages: readonly Message[];
  readonly factsFrom: number;
}

/** Of a hundred messages at most forty facts; a short exchange may still hold a handful, a long range not a flood. */
const mostOf = (messages: number): number => Math.min(60, Math.max(12, Math.round(messages * 0.4)));

const MOST_UNFINISHED = 3;
const UNFINISHED = { en: "Asked for, and not finished when this was noted: ", zh: "提出但在记录时尚未完成的请求：" } as const;
/** Such a fact ages with the answer: it is only for what nothing else will say. */
export const isUnfinished = ({ content }: Pick<Fact, "content">): boolean => Object.values(UNFINISHED).some((words) => content.startsWith(words));
/** Least trusted last. */
const TRUST: readonly Origin[] = ["host", "user", "agent", "tool", "untrusted"];

export function factsOf({ transcript, ledger, failures }: Findings, source: Source): Fact[] {
  const { messages, factsFrom, dialect } = source;
  if (messages.length <= factsFrom) return [];
  const own = userFacts(transcript);
  const candidates = [
    ...own,
    ...agentFacts(transcript),
    ...failureFacts(failures, transcript.language),
    ...workFacts(transcript, factsFrom),
    ...nameFacts(ledger, { length: transcript.turns.length, said: own.map(({ content }) => content).join("\n") }),
    ...openFacts(transcript),
  ].filter(({ from }) => from.some((index) => index >= factsFrom));
  return distinct(candidates, mostOf(messages.length - factsFrom)).map(({ content, from, ...rest }) => {
    const cited = [...new Set(from)].filter((index) => index >= 0 && index < messages.length).sort((a, b) => a - b);
    const origins = new Set(cited.flatMap((index) => (messages[index] === undefined ? [] : [originOf(dialect, messages[index])])));
    return { ...rest, content: oneLine(content), importance: Math.round(rest.importance * 100) / 100, from: cited, origin: TRUST.findLast((origin) => origins.has(origin)) ?? "untrusted" };
  });
}

/** What the user still waits for at the end of the range: the last request, and before it what was only promised. */
function openFacts(transcript: Transcript): Candidate[] {
  return requestsOf(transcript, [])
    .filter(({ open, text }) => open && sentences(text.slice(0, 2_000)).some((sentence) => asks(sentence.text)))
    .filter(({ promised }, at, all) => promised || at === all.length - 1)
    .slice(-MOST_UNFINISHED)
    .map(({ index, text }) => ({ content: `${UNFINISHED[transcript.language]}${fitting(oneLine(text), 240)}`, category: "core", importance: 0.5, from: [index] }));
}
