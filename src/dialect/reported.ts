import { isDict } from "../base/guards.ts";
import { readTokens, type Usage } from "../model/ports.ts";
import { anthropic } from "./anthropic/anthropic.ts";
import { openaiChat } from "./openai/chat.ts";
import { tokenCount } from "./common/replies.ts";

/** What counts tokens in a usage, of ours and of the providers'. */
const COUNTS = [
  ...["input", "cacheWrite", "cacheWrite1h", "cacheRead", "output"],
  ...["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"],
  ...["prompt_tokens", "completion_tokens"],
];

/** What a call took, as its maker says: in our words, in Anthropic's or in OpenAI's. Undefined where that cannot be read, or names no token. */
export function usageIn(given: unknown): Usage | undefined {
  if (
    !isDict(given) ||
    COUNTS.some(
      (name) => given[name] !== undefined && given[name] !== null && !isCount(given[name]),
    )
  )
    return undefined;
  const shapes = [
    ours(given),
    openaiChat.reply({ reply: { role: "assistant" }, usage: inChat(given) })?.usage,
    billed(given),
  ];
  return shapes.find((usage) => usage !== undefined && readTokens(usage) + usage.output > 0);
}

const isCount = (value: unknown): boolean =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;

function ours(given: Record<string, unknown>): Usage {
  const [input, cacheWrite, cacheRead, output] = [
    given.input,
    given.cacheWrite,
    given.cacheRead,
    given.output,
  ].map(tokenCount) as [number, number, number, number];
  const hour = isCount(given.cacheWrite1h)
    ? { cacheWrite1h: Math.min(cacheWrite, tokenCount(given.cacheWrite1h)) }
    : {};
  return { input, cacheWrite, ...hour, cacheRead, output };
}

function billed(usage: unknown): Usage | undefined {
  const reply = anthropic.reply({ reply: { content: "" }, usage });
  return reply?.billed ?? reply?.usage;
}

/** OpenAI's newer API counts as its older one does, what came from the cache included, under Anthropic's names. */
function inChat(given: Record<string, unknown>): unknown {
  if (!isDict(given.input_tokens_details)) return given;
  return {
    prompt_tokens: given.input_tokens,
    prompt_tokens_details: given.input_tokens_details,
    completion_tokens: given.output_tokens,
  };
}
