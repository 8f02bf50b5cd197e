import "../node-version.ts";
import { asDict, type Dict } from "../core/base.ts";
import type { InputSchema } from "../core/tool-names.ts";
import { internalsFor } from "../session/options/internals.ts";
import type { Tidemark, ToolOptions } from "../session/options/tidemark-api.ts";
import { callsThrough } from "./ai-sdk/calls-through.ts";

/**
 * `wrapLanguageModel({ model, middleware: tidemarkMiddleware(tidemark) })`, for `wrapProvider` too:
 * each call of the model goes through Tidemark, whichever function of the AI SDK makes it.
 * `providerOptions: { tidemark: { user, conversation } }` says who speaks, and in which
 * conversation; it is not sent.
 */
export function tidemarkMiddleware(tidemark: Tidemark) {
  return callsThrough(tidemark, "tidemarkMiddleware", "is it in wrapLanguageModel");
}

/** A schema that says what it is by itself, so that no version of the AI SDK need be loaded. */
interface ToolSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "tidemark";
    readonly validate: (value: unknown) => { readonly value: Dict };
    readonly jsonSchema: { input(): InputSchema; output(): InputSchema };
    readonly types?: { readonly input: Dict; readonly output: Dict };
  };
}
interface AiTool {
  readonly description: string;
  readonly inputSchema: ToolSchema;
  execute(input: Dict, options?: { abortSignal?: AbortSignal | undefined }): Promise<string>;
}

/**
 * `tidemark.tools()` as the AI SDK and Mastra take them: an object of tools by their names. A view
 * of a user makes tools of that user.
 *
 * @example
 * await generateText({ model, prompt, tools: tidemarkTools(tidemark.as({ user: "ada" })) });
 */
export function tidemarkTools(tidemark: Tidemark, options?: ToolOptions): Record<string, AiTool> {
  internalsFor(tidemark, "tidemarkTools");
  return Object.fromEntries(
    tidemark.tools(options).map(({ name, description, schema, run }) => {
      const jsonSchema = { input: () => schema, output: () => schema };
      const validate = (value: unknown) => ({ value: asDict(value) });
      const standard = { version: 1, vendor: "tidemark", validate, jsonSchema } as const;
      const execute: AiTool["execute"] = (input, { abortSignal: signal } = {}) =>
        run(input, { signal });
      return [name, { description, inputSchema: { "~standard": standard }, execute }];
    }),
  );
}
