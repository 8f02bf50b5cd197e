import { asText, type Dict, dicts, isDict } from "../../base/guards.ts";

/** Members of a message that come in pieces of text. */
const PIECES = ["content", "refusal", "reasoning", "reasoning_content"] as const;

/** A completion put together from its chunks; what was cut off is given as far as it came. */
export function completionOf(chunks: readonly Dict[]): Dict | undefined {
  const message: Record<string, unknown> = { role: "assistant", content: null };
  const calls = new Map<number, Record<string, unknown>>();
  const details: unknown[] = [];
  let [finish, usage]: unknown[] = [];
  for (const chunk of chunks) {
    if (isDict(chunk.usage)) usage = chunk.usage;
    const choice = dicts(chunk.choices).find(({ index }) => (index ?? 0) === 0);
    finish = choice?.finish_reason ?? finish;
    const delta = choice?.delta;
    if (!isDict(delta)) continue;
    for (const name of PIECES)
      if (typeof delta[name] === "string") message[name] = asText(message[name]) + delta[name];
    if (Array.isArray(delta.reasoning_details))
      details.push(...(delta.reasoning_details as unknown[]));
    for (const [at, call] of dicts(delta.tool_calls).entries()) {
      const index = typeof call.index === "number" ? call.index : at;
      calls.set(index, grown(calls.get(index), call));
    }
  }
  if (details.length > 0) message.reasoning_details = details;
  const whole = [...calls]
    .sort(([one], [other]) => one - other)
    .flatMap(([, call]) => (finish === undefined && !isWhole(call) ? [] : [call]));
  if (whole.length > 0) message.tool_calls = whole;
  if (message.content === null && whole.length === 0 && asText(message.refusal) === "")
    return undefined;
  return { choices: [{ index: 0, message, finish_reason: finish ?? null }], usage };
}

/** Of a stream that broke off, half a call was never made. */
function isWhole({ function: called }: Dict): boolean {
  try {
    return isDict(called) && isDict(JSON.parse(asText(called.arguments)));
  } catch {
    return false;
  }
}

function grown(before: Dict = {}, { index: _, ...delta }: Dict): Record<string, unknown> {
  const one = isDict(before.function) ? before.function : {};
  const more = isDict(delta.function) ? delta.function : {};
  const called = { ...one, ...more, arguments: asText(one.arguments) + asText(more.arguments) };
  return { type: "function", ...before, ...delta, id: delta.id ?? before.id, function: called };
}
