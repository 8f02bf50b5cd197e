import { defined, asText, dicts, isDict } from "../../base/guards.ts";
import { type Compact } from "../../model/ports.ts";
import { type ProviderRequest, type Message } from "../../model/request.ts";
import { answerOf, withBody } from "./body.ts";
import { type Capable } from "./capabilities.ts";
import { askHeaders } from "./complete.ts";
import { type ApiRequest, type Next } from "../http/wire.ts";
import { withinMarks } from "../../dialect/anthropic/breakpoints.ts";

/** A summary signed by the provider, asked for with the caller's own client and key, below the middleware. */
export function compactThrough({
  request,
  body,
  send,
  capable,
}: {
  request: ApiRequest;
  body: ProviderRequest;
  send: Next;
  capable: Capable;
}): Compact {
  return async ({ signal, ...ask }) => {
    const { signal: _signal, ...rest } = request;
    const response = await send(
      withBody({ ...rest, headers: askHeaders(request), signal }, compactBody(body, ask), capable),
    );
    const reply = await answerOf(response, reasonIn);
    const blocks = dicts(reply.message.content);
    const [block] = blocks;
    // Any other ending, other blocks beside it or an empty one: no summary was written, whatever the words say.
    const written =
      reply.stop === "compaction" &&
      blocks.length === 1 &&
      block?.type === "compaction" &&
      asText(block.content) !== "";
    return {
      text: written ? asText(block.content) : "",
      ...defined({ message: written ? reply.message : undefined }),
      ...defined({ usage: reply.usage ? (reply.billed ?? reply.usage) : undefined }),
      ...(reply.stop === undefined
        ? {}
        : { stop: reply.stop === "compaction" ? "an empty summary" : reply.stop }),
    };
  };
}

function reasonIn(answer: unknown, status: number): string {
  const error = isDict(answer) && isDict(answer.error) ? answer.error : {};
  const code = isDict(error.details) ? asText(error.details.error_code) : "";
  const said = asText(error.message).slice(0, 500) || "no reason given";
  return `the provider answered ${code || status}: ${said}`;
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
