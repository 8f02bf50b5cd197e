import { dictIn, type Dict } from "../../core/base.ts";
import type { Dialect } from "../../providers/common/dialect.ts";
import { openaiChat } from "../../providers/openai/chat.ts";
import { openaiResponses } from "../../providers/responses/responses.ts";
import type { KnownPrompts } from "../http/known-prompts.ts";

/** As every client library takes one. */
export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** One HTTP call of a conversation. */
export interface OpenAICall {
  readonly url: string | URL | Request;
  readonly init: RequestInit;
  readonly dialect: Dialect;
  /** As it came. */
  readonly text: string;
  readonly body: Dict;
}

export type Send = (call: OpenAICall, body: Dict, signal?: AbortSignal) => Promise<Response>;

const LENSES: readonly (readonly [RegExp, Dialect])[] = [
  [/\/chat\/completions$/, openaiChat],
  [/\/responses$/, openaiResponses],
];

/**
 * A client's `fetch` as the call of a conversation; undefined for all that is none: embeddings,
 * models, files. "unread": it is one, and its body is not what can be read. `own` knows the object
 * that a text was written from.
 */
export function callIn(
  url: string | URL | Request,
  init: RequestInit = {},
  own?: (text: string) => Dict | undefined,
): OpenAICall | "unread" | undefined {
  if ((init.method ?? "GET").toUpperCase() !== "POST") return undefined;
  const { pathname } = new URL(url instanceof Request ? url.url : url, "http://localhost");
  const dialect = LENSES.find(([path]) => path.test(pathname))?.[1];
  if (dialect === undefined) return undefined;
  const { body: sent } = init;
  const text =
    sent instanceof Uint8Array ? new TextDecoder().decode(sent) : typeof sent === "string" && sent;
  const body = text === false ? undefined : (own?.(text) ?? dictIn(text));
  if (text === false || body === undefined) return "unread";
  const whole = Array.isArray(body.messages) || body.input !== undefined;
  return whole ? { url, init, dialect, text, body } : "unread";
}

/** The call with the messages of last time wherever they are the same. */
export function knownAgain(call: OpenAICall, known: KnownPrompts): OpenAICall {
  const name = call.dialect.envelope ? "input" : "messages";
  return { ...call, body: { ...call.body, [name]: known(call.body[name]) } };
}

/** The same call with another body. */
export function withBody(call: OpenAICall, body: Dict, signal?: AbortSignal): RequestInit {
  const headers = new Headers(call.init.headers);
  headers.delete("content-length");
  return {
    ...call.init,
    headers,
    body: JSON.stringify(body),
    ...(signal && { signal }),
  };
}
