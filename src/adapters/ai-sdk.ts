import "../node-version.ts";
import { asDict, defined, type Dict, isDict } from "../core/base.ts";
import type { Identity } from "../core/identity.ts";
import type { Complete, ProviderRequest } from "../core/request.ts";
import type { InputSchema } from "../core/tool-names.ts";
import { aiSdk } from "../providers/ai-sdk/ai-sdk.ts";
import { gatherParts } from "../providers/ai-sdk/stream.ts";
import { type Internals, internalsFor } from "../session/options/internals.ts";
import type { Tidemark, ToolOptions, Turn } from "../session/options/tidemark-api.ts";
import { retryOf } from "../tidemark/turn/turn.ts";
import { createKnownPrompts } from "./http/known-prompts.ts";
import { answerIn, readAlong, speakerOf } from "./http/calls.ts";

const NAME = "tidemarkMiddleware";

/** The slice of a language model in use: it lies below the middleware, and starts nothing. */
interface Model<Generated, Streamed> {
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<Generated>;
  doStream(options: never): PromiseLike<Streamed>;
}

interface Streaming {
  readonly stream: ReadableStream<unknown>;
}

/**
 * `wrapLanguageModel({ model, middleware: tidemarkMiddleware(tidemark) })`, for `wrapProvider` too:
 * each call of the model goes through Tidemark, whichever function of the AI SDK makes it.
 * `providerOptions: { tidemark: { user, conversation } }` says who speaks, and in which
 * conversation; it is not sent.
 */
export function tidemarkMiddleware(tidemark: Tidemark) {
  const home = internalsFor(tidemark, NAME);
  if (!home.off)
    home.expectCalls(
      `no call came through ${NAME} before this Tidemark was closed; is it in wrapLanguageModel?`,
    );

  const known = createKnownPrompts();
  /** Of a call's options, what they said to Tidemark. */
  const told = new WeakMap<object, unknown>();

  /** Makes a call; one that is refused for its size once more, smaller. */
  async function through<Made>(
    params: Dict,
    model: Model<unknown, unknown>,
    make: (options: Dict | undefined) => PromiseLike<Made>,
  ): Promise<{ made: Made; turn?: Turn }> {
    const isAborted = (params.abortSignal as AbortSignal | undefined)?.aborted === true;
    const closed = home.closed();
    if (closed !== undefined) home.emit({ type: "passed", reason: `this ${closed} was closed` });
    if (home.off || closed !== undefined || isAborted) return { made: await make(undefined) };
    home.sawCall();
    const prompt = known(params.prompt);
    const given = { ...params, prompt, model: model.modelId };
    const said = told.get(params);
    const turn = await opened({ home, tidemark, said }, given, completeBy(params, model));
    const optionsOf = ({ request }: Turn): Dict | undefined =>
      request.prompt === prompt ? undefined : { ...params, prompt: request.prompt };
    try {
      return { made: await make(optionsOf(turn)), turn };
    } catch (thrown) {
      const smaller = await retryOf(turn, thrown);
      if (!smaller) throw thrown;
      return { made: await make(optionsOf(smaller)), turn: smaller };
    }
  }

  return {
    specificationVersion: "v4" as const,
    /** Takes out what is said to Tidemark: some providers send on what they do not know. */
    async transformParams<Params extends object>({ params }: { params: Params }): Promise<Params> {
      const { tidemark: said, ...others } = asDict((params as Dict).providerOptions);
      if (said === undefined) return params;
      const { providerOptions: _all, ...rest } = params as Dict;
      const isLeft = Object.keys(others).length > 0;
      const left = isLeft ? { ...rest, providerOptions: others } : rest;
      told.set(left, said);
      return left as Params;
    },
    async wrapGenerate<Made>(call: {
      doGenerate: () => PromiseLike<Made>;
      params: object;
      model: Model<Made, unknown>;
    }): Promise<Made> {
      const { doGenerate, model } = call;
      const { made, turn } = await through(call.params as Dict, model, (options) =>
        options === undefined ? doGenerate() : model.doGenerate(options as never),
      );
      await turn?.end(made);
      return made;
    },
    async wrapStream<Made extends Streaming>(call: {
      doStream: () => PromiseLike<Made>;
      params: object;
      model: Model<unknown, Made>;
    }): Promise<Made> {
      const { doStream, model } = call;
      const { made, turn } = await through(call.params as Dict, model, (options) =>
        options === undefined ? doStream() : model.doStream(options as never),
      );
      if (turn === undefined) return made;
      return { ...made, stream: readAlong(made.stream, gatherParts(), (reply) => turn.end(reply)) };
    },
  };
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

async function opened(
  { home, tidemark, said }: { home: Internals; tidemark: Tidemark; said: unknown },
  params: Dict,
  complete: Complete,
): Promise<Turn> {
  const { conversation, ...who } = asDict(said);
  const named = isDict(said) && Object.keys(who).length > 0;
  const speaker = named
    ? internalsFor(await speakerOf(tidemark, who as Identity, (identity) => identity, NAME), NAME)
    : home;
  return speaker.begin(params as unknown as ProviderRequest, {
    dialect: aiSdk,
    complete,
    ...defined({
      conversation: typeof conversation === "string" ? conversation : undefined,
      // A caller that hangs up waits no longer.
      signal: params.abortSignal instanceof AbortSignal ? params.abortSignal : undefined,
    }),
  });
}

/** Distilling with the caller's own model. */
const completeBy =
  (params: Dict, model: Model<unknown, unknown>): Complete =>
  async ({ messages, tools, maxTokens, signal, alone }) => {
    const { providerOptions, headers } = params;
    const beside = alone === true ? {} : { tools, toolChoice: tools && { type: "none" } };
    const made = await model.doGenerate({
      ...defined({ providerOptions, headers, ...beside }),
      prompt: messages,
      maxOutputTokens: maxTokens,
      abortSignal: signal,
    } as never);
    return answerIn(aiSdk, made);
  };
