import { reasonOf, TidemarkError } from "../model/errors.ts";
import { asText } from "../base/guards.ts";
import { type Complete, type Usage } from "../model/ports.ts";
import { isUnreached } from "../base/thrown.ts";
import { untilAborted } from "../base/async.ts";
import { estimateTokens } from "../tokens/estimate.ts";
import { BRIEF, chunksOf, messageText } from "./task/chunks.ts";
import { type Distilled, type Distiller, type DistilTask, type Fact } from "./task/distiller.ts";
import {
  type Ask,
  correctionInstruction,
  rangeInstruction,
  transcriptInstruction,
} from "./task/instruction.ts";
import { type Again, sum, withoutGaps } from "./check/gaps.ts";
import { located } from "./reply/origin.ts";
import { salvage } from "./reply/salvage.ts";

export interface ModelDistillerOptions {
  readonly complete: Complete;
  /** The host's own words on what matters, added to ours. */
  readonly instructions?: string;
  /** Upper bound of one request that does not continue the conversation, in tokens. */
  readonly chunkTokens: number;
  /** Upper bound of one reply. Default: the summary's bound and 4,000 for the facts. */
  readonly maxTokens?: number;
  /** What the model can read and write in all: a second try is made only where it fits. */
  readonly window?: number;
  /** A text for each call that cannot be guessed. */
  readonly newMark?: () => string;
}

type Call = Parameters<Complete>[0];
/** `text`: the reply as it came; `summed`: the same without its facts. */
type Answer = Pick<Distilled, "facts" | "summary" | "usage"> &
  Readonly<Record<"text" | "summed", string>>;

/** Room for the facts that are asked for at most, at up to 100 tokens each with their JSON. */
const FACT_TOKENS = 100;
const FACTS_TOKENS = 40 * FACT_TOKENS;
/** For fifty messages some eight facts. */
const WANTED = 8 / 50;
const WANTED_LEAST = 4;
/** A scan may count too few. */
const DRIFT = 1.25;
/** A model is told a bound of its summary and goes over it. */
const OVER = 1.2;
/** The JSON around a summary, and the marks in it. */
const SUMMARY_FRAME = 200;
const CUT = new Set(["max_tokens", "length", "model_context_window_exceeded"]);
const REFUSED = new Set([
  "refusal",
  "content_filter",
  "tool_use",
  "tool_calls",
  "function_call",
  "pause_turn",
  "compaction",
]);
/** What agents and proxies have been seen to put in place of a summary. */
const ERROR_TEXT =
  /^\W{0,5}(?:(?:api |internal |server )*(?:error|exception)(?: \d{3}\b|[^.\n]{0,40}:)|traceback\b|(?:i'm |i am )?(?:sorry|unable)\b|i (?:can't|cannot|can not|won't)\b|failed to |previous conversation was too long|no summary\b)/i;
const ERROR_LENGTH = 400;

/** Asks a model: by going on with the last request where there is one, else with the conversation written out in chunks. */
export function modelDistiller(options: ModelDistillerOptions): Distiller {
  return async (task) => {
    if (task.messages.length === 0) return { facts: [], by: "model", summary: task.previous };
    const { asked, summary, ...rest } = await (task.base === undefined || endsInCall(task)
      ? inChunks(options, task)
      : onBase(options, task, task.base));
    const replaced = task.messages.map((message) => messageText(task.dialect, message)).join("\n");
    const bound = estimateTokens(replaced) + estimateTokens(task.previous ?? "");
    const isSound = (text: string | undefined): text is string =>
      text !== undefined && !looksLikeError(text) && estimateTokens(text) <= bound;
    if (isSound(summary)) {
      const again: Again | undefined =
        asked && ((missing) => correct(options, task, { asked, missing, isSound }));
      const whole = await withoutGaps(task, { ...rest, summary }, again);
      return estimateTokens(whole.summary) <= bound ? whole : { ...whole, summary };
    }
    if (rest.facts.length === 0)
      throw new TidemarkError(
        "distil",
        "The distiller's reply holds neither a fact nor a usable summary; nothing was folded.",
      );
    return rest;
  };
}

type Sent = Pick<Call, "system" | "messages" | "tools" | "alone">;

/** The call that gave the summary, and what of the reply a correction goes on from: its facts are in hand, and would be paid in full. */
interface Asked {
  readonly call: Sent;
  readonly ask: Ask;
  readonly first: number;
  readonly answer: Answer;
  /** Tokens of the call and of its reply as it came: what is left out of that is not spent on more calls. */
  readonly tokens: number;
}
type Made = Distilled & { readonly asked?: Asked | undefined };

/** One more try: the same warm request, the reply, and what it left out. Trouble of its own costs only itself. */
async function correct(
  options: ModelDistillerOptions,
  task: DistilTask,
  {
    asked: { call, ask, first, answer, tokens },
    missing,
    isSound,
  }: {
    asked: Asked;
    missing: readonly string[];
    isSound: (text: string | undefined) => text is string;
  },
): ReturnType<Again> {
  const signal =
    task.hurry === undefined ? task.signal : AbortSignal.any([task.signal, task.hurry]);
  const text = correctionInstruction({ ...ask, mark: options.newMark?.() }, missing, first);
  const maxTokens = Math.min(
    replyTokens(options, task),
    Math.ceil(OVER * task.summaryTokens) + SUMMARY_FRAME,
  );
  const room = roomBehind(options, tokens + DRIFT * estimateTokens(text));
  if (maxTokens > (room ?? Infinity)) return undefined;
  const messages = [
    ...call.messages,
    { role: "assistant", content: answer.summed },
    task.dialect.userMessage(text),
  ];
  try {
    const { summary, usage } = await request(
      { ...options, maxTokens },
      { ...task, signal, messages: [] },
      { call: { ...call, messages }, first, room },
    );
    return isSound(summary) ? { summary, usage } : undefined;
  } catch (error) {
    if (task.signal.aborted) throw error;
    return undefined;
  }
}

const roomBehind = ({ window }: ModelDistillerOptions, tokens: number): number | undefined =>
  window === undefined ? undefined : Math.floor(window - tokens);

const looksLikeError = (summary: string): boolean =>
  summary.length < ERROR_LENGTH && ERROR_TEXT.test(summary.trim());

/** A user message may not follow a call that waits for its result. */
function endsInCall({ dialect, base }: DistilTask): boolean {
  const last = base?.messages.at(-1);
  return last !== undefined && dialect.calls(last).some((call) => !call.server);
}

const replyTokens = (
  { maxTokens }: ModelDistillerOptions,
  { base, summaryTokens }: DistilTask,
): number => Math.min(base?.replyTokens ?? Infinity, maxTokens ?? summaryTokens + FACTS_TOKENS);

/** What is asked of each reply: no more facts than it has room for beside the summary. */
function wanted(options: ModelDistillerOptions, task: DistilTask): Omit<Ask, "last"> {
  const room = Math.floor((replyTokens(options, task) - OVER * task.summaryTokens) / FACT_TOKENS);
  const most = Math.max(WANTED_LEAST, Math.ceil((task.messages.length - task.factsFrom) * WANTED));
  return {
    factsFirst: task.factsFrom + 1,
    factsMost: Math.max(3, Math.min(most, room)),
    summaryTokens: task.summaryTokens,
    known: task.known,
    instructions: options.instructions,
  };
}

async function onBase(
  options: ModelDistillerOptions,
  task: DistilTask,
  base: NonNullable<DistilTask["base"]>,
): Promise<Made> {
  const { dialect, messages, previous, factsFrom } = task;
  const stands = base.messages
    .slice(0, base.offset)
    .some((message) => dialect.text(message).includes(previous ?? ""));
  const first = base.offset + 1;
  const ask: Ask = {
    ...wanted(options, task),
    factsFirst: first + factsFrom,
    last: base.offset + messages.length,
    mark: options.newMark?.(),
    previous: stands ? undefined : previous,
  };
  const text = rangeInstruction(ask, { dialect, messages: base.messages, first });
  const call = {
    system: base.system,
    messages: [...base.messages, dialect.userMessage(text)],
    tools: base.tools,
  };
  const tokens = (base.tokens ?? 0) + DRIFT * estimateTokens(text);
  const answer = await request(options, task, {
    call,
    first,
    room: base.tokens === undefined ? undefined : roomBehind(options, tokens),
  });
  const { facts, summary, usage } = answer;
  return {
    facts,
    summary,
    usage,
    by: "model",
    asked: { call, ask, first, answer, tokens: tokens + DRIFT * estimateTokens(answer.text) },
  };
}

async function inChunks(options: ModelDistillerOptions, task: DistilTask): Promise<Made> {
  const ask = { ...wanted(options, task), day: task.day };
  // What the request holds beside the transcript: the instruction, and a summary that may grow to its bound.
  const frame = estimateTokens(
    transcriptInstruction({ ...ask, last: 1 }, { text: "", first: 1, number: 1, of: 2 }),
  );
  const carried = Math.max(task.summaryTokens, estimateTokens(task.previous ?? ""));
  const chunks = chunksOf(
    task.dialect,
    task.messages,
    Math.max(256, Math.floor(options.chunkTokens / 4), options.chunkTokens - frame - carried),
    task.brief === true ? BRIEF : undefined,
  );
  const facts: Fact[] = [];
  let summary = task.previous;
  let unbroken = true;
  let usage: Usage | undefined;
  let asked: Asked | undefined;
  for (const [index, { text: transcript, first, last }] of chunks.entries()) {
    const now: Ask = { ...ask, last, mark: options.newMark?.(), previous: summary };
    const text = transcriptInstruction(now, {
      text: transcript,
      first,
      number: index + 1,
      of: chunks.length,
    });
    const call = { system: undefined, alone: true, messages: [task.dialect.userMessage(text)] };
    try {
      const answer = await request(options, task, { call, first: 1 });
      asked = {
        call,
        ask: now,
        first,
        answer,
        tokens: DRIFT * estimateTokens(`${text}\n${answer.text}`),
      };
      facts.push(...answer.facts);
      usage = sum(usage, answer.usage);
      if (answer.summary === undefined || looksLikeError(answer.summary)) unbroken = false;
      else summary = answer.summary;
    } catch (error) {
      // Facts of the parts before are worth keeping; with nothing in hand, or when told to stop, the failure is the answer.
      if (facts.length === 0 || task.signal.aborted) throw error;
      unbroken = false;
      break;
    }
  }
  return { facts, by: "model", summary: unbroken ? summary : undefined, usage, asked };
}

/** One call: sent, read, and its facts placed; `first` is the ordinal of the task's first message. Rejects with "distil" when nothing of it can be used. */
async function request(
  options: ModelDistillerOptions,
  task: DistilTask,
  { call, first, room }: { call: Sent; first: number; room?: number | undefined },
): Promise<Answer> {
  const asking = { ...call, room, maxTokens: replyTokens(options, task), signal: task.signal };
  const answer = await untilAborted(() => options.complete(asking), task.signal).catch(
    (error: unknown) => {
      if (error instanceof TidemarkError && error.code === "connection") throw error;
      throw new TidemarkError(
        isUnreached(error) ? "connection" : "distil",
        `The distiller's call failed: ${reasonOf(error)}`,
        { cause: error },
      );
    },
  );
  const [text, stop] = [asText(answer.text), asText(answer.stop).toLowerCase()];
  if (REFUSED.has(stop))
    throw new TidemarkError(
      "distil",
      `The distiller's model stopped with "${stop}" instead of answering; nothing was folded.`,
    );
  const reply = salvage(text, { cut: CUT.has(stop) });
  if (reply === undefined || (reply.facts.length === 0 && reply.summary === undefined))
    throw new TidemarkError(
      "distil",
      `The distiller's reply holds ${reply === undefined ? "no JSON of the form asked for" : "neither facts nor a summary"}; nothing was folded.`,
    );
  return {
    text,
    summed: JSON.stringify({ facts: [], summary: reply.summary }),
    facts: reply.facts.flatMap((fact) => located(fact, { ...task, first }) ?? []),
    summary: CUT.has(stop) ? undefined : reply.summary,
    usage: answer.usage,
  };
}
