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
    if (found.length >= MOST || depth > DEEPEST) return;
    if (typeof value === "string") found.push({ key, value: cleaned(value) });
    else if (typeof value === "number" || typeof value === "boolean") found.push({ key, value: String(value) });
    else if (Array.isArray(value)) for (const item of value) visit(item, key, depth + 1);
    else if (typeof value === "object" && value !== null) for (const [name, member] of Object.entries(value)) visit(member, name, depth + 1);
  };
  visit(parsed(input), "", 0);
  return found;
}

function parsed(input: unknown): unknown {
  if (typeof input !== "string" || !/^\s*[[{]/.test(input)) return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}
