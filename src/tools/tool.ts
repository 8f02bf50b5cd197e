import { parsed, isDict } from "../base/guards.ts";
import { untilAborted } from "../base/async.ts";

/** A tool for an agent, in no provider's own form. `run` answers text for the model, also where the input is wrong. */
export interface MemoryTool {
  name: string;
  description: string;
  /** JSON Schema of `input`. */
  schema: InputSchema;
  /** `input` as the model gave it: an object, or its JSON. Rejects only when `signal` is aborted. */
  run(input: unknown, options?: { signal?: AbortSignal | null | undefined }): Promise<string>;
}

/** What a tool does, once its input is known to be of the schema. */
export interface ToolWork {
  readonly name: string;
  readonly description: string;
  readonly schema: InputSchema;
  readonly work: (input: Readonly<Record<string, unknown>>) => Promise<string>;
}

/** The sentence for trouble inside; tells the host what it was. */
export type OnTrouble = (tool: string, thrown: unknown) => string;

export const failed = (sentence: string): string => `Error: ${sentence}`;

/** The tool around the work: whatever comes in, one text goes out. */
export function toolOf(
  { name, description, schema, work }: ToolWork,
  onTrouble: OnTrouble,
): MemoryTool {
  async function answer(given: unknown): Promise<string> {
    // Models leave out the arguments of a call that needs none.
    const input = typeof given === "string" ? parsed(given.trim() || "{}") : given;
    const fault = faultIn(schema, input);
    if (fault !== undefined) return failed(`${name} ${fault}`);
    try {
      return await work(input as Readonly<Record<string, unknown>>);
    } catch (thrown) {
      return onTrouble(name, thrown);
    }
  }
  return {
    name,
    description,
    schema,
    run: (input, { signal } = {}) => untilAborted(() => answer(input), signal ?? undefined),
  };
}

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
function faultIn(schema: InputSchema, input: unknown): string | undefined {
  const names = Object.keys(schema.properties);
  const takes =
    names.length === 0
      ? "takes an object without members."
      : `takes an object with ${listed(names, "and")}.`;
  if (!isDict(input) || Object.keys(input).some((name) => !names.includes(name))) return takes;
  for (const [name, rule] of Object.entries(schema.properties)) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
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
  }
}

const listed = (words: readonly string[], joint: string): string =>
  words.length < 2
    ? (words[0] ?? "")
    : `${words.slice(0, -1).join(", ")} ${joint} ${words.at(-1) ?? ""}`;
