import { type Dict, isDict, parsed } from "../../base/guards.ts";
import { type ProviderRequest } from "../../model/request.ts";
import { type ApiRequest } from "./wire.ts";

/**
 * The body of a call of the Messages endpoint, or of the one that counts its tokens. As the caller's own objects where they are what is sent: what was seen before
 * need not be read again then. A middleware that runs before ours may have sent on another body than the caller's.
 */
export function bodyOf(
  request: ApiRequest,
  own: unknown,
  isOwn: (own: Dict, text: string) => boolean,
): ProviderRequest | undefined {
  if (
    request.method?.toUpperCase() !== "POST" ||
    !/\/v1\/messages(?:\/count_tokens)?\/?$/.test(new URL(request.url).pathname)
  )
    return undefined;
  const sent = request.body;
  const body = typeof sent !== "string" || (isDict(own) && isOwn(own, sent)) ? own : parsed(sent);
  return isDict(body) && Array.isArray(body.messages) ? (body as ProviderRequest) : undefined;
}

/** It asks how many tokens a request has, and is answered with a number. */
export const isCount = (request: ApiRequest): boolean =>
  new URL(request.url).pathname.includes("count_tokens");

/** What a caller of threads can do. */
export const UNFOLDED =
  "the server holds its messages, so nothing of it is folded: use toolRunner({ thread: false }) or messages.create";

const isThreaded = (body: Dict): boolean => body.thread !== undefined && body.thread !== null;

/** Requests of a thread whose beginning was not seen, or that ask the server for a fold of its own: why they pass as they are. */
export function heldByServer(body: Dict): string | undefined {
  if (isThreaded(body)) return `this thread began where Tidemark was not; ${UNFOLDED}`;
  if (body.compaction !== undefined && body.compaction !== null)
    return "the request asks the server for a compaction";
  return undefined;
}
