import { defined } from "../../base/defined.ts";
import { asText, type Dict, dicts, isDict } from "../../base/guards.ts";
import { type Message } from "../../model/request.ts";
import { type Usage } from "../../model/ports.ts";
import {
  contentOf,
  isCall,
  isResult,
  isThinking,
  links,
  toCall,
  toResult,
  wordsOf,
} from "./blocks.ts";
import { canonOf } from "./canon.ts";
import {
  appendSystem,
  shortenInputs,
  shortenResults,
  shortenTexts,
  withoutMedia,
  withoutThinking,
} from "./edit.ts";
import { overheadOf, piecesOf } from "./pieces.ts";
import { cacheMarks } from "./breakpoints.ts";
import { withoutMarks } from "../common/cache-marks.ts";
import { type Dialect, type Speaker } from "../common/dialect.ts";
import { startsWhole } from "../common/pairs.ts";
import { asMessage, isBlank } from "../common/reading.ts";
import { shown } from "../common/shown.ts";
import { together, tokenCount, unwrap } from "../common/replies.ts";

const roleOf = (message: Message): string => asText(asMessage(message).role);

function speaker(message: Message): Speaker {
  const role = roleOf(message);
  if (role === "assistant") return "assistant";
  if (role === "system" || role === "developer") return "system";
  const written = contentOf(message).filter(
    (block) => block.type !== "text" || !isBlank(asText(block.text)),
  );
  return written.length > 0 && written.every(isResult) ? "tool" : "user";
}

/** Samplings whose prompt is the conversation. The others ("compaction", "advisor_message") read something else. */
const OF_THE_WINDOW = new Set(["message", "fallback_message"]);

function usageOf(reported: Dict): Usage {
  return asUsage(
    dicts(reported.iterations).findLast(({ type }) => OF_THE_WINDOW.has(asText(type))) ?? reported,
  );
}

function asUsage(given: Dict): Usage {
  const cacheWrite = tokenCount(given.cache_creation_input_tokens);
  const lives = given.cache_creation;
  return {
    input: tokenCount(given.input_tokens),
    cacheWrite,
    ...defined({
      cacheWrite1h: isDict(lives)
        ? Math.min(cacheWrite, tokenCount(lives.ephemeral_1h_input_tokens))
        : undefined,
    }),
    cacheRead: tokenCount(given.cache_read_input_tokens),
    output: tokenCount(given.output_tokens),
  };
}

/** All that is paid for: what the provider reports of the call, and its summaries, which it does not count in (SDK 1.11). */
const billOf = (reported: Dict): Usage =>
  dicts(reported.iterations)
    .filter(({ type }) => type === "compaction")
    .map(asUsage)
    .reduce(together, asUsage(reported));

function reply(given: unknown): ReturnType<Dialect["reply"]> {
  const { reply: message, usage } = unwrap(given);
  if (!isDict(message) || (message.role ?? "assistant") !== "assistant") return undefined;
  const { content, stop_reason: stop } = message;
  if (typeof content !== "string" && !Array.isArray(content)) return undefined;
  return {
    message: { role: "assistant", content },
    ...defined({ usage: isDict(usage) ? usageOf(usage) : undefined }),
    ...defined({
      billed: isDict(usage) && dicts(usage.iterations).length > 0 ? billOf(usage) : undefined,
    }),
    ...defined({ stop: typeof stop === "string" ? stop : undefined }),
    // Null stands in the first event of a stream until the last but one says why it ended.
    ...defined({ cut: stop === null ? true : undefined }),
  };
}

/** A summary the provider has written at a threshold stands first in the reply that came with it; one without words is none. */
const holdsSummary = ({ content }: Message): boolean => {
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  return isDict(first) && first.type === "compaction" && asText(first.content) !== "";
};

/** The Anthropic Messages API, beta blocks included. */
export const anthropic: Dialect = {
  format: "anthropic",
  traits: {
    provider: "anthropic",
    joinsTurns: true,
    systemNeedsReply: true,
    refusesTooLong: true,
    windowSetting: "its window",
  },
  marks: cacheMarks,
  speaker,
  text: (message) =>
    contentOf(message)
      .map(wordsOf)
      .filter((text) => text !== "")
      .join("\n"),
  calls: (message) => contentOf(message).filter(isCall).map(toCall),
  results: (message) => contentOf(message).filter(isResult).map(toResult),
  pieces: (message) => contentOf(message).flatMap((block) => piecesOf(block)),
  thinks: (message) =>
    typeof asMessage(message).content !== "string" && contentOf(message).some(isThinking),
  canon: canonOf,
  opensTail: (messages, index) => {
    const first = messages[index];
    return (
      first !== undefined &&
      ["user", "assistant"].includes(roleOf(first)) &&
      startsWhole(links, messages, index)
    );
  },
  overhead: overheadOf,
  unread: (messages) => Math.max(0, messages.findLastIndex(holdsSummary)),
  preamble: () => 0,
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
