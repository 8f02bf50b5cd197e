import { reasonOf, TidemarkError } from "../model/errors.ts";
import { asText } from "../model/guards.ts";
import { type Complete, type Usage } from "../model/ports.ts";
import { estimateTokens } from "../tokens/estimate.ts";
import { BRIEF, chunksOf, messageText } from "./chunks.ts";
import { type Distilled, type Distiller, type DistilTask, type Fact } from "./distiller.ts";
import { type Ask, correctionInstruction, rangeInstruction, transcriptInstruction } from "./instruction.ts";
import { type Again, withoutGaps } from "./gaps.ts";
import { located, type Place } from "./origin.ts";
import { salvage } from "./salvage.ts";
import { isUnreached } from "./unreached.ts";

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
  /** A text for each call that nobody can guess. */
  readonly newMark?: () => string;
}

type Call = Parameters<Complete>[0];
interface Answer {
  /** The reply as it came. */
  readonly text: string;
  /** The same without its facts. */
  readonly summed: string;
  readonly facts: readonly Fact[];
  readonly summary?: string;
  readonly usage?: Usage;
}

/** Room for the facts that are asked for at most, at up to 100 tokens each with their JSON. */
const FACT_TOKENS = 100;
const FACTS_MOST = 40;
const FACTS_TOKENS = FACTS_MOST * FACT_TOKENS;
/** A model is told a bound of its summary and goes over it. */
const OVER = 1.2;
/** The JSON around a summary, and the marks in it. */
const SUMMARY_FRAME = 200;
const CUT = new Set(["max_tokens", "length", "model_context_window_exceeded"]);
const REFUSED = new Set(["refusal", "content_filter", "tool_use", "tool_calls", "function_call", "pause_turn", "compaction"]);
/** What agents and proxies have been seen to put in place of a summary. */
const ERROR_TEXT =
  /^\W{0,5}(?:(?:api |internal |server )*(?:error|exception)(?: \d{3}\b|[^.\n]{0,40}:)|traceback\b|(?:i'm |i am )?(?:sorry|unable)\b|i (?:can't|cannot|can not|won't)\b|failed to |previous conversation was too long|no summary\b)/i;
const ERROR_LENGTH = 400;

/** Asks a model: by going on with the last request where there is one, else with the conversation written out in chunks. */
export function modelDistiller(options: ModelDistillerOptions): Distiller {
  return async (task) => {
    if (task.messages.length === 0) return { facts: [], by: "model", ...(task.previous === undefined ? {} : { summary: task.previous }) };
    const { distilled, asked } = await (task.base === undefined || endsInCall(task) ? inChunks(options, task) : onBase(options, task, task.base));
    const replaced = task.messages.map((message) => messageText(task.dialect, message)).join("\n");
    const bound = estimateTokens(replaced) + estimateTokens(task.previous ?? "");
    const { summary, ...rest } = distilled;
    const isSound = (text: string | undefined): text is string => text !== undefined && !looksLikeError(text) && estimateTokens(text) <= bound;
    const sound = isSound(summary);
    if (!sound && rest.facts.length === 0) throw new TidemarkError("distil", "The distiller's reply holds neither a fact nor a usable summary; nothing was folded.");
    if (!sound) return rest;
    const again: Again | undefined = asked && ((missing) => correct(options, task, { ...asked, missing, isSound }));
    const whole = await withoutGaps(task, { ...rest, summary }, again);
    return estimateTokens(whole.summary) <= bound ? whole : { ...whole, summary };
  };
}

/** The call that gave the summary, and what of the reply a correction goes on from: its facts are in hand, and would be paid in full. */
interface Asked {
  readonly call: Pick<Call, "system" | "messages" | "tools" | "alone">;
  readonly reply: string;
  readonly ask: Ask;
  readonly first: number;
  /** Tokens of the call and of its reply as it came: what is left out of that is not spent on more calls. */
  readonly tokens: number;
}

/** A scan may count too few. */
const DRIFT = 1.25;

/** One more try: the same warm request, the reply, and what it left out. Trouble of its own costs only itself. */
async function correct(
  options: ModelDistillerOptions,
  task: DistilTask,
  { call, reply, ask, first, tokens, missing, isSound }: Asked & { missing: readonly string[]; isSound: (text: string | undefined) => text is string },
): Promise<{ summary: string; usage?: Usage } | undefined> {
  const signal = task.hurry === undefined ? task.signal : AbortSignal.any([task.signal, task.hurry]);
  const text = correctionInstruction({ ...ask, mark: options.newMark?.() }, missing, first);
  const maxTokens = Math.min(replyTokens(options, task), Math.ceil(OVER * task.summaryTokens) + SUMMARY_FRAME);
  const room = roomBehind(options, tokens + DRIFT * estimateTokens(text));
  if (maxTokens > (room.room ?? Infinity)) return undefined;
  const messages = [...call.messages, { role: "assistant", content: reply }, task.dialect.userMessage(text)];
  const place: Place = { dialect: task.dialect, messages: [], first, factsFrom: 0 };
  try {
    const { summary, usage } = await request({ ...options, maxTokens }, { ...task, signal }, { ...call, ...room, messages, place });
    return isSound(summary) ? { summary, ...(usage === undefined ? {} : { usage }) } : undefined;
  } catch (error) {
    if (task.signal.aborted) throw error;
    return undefined;
  }
}

const roomBehind = ({ window }: ModelDistillerOptions, tokens: number): { room?: number } => (window === undefined ? {} : { room: Math.floor(window - tokens) });

const looksLikeError = (summary: string): boolean => summary.length < ERROR_LENGTH && ERROR_TEXT.test(summary.trim());

/** A user message may not follow a call that waits for its result. */
function endsInCall({ dialect, base }: DistilTask): boolean {
  const last = base?.messages.at(-1);
  return last !== undefined && dialect.calls(last).some((call) => !call.server);
}

const replyTokens = ({ maxTokens }: ModelDistillerOptions, { base, summaryTokens }: DistilTask): number => Math.min(base?.replyTokens ?? Infinity, maxTokens ?? summaryTokens + FACTS_TOKENS);

/** For fifty messages some eight facts, and no more than the reply has room for beside the summary. */
const WANTED = 8 / 50;
const WANTED_LEAST = 4;
function factsMost(options: ModelDistillerOptions, task: DistilTask): number {
  const room = Math.floor((replyTokens(options, task) - OVER * task.summaryTokens) / FACT_TOKENS);
  return Math.max(3, Math.min(Math.max(WANTED_LEAST, Math.ceil((task.messages.length - task.factsFrom) * WANTED)), room));
}

const knownOf = ({ known }: DistilTask): Pick<Ask, "known"> => (known === undefined ? {} : { known });

async function onBase(options: ModelDistillerOptions, task: DistilTask, base: NonNullable<DistilTask["base"]>): Promise<{ distilled: Distilled; asked?: Asked }> {
  const first = base.offset + 1;
  const stands = base.messages.slice(0, base.offset).some((message) => task.dialect.text(message).includes(task.previous ?? ""));
  const ask: Ask = {
    last: base.offset + task.messages.length,
    factsFirst: first + task.factsFrom,
    factsMost: factsMost(options, task),
    summaryTokens: task.summaryTokens,
    mark: options.newMark?.(),
    instructions: options.instructions,
    ...knownOf(task),
    previous: stands ? undefined : task.previous,
  };
  const text = rangeInstruction(ask, { dialect: task.dialect, messages: base.messages, first });
  const call = { system: base.system, messages: [...base.messages, task.dialect.userMessage(text)], ...(base.tools === undefined ? {} : { tools: base.tools }) };
  const tokens = (base.tokens ?? 0) + DRIFT * estimateTokens(text);
  const { text: reply, summed, ...answer } = await request(options, task, { ...call, ...(base.tokens === undefined ? {} : roomBehind(options, tokens)), place: { dialect: task.dialect, messages: task.messages, first, factsFrom: task.factsFrom } });
  return { distilled: { by: "model", ...answer }, asked: { call, reply: summed, ask, first, tokens: tokens + DRIFT * estimateTokens(reply) } };
}

async function inChunks(options: ModelDistillerOptions, task: DistilTask): Promise<{ distilled: Distilled; asked?: Asked }> {
  const ask = { factsFirst: task.factsFrom + 1, factsMost: factsMost(options, task), summaryTokens: task.summaryTokens, instructions: options.instructions, day: task.day, ...knownOf(task) };
  // What the request holds beside the transcript: the instruction, and a summary that may grow to its bound.
  const frame = estimateTokens(transcriptInstruction({ ...ask, last: 1 }, { text: "", first: 1, number: 1, of: 2 }));
  const carried = Math.max(task.summaryTokens, estimateTokens(task.previous ?? ""));
  const chunks = chunksOf(task.dialect, task.messages, Math.max(256, Math.floor(options.chunkTokens / 4), options.chunkTokens - frame - carried), task.brief === true ? BRIEF : undefined);
  const place: Place = { dialect: task.dialect, messages: task.messages, first: 1, factsFrom: task.factsFrom };
  const facts: Fact[] = [];
  let summary = task.previous;
  let unbroken = true;
  let usage: Usage | undefined;
  let asked: Asked | undefined;
  for (const [index, chunk] of chunks.entries()) {
    const part = { text: chunk.text, first: chunk.first, number: index + 1, of: chunks.length };
    const now: Ask = { ...ask, last: chunk.last, mark: options.newMark?.(), previous: summary };
    const text = transcriptInstruction(now, part);
    const call = { system: undefined, alone: true, messages: [task.dialect.userMessage(text)] };
    try {
      const answer = await request(options, task, { ...call, place });
      asked = { call, reply: answer.summed, ask: now, first: chunk.first, tokens: DRIFT * estimateTokens(`${text}\n${answer.text}`) };
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
  return {
    distilled: { facts, by: "model", ...(unbroken && summary !== undefined ? { summary } : {}), ...(usage === undefined ? {} : { usage }) },
    ...(asked === undefined ? {} : { asked }),
  };
}

/** One call: sent, read, and its facts placed. Rejects with "distil" when nothing of it can be used. */
async function request(options: ModelDistillerOptions, task: DistilTask, { place, ...call }: Pick<Call, "system" | "messages" | "tools" | "alone" | "room"> & { place: Place }): Promise<Answer> {
  const maxTokens = replyTokens(options, task);
  const answer = await untilAborted(() => options.complete({ ...call, maxTokens, signal: task.signal }), task.signal).catch((error: unknown) => {
    if (error instanceof TidemarkError && error.code === "connection") throw error;
    throw new TidemarkError(isUnreached(error) ? "connection" : "distil", `The distiller's call failed: ${reasonOf(error)}`, { cause: error });
  });
  const stop = asText(answer.stop).toLowerCase();
  if (REFUSED.has(stop)) throw new TidemarkError("distil", `The distiller's model stopped with "${stop}" instead of answering; nothing was folded.`);
  const reply = salvage(asText(answer.text), { cut: CUT.has(stop) });
  if (reply === undefined || (reply.facts.length === 0 && reply.summary === undefined))
    throw new TidemarkError("distil", `The distiller's reply holds ${reply === undefined ? "no JSON of the form asked for" : "neither facts nor a summary"}; nothing was folded.`);
  const summary = CUT.has(stop) ? undefined : reply.summary;
  return {
    text: asText(answer.text),
    summed: JSON.stringify({ facts: [], summary: reply.summary }),
    facts: reply.facts.flatMap((fact) => located(fact, place) ?? []),
    ...(summary === undefined ? {} : { summary }),
    ...(answer.usage === undefined ? {} : { usage: answer.usage }),
  };
}

/** The result of `start`, or a rejection as soon as the signal aborts: a model that hangs may not listen to it. */
async function untilAborted<T>(start: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([start(), aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

const sum = (one: Usage | undefined, other: Usage | undefined): Usage | undefined =>
  one === undefined || other === undefined
    ? (one ?? other)
    : { input: one.input + other.input, cacheWrite: one.cacheWrite + other.cacheWrite, cacheRead: one.cacheRead + other.cacheRead, output: one.output + other.output };
