import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anthropicMiddleware } from "../../src/adapters/anthropic.ts";
import { createReplyReader } from "../../src/adapters/anthropic/messages-api.ts";
import type { ApiRequest } from "../../src/adapters/anthropic.ts";
import { openTidemark, type Tidemark, type TidemarkEvent } from "../../src/index.ts";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import type { Message } from "../../src/core/request.ts";
import { openLoop } from "../../src/providers/common/seams-and-thinking.ts";
import { type Chance, chance } from "./histories-random.ts";
import { localProvider, type LocalProvider } from "./local-provider.ts";
import type { Json } from "./messages-server/index.ts";
import {
  madeUp,
  MODELS,
  modelsFor,
  NARROW,
  type Next,
  toolsFor,
  type Wide,
  wideOf,
} from "./replay-turns.ts";

/** What one conversation came to. */
export interface StrategyRun {
  readonly folds: number;
  /** Folds inside a tool loop of manual thinking, and how full the window was. */
  readonly inLoop: readonly number[];
  readonly counted: LocalProvider["counted"];
  /** What the provider refused, overflow aside, and what else went wrong. */
  readonly broken: readonly string[];
}

export interface StrategyOptions {
  readonly seed: number;
  readonly thinking: "adaptive" | "enabled";
  readonly streams: boolean;
  readonly window: number;
  readonly model?: string;
  readonly calls?: number;
  readonly keepLast?: number;
  /** A conversation somebody had; else one is made up. */
  readonly transcript?: {
    readonly system?: unknown;
    readonly messages: readonly Message[];
    readonly tools: readonly unknown[];
  };
  /** What the caller does to its own history between calls. */
  readonly caller?: "keeps" | "edits" | "strips" | "clears";
  readonly wide?: Wide;
}

/** A case among all of them: kind of thinking, stream, window, model, caller and provider, by its number. */
export function casesOf(seed: number): StrategyOptions {
  const random = chance(seed ^ 0x51ab);
  const wide = wideOf(seed);
  const thinking = random.maybe(0.25) ? ("enabled" as const) : ("adaptive" as const);
  return {
    seed,
    thinking,
    streams: random.maybe(0.5),
    window:
      2_600 + random.nat(1_400) + (thinking === "enabled" ? 1_100 : 0) + (wide.servers ? 400 : 0),
    model: random.pick(wide.systems ? modelsFor(wide) : MODELS),
    calls: 10 + random.nat(8),
    keepLast: 1 + random.nat(4),
    caller: random.pick(["keeps", "keeps", "edits", "strips", "clears"] as const),
    wide,
  };
}

function fromTranscript(messages: readonly Message[]): { first: Message[]; next: Next } {
  let at = messages.findIndex(({ role }) => role === "assistant");
  const first = messages.slice(0, Math.max(0, at));
  const next: Next = () => {
    const reply: Json[] = [];
    for (; messages[at]?.role === "assistant"; at++) {
      const content = messages[at]?.content;
      reply.push(
        ...(typeof content === "string"
          ? [{ type: "text", text: content }]
          : (content as Json[])
        ).filter(({ type }) => !String(type).includes("thinking")),
      );
    }
    const from = at;
    while (at < messages.length && messages[at]?.role !== "assistant") at++;
    return reply.length === 0 ? undefined : { reply, then: messages.slice(from, at) };
  };
  return { first: [...first], next };
}

/** A Tidemark that can be opened again as it was, where the conversation outlives its process. */
function opener(
  { window, keepLast, wide = NARROW }: StrategyOptions,
  { now, events }: { now: () => number; events: TidemarkEvent[] },
) {
  const home = wide.restarts ? mkdtempSync(join(tmpdir(), "tidemark-strategies-")) : undefined;
  const open = (): Promise<Tidemark> =>
    openTidemark({
      workspace: home === undefined ? false : join(home, "ws"),
      ...(wide.recalls ? { recall: { tokens: 120 } } : {}),
      window: { tokens: window, patience: 0, ...(keepLast === undefined ? {} : { keepLast }) },
      now,
      listen: (event) => events.push(event),
    });
  return { open, gone: () => home !== undefined && rmSync(home, { recursive: true, force: true }) };
}

/** Plays a conversation through the middleware against the strict rules, thinking on, as a chat loop does. */
export async function strategyRun(options: StrategyOptions): Promise<StrategyRun> {
  const {
    seed,
    thinking,
    streams,
    window,
    calls = 24,
    transcript,
    caller = "keeps",
    wide = NARROW,
  } = options;
  let { model = "claude-sonnet-5-5" } = options;
  const random = chance(seed);
  const { first, next } = transcript
    ? fromTranscript(transcript.messages)
    : madeUp(random, { calls, window, wide });
  const events: TidemarkEvent[] = [];
  const broken: string[] = [];
  const inLoop: number[] = [];
  let coming: ReturnType<Next>;
  let clock = 1_770_000_000_000;
  let made = 0;
  const provider = localProvider({
    window,
    // Facts are the subject of other tests: made-up words are not worth any.
    ...(transcript
      ? {}
      : {
          distil: () =>
            JSON.stringify({
              facts: [],
              summary: "They read and wrote files, and talked about the tide.",
            }),
        }),
    reply: (request) => {
      const thinks =
        request.thinking !== undefined &&
        !coming?.goesOn &&
        (thinking === "enabled" || random.maybe(0.85));
      const thought = random.maybe(0.1)
        ? { type: "redacted_thinking" }
        : { type: "thinking", thinking: `Thought: ${random.text(200)}` };
      return {
        content: [...(thinks ? [thought as never] : []), ...((coming?.reply ?? []) as never[])],
        ...(coming?.stop ? { stop_reason: coming.stop } : {}),
      };
    },
  });
  const { open, gone } = opener(options, { now: () => clock, events });
  let tidemark = await open();
  let middleware = anthropicMiddleware(tidemark);
  const context = (body: unknown) => ({
    options: { body },
    parse: async <T>(response: Response): Promise<T> => (await response.clone().json()) as T,
  });
  if (wide.recalls || wide.sections)
    for (let at = 0; at < 4; at++)
      await tidemark.memory.save(
        `The crate ${at} on the quay holds the boat number ${at * 7} and waits for the tide.`,
      );
  let messages: Message[] = [...first];
  const before: Message[][] = [];

  /** The reply, or undefined where there is none. */
  async function call(): Promise<Json[] | undefined> {
    const open = openLoop(anthropic, messages) !== undefined;
    const body = {
      model,
      // Room for the longest reply there is: a call cut off is none, and its result an orphan.
      max_tokens: transcript
        ? Math.floor(window / 3)
        : (thinking === "enabled" ? 1_400 : 400) + (wide.servers ? 400 : 0),
      system: transcript?.system ?? "You are patient.",
      tools: transcript?.tools ?? toolsFor(wide),
      thinking:
        thinking === "enabled" ? { type: "enabled", budget_tokens: 1_024 } : { type: "adaptive" },
      ...(streams ? { stream: true } : {}),
      ...(random.maybe(0.1) ? { stop_sequences: ["\u0000END"] } : {}),
      messages,
    };
    const request: ApiRequest = {
      url: "http://127.0.0.1/v1/messages",
      method: "POST",
      headers: new Headers({ "x-api-key": "test", "content-type": "application/json" }),
      body: JSON.stringify(body),
    };
    const told = events.length;
    const response = await middleware(
      request,
      (sent: ApiRequest) => provider.answer(sent),
      context(body),
    );
    const folded = events.slice(told).find((event) => event.type === "folded");
    const paused = messages.at(-1)?.role === "assistant";
    if (folded?.type === "folded" && ((open && thinking === "enabled") || paused))
      inLoop.push(folded.before / (window - body.max_tokens));
    made++;
    if (response.ok) return read(response, streams);
    broken.push(
      `call ${made}${open ? " in a loop" : ""}: ${(await response.text()).slice(0, 300)}`,
    );
    return undefined;
  }

  try {
    for (coming = next(); coming !== undefined && messages.length > 0; coming = next()) {
      clock += 20_000;
      if (wide.restarts && random.maybe(0.15)) {
        await tidemark.close();
        tidemark = await open();
        middleware = anthropicMiddleware(tidemark);
        messages = copyOf(messages);
      }
      if (wide.switches && messages.at(-1)?.role === "user" && random.maybe(0.2))
        model = random.pick(modelsFor(wide));
      if (wide.branches) before.push(copyOf(messages));
      const replies =
        wide.twice && random.maybe(0.2) ? await Promise.all([call(), call()]) : [await call()];
      if (replies.includes(undefined)) break;
      const reply = random.pick(replies) ?? [];
      const content =
        caller === "strips" && thinking === "adaptive" && random.maybe(0.4)
          ? reply.filter(({ type }) => !String(type).includes("thinking"))
          : reply;
      const pieces =
        wide.splits && content.length > 1 && random.maybe(0.7)
          ? [content.slice(0, 1), content.slice(1)]
          : [content];
      messages.push(
        ...pieces.map((blocks) => ({ role: "assistant", content: blocks })),
        ...coming.then,
      );
      if (caller === "edits" && random.maybe(0.08)) edit(messages, random);
      if (caller === "clears" && random.maybe(0.2)) clear(messages, random);
      if (wide.branches && coming.stop === undefined && random.maybe(0.1))
        messages = branched(before, random) ?? messages;
      // At times what runs behind the conversation is done by the next call, at times it is not.
      if (random.maybe(0.6)) await tidemark.idle();
    }
    // A machine under load may keep memory from answering in time: such a turn goes without, as it should.
    for (const event of events)
      if (event.type === "degraded" && !event.error.includes("did not answer within"))
        broken.push(`degraded in ${event.where}: ${event.error}`);
  } catch (thrown) {
    broken.push(`call ${made + 1}: ${String(thrown)}`);
  } finally {
    await tidemark.close();
    gone();
  }
  for (const { message } of provider.refusals)
    if (!/too long|exceed context limit/.test(message)) broken.push(`refused: ${message}`);
  return {
    folds: events.filter(({ type }) => type === "folded").length,
    inLoop,
    counted: provider.counted,
    broken,
  };
}

const copyOf = (messages: readonly Message[]): Message[] =>
  JSON.parse(JSON.stringify(messages)) as Message[];

/** Back to an earlier question, put another way or asked again. */
function branched(before: readonly Message[][], random: Chance): Message[] | undefined {
  const ends = before.slice(-8).filter((messages) => messages.at(-1)?.role === "user");
  if (ends.length === 0) return undefined;
  const messages = copyOf(random.pick(ends));
  if (typeof messages.at(-1)?.content === "string" && random.maybe(0.7))
    messages.splice(-1, 1, { role: "user", content: `Another way: ${random.text(150)}` });
  return messages;
}

/** A user's plain words of before are put differently. */
function edit(messages: Message[], random: Chance): void {
  const plain = messages.flatMap(({ role, content }, index) =>
    role === "user" && typeof content === "string" ? [index] : [],
  );
  const index = plain.length === 0 ? undefined : random.pick(plain);
  if (index !== undefined)
    messages[index] = { role: "user", content: `Put differently: ${random.text(200)}` };
}

/** A result or a user's words of before, emptied or put differently where they stand, while a distiller may be reading them. */
function clear(messages: readonly Message[], random: Chance): void {
  const message = random.pick(messages.filter(({ role }) => role === "user"));
  const blocks = Array.isArray(message.content)
    ? (message.content as Json[]).filter(({ type }) => type === "tool_result")
    : [];
  if (blocks.length === 0)
    Object.assign(message, { content: `Put differently: ${random.text(60)}` });
  else Object.assign(random.pick(blocks), { content: "[cleared]" });
}

async function read(response: Response, streams: boolean): Promise<Json[]> {
  if (!streams) return ((await response.json()) as { content: Json[] }).content;
  const reader = createReplyReader();
  for await (const bytes of response.body ?? []) reader.push(bytes as Uint8Array);
  return (reader.message()?.content ?? []) as Json[];
}
