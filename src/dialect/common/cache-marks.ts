import { isDict } from "../../base/guards.ts";
import { DEPTH, mapKeeping } from "./reading.ts";

/** Members whose inside is the model's or the caller's, where `cache_control` would be a word like any other. */
const OPAQUE = new Set(["input", "arguments"]);

/** `value` without `cache_control` at any depth of the provider's format; itself when there is none. */
export function withoutMarks(value: unknown, depth = 0): unknown {
  if (depth > DEPTH) return value;
  if (Array.isArray(value)) return mapKeeping(value, (item) => withoutMarks(item, depth + 1));
  if (!isDict(value)) return value;
  let changed = "cache_control" in value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (name === "cache_control") return [];
    const after = OPAQUE.has(name) ? member : withoutMarks(member, depth + 1);
    changed ||= after !== member;
    return [[name, after] as const];
  });
  return changed ? Object.fromEntries(members) : value;
}
