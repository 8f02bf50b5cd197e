import { anthropicMiddleware } from "../../src/adapters/anthropic.ts";
import { createReplyReader } from "../../src/adapters/anthropic/sse.ts";
import { type ApiRequest } from "../../src/adapters/anthropic/wire.ts";
import { openTidemark, type Options, type TidemarkEvent } from "../../src/index.ts";
import { type Message } from "../../src/model/request.ts";
import { type Chance, chance } from "./histories-random.ts";
import { localProvider, type LocalProvider } from "./local-provider.ts";
import { type CompactMode, type Json } from "./messages-server/index.ts";

/** What one conversation under a strategy came to. */
export interface StrategyRun {
  readonly name: string;
  readonly calls: number;
  readonly folds: number;
  /** Folds inside a tool loop of manual thinking, and how full the window was. */
  readonly inLoop: readonly number[];
  readonly counted: LocalProvider["counted"];
  /** What the provider refused, overflow aside, and what else went wrong. */
  readonly broken: readonly string[];
}

export interface StrategyOptions {
  readonly seed: number;
  readonly strategy: NonNullable<Options["thinking"]>;
  readonly thinking: "adaptive" | "enabled";
  readonly streams: boolean;
  readonly window: number;
  readonly model?: string;
  readonly calls?: number;
  readonly compact?: CompactMode;
  readonly keepLast?: number;
  /** A conversation somebody had; else one is made up. */
  readonly transcript?: { readonly name: string; readonly system?: unknown; readonly messages: readonly Message[]; readonly tools: readonly unknown[] };
  /** What the caller does to its own history between calls. */
  readonly caller?: "keeps" | "edits" | "strips" | "clears";
}

export const STRATEGIES = ["leave-out", "drop-block", "server", "auto"] as const;
const COMPACT: readonly CompactMode[] = ["well", "well", "well", "well", "null", "max_tokens", "refusal", "unavailable"];

/** A case among all of them: strategy, kind of thinking, stream, window, model, caller and provider, by its number. */
export function casesOf(seed: number): StrategyOptions {
  const random = chance(seed ^ 0x51ab);
  const thinking = random.maybe(0.25) ? ("enabled" as const) : ("adaptive" as const);
  return {
    seed,
    strategy: STRATEGIES[seed % STRATEGIES.length] ?? "auto",
    thinking,
    streams: random.maybe(0.5),
    window: 2_600 + random.nat(1_400) + (thinking === "enabled" ? 1_100 : 0),
    model: random.pick(["claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-5-5", "claude-fable-5-1", "claude-sonnet-4-6"]),
    calls: 10 + random.nat(8),
    compact: random.pick(COMPACT),
    keepLast: 1 + random.nat(4),
    caller: random.pick(["keeps", "keeps", "edits", "strips", "clears"] as const),
  };
}

const TOOLS = ["read", "write", "bash"].map((name) => ({ name, description: `Runs ${name}.`, input_schema: { type: "object" } }));

/** What comes next on both sides; undefined at the end. */
type Next = () => { readonly reply: readonly Json[]; readonly then: readonly Message[] } | undefined;

/** It begins with a long message, so that the marks are not far. */
function madeUp(random: Chance, { calls, window }: { calls: number; window: number }): { first: Message[]; next: Next } {
  let at = 0;
  const next: Next = () => {
    if (at++ >= calls) return undefined;
    const uses = random.maybe(0.6) ? Array.from({ length: random.pick([1, 1, 2]) }, () => ({ type: "tool_use", id: random.id(`toolu_${at}_`), name: random.pick(TOOLS).name, input: random.input() })) : [];
    const said = random.maybe(0.7) || uses.length === 0 ? [{ type: "text", text: random.text(240) }] : [];
    const answer = uses.length === 0 ? random.text(300) : uses.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: random.text(random.maybe(0.06) ? 2_500 : 300) }));
    return { reply: [...said, ...uses], then: [{ role: "user", content: answer }] };
  };
  let begin = "Please begin.";
  while (begin.length < window) begin += ` ${random.text(120)}`;
  return { first: [{ role: "user", content: begin }], next };
}

function fromTranscript(messages: readonly Message[]): { first: Message[]; next: Next } {
  let at = messages.findIndex(({ role }) => role === "assistant");
  const first = messages.slice(0, Math.max(0, at));
  const next: Next = () => {
    const reply: Json[] = [];
    for (; messages[at]?.role === "assistant"; at++) {
      const content = messages[at]?.content;
      reply.push(...(typeof content === "string" ? [{ type: "text", text: content }] : (content as Json[])).filter(({ type }) => !String(type).includes("thinking")));
    }
    const from = at;
    while (at < messages.length && messages[at]?.role !== "assistant") at++;
    return reply.length === 0 ? undefined : { reply, then: messages.slice(from, at) };
  };
  return { first: [...first], next };
}

/** Plays a conversation through the middleware against the strict rules, thinking on, as a chat loop does. */
export async function strategyRun(options: StrategyOptions): Promise<StrategyRun> {
  const { seed, strategy, thinking, streams, window, model = "claude-sonnet-5-5", calls = 24, compact, keepLast, transcript, caller = "keeps" } = options;
  const random = chance(seed);
  const { first, next } = transcript ? fromTranscript(transcript.messages) : madeUp(random, { calls, window });
  const events: TidemarkEvent[] = [];
  const broken: string[] = [];
  const inLoop: number[] = [];
  let coming: ReturnType<Next>;
  let clock = 1_770_000_000_000;
  let made = 0;
  const provider = localProvider({
    window,
    ...(compact === undefined ? {} : { compact }),
    // Facts are the subject of other tests: made-up words are not worth any.
    ...(transcript ? {} : { distil: () => JSON.stringify({ facts: [], summary: "They read and wrote files, and talked about the tide." }) }),
    reply: (request) => {
      const thinks = request.thinking !== undefined && (thinking === "enabled" || random.maybe(0.85));
      const thought = random.maybe(0.1) ? { type: "redacted_thinking" } : { type: "thinking", thinking: `Thought: ${random.text(200)}` };
      return { content: [...(thinks ? [thought as never] : []), ...((coming?.reply ?? []) as never[])] };
    },
  });
  const tidemark = await openTidemark({
    workspace: false,
    thinking: strategy,
    window: { tokens: window, patience: 0, ...(keepLast === undefined ? {} : { keepLast }) },
    now: () => clock,
    listen: (event) => events.push(event),
  });
  const middleware = anthropicMiddleware(tidemark);
  const send = (request: ApiRequest): Promise<Response> => provider.answer(request);
  const context = (body: unknown) => ({ options: { body }, parse: async <T>(response: Response): Promise<T> => (await response.clone().json()) as T });
  const messages: Message[] = [...first];
  try {
    for (coming = next(); coming !== undefined && messages.length > 0; coming = next()) {
      clock += 20_000;
      const open = Array.isArray(messages.at(-1)?.content) && (messages.at(-1)?.content as Json[]).some(({ type }) => type === "tool_result");
      const body = {
        model,
        // Room for the longest reply there is: a call cut off is none, and its result an orphan.
        max_tokens: transcript ? Math.floor(window / 3) : thinking === "enabled" ? 1_400 : 400,
        system: transcript?.system ?? "You are patient.",
        tools: transcript?.tools ?? TOOLS,
        thinking: thinking === "enabled" ? { type: "enabled", budget_tokens: 1_024 } : { type: "adaptive" },
        ...(streams ? { stream: true } : {}),
        ...(random.maybe(0.1) ? { stop_sequences: ["\u0000END"] } : {}),
        messages,
      };
      const request: ApiRequest = { url: "http://127.0.0.1/v1/messages", method: "POST", headers: new Headers({ "x-api-key": "test", "content-type": "application/json" }), body: JSON.stringify(body) };
      const before = events.length;
      const response = await middleware(request, send, context(body));
      const folded = events.slice(before).find((event) => event.type === "folded");
      if (folded?.type === "folded" && open && thinking === "enabled") inLoop.push(folded.before / (window - body.max_tokens));
      made++;
      if (!response.ok) {
        broken.push(`call ${made}${open ? " in a loop" : ""}: ${(await response.text()).slice(0, 300)}`);
        break;
      }
      const reply = await read(response, streams);
      const content = caller === "strips" && thinking === "adaptive" && random.maybe(0.4) ? reply.filter(({ type }) => !String(type).includes("thinking")) : reply;
      messages.push({ role: "assistant", content }, ...coming.then);
      if (caller === "edits" && random.maybe(0.08)) edit(messages, random);
      if (caller === "clears" && random.maybe(0.2)) clear(messages, random);
      // At times what runs behind the conversation is done by the next call, at times it is not.
      if (random.maybe(0.6)) await tidemark.idle();
    }
    for (const event of events) if (event.type === "degraded") broken.push(`degraded in ${event.where}: ${event.error}`);
  } catch (thrown) {
    broken.push(`call ${made + 1}: ${String(thrown)}`);
  } finally {
    await tidemark.close();
  }
  for (const { message } of provider.refusals) if (!/too long|exceed context limit/.test(message)) broken.push(`refused: ${message}`);
  return { name: transcript?.name ?? `${seed}`, calls: made, folds: events.filter(({ type }) => type === "folded").length, inLoop, counted: provider.counted, broken };
}

/** A user's plain words of before are put differently. */
function edit(messages: Message[], random: Chance): void {
  const plain = messages.flatMap(({ role, content }, index) => (role === "user" && typeof content === "string" ? [index] : []));
  const index = plain.length === 0 ? undefined : random.pick(plain);
  if (index !== undefined) messages[index] = { role: "user", content: `Put differently: ${random.text(200)}` };
}

/** A result or a user's words of before, emptied or put differently where they stand, while a distiller may be reading them. */
function clear(messages: readonly Message[], random: Chance): void {
  const message = random.pick(messages.filter(({ role }) => role === "user"));
  const blocks = Array.isArray(message.content) ? (message.content as Json[]).filter(({ type }) => type === "tool_result") : [];
  if (blocks.length === 0) Object.assign(message, { content: `Put differently: ${random.text(60)}` });
  else Object.assign(random.pick(blocks), { content: "[cleared]" });
}

async function read(response: Response, streams: boolean): Promise<Json[]> {
  if (!streams) return ((await response.json()) as { content: Json[] }).content;
  const reader = createReplyReader();
  for await (const bytes of response.body ?? []) reader.push(bytes as Uint8Array);
  return (reader.message()?.content ?? []) as Json[];
}
