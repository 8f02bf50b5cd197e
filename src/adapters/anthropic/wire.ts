import { type ProviderRequest } from "../../model/request.ts";

/** The slice of the SDK's request that is read or replaced. */
export interface ApiRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers: Headers;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}

export type Next = (request: ApiRequest) => Promise<Response>;

/** The same request with another body; a stale content-length makes the call hang. */
export function withBody(request: ApiRequest, body: ProviderRequest): ApiRequest {
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  return { ...request, headers, body: JSON.stringify(body) };
}
