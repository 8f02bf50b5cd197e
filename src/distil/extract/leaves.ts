import { parsed } from "../../base/guards.ts";
import { cleaned } from "../../text/cut.ts";

/** A value inside a call's input, with the name it stands under. */
export interface Leaf {
  readonly key: string;
  readonly value: string;
}

const DEEPEST = 12;
const MOST = 200;

/** Strings, numbers and booleans of any JSON, in order; a string that is itself JSON (OpenAI arguments) is read. */
export function leavesOf(input: unknown): Leaf[] {
  const found: Leaf[] = [];
  const visit = (value: unknown, key: string, depth: number): void => {
    if (found.length >= MOST || depth > DEEPEST || value === null || value === undefined) return;
    if (typeof value === "object")
      for (const [name, member] of Object.entries(value))
        visit(member, Array.isArray(value) ? key : name, depth + 1);
    else found.push({ key, value: cleaned(String(value)) });
  };
  visit(
    typeof input === "string" && /^\s*[[{]/.test(input) ? (parsed(input) ?? input) : input,
    "",
    0,
  );
  return found;
}
