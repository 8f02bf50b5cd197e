import { httpEmbedder } from "../../adapters/embedders/http.ts";
import type { Embedder } from "../../core/request.ts";
import { type Flags, type Given, UsageError } from "../input/flags.ts";
import type { Io } from "../render/layout.ts";

export const EMBEDDERS: Flags = {
  embedder: { takes: "URL", many: true, says: "a server of embeddings in OpenAI's form" },
  model: { takes: "NAME", many: true, says: "its model: one behind each --embedder" },
};

/** Its key is in TIDEMARK_EMBEDDER_KEY. */
export function embeddersOf({ all }: Given, { env }: Io): Embedder[] {
  const [urls, models] = [all("embedder"), all("model")];
  if (models.length !== urls.length)
    throw new UsageError("--embedder URL and --model NAME go together: name both, each time.");
  const apiKey = env.TIDEMARK_EMBEDDER_KEY ?? "";
  return urls.map((url, at) =>
    httpEmbedder({ url, model: models[at] ?? "", ...(apiKey && { apiKey }) }),
  );
}
