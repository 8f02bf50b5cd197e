import "../node-version.ts";
import type { Identity } from "../core/identity.ts";
import type { Tidemark } from "../session/options/tidemark-api.ts";
import { createApi } from "./http-api/api.ts";
import type { Rights } from "./http-api/route.ts";

export interface ApiOptions {
  /**
   * Says who asks, by the request's token or session; undefined is answered by 401. Nothing
   * else in the request names an identity.
   */
  identify(request: Request): Identity | undefined | Promise<Identity | undefined>;
  /** Says what that one may do. Default: read and change what is its own. */
  rights?(request: Request): Rights | Promise<Rights>;
}

/**
 * The HTTP API under `/api/v1`, for any framework that has Requests and Responses; docs/http.md
 * lists its calls. It never rejects: what goes wrong is a status and one sentence.
 *
 * @example
 * const handle = api(tidemark, { identify: (request) => sessions.get(request)?.identity });
 * app.all("/api/v1/*", (c) => handle(c.req.raw));
 */
export const api = (
  tidemark: Tidemark,
  options: ApiOptions,
): ((request: Request) => Promise<Response>) => createApi(() => tidemark, options);
