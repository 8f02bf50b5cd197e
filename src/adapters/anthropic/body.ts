import { type Dict, isDict } from "../../model/guards.ts";
import { type ProviderRequest } from "../../model/request.ts";
import { type ApiRequest } from "./wire.ts";

/**
 * The body of a call of the Messages endpoint. As the caller's own objects where they are what is sent: what was seen before
 * need not be read again then. A middleware that runs before ours may have sent on another body than the caller's.
 */
export function bodyOf(request: ApiRequest, own: unknown, isOwn: (own: Dict, text: string) => boolean): ProviderRequest | undefined {
  if (request.method?.toUpperCase() !== "POST" || !/\/v1\/messages\/?$/.test(new URL(request.url).pathname)) return undefined;
  const sent = request.body;
  const body = typeof sent !== "string" || (isDict(own) && isOwn(own, sent)) ? own : parsed(sent);
  return isDict(body) && Array.isArray(body.messages) ? (body as ProviderRequest) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Requests that do not carry their history, or that ask the server for a fold of its own: why they pass as they are. */
export function heldByServer(body: Dict): string | undefined {
  if (body.thread !== undefined && body.thread !== null)
    return "the server holds this thread's messages; use toolRunner({ thread: false }) or messages.create to have them folded";
  if (body.compaction !== undefined && body.compaction !== null) return "the request asks the server for a compaction";
  return undefined;
}
