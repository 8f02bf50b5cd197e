import { asDict, asText, type Dict, dictIn, dicts, isDict } from "../../core/base.ts";
import { itemsOf } from "../common/dialect.ts";
import { innerOf } from "./view.ts";

/** Members that come in pieces of text. */
const GROWING = new Set(
  (
    "content refusal reasoning reasoning_content arguments input transcript data text thinking " +
    "summary"
  ).split(" "),
);
/** Parts that come in pieces. */
const PIECE = /^(?:text|thinking|reasoning\.(?:text|summary))$/;

interface OpenCall {
  readonly index: unknown;
  call: Dict;
}

/**
 * A completion put together from its chunks; what was cut off is given as far as it came, and
 * `leftOut` says that something of it was left out.
 */
export function completionOf(chunks: readonly Dict[]): Dict | undefined {
  let message: Dict = {};
  const calls: OpenCall[] = [];
  let [finish, usage]: unknown[] = [];
  for (const chunk of chunks) {
    const choice = asDict(dicts(chunk.choices).find(({ index }) => (index ?? 0) === 0));
    usage = [chunk.usage, choice.usage, asDict(chunk.x_groq).usage].find(isDict) ?? usage;
    finish = choice.finish_reason ?? finish;
    const { tool_calls, ...delta } = asDict(choice.delta);
    message = joined(message, delta);
    for (const piece of dicts(tool_calls)) takeCall(calls, piece);
    // A whole message says again all that came in pieces before it.
    const { tool_calls: all, ...whole } = asDict(choice.message);
    message = { ...message, ...saying(whole) };
    if (dicts(all).length > 0)
      calls.splice(0, calls.length, ...dicts(all).map((call) => ({ index: undefined, call })));
  }
  const ended = finish !== undefined && finish !== "error";
  // Of a stream that broke off, half a call was never made.
  const isMade = (call: Dict): boolean =>
    asText(innerOf(call).name) !== "" && (ended || isWhole(call));
  const made = calls.flatMap(({ call }) => (isMade(call) ? [call] : []));
  const { function_call: legacy, ...said } = message;
  const isLegacyMade = legacy !== undefined && isMade({ function: legacy });
  const left = saying({
    ...said,
    function_call: isLegacyMade ? legacy : undefined,
    tool_calls: made,
  });
  const leftOut = made.length < calls.length || (isDict(legacy) && !isLegacyMade);
  if (Object.keys(left).every((name) => name === "role") && said.content !== "") return undefined;
  return {
    choices: [
      {
        index: 0,
        message: { content: null, ...left, role: "assistant" },
        finish_reason: finish ?? null,
      },
    ],
    usage,
    leftOut,
  };
}

const isWhole = (call: Dict): boolean => {
  const given = innerOf(call).arguments;
  return isDict(given) || dictIn(asText(given)) !== undefined;
};

const isUnsaid = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === "" ||
  (Array.isArray(value) && value.length === 0);

/** The members that say something. */
const saying = (members: Dict): Dict =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => !isUnsaid(value)));

/**
 * A piece goes on with the call of its id, else with the last one at its index. A name opens
 * another call where the id is another: some servers put all calls at one index, or at none.
 */
function takeCall(calls: OpenCall[], { index: at, ...piece }: Dict): void {
  const index = at ?? undefined;
  const [id, name] = [asText(piece.id), asText(innerOf(piece).name)];
  const held =
    calls.findLast(({ call }) => id !== "" && call.id === id) ??
    calls.findLast((open) => index === undefined || open.index === index);
  const before = asText(innerOf(held?.call ?? {}).name);
  const isOther =
    held === undefined ||
    index !== held.index ||
    (id === "" ? name !== before || isWhole(held.call) : id !== held.call.id);
  if (held !== undefined && !(isOther && name !== "" && before !== ""))
    held.call = joined(held.call, piece);
  else {
    const type = isDict(piece.custom) ? "custom" : "function";
    calls.push({ index, call: joined({ type }, piece) });
  }
}

function joined(before: Dict, piece: Dict): Dict {
  const made: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(piece))
    made[name] = isUnsaid(value) ? (before[name] ?? value) : grown(before[name], value, name);
  return made;
}

function grown(held: unknown, value: unknown, name: string): unknown {
  const isList = typeof value === "object" || typeof held === "object";
  if (Array.isArray(value) || (name === "content" && isList))
    return listed(itemsOf(held), itemsOf(value));
  if (isDict(value)) return isDict(held) ? joined(held, value) : value;
  return typeof value === "string" && GROWING.has(name) ? asText(held) + value : value;
}

function listed(held: readonly unknown[], items: readonly unknown[]): unknown[] {
  const list = [...held];
  for (const item of items) {
    const last = asDict(list.at(-1));
    const { type, index } = asDict(item);
    if (PIECE.test(asText(type)) && last.type === type && last.index === index)
      list.splice(-1, 1, joined(last, asDict(item)));
    else list.push(item);
  }
  return list;
}
