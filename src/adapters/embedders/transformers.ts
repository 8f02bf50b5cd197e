import { reasonOf, TidemarkError } from "../../core/errors-and-events.ts";
import type { Embedder, EmbeddingUse } from "../../core/request.ts";

/** The part of @huggingface/transformers we call. */
export interface Transformers {
  pipeline(
    task: "feature-extraction",
    model: string,
    options?: Readonly<Record<string, unknown>>,
  ): Promise<Extractor>;
}
type Extractor = (
  texts: string[],
  options: { pooling: string; normalize: boolean },
) => Promise<{ dims: readonly number[]; data: ArrayLike<number> }>;

export interface TransformersEmbedderOptions {
  /**
   * A model of the Hugging Face hub, fetched once, or a folder. Default "Xenova/all-MiniLM-L6-v2".
   */
  model?: string;
  /** How the vectors of the words become one. Default "mean". */
  pooling?: "mean" | "cls" | "last_token";
  /** Passed to the pipeline: { dtype: "q8", device: "cpu", local_files_only: true, … }. */
  options?: Readonly<Record<string, unknown>>;
  /** Texts run at once. Default 16. */
  batch?: number;
  /**
   * Put before a text, for models that want to know what it is for: { question: "query: ", memory:
   * "passage: " }.
   */
  prefixes?: Partial<Record<EmbeddingUse, string>>;
  /**
   * The module itself, where it is bundled or you set its `env`. Default: imported when the first
   * text comes.
   */
  transformers?: Transformers;
}

/**
 * A model in this process. Needs `npm install @huggingface/transformers`; says so when it is not
 * there.
 */
export function transformersEmbedder({
  model = "Xenova/all-MiniLM-L6-v2",
  pooling = "mean",
  options = {},
  batch = 16,
  prefixes = {},
  transformers,
}: TransformersEmbedderOptions = {}): Embedder {
  let loading: Promise<Extractor> | undefined;
  const load = (): Promise<Extractor> => {
    loading ??= Promise.resolve(
      transformers ?? needed<Transformers>(NAME, "transformersEmbedder"),
    ).then(({ pipeline }) => pipeline("feature-extraction", model, options));
    // A download that broke off may be tried again.
    loading.catch(() => (loading = undefined));
    return loading;
  };

  return {
    model: `${model}${options.dtype === undefined ? "" : ` ${String(options.dtype)}`}`,
    async embed(texts, signal, use = "memory") {
      const extract = await load();
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += batch) {
        signal?.throwIfAborted();
        const part = texts.slice(from, from + batch).map((text) => (prefixes[use] ?? "") + text);
        const { dims, data } = await extract(part, { pooling, normalize: true });
        const size = dims.at(-1) ?? 0;
        if (size === 0 || data.length !== part.length * size)
          throw new TidemarkError(
            "embed",
            `The model ${model} answered a tensor of ${dims.join(" × ")} for ` +
              `${part.length} texts; it must be one vector a text.`,
          );
        const all = Float32Array.from(data);
        part.forEach((_, at) => vectors.push(all.slice(at * size, (at + 1) * size)));
      }
      return vectors;
    },
  };
}

const NAME = "@huggingface/transformers";

/** A package that is there only where it is wanted. */
export async function needed<T>(name: string, whose: string, packages = name): Promise<T> {
  try {
    // By a name that the compiler and bundlers do not follow.
    return (await import(name)) as T;
  } catch (thrown) {
    throw new TidemarkError(
      "capability",
      `${whose} needs a package: npm install ${packages}. (${reasonOf(thrown)})`,
      { cause: thrown },
    );
  }
}
