import { asText, isDict } from "../../model/guards.ts";

/** What providers and their proxies say when a prompt is too long; the first group is the prompt, the second the window. */
const SAYINGS: readonly RegExp[] = [
  /prompt is too long:?\s*(\d+) tokens? > (\d+) maximum/i, // Anthropic
  /input length and `?max_tokens`? exceed context limit: (\d+) \+ \d+ > (\d+)/i, // Anthropic
  /maximum context length is (?<window>\d+) tokens.*?\((?<tokens>\d+) in (?:the |your )?(?:messages|prompt)/is, // OpenAI, the reply's room set apart
  /maximum context length is (?<window>\d+) tokens.*?(?:resulted in|requested|you requested) (?<tokens>\d+)/is, // OpenAI
  /prompt is too long|input is too long|exceed(?:s|ed)? (?:the )?(?:model'?s? )?(?:maximum )?context (?:length|window|limit)/i,
  /context_length_exceeded|maximum context length|request_too_large|model_context_window_exceeded/i,
];
const RATE = new Set([401, 403, 404, 408, 409, 429, 500, 502, 503, 504, 529]);

/** The numbers of an overflow, or undefined for any other error. A rate limit is not an overflow, whatever it says. */
export function overflowOf(error: unknown): { tokens?: number; window?: number } | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const status: unknown = "status" in error ? error.status : undefined;
  if (typeof status === "number" && RATE.has(status)) return undefined;
  const text = wordsOf(error);
  if (/rate.?limit|overloaded|quota/i.test(text) && !/prompt is too long|context_length_exceeded/i.test(text)) return undefined;
  for (const saying of SAYINGS) {
    const match = saying.exec(text);
    if (!match) continue;
    const tokens = Number(match.groups?.tokens ?? match[1]);
    const window = Number(match.groups?.window ?? match[2]);
    return { ...(tokens > 0 ? { tokens } : {}), ...(window > 0 ? { window } : {}) };
  }
  return status === 413 ? {} : undefined;
}

function wordsOf(error: object): string {
  const parts = ["message" in error ? asText(error.message) : "", "code" in error ? asText(error.code) : ""];
  const body: unknown = "error" in error ? error.error : undefined;
  if (isDict(body)) {
    const inner = isDict(body.error) ? body.error : body;
    parts.push(asText(inner.message), asText(inner.type), asText(inner.code));
  }
  return parts.join("\n").slice(0, 20_000);
}
