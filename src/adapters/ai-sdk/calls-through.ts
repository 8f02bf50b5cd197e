import { asDict, defined, type Dict } from "../../core/base.ts";
import type { Complete, ProviderRequest } from "../../core/request.ts";
import { aiSdk, gatherParts } from "../../providers/ai-sdk/ai-sdk.ts";
import { checkArguments } from "../../session/options/check-arguments.ts";
import type { Tidemark, Turn } from "../../session/options/tidemark-api.ts";
import { answerIn, type Door, doorOf, madeOnceMore, readAlong } from "../http/calls.ts";
import { createKnownPrompts } from "../http/known-prompts.ts";

/** The slice of a language model in use: it lies below the middleware, and starts nothing. */
export interface Model<Generated, Streamed> {
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<Generated>;
  doStream(options: never): PromiseLike<Streamed>;
}

export interface Streaming {
  readonly stream: ReadableStream<unknown>;
}

/**
 * Each call of a language model goes through Tidemark. `name` is the adapter's, `asks` what its
 * user may have forgotten where no call ever comes.
 */
export function callsThrough(tidemark: Tidemark, name: string, asks: string) {
  const door = doorOf(tidemark, name, asks);
  const known = createKnownPrompts();
  /** Of a call's options, what they said to Tidemark. */
  const told = new WeakMap<object, unknown>();

  /** Makes a call; one that is refused for its size once more, smaller. */
  async function through<Made>(
    { params: given, model }: { params: object; model: Model<unknown, unknown> },
    asGiven: () => PromiseLike<Made>,
    make: (options: never) => PromiseLike<Made>,
  ): Promise<{ made: Made; turn?: Turn }> {
    const params = given as Dict;
    if (!door.takes(params.abortSignal as AbortSignal | undefined))
      return { made: await asGiven() };
    const prompt = known(params.prompt);
    const call = { ...params, prompt, model: model.modelId };
    const turn = await opened(door, told.get(params), call, completeBy(params, model));
    return madeOnceMore(turn, (request) =>
      request.prompt === prompt ? asGiven() : make({ ...params, prompt: request.prompt } as never),
    );
  }

  return {
    // Version 6 wants "v3" by its types and takes what the model says; its calls are alike.
    specificationVersion: "v4" as never,
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
      const { made, turn } = await through(call, call.doGenerate, (options) =>
        call.model.doGenerate(options),
      );
      await turn?.end(made);
      return made;
    },
    async wrapStream<Made extends Streaming>(call: {
      doStream: () => PromiseLike<Made>;
      params: object;
      model: Model<unknown, Made>;
    }): Promise<Made> {
      const { made, turn } = await through(call, call.doStream, (options) =>
        call.model.doStream(options),
      );
      if (turn === undefined) return made;
      return { ...made, stream: readAlong(made.stream, gatherParts(), (reply) => turn.end(reply)) };
    },
  };
}

async function opened(
  door: Door,
  said: unknown = {},
  params: Dict,
  complete: Complete,
): Promise<Turn> {
  checkArguments("as", [said], "providerOptions.tidemark");
  const { conversation, ...who } = asDict(said) as Parameters<Tidemark["as"]>[0];
  const isNamed = Object.keys(who).length > 0;
  const speaker = await door.speaker(who, isNamed ? (identity) => identity : undefined);
  return speaker.begin(params as unknown as ProviderRequest, {
    dialect: aiSdk,
    complete,
    ...defined({
      conversation,
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
