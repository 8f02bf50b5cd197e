import { defined } from "../../base/defined.ts";
import { type Dict, isDict } from "../../base/guards.ts";
import { type Usage } from "../../model/ports.ts";
import { type Message, type ProviderRequest } from "../../model/request.ts";
import { withoutMarks } from "../common/cache-marks.ts";
import { type Dialect, type Piece, type Speaker } from "../common/dialect.ts";
import { canonOf } from "./canon.ts";
import {
  appendSystem,
  hasBoundReasoning,
  preamble,
  shortenInputs,
  shortenResults,
  shortenTexts,
  withoutMedia,
  withoutThinking,
} from "./edit.ts";
import {
  carriedBy,
  isAnswer,
  isInstruction,
  links,
  piecesOf,
  piecesOfMessage,
  roleOf,
  textOf,
  toCall,
  toResult,
} from "./parts.ts";
import { startsWhole } from "../common/pairs.ts";
import { blocksOf } from "../common/reading.ts";
import { tokenCount, unwrap } from "../common/replies.ts";
import { shown } from "../common/shown.ts";
import { weigh } from "../common/weigh.ts";

function speaker(message: Message): Speaker {
  if (isAnswer(message)) return "tool";
  if (isInstruction(message)) return "system";
  return roleOf(message) === "assistant" ? "assistant" : "user";
}

function overhead({ system, tools, functions }: ProviderRequest): Piece[] {
  const declared = [tools, functions].flatMap((list): unknown[] =>
    Array.isArray(list) ? list : [],
  );
  return [...blocksOf(system).flatMap(piecesOf), ...declared.flatMap(weigh)];
}

/** `prompt_tokens` includes what came from the cache and what went into it. */
function usageOf(reported: Dict): Usage {
  const prompt = tokenCount(reported.prompt_tokens);
  const details = isDict(reported.prompt_tokens_details) ? reported.prompt_tokens_details : {};
  const cacheRead = Math.min(prompt, tokenCount(details.cached_tokens));
  const cacheWrite = Math.min(prompt - cacheRead, tokenCount(details.cache_write_tokens));
  return {
    input: prompt - cacheRead - cacheWrite,
    cacheWrite,
    cacheRead,
    output: tokenCount(reported.completion_tokens),
  };
}

function reply(given: unknown): ReturnType<Dialect["reply"]> {
  const { reply: completion, usage } = unwrap(given);
  if (!isDict(completion)) return undefined;
  const choice: unknown = Array.isArray(completion.choices)
    ? completion.choices[0]
    : { message: completion };
  const message = isDict(choice) ? choice.message : undefined;
  if (!isDict(choice) || !isDict(message) || message.role !== "assistant") return undefined;
  const stop = choice.finish_reason;
  return {
    message,
    ...defined({ usage: isDict(usage) && "prompt_tokens" in usage ? usageOf(usage) : undefined }),
    ...defined({ stop: typeof stop === "string" ? stop : undefined }),
  };
}

/** OpenAI's Chat Completions API, and the many servers that speak it. */
export const openaiChat: Dialect = {
  format: "openai-chat",
  traits: {
    provider: "openai",
    joinsTurns: false,
    systemNeedsReply: false,
    refusesTooLong: false,
    windowSetting: "num_ctx or max_model_len",
  },
  speaker,
  text: textOf,
  calls: (message) => carriedBy(message).map(toCall),
  results: (message) => (isAnswer(message) ? [toResult(message)] : []),
  pieces: piecesOfMessage,
  thinks: hasBoundReasoning,
  canon: canonOf,
  opensTail: (messages, index) => {
    const first = messages[index];
    return (
      first !== undefined &&
      ["user", "assistant"].includes(speaker(first)) &&
      startsWhole(links, messages, index)
    );
  },
  overhead,
  preamble,
  appendSystem,
  userMessage: (text) => ({ role: "user", content: text }),
  withoutThinking,
  shortenResults,
  shortenTexts,
  shortenInputs,
  withoutMedia,
  withoutCacheMarks: (message) => withoutMarks(message) as Message,
  shown: (part) => shown(part),
  reply,
};
