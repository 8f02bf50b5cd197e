import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { invalid, type Json, type Refusal } from "./wire.ts";

/** Characters of a body; the API answers 413 above 32 MB. */
const LARGEST = 32 * 1024 * 1024;
/** Makes the SDK try again after a millisecond instead of half a second. */
const AT_ONCE = { "retry-after": "0", "retry-after-ms": "1" };

export const NOT_FOUND: Refusal = { status: 404, type: "not_found_error", message: "Not found" };
export const TOO_LARGE: Refusal = {
  status: 413,
  type: "request_too_large",
  message: "Request exceeds the maximum size",
};

let answered = 0;
export const newRequestId = (): string => `req_${String((answered += 1)).padStart(24, "0")}`;

export function answer(
  response: ServerResponse,
  status: number,
  body: Json,
  headers: Record<string, string> = {},
): void {
  const requestId = newRequestId();
  response.writeHead(status, {
    "content-type": "application/json",
    "request-id": requestId,
    ...headers,
  });
  response.end(JSON.stringify(body.type === "error" ? { ...body, request_id: requestId } : body));
}

export const refuse = (response: ServerResponse, { status, type, message, code }: Refusal): void =>
  answer(
    response,
    status,
    {
      type: "error",
      error: { type, message, ...(code === undefined ? {} : { details: { error_code: code } }) },
    },
    status === 429 || status >= 500 ? AT_ONCE : {},
  );

export const betasOf = (headers: IncomingHttpHeaders): string[] =>
  String(headers["anthropic-beta"] ?? "")
    .split(",")
    .map((beta) => beta.trim())
    .filter((beta) => beta !== "");

export function headersMissing(headers: IncomingHttpHeaders): Refusal | undefined {
  if (headers["x-api-key"] === undefined && headers.authorization === undefined)
    return { status: 401, type: "authentication_error", message: "x-api-key header is required" };
  return headers["anthropic-version"] === undefined
    ? invalid("anthropic-version: header is required")
    : undefined;
}

/** Decoded by the stream, because a chunk may end in the middle of a character. Undefined when it is too large. */
export async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  request.setEncoding("utf8");
  let text = "";
  for await (const chunk of request) {
    if (text.length <= LARGEST) text += String(chunk);
  }
  return text.length > LARGEST ? undefined : text;
}

/** An answer that only looks like one. */
export function junk(response: ServerResponse, stream: boolean): void {
  response.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" });
  response.end(
    stream
      ? "event: message_start\ndata: {{{ this is no JSON\n\n"
      : "<html><body>Bad gateway</body></html>",
  );
}

/** Half of an answer, then a cut line. */
export function halfAnswer(response: ServerResponse, body: Json): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
}
