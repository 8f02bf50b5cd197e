/**
 * A tool for an agent, in no provider's own form. `run` answers text for the model, also where the
 * input is wrong.
 */
export interface MemoryTool {
  name: string;
  description: string;
  /** JSON Schema of `input`. */
  schema: InputSchema;
  /**
   * `input` as the model gave it: an object, or its JSON. Rejects only when `signal` is aborted.
   */
  run(input: unknown, options?: { signal?: AbortSignal | null | undefined }): Promise<string>;
}

// Not readonly: the SDKs' own types for a schema are not.
export interface InputSchema {
  [other: string]: unknown;
  type: "object";
  properties: Record<string, object>;
  required: string[];
  additionalProperties: false;
}
