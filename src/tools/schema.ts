import { isDict } from "../base/guards.ts";

/** A value of a tool's input, as JSON Schema says it. */
export type InputValue =
  | { type: "string"; description: string; minLength?: number; maxLength?: number; enum?: string[] }
  | { type: "integer"; description: string; minimum: number; maximum: number }
  | {
      type: "array";
      description: string;
      items: { type: "string"; enum: string[] };
      minItems: number;
      uniqueItems: true;
    };

// Not readonly: the SDKs' own types for a schema are not.
export interface InputSchema {
  [other: string]: unknown;
  type: "object";
  properties: Record<string, InputValue>;
  required: string[];
  additionalProperties: false;
}

export const schemaOf = (
  properties: Record<string, InputValue>,
  required: string[] = [],
): InputSchema => ({ type: "object", properties, required, additionalProperties: false });

/** What is wrong with an input, as the rest of a sentence that begins with the tool's name. Repeats nothing of the input. */
export type Fault = string;

export function faultIn(schema: InputSchema, input: unknown): Fault | undefined {
  const names = Object.keys(schema.properties);
  const takes =
    names.length === 0
      ? "takes an object without members."
      : `takes an object with ${listed(names, "and")}.`;
  if (!isDict(input)) return takes;
  if (Object.keys(input).some((name) => !names.includes(name))) return takes;
  for (const name of names) {
    const rule = schema.properties[name];
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (rule === undefined) continue;
    if (value === undefined || value === null) {
      if (schema.required.includes(name)) return `needs ${name}: ${wanted(rule)}.`;
    } else if (!holds(rule, value)) return `needs ${name} to be ${wanted(rule)}.`;
  }
  return undefined;
}

function holds(rule: InputValue, value: unknown): boolean {
  switch (rule.type) {
    case "string":
      if (typeof value !== "string") return false;
      return rule.enum === undefined
        ? value.trim().length >= (rule.minLength ?? 0) &&
            value.length <= (rule.maxLength ?? Infinity)
        : rule.enum.includes(value);
    case "integer":
      return (
        typeof value === "number" &&
        Number.isInteger(value) &&
        value >= rule.minimum &&
        value <= rule.maximum
      );
    case "array":
      return (
        Array.isArray(value) &&
        value.length >= rule.minItems &&
        value.every((item: unknown) => typeof item === "string" && rule.items.enum.includes(item))
      );
    default:
      return rule satisfies never;
  }
}

function wanted(rule: InputValue): string {
  switch (rule.type) {
    case "string":
      return rule.enum === undefined
        ? `a text of ${rule.minLength ?? 0} to ${rule.maxLength ?? "any number of"} characters`
        : listed(rule.enum, "or");
    case "integer":
      return `a whole number from ${rule.minimum} to ${rule.maximum}`;
    case "array":
      return `a list of ${listed(rule.items.enum, "or")}`;
    default:
      return rule satisfies never;
  }
}

const listed = (words: readonly string[], joint: string): string =>
  words.length < 2
    ? (words[0] ?? "")
    : `${words.slice(0, -1).join(", ")} ${joint} ${words.at(-1) ?? ""}`;
