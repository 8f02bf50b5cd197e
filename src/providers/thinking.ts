import { asDict, asText, defined, dicts, isDict } from "../core/base.ts";
import type { Message, ProviderRequest } from "../core/request.ts";
import { isThinking } from "./anthropic/blocks.ts";
import type { Dialect } from "./common/dialect.ts";
import { openLoop } from "./common/seams.ts";

/**
 * Manual thinking: the provider wants a tool loop under way to begin with the thinking that led to
 * it.
 */
export const thinksByHand = ({ thinking }: ProviderRequest): boolean =>
  asDict(thinking).type === "enabled";

/** The part of the reply's tokens that manual thinking may take. */
export function thinkingBudget(request: ProviderRequest): number {
  const { budget_tokens: budget } = asDict(request.thinking);
  return thinksByHand(request) && typeof budget === "number" ? budget : 0;
}

const leadsWithThinking = ({ content }: Message): boolean => isThinking(asDict(dicts(content)[0]));

/**
 * The request with thinking switched off, and what is refused without it: a loop whose thinking is
 * lost is refused otherwise.
 */
function thinkingOff(request: ProviderRequest): ProviderRequest {
  const { thinking: _thinking, context_management: given, ...rest } = request;
  // The provider clears thoughts only of a request that thinks.
  const managed = withoutEdits(given, "clear_thinking_");
  return { ...rest, ...defined({ context_management: managed }) } as ProviderRequest;
}

/**
 * A request's `context_management` without edits of a kind; undefined where nothing is left of it.
 */
export function withoutEdits(managed: unknown, kind: string): unknown {
  if (!isDict(managed) || !Array.isArray(managed.edits)) return managed;
  const edits = managed.edits.filter(
    (edit: unknown) => !asText(asDict(edit).type).startsWith(kind),
  );
  if (edits.length === managed.edits.length) return managed;
  return edits.length === 0 && Object.keys(managed).length === 1
    ? undefined
    : { ...managed, edits };
}

/** A tool loop under way that has lost its thinking is only accepted with manual thinking off. */
export function fitThinking(dialect: Dialect, request: ProviderRequest): ProviderRequest {
  if (!thinksByHand(request)) return request;
  const first = request.messages[openLoop(dialect, request.messages) ?? -1];
  return first === undefined || leadsWithThinking(first)
    ? request
    : withoutLast(dialect, thinkingOff(request));
}

/** A reply that is gone on with, a paused one say, may hold no thoughts where thinking is off. */
function withoutLast(dialect: Dialect, request: ProviderRequest): ProviderRequest {
  const last = request.messages.at(-1);
  if (last === undefined || dialect.speaker(last) !== "assistant" || !dialect.thinks(last))
    return request;
  return { ...request, messages: request.messages.with(-1, dialect.withoutThinking(last)) };
}
