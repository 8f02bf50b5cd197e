import "../node-version.ts";

export { httpEmbedder, type HttpEmbedderOptions } from "./embedders/http.ts";
export { localEmbedder } from "./embedders/local.ts";
export {
  transformersEmbedder,
  type Transformers,
  type TransformersEmbedderOptions,
} from "./embedders/transformers.ts";
export type { Embedder } from "../core/request.ts";
