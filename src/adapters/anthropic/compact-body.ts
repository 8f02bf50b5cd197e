import { defined } from "../../base/defined.ts";
import { isDict } from "../../base/guards.ts";
import { type Message, type ProviderRequest } from "../../model/request.ts";
import { withinMarks } from "../../dialect/anthropic/breakpoints.ts";

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
  const { tool_choice: choice, output_config: config, max_tokens: asked, ...rest } = body;
  const forced = isDict(choice) && (choice.type === "any" || choice.type === "tool");
  const kept = Object.entries(rest).filter(([name]) => !DROPPED.has(name));
  const output = isDict(config)
    ? Object.fromEntries(
        Object.entries(config).filter(([name]) => name !== "format" && name !== "task_budget"),
      )
    : {};
  return withinMarks({
    ...Object.fromEntries(kept),
    model: body.model,
    // The caller's own max_tokens fits behind this prompt, so up to it is safe: a summary cut off is none.
    max_tokens: Math.max(maxTokens, typeof asked === "number" ? asked : 0),
    ...defined({ system, tools }),
    ...defined({
      tool_choice: choice === undefined || choice === null || forced ? undefined : choice,
    }),
    ...defined({ output_config: Object.keys(output).length === 0 ? undefined : output }),
    messages,
    compaction: { type: "summarize", instructions },
  });
}
