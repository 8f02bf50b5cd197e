import { parsed } from "../base/guards.ts";
import { untilAborted } from "../base/async.ts";
import { type Fault, faultIn, type InputSchema } from "./schema.ts";

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
    const text = typeof given === "string" ? given.trim() || "{}" : undefined;
    const input = text === undefined ? given : parsed(text);
    const fault: Fault | undefined = faultIn(schema, input);
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
