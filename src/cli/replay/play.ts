import { capabilitiesOf } from "../../dialect/models/capabilities.ts";
import { dialectFor } from "../../dialect/detect.ts";
import type { TidemarkEvent } from "../../model/events.ts";
import type { Identity } from "../../model/identity.ts";
import type { Message, ProviderRequest } from "../../model/request.ts";
import { markCache } from "../../dialect/anthropic/breakpoints.ts";
import { openTidemark } from "../../engine/open.ts";
import type { Tidemark, Turn } from "../../engine/options/types.ts";
import type { Conversation } from "../transcripts/read.ts";
import { createCounts, createPromptCache } from "./counts.ts";
import { type Asked, type Played, type Remembered, type Step, wayOf } from "./figures.ts";
import { readTokens, type Usage } from "../../model/ports.ts";

interface Game {
  readonly file: string;
  readonly workspace: string;
  readonly identity: Identity;
  readonly model?: string;
  readonly window?: number;
  readonly progress: (done: number, all: number, folds: number) => void;
}

/** How long a model takes to begin a reply, and for each of its tokens. ms. */
const [FIRST_WORD_MS, TOKEN_MS] = [1_500, 15];

/** Where a file names no model: what most people would run it on. */
const MODELS = { anthropic: "claude-sonnet-5-5", "openai-chat": "gpt-4o" } as const;

/** Plays a conversation request by request through Tidemark, and beside it through nothing, and counts both. */
export async function play(conversation: Conversation, game: Game): Promise<Played> {
  const started = performance.now();
  const table = setTable(conversation, game);
  const { options, troubles, model, guessedModel, window, price, asked } = table;
  const { format, messages, notes } = conversation;
  const tidemark = await openTidemark(options);
  const before = await tidemark.stats();
  const places = requestsOf(messages);
  const steps: Step[] = [];
  let limit = 0;
  let memoryCalls = 0;
  try {
    for (const [index, place] of places.entries()) {
      const played = await playOne(tidemark, table, { ...place, index });
      limit = played.limit;
      steps.push(played.step);
      game.progress(index + 1, places.length, foldsOf(steps));
    }
    const { turn: _turns, ...own } = (await tidemark.stats()).calls;
    memoryCalls = Object.values(own).reduce((sum, { calls }) => sum + calls, 0);
  } finally {
    await tidemark.close();
  }
  const { remembered, facts, conversations } = await lookBack(options, before.memories);
  if (conversations - before.conversations > 1)
    troubles.add(
      `the conversation was taken for ${conversations - before.conversations} conversations`,
    );
  return {
    file: game.file,
    format,
    messages: messages.length,
    model,
    guessedModel,
    window,
    limit,
    price,
    steps,
    with: wayOf(asked.with, price),
    without: wayOf(asked.without, price),
    folds: foldsOf(steps),
    facts,
    memoryCalls,
    remembered,
    troubles: [...troubles],
    notes,
    ms: Math.round(performance.now() - started),
  };
}

const foldsOf = (steps: readonly Step[]): number => steps.filter(({ folded }) => folded).length;

/** What a conversation is played with: the model, its price and window, a clock, and both ways side by side. */
function setTable(conversation: Conversation, game: Game) {
  const { format, messages, around } = conversation;
  const named = game.model ?? (typeof around.model === "string" ? around.model : undefined);
  const model = named ?? MODELS[format];
  const { prices: price, window: widest } = capabilitiesOf(model);
  const window = game.window ?? widest;
  const events: TidemarkEvent[] = [];
  const troubles = new Set<string>();
  const clock = { now: Date.now() };
  return {
    conversation,
    guessedModel: named === undefined,
    model,
    window,
    price,
    counts: createCounts(dialectFor({ messages }, format)),
    cache: { with: createPromptCache(format), without: createPromptCache(format) },
    /** Every request, both ways. */
    asked: { with: [] as Asked[], without: [] as Asked[] },
    clock,
    /** What came since they were last taken out. */
    events,
    troubles,
    options: {
      workspace: game.workspace,
      identity: game.identity,
      distil: "extractive" as const,
      window: { tokens: window },
      listen: (event: TidemarkEvent): void => {
        events.push(event);
        if (event.type === "degraded") troubles.add(`${event.where}: ${event.error}`);
        if (event.type === "distil-failed") troubles.add(`distil: ${event.error}`);
      },
      now: () => clock.now,
    },
  };
}

interface Place {
  readonly upTo: number;
  readonly reply?: Message;
}

async function playOne(
  tidemark: Tidemark,
  table: ReturnType<typeof setTable>,
  { upTo, reply, index }: Place & { index: number },
): Promise<{ step: Step; limit: number }> {
  const { counts, cache, asked, window, model, clock, events } = table;
  const { format, messages, around } = table.conversation;
  events.length = 0;
  const request: ProviderRequest = { ...around, model, messages: messages.slice(0, upTo) };
  let turn: Turn = await tidemark.begin(request);
  const came =
    events.find((event) => event.type === "folded" || event.type === "shortened")?.before ??
    turn.window.used;
  let sent = await counts.request(turn.request);
  const refusal = `prompt is too long: ${sent.total} tokens > ${window} maximum`;
  const smaller =
    sent.total > window ? await turn.recover({ status: 400, message: refusal }) : undefined;
  if (smaller) {
    turn = smaller;
    sent = await counts.request(turn.request);
  }
  const { limit, level, mark } = turn.window;
  const bare = await counts.request(request);
  const raw = format === "anthropic" ? await counts.request(markCache(request, bare.total)) : bare;
  const output = reply === undefined ? 0 : await counts.message(reply);
  const usage = { ...cache.with(sent), output };
  const refused = sent.total > window;
  asked.with.push({ usage, refused });
  asked.without.push({
    usage: { ...cache.without(raw), output },
    refused: raw.total > window,
  });
  if (reply !== undefined) await turn.end({ reply, usage: reported(usage) });
  // While a model writes, what stands behind the conversation gets its time.
  clock.now += FIRST_WORD_MS + output * TOKEN_MS;
  if (mark !== "below") await tidemark.idle();
  const folded = turn.folded ?? events.find((event) => event.type === "folded");
  const step: Step = {
    request: index + 1,
    came: came / limit,
    level,
    mark,
    sent: sent.total,
    whole: raw.total,
    flushed: events.some(({ type }) => type === "flushed" || type === "distilled"),
    refused,
    recovered: smaller !== undefined,
    folded: folded && {
      messages: folded.messages,
      before: folded.before,
      after: folded.after,
    },
  };
  return { step, limit };
}

/** Each reply with what stood before it; replies in a row are one, and words without an answer are asked at the end. */
function requestsOf(messages: readonly Message[]): Place[] {
  const places: Place[] = [];
  messages.forEach((message, index) => {
    if (index > 0 && message.role === "assistant" && messages[index - 1]?.role !== "assistant")
      places.push({ upTo: index, reply: message });
  });
  if (messages.at(-1)?.role !== "assistant") places.push({ upTo: messages.length });
  return places;
}

/** What the next session would know: facts of the last turns are taken at close. */
async function lookBack(
  options: Parameters<typeof openTidemark>[0],
  known: number,
): Promise<{ remembered: Remembered[]; facts: number; conversations: number }> {
  const tidemark = await openTidemark(options);
  try {
    const all = await tidemark.memory.list({ limit: 1_000 });
    const { conversations, memories } = await tidemark.stats();
    const remembered = all
      .toSorted((one, other) => other.importance - one.importance || other.at - one.at)
      .map(({ content, category, importance, origin }) => ({
        content,
        category,
        importance,
        origin,
      }));
    return { remembered, facts: memories - known, conversations };
  } finally {
    await tidemark.close();
  }
}

/** What a call took, as either provider says it. */
const reported = (usage: Usage) => ({
  input_tokens: usage.input,
  cache_creation_input_tokens: usage.cacheWrite,
  cache_read_input_tokens: usage.cacheRead,
  output_tokens: usage.output,
  prompt_tokens: readTokens(usage),
  prompt_tokens_details: { cached_tokens: usage.cacheRead },
  completion_tokens: usage.output,
});
