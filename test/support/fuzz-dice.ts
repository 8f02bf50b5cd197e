import { mulberry32 } from "./histories-random.ts";

/** Chance that can be had again: the same seed gives the same cases (mulberry32). */
export interface Dice {
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number;
  one<T>(of: readonly T[]): T;
  chance(share: number): boolean;
}

export function diceOf(seed: number): Dice {
  const next = mulberry32(seed);
  const below = (most: number): number => Math.floor(next() * most);
  return {
    below,
    one: (of) => of[below(of.length)] as (typeof of)[number],
    chance: (share) => next() < share,
  };
}

/** What parsers stumble over. */
export const TOKENS = [
  "<",
  ">",
  "</",
  "<!--",
  "-->",
  "--",
  "---\n",
  "...\n",
  "```",
  "~~~\n",
  "`",
  "\n",
  "\r\n",
  "\r",
  "\t",
  " ",
  "  ",
  "- ",
  "* ",
  "# ",
  "## ",
  "1. ",
  "\\",
  "\\n",
  "\\u",
  "\\u{110000}",
  '\\"',
  '"',
  "'",
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  "null",
  "true",
  "NaN",
  "1e999",
  "-0",
  "\u0000",
  "\u001b[2J",
  "\u200b",
  "\u200d",
  "\u202e",
  "\ufeff",
  "\ud800",
  "\udc00",
  "\u2028",
  "\u{e0041}",
  "\u{e0101}",
  "é",
  "e\u0301",
  "ß",
  "İ",
  "漢字",
  "かな",
  "😀",
  "👨‍👩‍👧",
  "٣",
  "<tidemark-facts>",
  "</tidemark-facts>",
  "tidemark-",
  " <!-- ",
  " -->",
  "id=",
  "at=2026-01-01T00:00:00.000Z",
  "scope=user:ada",
  "kind=fact",
  "origin=user",
  "%41",
  "%",
  "%ud800",
  "<!-- tidemark:head -->",
  "<!-- /tidemark:head -->",
  "facts",
  "summary",
  "content",
  "role",
  "user",
  "assistant",
  "tool",
  "system",
  "--limit",
  "--",
  "-x",
  "--workspace=",
  "=",
  "../",
  "/",
  "~",
  "CON",
  "constructor",
  "__proto__",
  "toString",
  "2026-02-30",
  "the cat",
  "Ada",
  "12",
  "?",
  "！",
  "。",
  "$",
  "^",
  "(",
  ")",
  "+",
  "|",
  "*",
] as const;

export function textOf(dice: Dice, most = 12): string {
  let text = "";
  for (let left = dice.below(most + 1); left > 0; left -= 1)
    text += dice.chance(0.85)
      ? dice.one(TOKENS)
      : String.fromCharCode(dice.below(dice.chance(0.5) ? 128 : 65_536));
  if (dice.chance(0.02)) text = text.repeat(1 + dice.below(40));
  return text;
}

/** A sound text with some of it changed, doubled, cut or gone. */
export function mutated(dice: Dice, text: string): string {
  let made = text;
  for (let left = 1 + dice.below(3); left > 0; left -= 1) {
    const at = dice.below(made.length + 1);
    const end = Math.min(made.length, at + dice.below(12));
    switch (dice.below(5)) {
      case 0:
        made = made.slice(0, at) + made.slice(end);
        break;
      case 1:
        made = made.slice(0, at) + dice.one(TOKENS) + made.slice(at);
        break;
      case 2:
        made = made.slice(0, end) + made.slice(at);
        break;
      case 3:
        made = made.slice(0, at);
        break;
      default:
        made = made.slice(0, at) + textOf(dice, 3) + made.slice(end);
    }
  }
  return made;
}

const KEYS = `
role content type text id name input tool_use_id tool_calls tool_call_id function arguments
source data media_type url image_url cache_control is_error thinking signature citations usage
input_tokens choices message finish_reason stop_reason system messages tools model max_tokens
refusal uuid isSidechain sessionId timestamp toJSON __proto__ length
`
  .trim()
  .split(/\s+/);
const VALUES = `
user assistant tool system developer text tool_use tool_result server_tool_use
web_search_tool_result thinking redacted_thinking image document base64 url image_url
input_audio function mcp_tool_use mcp_tool_result compaction container_upload summary
`
  .trim()
  .split(/\s+/);

/** Any JSON, made of the words messages are made of. */
export function jsonOf(dice: Dice, depth = 4): unknown {
  const what = depth <= 0 ? dice.below(6) : dice.below(12);
  if (what < 2) return dice.one(VALUES);
  if (what === 2) return textOf(dice, 4);
  if (what === 3) return dice.one([0, 1, -1, 1e308, NaN, 0.5, 2 ** 53]);
  if (what === 4) return dice.one([null, true, false, undefined]);
  if (what === 5) return "";
  if (what < 8) return Array.from({ length: dice.below(4) }, () => jsonOf(dice, depth - 1));
  const made: Record<string, unknown> = {};
  for (let left = dice.below(6); left > 0; left -= 1)
    made[dice.one(KEYS)] = jsonOf(dice, depth - 1);
  return made;
}

/** A message that is nearly right. */
export function messageOf(dice: Dice): Record<string, unknown> {
  const role = dice.one(["user", "assistant", "assistant", "tool", "system", "developer", "x"]);
  const block = (): unknown =>
    dice.one<() => unknown>([
      () => ({ type: "text", text: textOf(dice, 5) }),
      () => ({
        type: "tool_use",
        id: dice.one(["a", "b"]),
        name: textOf(dice, 2),
        input: jsonOf(dice, 2),
      }),
      () => ({
        type: "tool_result",
        tool_use_id: dice.one(["a", "b"]),
        content: jsonOf(dice, 2),
        is_error: dice.chance(0.3),
      }),
      () => ({ type: "image", source: jsonOf(dice, 2) }),
      () => ({ type: "thinking", thinking: textOf(dice, 2), signature: "x" }),
      () => jsonOf(dice, 3),
    ])();
  const content = dice.chance(0.4)
    ? textOf(dice, 6)
    : dice.chance(0.9)
      ? Array.from({ length: dice.below(4) }, block)
      : jsonOf(dice, 2);
  return {
    role,
    content,
    ...(dice.chance(0.15) ? { tool_calls: jsonOf(dice, 3) } : {}),
    ...(dice.chance(0.1) ? { [dice.one(KEYS)]: jsonOf(dice, 2) } : {}),
  };
}
