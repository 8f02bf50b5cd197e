import { cacheMarks } from "./cache-marks.ts";
import { asksToCompact } from "./compaction.ts";
import { messageShape, systemShape } from "./message-shape.ts";
import type { ModelInfo } from "./models.ts";
import { orderOf } from "./order.ts";
import { pairingOf } from "./pairing.ts";
import { requestShape } from "./request-shape.ts";
import type { Signer } from "./signatures.ts";
import { thinkingRules } from "./thinking-rules.ts";
import { requestTokens } from "./tokens.ts";
import { given, invalid, isJson, type Json, list, type Refusal, turnsOf } from "./wire.ts";

export interface RefusalOptions {
  /** Values of the `anthropic-beta` header. */
  readonly betas?: readonly string[];
  /** The request came through `client.beta`. Default: a beta header was given. */
  readonly beta?: boolean;
  /** A count_tokens request: no `max_tokens`, no window. */
  readonly counting?: boolean;
  /** Lets an id come again in a later turn: for judging transcripts of other providers in everything else. */
  readonly reusedIds?: boolean;
  /** Checks the signatures of replayed thinking; without it every signature is believed. */
  readonly signer?: Signer;
}

const CLEAR_AT_BETA = "mid-conversation-system-clear-at-2026-08-21";

/** What the API would refuse the request for, or undefined if it would answer. Pure; the body is not changed. */
export function refusalOf(
  body: unknown,
  info: ModelInfo,
  options: RefusalOptions = {},
): Refusal | undefined {
  if (!isJson(body)) return invalid("Input should be a valid dictionary");
  const betas = new Set(options.betas ?? []);
  const counting = options.counting ?? false;
  const shape =
    requestShape(body, info, { beta: options.beta ?? betas.size > 0, counting }) ??
    systemShape(body.system) ??
    messages(body, info, betas);
  if (shape !== undefined) return shape;
  const held = list(body.messages) as readonly Json[];
  const turns = turnsOf(held);
  return (
    orderOf(held, turns, asksToCompact(body) ? { ...info, prefill: true } : info) ??
    pairingOf(body, turns, options.reusedIds ?? false) ??
    cacheMarks(body) ??
    thinkingRules(body, turns, info) ??
    options.signer?.check(body, info) ??
    (counting ? undefined : tooLong(body, info))
  );
}

function messages(body: Json, info: ModelInfo, betas: ReadonlySet<string>): Refusal | undefined {
  for (const [index, message] of list(body.messages).entries()) {
    const refusal = messageShape(message, index, info);
    if (refusal !== undefined) return refusal;
    if (isJson(message) && given(message.clear_at) && !betas.has(CLEAR_AT_BETA))
      return invalid(`messages.${index}.clear_at: Extra inputs are not permitted`);
  }
  return undefined;
}

function tooLong(body: Json, info: ModelInfo): Refusal | undefined {
  const input = requestTokens(body);
  const window = info.max_input_tokens;
  if (input > window) return invalid(`prompt is too long: ${input} tokens > ${window} maximum`);
  const asked = Number(body.max_tokens);
  return info.sumMustFit && input + asked > window
    ? invalid(
        `input length and \`max_tokens\` exceed context limit: ${input} + ${asked} > ${window}, decrease input length or \`max_tokens\` and try again`,
      )
    : undefined;
}
