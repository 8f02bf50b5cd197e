import { asText } from "../../core/base.ts";
import type { TidemarkEvent } from "../../core/errors-and-events.ts";
import type { Identity } from "../../core/identity.ts";
import type { Memory } from "../../core/memory.ts";
import {
  type Format,
  type Message,
  NO_USAGE,
  type ProviderRequest,
  readTokens,
  type Usage,
} from "../../core/request.ts";
import { digest } from "../../core/text/cut.ts";

import { createCounter, createSeen } from "../../core/tokens/message-cache.ts";
import type { Dialect, Piece } from "../../providers/common/dialect.ts";
import { loose } from "../../providers/common/pieces.ts";
import { capabilitiesOf, costOf } from "../../providers/common/models.ts";
import { together } from "../../providers/common/replies.ts";
import { dialectFor } from "../../providers/detect.ts";
import type { Options, Turn } from "../../session/options/tidemark-api.ts";
import type { WorkspaceAt } from "../../storage/sqlite/database-file.ts";
import { openTidemark } from "../../tidemark/open-tidemark.ts";
import type { Conversation } from "../transcripts/read.ts";

interface MeterPart {
  /** Equal for parts that a provider reads as equal, cache marks aside. */
  readonly key: string;
  readonly tokens: number;
}

/** Providers cache no prefix of fewer tokens (Anthropic: 512 to 4,096 by model). */
const CACHED_FROM = 1_024;

/**
 * Counts requests with the tokenizer o200k_base, and how much of each a prompt cache would hold.
 */
async function createMeter(dialect: Dialect) {
  const { exactTokens } = await import("./exact-tokens.ts");
  const seen = createSeen<MeterPart>();
  const media = createCounter();
  const weigh = (pieces: readonly Piece[]): number =>
    pieces.reduce(
      (sum, piece) =>
        sum + (piece.kind === "text" ? exactTokens(piece.text) : media.weigh([piece])),
      0,
    );
  let before: readonly MeterPart[] = [];

  const partOf = (message: Message): MeterPart =>
    seen.of(message, () => ({
      key: digest(loose(message)),
      tokens: weigh(dialect.pieces(message)),
    }));

  function partsOf(request: ProviderRequest): MeterPart[] {
    const head = dialect.overhead(request);
    return [{ key: JSON.stringify(head), tokens: weigh(head) }, ...request.messages.map(partOf)];
  }

  return {
    size: (request: ProviderRequest): number => totalOf(partsOf(request)),
    /** Takes each request for sent within the minutes that the cache keeps the one before it. */
    usage(request: ProviderRequest, reply: Message | undefined): Usage {
      const parts = partsOf(request);
      const total = totalOf(parts);
      const other = parts.findIndex(({ key }, at) => before[at]?.key !== key);
      const same = totalOf(parts.slice(0, other < 0 ? undefined : other));
      before = parts;
      const cacheRead = same < CACHED_FROM ? 0 : same;
      const isWritten = dialect.format === "anthropic" && total >= CACHED_FROM;
      const fresh = total - cacheRead;
      return {
        ...NO_USAGE,
        ...(isWritten ? { cacheWrite: fresh } : { input: fresh }),
        cacheRead,
        output: reply === undefined ? 0 : partOf(reply).tokens,
      };
    },
  };
}

const totalOf = (parts: readonly MeterPart[]): number =>
  parts.reduce((sum, { tokens }) => sum + tokens, 0);

interface Game extends WorkspaceAt {
  readonly file: string;
  readonly identity: Identity;
  readonly model?: string;
  readonly window?: number;
}

/** One request of a played conversation. Levels are fractions of the limit. */
export interface PlayStep {
  readonly request: number;
  readonly level: number;
  readonly tokens: number;
  readonly flushed: boolean;
  readonly folded:
    { readonly messages: number; readonly before: number; readonly after: number } | undefined;
}

export interface Played extends Pick<Conversation, "format" | "notes"> {
  readonly file: string;
  readonly messages: number;
  readonly model: string;
  readonly window: number;
  readonly limit: number;
  readonly steps: readonly PlayStep[];
  /** Requests that were sent over the window: a provider would have refused them. */
  readonly refused: number;
  readonly usage: Usage;
  readonly dollars?: number;
  /** Tokens of the last request had nothing been folded. */
  readonly unfolded: number;
  readonly remembered: readonly Memory[];
  readonly troubles: readonly string[];
}

/** How long a model takes to begin a reply, and for each of its tokens. ms. */
const [FIRST_WORD_MS, TOKEN_MS] = [1_500, 15];

/** Most people would run a file that names no model on these. */
const MODELS: Partial<Record<Format, string>> = { anthropic: "claude-sonnet-5-5" };

export async function play(conversation: Conversation, game: Game): Promise<Played> {
  const { format, messages, around, notes } = conversation;
  const { file, window: given, model: asked, ...place } = game;
  const named = asked ?? asText(around.model);
  const model = named === "" ? (MODELS[format] ?? "gpt-4o") : named;
  const { prices, window: widest } = capabilitiesOf(model);
  const window = given ?? widest;
  const events: TidemarkEvent[] = [];
  const clock = { now: Date.now() };
  const meter = await createMeter(dialectFor({ messages }, format));
  const options: Options = {
    ...place,
    distil: "extractive",
    window: { tokens: window },
    listen: (event) => void events.push(event),
    now: () => clock.now,
  };
  const places = requestsOf(messages);
  const requestUpTo = (upTo: number) => ({ ...around, model, messages: messages.slice(0, upTo) });
  const usages: Usage[] = [];
  const steps: PlayStep[] = [];
  let limit = window;
  const tidemark = await openTidemark(options);

  /** Sends one request as its provider would take it, and gives the reply that the file has. */
  async function answer(request: ProviderRequest, reply: Message | undefined): Promise<void> {
    const heardBefore = events.length;
    let turn: Turn = await tidemark.begin(request);
    const size = meter.size(turn.request);
    const message = `prompt is too long: ${size} tokens > ${window} maximum`;
    if (size > window) turn = (await turn.recover({ status: 400, message })) ?? turn;
    const { level, mark } = turn.window;
    const usage = meter.usage(turn.request, reply);
    if (reply !== undefined) await turn.end({ reply, usage: reported(usage) });
    // While a model writes, the work behind the conversation gets its time.
    clock.now += FIRST_WORD_MS + usage.output * TOKEN_MS;
    if (mark !== "below") await tidemark.idle();
    const heard = events.slice(heardBefore);
    const flushed = heard.some(({ type }) => type === "flushed" || type === "distilled");
    const folded = turn.folded ?? heard.find((event) => event.type === "folded");
    limit = turn.window.limit;
    usages.push(usage);
    steps.push({
      ...{ request: steps.length + 1, level, tokens: readTokens(usage), flushed },
      folded: folded && { messages: folded.messages, before: folded.before, after: folded.after },
    });
  }

  try {
    for (const { upTo, reply } of places) await answer(requestUpTo(upTo), reply);
  } finally {
    await tidemark.close();
  }
  return {
    ...{ file, format, messages: messages.length, model, window, limit, steps },
    notes:
      named === "" ? [...notes, `the file names no model, so it is priced as ${model}`] : notes,
    refused: usages.filter((usage) => readTokens(usage) > window).length,
    usage: usages.reduce(together, NO_USAGE),
    dollars: prices && usages.reduce((sum, usage) => sum + costOf(usage, prices), 0),
    unfolded: meter.size(requestUpTo(places.at(-1)?.upTo ?? 0)),
    remembered: await memoriesIn(options),
    troubles: events.flatMap((one) =>
      one.type === "degraded" ? [`${one.where}: ${one.error}`] : [],
    ),
  };
}

/** Each reply with what stood before it; replies in a row are one. */
function requestsOf(messages: readonly Message[]) {
  const places: { readonly upTo: number; readonly reply?: Message }[] = [];
  messages.forEach((message, index) => {
    if (index > 0 && message.role === "assistant" && messages[index - 1]?.role !== "assistant")
      places.push({ upTo: index, reply: message });
  });
  if (messages.at(-1)?.role !== "assistant") places.push({ upTo: messages.length });
  return places;
}

/** The next session's memory, the weightiest first: facts of the last turns are taken at close. */
async function memoriesIn(options: Options): Promise<Memory[]> {
  const tidemark = await openTidemark(options);
  try {
    const all = await tidemark.memory.list({ limit: 1_000 });
    return all.toSorted((one, other) => other.importance - one.importance || other.at - one.at);
  } finally {
    await tidemark.close();
  }
}

const reported = (usage: Usage) => ({
  input_tokens: usage.input,
  cache_creation_input_tokens: usage.cacheWrite,
  cache_read_input_tokens: usage.cacheRead,
  output_tokens: usage.output,
  prompt_tokens: readTokens(usage),
  prompt_tokens_details: { cached_tokens: usage.cacheRead },
  completion_tokens: usage.output,
});
