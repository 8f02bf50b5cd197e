import { asDict, asText, defined, dicts, isDict } from "../../base/guards.ts";
import type { Compact } from "../../model/ports.ts";
import type { ProviderRequest, Message } from "../../model/request.ts";
import { asked, type Asking, isForced, withoutForm } from "./complete.ts";
import { withinMarks } from "../../dialect/anthropic/breakpoints.ts";

/** A summary signed by the provider, asked for with the caller's own client and key, below the middleware. */
export function compactThrough(asking: Asking): Compact {
  return async ({ signal, ...ask }) => {
    const reply = await asked(asking, compactBody(asking.body, ask), signal, ({ details }) =>
      asText(asDict(details).error_code),
    );
    const blocks = dicts(reply.message.content);
    const [block] = blocks;
    // Any other ending, other blocks beside it or an empty one: no summary was written, whatever the words say.
    const text =
      reply.stop === "compaction" && blocks.length === 1 && block?.type === "compaction"
        ? asText(block.content)
        : "";
    return {
      text,
      ...defined({
        message: text === "" ? undefined : reply.message,
        usage: reply.usage && (reply.billed ?? reply.usage),
        stop: reply.stop === "compaction" ? "an empty summary" : reply.stop,
      }),
    };
  };
}

interface Ask {
  readonly system: unknown;
  readonly messages: readonly Message[];
  readonly tools?: unknown;
  readonly instructions: string;
  readonly maxTokens: number;
}

/** Refused beside a compaction, of no use to it, or meant for the caller's reply alone (SDK 1.11, the tool runner's own list). */
const DROPPED = new Set([
  "stream",
  "stop_sequences",
  "output_format",
  "context_management",
  "container",
  "thread",
  "compaction",
  "diagnostics",
  "fallback_credit_token",
  "fallbacks",
]);

/** The caller's request turned into one that asks for a summary: same model, system text, tools and thinking, so that the cache is read and kept thinking stays valid. */
export function compactBody(
  body: ProviderRequest,
  { system, messages, tools, instructions, maxTokens }: Ask,
): ProviderRequest {
  const { tool_choice: choice, output_config: config, max_tokens: given, ...rest } = body;
  const kept = Object.entries(rest).filter(([name]) => !DROPPED.has(name));
  return withinMarks({
    ...Object.fromEntries(kept),
    model: body.model,
    // The caller's own max_tokens fits behind this prompt, so up to it is safe: a summary cut off is none.
    max_tokens: Math.max(maxTokens, typeof given === "number" ? given : 0),
    ...defined({
      system,
      tools,
      tool_choice: isForced(choice) ? undefined : (choice ?? undefined),
      output_config: isDict(config) ? withoutForm(config) : undefined,
    }),
    messages,
    compaction: { type: "summarize", instructions },
  });
}
