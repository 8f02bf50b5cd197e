import "../node-version.ts";
import { asDict, asText, defined, type Dict } from "../core/base.ts";
import type { Tidemark } from "../session/options/tidemark-api.ts";
import { callsThrough, type Model, type Streaming } from "./ai-sdk/calls-through.ts";

/** Each step of an agent brings these along. */
interface Step {
  readonly model: unknown;
  readonly requestContext?: { get(name: string): unknown } | undefined;
}

type StepModel = Model<object, Streaming>;

/**
 * `new Agent({ inputProcessors: [new TidemarkProcessor(tidemark)] })`: each call of the agent's
 * model goes through Tidemark, a thread as its conversation and a resource as its user.
 */
export class TidemarkProcessor {
  readonly id = "tidemark";
  readonly #calls: ReturnType<typeof callsThrough>;

  constructor(tidemark: Tidemark) {
    this.#calls = callsThrough(tidemark, "TidemarkProcessor", "is it among inputProcessors");
  }

  /** Hands the step its model with Tidemark before it. */
  processInputStep({ model, requestContext }: Step) {
    const { thread, resourceId } = asDict(requestContext?.get("MastraMemory"));
    const said = defined({
      conversation: asText(asDict(thread).id) || undefined,
      user: asText(resourceId) || undefined,
    });
    return { model: this.#through(model as StepModel, said) as never };
  }

  /** The model keeps its class and its private members: agents ask for both. */
  #through(model: StepModel, said: Dict): StepModel {
    const calls = this.#calls;
    const callOf = async (options: Dict) => {
      const providerOptions = { tidemark: said, ...asDict(options.providerOptions) };
      const params = await calls.transformParams({ params: { ...options, providerOptions } });
      return {
        ...{ params, model },
        doGenerate: () => model.doGenerate(params as never),
        doStream: () => model.doStream(params as never),
      };
    };
    const replaced: Dict = {
      doGenerate: async (options: Dict) => calls.wrapGenerate(await callOf(options)),
      doStream: async (options: Dict) => calls.wrapStream(await callOf(options)),
    };
    return new Proxy(model, {
      get(target, name) {
        const held: unknown = replaced[name as string] ?? Reflect.get(target, name, target);
        const isOwn = typeof held === "function" && name !== "constructor" && !(name in replaced);
        return isOwn ? held.bind(target) : held;
      },
    });
  }
}
