import { type Dialect } from "../../dialect/dialect.ts";
import { type Message } from "../../model/request.ts";
import { contentWords } from "../../text/content-words.ts";
import { oneLine } from "../../text/one-line.ts";
import { type Fact } from "../distiller.ts";
import { requestsOf, stillAsked } from "./asked.ts";
import { fitting } from "./candidate.ts";
import { asks, corrects, decides, explainsFailure, rules } from "./cues.ts";
import { type Earlier } from "./earlier.ts";
import { factsOf, isUnfinished } from "./facts.ts";
import { type Failure } from "./failures.ts";
import { type Keepsake, type KeepsakeKind } from "./keepsake.ts";
import { type Ledger } from "./ledger.ts";
import { type Transcript } from "./transcript.ts";
import { namesMost, namesSaid } from "./name-keepsakes.ts";
import { byNovelty } from "./novelty.ts";
import { isPutOff } from "./deferred.ts";
import { hasMark, statementsOf } from "./statements.ts";
import { SPEAKERS } from "./user-facts.ts";

export interface Findings {
  readonly transcript: Transcript;
  readonly ledger: Ledger;
  readonly failures: readonly Failure[];
  readonly earlier: Earlier;
}

const VALUE: Readonly<Record<KeepsakeKind, number>> = { open: 1, rule: 0.9, correction: 0.85, decision: 0.7, failed: 0.65, said: 0.4, name: 0.3 };
/** An older one gives way to a newer one of its kind. */
const OLDER = 0.8;

/** What was said in the range or stood in the summary before, as far as wording and names tell that it matters. */
export function keepsakesOf(findings: Findings, { dialect, messages, facts = factsOf(findings, { dialect, messages, factsFrom: 0 }) }: { dialect: Dialect; messages: readonly Message[]; facts?: readonly Fact[] }): Keepsake[] {
  const { transcript, earlier } = findings;
  const waiting = open(findings);
  const waits = new Set(waiting.flatMap(({ fact }) => fact.from));
  const found = facts.flatMap((fact): Keepsake[] => {
    const kind = kindOf(fact);
    return isUnfinished(fact) && fact.from.some((index) => waits.has(index)) ? [] : [{ kind, text: fact.content, value: Math.max(fact.importance, VALUE[kind]), fact, earlier: false }];
  });
  const names = namesSaid(transcript, findings.ledger, { dialect, messages }).map((one): Keepsake => ({ ...one, kind: "name", earlier: false }));
  const fresh = byNovelty(once([...found, ...statementsOf(transcript, { dialect, messages }), ...names]));
  const most = new Set(fresh.filter(({ kind }) => kind === "name").sort((a, b) => b.value - a.value || (b.fact.from[0] ?? 0) - (a.fact.from[0] ?? 0)).slice(0, namesMost(messages.length)));
  return [...fresh.filter((one) => one.kind !== "name" || most.has(one)), ...waiting, ...stood(earlier)];
}

/** Of what was read from one message in several ways, what holds the other's words; of the same, the weightiest. */
function once(keepsakes: readonly Keepsake[]): Keepsake[] {
  const byMessage = new Map<number, Keepsake[]>();
  for (const one of keepsakes) {
    const at = one.fact.from.at(-1) ?? -1;
    const others = byMessage.get(at);
    if (others === undefined) byMessage.set(at, [one]);
    else others.push(one);
  }
  const covered = (one: Keepsake): boolean =>
    byMessage.get(one.fact.from.at(-1) ?? -1)?.some((other) => other !== one && other.value >= one.value && other.text.includes(one.text) && (other.text !== one.text || other.value > one.value || keepsakes.indexOf(other) < keepsakes.indexOf(one))) === true;
  return keepsakes.filter((one) => !covered(one));
}

function kindOf({ category, content, origin }: Fact): KeepsakeKind {
  if (category === "principle" || category === "preference") return "rule";
  if (category === "mistake-pattern" || category === "incident") return origin === "user" && corrects(content.replace(/^[^:：]{1,8}[:：]\s?/, "")) ? "correction" : "failed";
  return category === "decision" ? "decision" : "said";
}

/** What still waits for an answer, the last request aside: whoever reads on has it before him. */
function open({ transcript, earlier }: Findings): Keepsake[] {
  const requests = requestsOf(transcript, earlier.requests);
  const last = transcript.turns.findLast(({ speaker, text }) => speaker === "user" && text !== "")?.index;
  return requests.flatMap((request): Keepsake[] => {
    if (!request.open || request.courtesy) return [];
    const words = stillAsked(request);
    if (words === "" || (request.index === last && words === request.own && !request.promised)) return [];
    const text = fitting(oneLine(words), 260);
    const before = request.index < 0;
    const fact: Fact = { content: text, importance: 0.6, category: "core", from: before ? [] : [request.index], origin: before ? "untrusted" : "user" };
    return [{ kind: "open", text, value: VALUE.open * (before ? OLDER : 1), fact, earlier: before }];
  });
}

/** Lines of the summary before, by what they do. */
function stood({ lines }: Earlier): Keepsake[] {
  return lines.flatMap(({ text, section }): Keepsake[] => {
    const words = oneLine(text);
    if (contentWords(words).length < 2 || words.length > 1_000) return [];
    const bare = words.replace(/^[^:：\s]{1,8}[:：]\s?/, "");
    const kind: KeepsakeKind = isPutOff(bare) ? "open" : corrects(bare) ? "correction" : rules(bare) ? "rule" : section === "failed" || explainsFailure(bare) ? "failed" : section === "decided" || decides(bare) ? "decision" : "said";
    const byUser = section === "asked" || words.startsWith(SPEAKERS.en.user) || words.startsWith(SPEAKERS.zh.user);
    if (kind === "said" && !(byUser && !asks(bare) && !/[?？]["'”’)]*$/.test(bare)) && !(hasMark(bare) && !asks(bare))) return [];
    const content = fitting(words, 300);
    return content === "" ? [] : [{ kind, text: content, value: VALUE[kind] * OLDER, fact: { content, importance: 0.4, from: [], origin: "untrusted" }, earlier: true }];
  });
}
