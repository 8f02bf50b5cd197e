import Anthropic, { type ClientOptions } from "@anthropic-ai/sdk";
import { join } from "node:path";
import { type AnthropicOptions, anthropicMiddleware } from "../../src/adapters/anthropic.ts";
import type { Tidemark, TidemarkEvent } from "../../src/index.ts";
import { afterwards, freshFolder as freshPlace } from "./afterwards.ts";
import { openTimed, type TimedOptions } from "./timed.ts";
import {
  type Json,
  type MessagesServer,
  type Received,
  type ServerOptions,
  startMessagesServer,
} from "./messages-server/index.ts";

export { afterwards };

/** A workspace that is not there yet. */
export const freshFolder = (): string => join(freshPlace(), "ws");

export async function freshServer(options: ServerOptions = {}): Promise<MessagesServer> {
  const server = await startMessagesServer(options);
  afterwards(() => server.close());
  return server;
}

/** A Tidemark that is closed after the test, and what it told. */
export async function freshTidemark(
  options: TimedOptions = {},
): Promise<{ tidemark: Tidemark; events: TidemarkEvent[] }> {
  const events: TidemarkEvent[] = [];
  // Without a model nothing hangs: what is late on a busy machine is waited for.
  const window =
    options.distil === "extractive"
      ? { patience: 10_000, ...Object(options.window) }
      : options.window;
  const tidemark = await openTimed({
    workspace: false,
    listen: (event) => events.push(event),
    ...options,
    ...(window && { window }),
  });
  afterwards(() => tidemark.close());
  return { tidemark, events };
}

const behind = new WeakMap<Anthropic, Tidemark>();

interface OfClient extends ClientOptions {
  readonly adapter?: AnthropicOptions;
  /** Its loops wait for nothing that is done behind them: for a distiller that hangs. */
  readonly hurries?: boolean;
}

export function clientOf(
  server: MessagesServer,
  tidemark: Tidemark,
  { adapter, hurries = false, ...options }: OfClient = {},
): Anthropic {
  const client = new Anthropic({
    baseURL: server.url,
    apiKey: "test",
    maxRetries: 2,
    logLevel: "off",
    middleware: [anthropicMiddleware(tidemark, adapter)],
    ...options,
  });
  if (!hurries) behind.set(client, tidemark);
  return client;
}

/** The usual set: a strict server, a Tidemark, the real SDK between them. */
export async function setUp({
  server: serverOptions = {},
  adapter,
  client: clientOptions = {},
  ...options
}: TimedOptions & { server?: ServerOptions; adapter?: AnthropicOptions; client?: OfClient } = {}) {
  const server = await freshServer(serverOptions);
  const { tidemark, events } = await freshTidemark(options);
  return {
    server,
    tidemark,
    events,
    client: clientOf(server, tidemark, { ...clientOptions, ...(adapter ? { adapter } : {}) }),
  };
}

export const MODEL = "claude-sonnet-5-5";
/** Thinking of this model is not bound to its prefix. */
export const UNBOUND = "claude-sonnet-4-6";

/** Requests of the conversation, those of the distiller left out. */
export const spoken = (server: MessagesServer): Received[] =>
  server.requests.filter(({ distil }) => !distil);
export const asked = (server: MessagesServer): Received[] =>
  server.requests.filter(({ distil }) => distil);
/** What an event is about. */
export const kindOf = (event: TidemarkEvent): string =>
  event.type === "notice" ? event.about : event.type;
export const typesOf = (events: readonly TidemarkEvent[]): string[] => events.map(kindOf);

export const systemText = ({ system }: Json): string =>
  typeof system === "string"
    ? system
    : Array.isArray(system)
      ? (system as { text: string }[]).map(({ text }) => text).join("\n")
      : "";

/** Different words each time, about four tokens to three of them. */
export const words = (count: number, stem: string): string =>
  Array.from({ length: count }, (_, index) => `${stem}${index}`).join(" ");

const VOCABULARY =
  "the quiet boat lies by the old pier and waits for a warm wind while gulls walk along the wet stones looking for bread that children left behind after their long walk home".split(
    " ",
  );
/** Plain sentences of so many words, about a token each; another seed begins elsewhere. */
export const prose = (count: number, seed: number): string =>
  Array.from(
    { length: count },
    (_, index) =>
      `${VOCABULARY[(index * 7 + seed * 5) % VOCABULARY.length]}${index % 12 === 11 ? "." : ""}`,
  ).join(" ");

export interface Loop {
  readonly messages: Anthropic.Beta.BetaMessageParam[];
  say(
    text: string,
    extra?: Partial<Anthropic.MessageCreateParamsNonStreaming>,
  ): Promise<Anthropic.Message>;
}

/**
 * The chat loop a person writes: an array, a create, a push. What is done behind it is done when it goes on, however
 * slow the machine.
 */
export function loopOf(
  client: Anthropic,
  base: Partial<Anthropic.MessageCreateParamsNonStreaming> = {},
  messages: Anthropic.MessageParam[] = [],
): Loop {
  return {
    messages,
    say: async (text, extra = {}) => {
      messages.push({ role: "user", content: text });
      const reply = await client.messages.create({
        model: MODEL,
        max_tokens: 500,
        messages,
        ...base,
        ...extra,
      });
      messages.push({ role: "assistant", content: reply.content });
      await behind.get(client)?.idle();
      return reply;
    },
  };
}

export const textOf = (message: { content: readonly { type: string; text?: unknown }[] }): string =>
  message.content.flatMap(({ type, text }) => (type === "text" ? [String(text)] : [])).join("");

/** Request bodies without cache marks, which move from call to call. */
export const unmarked = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, inner: unknown) => (name === "cache_control" ? undefined : inner)),
  );

/** A message as its blocks: a mark turns a string into one. */
export const blocked = ({ role, content }: { role?: unknown; content?: unknown }): unknown =>
  unmarked({
    role,
    content: typeof content === "string" ? [{ type: "text", text: content }] : content,
  });

/** Resolves as soon as the claim holds; the test's own time limit is the bound. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}
