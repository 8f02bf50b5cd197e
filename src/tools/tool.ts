import { type Dict, isDict, isOneOf, parsed } from "../base/guards.ts";
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
  properties: Rules;
  required: string[];
  additionalProperties: false;
}

type Rules = Record<string, InputValue>;

/** What a value is, once its rule holds. */
type Value<Rule> = Rule extends { items: { enum: (infer One)[] } }
  ? One[]
  : Rule extends { enum: (infer One)[] }
    ? One
    : Rule extends { type: "integer" }
      ? number
      : string;
type Input<Needs, Takes> = { [Name in keyof Needs]: Value<Needs[Name]> } & {
  [Name in keyof Takes]?: Value<Takes[Name]>;
};

/** What a tool is for and does, whatever it is called. */
export interface ToolWork extends Pick<MemoryTool, "description" | "schema"> {
  /** Once the input is known to be of the schema. */
  readonly work: (input: Dict) => Promise<string>;
}

/** `needs`: the members an input must have; `takes`: those it may. */
export const tool = <Needs extends Rules, Takes extends Rules = Record<never, never>>({
  description,
  needs,
  takes,
  work,
}: {
  description: string;
  needs: Needs;
  takes?: Takes;
  work: (input: Input<Needs, Takes>) => Promise<string>;
}): ToolWork => ({
  description,
  schema: {
    type: "object",
    properties: { ...needs, ...takes },
    required: Object.keys(needs),
    additionalProperties: false,
  },
  work: (input) => work(input as Input<Needs, Takes>),
});

export const string = (description: string, maxLength: number, minLength = 1) => ({
  type: "string" as const,
  description,
  minLength,
  maxLength,
});
export const integer = (description: string, maximum: number) => ({
  type: "integer" as const,
  description,
  minimum: 1,
  maximum,
});
export const oneOf = <One extends string>(description: string, ...values: One[]) => ({
  type: "string" as const,
  description,
  enum: values,
});
export const someOf = <One extends string>(description: string, ...values: One[]) => ({
  type: "array" as const,
  description,
  items: { type: "string" as const, enum: values },
  minItems: 1,
  uniqueItems: true as const,
});

/** The sentence for trouble inside; tells the host what it was. */
type OnTrouble = (tool: string, thrown: unknown) => string;

export const failed = (sentence: string): string => `Error: ${sentence}`;

/** The tool around the work: whatever comes in, one text goes out. */
export function toolOf(
  name: string,
  { description, schema, work }: ToolWork,
  onTrouble: OnTrouble,
): MemoryTool {
  async function answer(given: unknown): Promise<string> {
    // Models leave out the arguments of a call that needs none.
    const input = typeof given === "string" ? parsed(given.trim() || "{}") : given;
    const { properties, required } = schema;
    const names = Object.keys(properties);
    if (!isDict(input) || Object.keys(input).some((one) => !names.includes(one)))
      return failed(
        `${name} takes an object ${names.length === 0 ? "without members" : `with ${AND.format(names)}`}.`,
      );
    // To some models null is what is not given.
    const told = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
    for (const [member, rule] of Object.entries(properties)) {
      const value = told[member];
      const { want, holds } = demandOf(rule);
      if (value === undefined && required.includes(member))
        return failed(`${name} needs ${member}: ${want}.`);
      if (value !== undefined && !holds(value))
        return failed(`${name} needs ${member} to be ${want}.`);
    }
    try {
      return await work(told);
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

const AND = new Intl.ListFormat("en-GB");
const OR = new Intl.ListFormat("en-GB", { type: "disjunction" });

/** What a rule asks of a value, in words that repeat nothing of it, and whether it holds. */
function demandOf(rule: InputValue): { want: string; holds: (value: unknown) => boolean } {
  if (rule.type === "integer") {
    const { minimum, maximum } = rule;
    return {
      want: `a whole number from ${minimum} to ${maximum}`,
      holds: (value) =>
        Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
    };
  }
  if (rule.type === "array") {
    const { enum: values } = rule.items;
    return {
      want: `a list of ${OR.format(values)}`,
      holds: (value) =>
        Array.isArray(value) && value.length > 0 && value.every((one) => isOneOf(values, one)),
    };
  }
  const { enum: values, minLength = 0, maxLength = Infinity } = rule;
  if (values !== undefined)
    return { want: OR.format(values), holds: (value) => isOneOf(values, value) };
  return {
    want: `a text of ${minLength} to ${maxLength} characters`,
    holds: (value) =>
      typeof value === "string" && value.trim().length >= minLength && value.length <= maxLength,
  };
}
