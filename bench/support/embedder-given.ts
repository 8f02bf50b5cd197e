import { parseArgs } from "node:util";
import { httpEmbedder } from "../../src/adapters/embedders/http.ts";
import type { Embedder } from "../../src/core/request.ts";

/** The service that `--embedder URL --model NAME` names; its key stands in EMBEDDER_KEY. */
export function embedderGiven(args: string[]): Embedder | undefined {
  const options = { embedder: { type: "string" }, model: { type: "string" } } as const;
  const { embedder: url, model = "text-embedding-3-small" } = parseArgs({ args, options }).values;
  return url === undefined
    ? undefined
    : httpEmbedder({ url, model, apiKey: process.env.EMBEDDER_KEY });
}
