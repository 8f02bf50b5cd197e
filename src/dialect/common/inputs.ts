import { isDict } from "../../base/guards.ts";
import { DEPTH } from "./reading.ts";
import { jsonText } from "./weigh.ts";

type Cut = (text: string) => string;

/** A call's input, shorter: its strings cut, or where there are too many, one string of it all. Itself when short enough. */
export function cutInput(input: unknown, cut: Cut): unknown {
  const json = jsonText(input);
  const whole = cut(json);
  if (whole.length >= json.length) return input;
  const inside = cutStrings(input, cut);
  return jsonText(inside).length <= 2 * whole.length ? inside : { left_out: whole };
}

function cutStrings(value: unknown, cut: Cut, depth = 0): unknown {
  if (typeof value === "string") return cut(value);
  if (depth > DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => cutStrings(item, cut, depth + 1));
  return isDict(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, cutStrings(member, cut, depth + 1)]),
      )
    : value;
}
