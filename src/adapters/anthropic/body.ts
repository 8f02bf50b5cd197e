import { asText, type Dict, isDict } from "../../base/guards.ts";
import { betasOf } from "../../dialect/thinking.ts";
import { type ProviderRequest } from "../../model/request.ts";
import { type ApiRequest, rewritten, sentBody } from "../http/wire.ts";
import { type Capable } from "./capabilities.ts";

/** The body of a call of the Messages endpoint, or of the one that counts its tokens. */
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
  const body = sentBody(request, own, isOwn);
  return isDict(body) && Array.isArray(body.messages) ? (body as ProviderRequest) : undefined;
}

/** The same request with another body, and the betas it needs. */
export function withBody(request: ApiRequest, body: ProviderRequest, capable: Capable): ApiRequest {
  const made = rewritten(request, body);
  for (const beta of betasOf(body, capable(asText(body.model)))) addBeta(made.headers, beta);
  return made;
}

function addBeta(headers: Headers, beta: string): void {
  const named = (headers.get("anthropic-beta") ?? "").split(",").map((name) => name.trim());
  if (!named.includes(beta))
    headers.set("anthropic-beta", [...named, beta].filter((name) => name !== "").join(","));
}

/** Does it go to the provider itself, in the program's own name: there its betas are taken. */
export const isFirstParty = ({ url, headers }: ApiRequest): boolean =>
  new URL(url).host === "api.anthropic.com" &&
  !/\boauth-/.test(headers.get("anthropic-beta") ?? "");

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
