import { asText, either, untilAborted } from "../../core/base.ts";
import { isUnreached, reasonOf, TidemarkError } from "../../core/errors-and-events.ts";
import type { Complete, Message } from "../../core/request.ts";
import { estimateTokens } from "../../core/tokens/estimate.ts";
import type { Dialect } from "../../providers/common/dialect.ts";
import { withAsked } from "./extractive.ts";
import { type DistilAsk, rangeInstruction, transcriptInstruction } from "./instruction.ts";
import { located, salvage } from "./read-reply.ts";
import {
  chunksOf,
  type Distilled,
  type Distiller,
  type DistilTask,
  type Fact,
  messageText,
} from "./task.ts";

export interface ModelDistillerOptions {
  readonly complete: Complete;
  /** The host's own words on what matters, added to ours. */
  readonly instructions?: string;
  /** Upper bound of one request that does not continue the conversation, in tokens. */
  readonly chunkTokens: number;
  /** Upper bound of one reply. Default: the summary's bound and 4,000 for the facts. */
  readonly maxTokens?: number;
  /** A text for each call that cannot be guessed. */
  readonly newMark?: () => string;
}

/** Room for the facts that are asked for at most, at up to 100 tokens each with their JSON. */
const FACT_TOKENS = 100;
const FACTS_TOKENS = 40 * FACT_TOKENS;
/** For fifty messages of a talk some eight facts; for fifty calls and results one. */
const WANTED = 8 / 50;
const WANTED_OF_WORK = 1 / 50;
const WANTED_LEAST = 3;
/** Of each conversation that is read with others. */
const WANTED_EACH = 2;
/** A model is told a bound of its summary and may go so far over it. */
const OVER = 1.2;
const CUT = /^(?:max_tokens|length|model_context_window_exceeded)$/;
const REFUSED =
  /^(?:refusal|content_filter|tool_use|tool_calls|function_call|pause_turn|compaction)$/;
/** Agents and proxies put these in place of a summary. */
const ERROR_TEXT = either(
  /^\W{0,5}(?:(?:api |internal |server )*(?:error|exception)(?: \d{3}\b|[^.\n]{0,40}:))/i,
  /^\W{0,5}(?:traceback\b|(?:i'm |i am )?(?:sorry|unable)\b)/i,
  /^\W{0,5}(?:i (?:can't|cannot|can not|won't)\b|failed to )/i,
  /^\W{0,5}(?:previous conversation was too long|no summary\b)/i,
);
const ERROR_LENGTH = 400;

/** What the provider is sent, and what it asks for. */
interface DistilCall {
  readonly call: Pick<Parameters<Complete>[0], "system" | "messages" | "tools" | "alone" | "room">;
  readonly ask: DistilAsk;
}
type DistilAnswer = Pick<Distilled, "facts" | "summary">;
/** A task, and how it is asked. */
type Job = DistilTask & ModelDistillerOptions;

/**
 * Asks a model: by going on with the last request where there is one, else with the conversation
 * written out in chunks.
 */
export function modelDistiller(options: ModelDistillerOptions): Distiller {
  return async (task) => {
    if (task.messages.length === 0) return { facts: [], by: "model", summary: task.previous };
    const job = { ...task, ...options };
    const { summary, ...rest } = await asked(job);
    const replaced = task.messages.map((message) => messageText(task.dialect, message)).join("\n");
    const bound = estimateTokens(replaced) + estimateTokens(task.previous ?? "");
    if (summary !== undefined && estimateTokens(summary) <= bound)
      return {
        ...rest,
        facts: withAsked(task, rest.facts),
        summary: firstLines(summary, OVER * task.summaryTokens),
      };
    if (rest.facts.length === 0)
      throw new TidemarkError(
        "distil",
        "The distiller's reply holds neither a fact nor a usable summary; nothing was folded.",
      );
    return rest;
  };
}

/** All of a summary that is as long as it may be, else the lines that it begins with. */
function firstLines(summary: string, tokens: number): string {
  if (estimateTokens(summary) <= tokens) return summary;
  let room = tokens;
  return summary
    .split("\n")
    .filter((line) => (room -= estimateTokens(line) + 1) > 0)
    .join("\n");
}

/** Request after request, the running summary going from one to the next. */
async function asked(job: Job): Promise<Distilled> {
  const { base } = job;
  const parts = base === undefined ? inChunks(job) : [() => onBase(job, base)];
  const facts: Fact[] = [];
  let summary = job.previous;
  let unbroken = true;
  for (const part of parts) {
    const asking = part(summary);
    try {
      const answer = await request(job, asking);
      facts.push(...answer.facts);
      if (answer.summary === undefined || looksLikeError(answer.summary)) unbroken = false;
      else summary = answer.summary;
    } catch (error) {
      // Facts of the parts before are worth keeping; with nothing in hand, or when told to stop,
      // the failure is the answer.
      if (facts.length === 0 || job.signal.aborted) throw error;
      unbroken = false;
      break;
    }
  }
  return { facts, by: "model", summary: unbroken ? summary : undefined };
}

const looksLikeError = (summary: string): boolean =>
  summary.length < ERROR_LENGTH && ERROR_TEXT.test(summary.trim());

const replyTokens = ({ maxTokens, base, summaryTokens }: Job): number =>
  Math.min(base?.replyTokens ?? Infinity, maxTokens ?? summaryTokens + FACTS_TOKENS);

/** A reply is asked for no more facts than it has room for beside the summary. */
function wanted(job: Job): Omit<DistilAsk, "first" | "last"> {
  const { dialect, messages, factsFrom, summaryTokens, known, instructions, talks = [] } = job;
  const room = Math.floor((replyTokens(job) - OVER * summaryTokens) / FACT_TOKENS);
  const share = (one: Message): number =>
    dialect.speaker(one) === "tool" || dialect.calls(one).length > 0 ? WANTED_OF_WORK : WANTED;
  const most = Math.max(
    WANTED_LEAST,
    WANTED_EACH * talks.length,
    Math.ceil(messages.slice(factsFrom).reduce((all, one) => all + share(one), 0)),
  );
  return {
    factsFirst: factsFrom + 1,
    factsMost: Math.max(3, Math.min(most, room)),
    summaryTokens,
    known,
    instructions,
    mark: job.newMark?.(),
  };
}

function onBase(
  job: Job,
  { system, messages, tools, offset, room }: NonNullable<DistilTask["base"]>,
): DistilCall {
  const { dialect, previous = "" } = job;
  const stands = messages
    .slice(0, offset)
    .some((message) => dialect.text(message).includes(previous));
  const ask: DistilAsk = {
    ...wanted(job),
    first: offset + 1,
    factsFirst: offset + 1 + job.factsFrom,
    last: offset + job.messages.length,
    day: job.talks?.[0]?.day,
    previous: stands ? undefined : previous,
  };
  const text = rangeInstruction(ask, dialect, messages);
  const call = { system, messages: goingOn(dialect, messages, text), tools, room };
  return { call, ask };
}

/** Templates that take turns refuse a message of the user's behind another. */
function goingOn(dialect: Dialect, messages: readonly Message[], text: string): Message[] {
  const last = messages.at(-1);
  const asked = dialect.userMessage(text);
  // Where answers to calls are the user's, they are gone on with, too.
  if (dialect.joinsTurns || last === undefined || last.role !== asked.role)
    return [...messages, asked];
  return messages.with(-1, dialect.withText(last, text));
}

function inChunks(job: Job): ((summary: string | undefined) => DistilCall)[] {
  const parts = (job.talks?.length ?? 0) > 1 ? [together(job)] : divided(job);
  return parts.map(({ talks, first, last }, index) => (summary) => {
    const ask = { ...wanted(job), first, last, previous: summary };
    const text = transcriptInstruction(ask, { talks, number: index + 1, of: parts.length });
    const messages = [job.dialect.userMessage(text)];
    const call = { system: undefined, alone: true, messages };
    return { call, ask };
  });
}

function divided(job: Job) {
  const { dialect, messages, previous = "", chunkTokens, talks = [] } = job;
  // The instruction and a summary that may grow to its bound stand beside the transcript.
  const frame = estimateTokens(
    transcriptInstruction(
      { ...wanted(job), first: 1, last: 1 },
      { number: 1, of: 2, talks: [{ text: "" }] },
    ),
  );
  const carried = Math.max(job.summaryTokens, estimateTokens(previous));
  const tokens = Math.max(256, Math.floor(chunkTokens / 4), chunkTokens - frame - carried);
  return chunksOf(dialect, messages, tokens, job).map(({ text, ...range }) => ({
    ...range,
    talks: [{ text, day: talks[0]?.day }],
  }));
}

/** Several conversations in one call, each fenced; their messages are counted through. */
function together(job: Job) {
  const { dialect, messages, brief, talks = [] } = job;
  let first = 1;
  const written = talks.map(({ messages: length, day }) => {
    const own = messages.slice(first - 1, first - 1 + length);
    const [chunk] = chunksOf(dialect, own, Infinity, { brief, first });
    first += length;
    return { text: chunk?.text ?? "", day };
  });
  return { talks: written, first: 1, last: messages.length };
}

/**
 * One call: sent, read, and its facts placed. Rejects with "distil" when nothing of it can be used.
 */
async function request(job: Job, { call, ask }: DistilCall): Promise<DistilAnswer> {
  const { signal } = job;
  const asking = { ...call, maxTokens: replyTokens(job), signal };
  const answer = await untilAborted(() => job.complete(asking), signal).catch((error: unknown) => {
    if (error instanceof TidemarkError && error.code === "connection") throw error;
    throw new TidemarkError(
      isUnreached(error) ? "connection" : "distil",
      `The distiller's call failed: ${reasonOf(error)}`,
      { cause: error },
    );
  });
  const [text, stop] = [asText(answer.text), asText(answer.stop).toLowerCase()];
  if (REFUSED.test(stop))
    throw new TidemarkError(
      "distil",
      `The distiller's model stopped with "${stop}" instead of answering; nothing was folded.`,
    );
  const cut = CUT.test(stop);
  const reply = salvage(text, { cut });
  // An empty summary is as good as none where none is wanted.
  const none = job.summaryTokens === 0 && !cut && reply?.cut === false ? "" : undefined;
  const summary = reply?.summary ?? none;
  if (reply === undefined || (reply.facts.length === 0 && summary === undefined))
    throw new TidemarkError(
      "distil",
      `The distiller's reply holds ${reply ? "neither facts nor a summary" : "no such JSON"}; ` +
        "nothing was folded.",
    );
  // A transcript counts from its own beginning.
  const first = call.alone === true ? 1 : ask.first;
  return {
    facts: reply.facts.flatMap((fact) => located(fact, { ...job, first }) ?? []),
    summary: cut ? undefined : summary,
  };
}
