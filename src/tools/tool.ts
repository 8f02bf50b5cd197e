import * as z from "zod/mini";
import { isDict, parsed } from "../base/guards.ts";
import { untilAborted } from "../base/async.ts";
import type { InputSchema, MemoryTool } from "./memory-tool.ts";

type ToolShape = Readonly<Record<string, z.ZodMiniType>>;

/** A tool is known by its work, whatever it is called. */
export interface ToolWork {
  readonly description: string;
  readonly input: z.ZodMiniObject<ToolShape>;
  /** Once the input is known to be of the schema. */
  readonly work: (input: never) => Promise<string>;
}

/** `takes`: the members of an input; those that may be left out are `optional`. */
export const tool = <Of extends ToolShape>({
  description,
  takes,
  work,
}: {
  description: string;
  takes: Of;
  work: (input: z.output<z.ZodMiniObject<Of>>) => Promise<string>;
}): ToolWork => ({ description, input: z.strictObject(takes), work });

export const optional = z.optional;

const OR = new Intl.ListFormat("en-GB", { type: "disjunction" });

export const string = (description: string, most: number, least = 1) => {
  const want = `a text of ${least} to ${most} characters`;
  return z.string(want).check(
    z.minLength(least, want),
    z.maxLength(most, want),
    z.refine((text) => text.trim().length >= least, want),
    z.describe(description),
  );
};
export const integer = (description: string, most: number) => {
  const want = `a whole number from 1 to ${most}`;
  return z.int(want).check(z.minimum(1, want), z.maximum(most, want), z.describe(description));
};
export const oneOf = <One extends string>(description: string, ...values: One[]) =>
  z.enum(values, OR.format(values)).check(z.describe(description));
export const someOf = <One extends string>(description: string, ...values: One[]) => {
  const want = `a list of ${OR.format(values)}`;
  return z
    .array(z.enum(values, want), want)
    .check(z.minLength(1, want), z.meta({ description, uniqueItems: true }));
};

/** The sentence for trouble inside; tells the host what it was. */
type OnTrouble = (tool: string, thrown: unknown) => string;

export const failed = (sentence: string): string => `Error: ${sentence}`;

/** The tool around the work: whatever comes in, one text goes out. */
export function toolOf(
  name: string,
  { description, input: schema, work }: ToolWork,
  onTrouble: OnTrouble,
): MemoryTool {
  const members = Object.keys(schema.shape);
  async function answer(given: unknown): Promise<string> {
    // Models leave out the arguments of a call that needs none.
    const input = typeof given === "string" ? parsed(given.trim() || "{}") : given;
    // To some models null is what is not given.
    const told = isDict(input)
      ? Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null))
      : input;
    const { data, error } = z.safeParse(schema, told, { jitless: true });
    const [issue] = error?.issues ?? [];
    if (issue?.path[0] !== undefined)
      return failed(`${name} needs ${String(issue.path[0])} to be ${issue.message}.`);
    if (issue !== undefined)
      return failed(
        `${name} takes an object ` +
          `${members.length === 0 ? "without members" : `with ${AND.format(members)}`}.`,
      );
    try {
      return await work(data as never);
    } catch (thrown) {
      return onTrouble(name, thrown);
    }
  }
  const { $schema: _, ...made } = z.toJSONSchema(schema);
  return {
    name,
    description,
    schema: { required: [], ...made } as unknown as InputSchema,
    run: (input, { signal } = {}) => untilAborted(() => answer(input), signal ?? undefined),
  };
}

const AND = new Intl.ListFormat("en-GB");
