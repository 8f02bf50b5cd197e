import type { Format, Message, ProviderRequest } from "../../src/core/request.ts";
import { validOpenAI } from "./histories.ts";
import {
  type Json,
  modelInfo,
  refusalOf,
  type RefusalOptions,
  requestTokens,
  textTokens,
} from "./messages-server/index.ts";

/** What a provider would say of a request, by a counter of its own. */
export interface Judge {
  readonly model: string;
  tokens(request: ProviderRequest): number;
  /** Why the request is refused for its form. */
  refusal(request: ProviderRequest): string | undefined;
  /** The error of a request that is too long. */
  overflow(request: ProviderRequest): Error | undefined;
  /** What is wrong with a history, each defect by its name: a request may have none that its source has not. */
  defects(messages: readonly Message[]): ReadonlySet<string>;
  /** The history with its defects mended, so that everything else about it can be judged. */
  mended(messages: readonly Message[]): readonly Message[];
  /** A transcript's message as the provider's reply. */
  reply(message: Message, input: number): unknown;
}

type Dict = Record<string, unknown>;
const isDict = (value: unknown): value is Dict =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const blocksOf = (message: Message | undefined): Dict[] =>
  Array.isArray(message?.content) ? (message.content as unknown[]).filter(isDict) : [];

class ApiError extends Error {
  readonly status = 400;
  readonly error: unknown;
  readonly code: string | undefined;
  constructor(message: string, error: unknown, code?: string) {
    super(message);
    this.error = error;
    this.code = code;
  }
}

function anthropicDefects(messages: readonly Message[]): Set<string> {
  const found = new Set<string>();
  if (messages[0] !== undefined && messages[0].role !== "user")
    found.add("begins with the assistant");
  messages.forEach((message, index) => {
    const asked = blocksOf(message).filter(({ type }) => type === "tool_use");
    const answers = blocksOf(messages[index + 1]).filter(({ type }) => type === "tool_result");
    if (index < messages.length - 1)
      for (const { id } of asked)
        if (!answers.some((answer) => answer.tool_use_id === id))
          found.add(`unanswered ${String(id)}`);
    const calls = blocksOf(messages[index - 1]).filter(({ type }) => type === "tool_use");
    for (const { type, tool_use_id: id } of blocksOf(message))
      if (type === "tool_result" && !calls.some((call) => call.id === id))
        found.add(`orphan ${String(id)}`);
  });
  return found;
}

/** Every call answered, as a client mends a log that breaks off; results without a call are left as they are. */
function anthropicMended(messages: readonly Message[]): Message[] {
  return messages.flatMap((message, index) => {
    const answers = blocksOf(messages[index + 1]).filter(({ type }) => type === "tool_result");
    const missing = blocksOf(message).filter(
      ({ type, id }) => type === "tool_use" && !answers.some((answer) => answer.tool_use_id === id),
    );
    if (missing.length === 0 || index === messages.length - 1) return [message];
    const results = missing.map(({ id }) => ({
      type: "tool_result",
      tool_use_id: id,
      content: "interrupted",
    }));
    return [message, { role: "user", content: results }];
  });
}

export interface JudgeOptions extends Pick<RefusalOptions, "signer" | "betas"> {
  readonly window: number;
  readonly model?: string;
  readonly reusedIds?: boolean;
}

export function anthropicJudge({
  window,
  model = "claude-sonnet-5-5",
  reusedIds = true,
  ...options
}: JudgeOptions): Judge {
  const info = modelInfo(model, { max_input_tokens: window });
  const roomy = modelInfo(model, { max_input_tokens: 1e9 });
  return {
    model,
    tokens: (request) => requestTokens(request),
    refusal: (request) => refusalOf(request, roomy, { reusedIds, ...options })?.message,
    overflow: (request) => {
      const input = requestTokens(request);
      const most = Number(request.max_tokens);
      if (input + most <= window) return undefined;
      const message =
        input > info.max_input_tokens
          ? `prompt is too long: ${input} tokens > ${window} maximum`
          : `input length and \`max_tokens\` exceed context limit: ${input} + ${most} > ${window}, decrease input length or \`max_tokens\` and try again`;
      return new ApiError(`400 ${message}`, {
        type: "error",
        error: { type: "invalid_request_error", message },
      });
    },
    defects: anthropicDefects,
    mended: anthropicMended,
    reply: (message, input) => ({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model,
      content: message.content,
      stop_reason: blocksOf(message).some(({ type }) => type === "tool_use")
        ? "tool_use"
        : "end_turn",
      usage: {
        input_tokens: input,
        output_tokens: 20,
        cache_creation_input_tokens: null,
        cache_read_input_tokens: null,
      },
    }),
  };
}

function openaiTokens({ messages, tools }: ProviderRequest): number {
  const content = (value: unknown): number =>
    typeof value === "string"
      ? textTokens(value)
      : Array.isArray(value)
        ? value.reduce<number>(
            (sum, part) =>
              sum +
              (isDict(part) ? (typeof part.text === "string" ? textTokens(part.text) : 800) : 0),
            0,
          )
        : 0;
  const calls = (value: unknown): number =>
    Array.isArray(value)
      ? value
          .filter(isDict)
          .reduce<number>(
            (sum, call) => sum + 8 + textTokens(JSON.stringify(call.function ?? call.custom ?? {})),
            0,
          )
      : 0;
  const declared = Array.isArray(tools) ? textTokens(JSON.stringify(tools)) : 0;
  return (
    declared +
    messages.reduce(
      (sum, message) => sum + 4 + content(message.content) + calls(message.tool_calls),
      0,
    )
  );
}

const callIds = (message: Message | undefined): string[] =>
  Array.isArray(message?.tool_calls)
    ? (message.tool_calls as Dict[]).map(({ id }) => String(id))
    : [];

function openaiDefects(messages: readonly Message[]): Set<string> {
  const found = new Set<string>();
  let open = new Set<string>();
  messages.forEach((message, index) => {
    if (message.role === "tool") {
      if (!open.delete(String(message.tool_call_id)))
        found.add(`orphan ${String(message.tool_call_id)}`);
    } else {
      for (const id of open) found.add(`unanswered ${id}`);
      open = new Set(callIds(message));
    }
    if (index === messages.length - 1 && message.role === "tool")
      for (const id of open) found.add(`unanswered ${id}`);
  });
  return found;
}

function openaiMended(messages: readonly Message[]): Message[] {
  let open: string[] = [];
  const mend = (): Message[] =>
    open.splice(0).map((id) => ({ role: "tool", tool_call_id: id, content: "interrupted" }));
  const mended = messages.flatMap((message) => {
    if (message.role === "tool") {
      open = open.filter((id) => id !== message.tool_call_id);
      return [message];
    }
    const before = mend();
    open = callIds(message);
    return [...before, message];
  });
  return [...mended, ...mend()];
}

export function openaiJudge({ window, model = "gpt-4o" }: JudgeOptions): Judge {
  return {
    model,
    tokens: openaiTokens,
    refusal: ({ messages }) => validOpenAI(messages),
    overflow: (request) => {
      const input = openaiTokens(request);
      const most = Number(request.max_tokens);
      if (input + most <= window) return undefined;
      const message = `This model's maximum context length is ${window} tokens. However, you requested ${input + most} tokens (${input} in the messages, ${most} in the completion). Please reduce the length of the messages or completion.`;
      return new ApiError(
        `400 ${message}`,
        {
          message,
          type: "invalid_request_error",
          param: "messages",
          code: "context_length_exceeded",
        },
        "context_length_exceeded",
      );
    },
    defects: openaiDefects,
    mended: openaiMended,
    reply: (message, input) => ({
      id: "chatcmpl-1",
      object: "chat.completion",
      model,
      choices: [
        { index: 0, message, finish_reason: callIds(message).length > 0 ? "tool_calls" : "stop" },
      ],
      usage: { prompt_tokens: input, completion_tokens: 20, total_tokens: input + 20 },
    }),
  };
}

export const judgeOf = (format: Format, options: JudgeOptions): Judge =>
  format === "anthropic" ? anthropicJudge(options) : openaiJudge(options);

/** A tool for every call of the transcript, as the host that made them must have declared them. */
export function toolsOf(format: Format, messages: readonly Message[]): unknown[] | undefined {
  const names = new Set<string>();
  for (const message of messages) {
    for (const { type, name } of blocksOf(message))
      if (type === "tool_use") names.add(String(name));
    if (Array.isArray(message.tool_calls))
      for (const call of message.tool_calls as Json[])
        if (isDict(call.function)) names.add(String(call.function.name));
  }
  if (names.size === 0) return undefined;
  const schema = { type: "object", properties: { path: { type: "string" } } };
  return [...names].map((name) =>
    format === "anthropic"
      ? { name, description: `Runs ${name}.`, input_schema: schema }
      : { type: "function", function: { name, description: `Runs ${name}.`, parameters: schema } },
  );
}
