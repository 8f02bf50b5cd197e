import "../node-version.ts";
import { asDict, asText, defined, type Dict, isDict } from "../core/base.ts";
import type { Identity } from "../core/identity.ts";
import type { AskedModel, Complete, Message, ProviderRequest } from "../core/request.ts";
import { callable, check, options as optionsOf } from "../core/schema.ts";
import { capabilitiesOf, type ModelOverrides } from "../providers/common/models.ts";
import { langchain } from "../providers/langchain/langchain.ts";
import type { Tidemark, Turn } from "../session/options/tidemark-api.ts";
import { answerIn, doorOf, madeOnceMore } from "./http/calls.ts";
import { createKnownPrompts, type KnownPrompts } from "./http/known-prompts.ts";

/** A run is started with these. */
export interface LangChainRun {
  readonly configurable: Dict;
  readonly context: Dict;
}

export interface LangChainOptions {
  /** Answers who is speaking in a run; by default the identity Tidemark was opened with. */
  identity?: (run: LangChainRun) => Identity | Promise<Identity>;
}

const NAME = "tidemarkMiddleware";
const OPTIONS = optionsOf<LangChainOptions>({ identity: callable() });
/** LangChain's own mark of a middleware, which spares loading any version of it. */
const BRAND = Symbol.for("AgentMiddleware");

/** The slices of LangChain's objects in use. */
interface ChatMessage {
  readonly type: string;
  readonly content: unknown;
  readonly id?: string | undefined;
  toDict(): { readonly data: object };
}
interface ModelCall {
  readonly model: object;
  readonly messages: readonly ChatMessage[];
  readonly systemMessage?: ChatMessage;
  readonly tools: readonly unknown[];
  readonly runtime: {
    readonly configurable?: object;
    readonly context?: unknown;
    readonly signal?: AbortSignal;
  };
}
interface ChatModel {
  bindTools?(tools: readonly unknown[], options: object): ChatModel;
  invoke(messages: readonly unknown[], options: object): Promise<unknown>;
}

/**
 * `createAgent({ model, tools, middleware: [tidemarkMiddleware(tidemark)] })`: each call of the
 * model goes through Tidemark, and the agent's state stays whole. `thread_id` names the
 * conversation.
 */
export function tidemarkMiddleware(tidemark: Tidemark, options: LangChainOptions = {}) {
  check(OPTIONS, options, NAME, "option ");
  const { identity } = options;
  const door = doorOf(tidemark, NAME, "is it in createAgent's `middleware`");
  const known = createKnownPrompts();

  async function opened(call: OpenedCall, { runtime }: ModelCall): Promise<Turn> {
    const { context } = runtime;
    const configurable = asDict(runtime.configurable);
    const run: LangChainRun = { configurable, context: asDict(context) };
    const speaker = await door.speaker(run, identity);
    const { thread_id: thread } = configurable;
    return speaker.begin(call.given, {
      dialect: langchain,
      complete: call.complete,
      asked: askedOf(call, door.home.options.advanced?.models),
      ...defined({
        conversation: typeof thread === "string" ? thread : undefined,
        // A caller that hangs up waits no longer.
        signal: runtime.signal,
      }),
    });
  }

  return {
    [BRAND]: true,
    name: "Tidemark",
    async wrapModelCall<Call extends ModelCall, Made>(
      request: Call,
      handler: (request: Call) => Made | Promise<Made>,
    ): Promise<Made> {
      if (!door.takes(request.runtime.signal)) return handler(request);
      const call = openCall(request, known);
      const { made, turn } = await madeOnceMore(
        await opened(call, request),
        async (sent) => handler({ ...request, ...call.sent(sent) }),
        refusalIn,
      );
      const reply = replyIn(made);
      if (reply) await turn.end(reply);
      return made;
    },
  };
}

interface OpenedCall {
  readonly given: ProviderRequest;
  /** Tokens that its maker's list says the model reads. */
  readonly reads: unknown;
  readonly complete: Complete;
  /** The call's members that differ; messages that stay are the same objects. */
  sent(made: ProviderRequest): object;
}

function openCall(request: ModelCall, known: KnownPrompts): OpenedCall {
  const { messages, systemMessage } = request;
  const model = request.model as Dict & ChatModel;
  const { maxTokens } = model;
  // A checkpointer gives an agent's messages as new objects.
  const prompt = known(messages.map(dictOf)) as readonly Message[];
  const own = new Map(prompt.map((message, at) => [message, messages[at]]));
  const text = systemMessage?.content;
  const given: ProviderRequest = {
    messages: prompt,
    model: [model.model, model.modelName, asDict(model._defaultConfig).model].find(asText),
    tools: toolsOf(request.tools),
    ...defined({
      system: text === "" ? undefined : text,
      max_tokens: typeof maxTokens === "number" && maxTokens > 0 ? maxTokens : undefined,
    }),
  };

  /** A message as a model takes it; one that was changed keeps all else of the one it was. */
  const messageOf = (made: Message): unknown =>
    own.get(made) ??
    changed(
      made,
      messages.find(({ id }) => id !== undefined && id === made.id),
    );
  function changed({ role, ...made }: Message, source?: ChatMessage): unknown {
    const akin = source ?? messages.find((message) => dictOf(message).role === role);
    if (akin === undefined) return { role, ...made };
    const Kind = akin.constructor as new (fields: object) => unknown;
    const given = asDict(source?.toDict().data);
    const { response_metadata: told, tool_call_chunks: _calls, ...data } = given;
    // OpenAI's models send what a reply was made of in its place.
    const response_metadata = { ...asDict(told), output: undefined };
    return new Kind({ ...data, ...made, response_metadata });
  }

  const systemOf = (content: unknown) => changed({ role: "system", content }, systemMessage);
  return {
    given,
    reads: asDict(model.profile).maxInputTokens,
    sent: (made) => ({
      ...(made.messages !== given.messages && { messages: made.messages.map(messageOf) }),
      ...(made.system !== given.system && { systemMessage: systemOf(made.system) }),
    }),
    /** Distilling with the caller's own model, unseen by who watches the run. */
    async complete({ system, messages: asked, tools, signal, alone }) {
      const bare = alone === true || tools === undefined;
      const asks = bare ? model : (model.bindTools?.(request.tools, NO_TOOL) ?? model);
      const head = alone === true || system === undefined ? [] : [systemOf(system)];
      const made = await asks.invoke([...head, ...asked.map(messageOf)], { signal, callbacks: [] });
      return answerIn(langchain, replyIn(made));
    },
  };
}

const NO_TOOL = { tool_choice: "none" };

const ROLES: Readonly<Record<string, string>> = { human: "user", ai: "assistant" };

/** A message as JSON has it: what no model reads of it stays behind. */
function dictOf(message: ChatMessage): Message {
  const { type, role = ROLES[type] ?? type, ...rest } = message as ChatMessage & Dict;
  const { content, id, name, tool_calls, tool_call_id, status } = rest;
  return { role, content, ...defined({ id, name, tool_calls, tool_call_id, status }) };
}

/** Tools as they are declared to a model; an agent's list of them is the same in each call. */
const declared = new WeakMap<readonly unknown[], unknown[]>();
function toolsOf(tools: readonly unknown[]): unknown[] {
  const made = declared.get(tools) ?? tools.map((tool) => declarationOf(asDict(tool)));
  declared.set(tools, made);
  return made;
}
function declarationOf(tool: Dict): Dict {
  const { name, description, schema } = tool;
  if (!isDict(schema)) return tool;
  const { toJSONSchema: write } = schema;
  const input_schema: unknown =
    typeof write === "function" ? write.call(schema, { unrepresentable: "any" }) : schema;
  return { name, description, input_schema };
}

/** Its maker's list may count in what only a beta gives: where ours says less, that holds. */
function askedOf({ given, reads }: OpenedCall, models: ModelOverrides | undefined): AskedModel {
  const { window, windowBy } = capabilitiesOf(asText(given.model), models);
  const isLess = windowBy === "guess" || (typeof reads === "number" && reads < window);
  return typeof reads === "number" && isLess ? { said: { window: reads } } : {};
}

/** A model's reply, or the first message of a structured one, as the lens reads it. */
function replyIn(made: unknown): object | undefined {
  const { messages } = asDict(made);
  const message = Array.isArray(messages) ? (messages[0] as unknown) : made;
  if (!isDict(message) || message.type !== "ai") return undefined;
  const { finish_reason, stop_reason = finish_reason } = asDict(message.response_metadata);
  const reply = dictOf(message as Dict & ChatMessage);
  return { reply, usage: message.usage_metadata, stop: stop_reason };
}

/** LangChain wraps what a provider refused with, and adds words of its own. */
function refusalIn(thrown: unknown, isOverflow = false): unknown {
  const { cause, name, message, error } = asDict(thrown);
  const found = isOverflow || name === "ContextOverflowError";
  if (cause instanceof Error) return refusalIn(cause, found);
  return found ? { status: 413, message, error } : thrown;
}
