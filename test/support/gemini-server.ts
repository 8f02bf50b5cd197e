import type { Content } from "@google/genai";
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { Message } from "../../src/core/request.ts";
import { validGemini } from "./histories-gemini.ts";
import type { StrictServer } from "./completions-server.ts";

type Json = Record<string, unknown>;

const FIELDS = new Set(
  "contents tools toolConfig safetySettings systemInstruction generationConfig cachedContent continuationToken serviceTier labels".split(
    " ",
  ),
);
const CONFIG = new Set(
  "stopSequences responseMimeType responseJsonSchema candidateCount maxOutputTokens temperature topP topK thinkingConfig".split(
    " ",
  ),
);

/** The documented signature of a call that no model made. */
const UNSIGNED = "skip_thought_signature_validator";
function signatureOf({ text, functionCall }: Json): string {
  const { name, args } = (functionCall ?? {}) as Json;
  return createHmac("sha512", "a provider's secret")
    .update(JSON.stringify([text, name, args]))
    .digest("base64");
}

function refusalOf(body: Json): string | undefined {
  const { generationConfig = {}, systemInstruction, tools, toolConfig } = body;
  const unknown =
    Object.keys(body).find((name) => !FIELDS.has(name)) ??
    Object.keys(generationConfig as Json).find((name) => !CONFIG.has(name));
  if (unknown !== undefined)
    return `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`;
  if (!Array.isArray(body.contents) || body.contents.length === 0)
    return "* GenerateContentRequest.contents: contents is not specified";
  if (systemInstruction !== undefined) {
    const { parts = [] } = systemInstruction as { parts?: Json[] };
    if (parts.length === 0 || parts.some(({ text }) => typeof text !== "string" || text === ""))
      return "* GenerateContentRequest.system_instruction.parts: must be text";
  }
  if (toolConfig !== undefined && !Array.isArray(tools))
    return "Function calling config is set without function_declarations.";
  const contents = body.contents as Message[];
  const odd = contents.flatMap(Object.keys).find((name) => name !== "role" && name !== "parts");
  if (odd !== undefined) return `Invalid JSON payload received. Unknown name "${odd}".`;
  const second = contents.findIndex(
    ({ role }, at) => role === "user" && contents[at - 1]?.role === "user",
  );
  if (second >= 0)
    return `Please ensure that multiturn requests alternate between user and model (contents[${second}]).`;
  for (const part of contents.flatMap(({ parts }) => (parts ?? []) as Json[])) {
    const { thoughtSignature: sign } = part;
    if (sign !== undefined && sign !== UNSIGNED && sign !== signatureOf(part))
      return "Invalid thought signature.";
  }
  return validGemini(contents);
}

/**
 * A server of Google's generateContent that refuses what the real one refuses of a Gemini 3 model:
 * members it does not know, parts without content, a content of the user's behind another, calls
 * without their answers or their signature, signatures of other words, a prompt over the window.
 */
export async function startGeminiServer({
  reply,
  window = 1_048_576,
  fails = () => undefined,
}: {
  /** Parts of the reply to a request; the server signs them. */
  reply: (body: Json) => Json[];
  window?: number;
  /** Of requests, counted from 0: a status to refuse it with, or a stream that breaks off. */
  fails?: (count: number) => number | "cut" | undefined;
}): Promise<StrictServer> {
  const requests: Json[] = [];
  const [refusals, paths]: [string[], string[]] = [[], []];
  let count = 0;
  const server = createServer((request, response) => {
    void read(request).then((text) => {
      paths.push(request.url ?? "");
      const send = (status: number, body: Json): void => {
        response.writeHead(status, { "content-type": "application/json; charset=UTF-8" });
        response.end(JSON.stringify(body));
      };
      const refuse = (code: number, message: string, status = "INVALID_ARGUMENT"): void =>
        send(code, { error: { code, message, status } });
      const [, model, verb] = /\/models\/([^/:?]+)(?::(\w+))?/.exec(request.url ?? "") ?? [];
      if (request.method === "GET" && model !== undefined)
        return send(200, { name: `models/${model}`, inputTokenLimit: window });
      if (!/^(?:g|streamG)enerateContent$/.test(verb ?? "")) return send(200, { echo: text });
      const failure = fails(count++);
      if (typeof failure === "number") return refuse(failure, "Try again.", "UNAVAILABLE");
      const body = JSON.parse(text) as Json;
      requests.push(body);
      const { systemInstruction, contents, tools } = body;
      const tokens = Math.ceil(JSON.stringify([systemInstruction, contents, tools]).length / 4);
      const refusal =
        refusalOf(body) ??
        (tokens > window
          ? `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${window}).`
          : undefined);
      if (refusal !== undefined) {
        refusals.push(refusal);
        return refuse(400, refusal);
      }
      const parts = reply(body);
      const call = parts.findIndex((part) => "functionCall" in part);
      const at = call < 0 ? parts.length - 1 : call;
      const chunkOf = (some: Json[], last: boolean): Json => ({
        candidates: [
          {
            content: { role: "model", parts: some },
            index: 0,
            ...(last && { finishReason: "STOP" }),
          },
        ],
        usageMetadata: {
          ...{ promptTokenCount: tokens, candidatesTokenCount: 20, thoughtsTokenCount: 7 },
          totalTokenCount: tokens + 27,
        },
        modelVersion: model,
        responseId: `response_${requests.length}`,
      });
      const signed = (part: Json): Json => ({ ...part, thoughtSignature: signatureOf(part) });
      if (verb === "generateContent")
        return send(
          200,
          chunkOf(
            parts.map((part, place) => (place === at ? signed(part) : part)),
            true,
          ),
        );
      // Words come in pieces, and the signature of words in a part of its own.
      const pieces = parts.flatMap((part, place) =>
        typeof part.text === "string"
          ? [
              ...(part.text.match(/.{1,60}/gs) ?? []).map((piece) => ({ ...part, text: piece })),
              ...(place === at ? [signed({ text: "" })] : []),
            ]
          : [place === at ? signed(part) : part],
      );
      response.writeHead(200, { "content-type": "text/event-stream" });
      const isCut = failure === "cut";
      pieces.slice(0, isCut ? 2 : undefined).forEach((piece, place) => {
        const last = !isCut && place === pieces.length - 1;
        response.write(`data: ${JSON.stringify(chunkOf([piece], last))}\r\n\r\n`);
      });
      if (isCut) setTimeout(() => response.destroy(), 20);
      else response.end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    refusals,
    paths,
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}

/** The words of the last content, those that stand behind the last answers. */
export function lastSaid({ contents }: Json): string {
  const { parts } = (contents as Message[]).at(-1) ?? {};
  return (parts as Json[]).map(({ text }) => (typeof text === "string" ? text : "")).join(" ");
}

/** The words of a person, as other stacks have them. */
export const asContents = (history: readonly unknown[]): Content[] =>
  (history as (Content & { content?: string })[]).map(({ content, ...rest }) =>
    content === undefined ? rest : { ...rest, parts: [{ text: content }] },
  );

async function read(request: IncomingMessage): Promise<string> {
  request.setEncoding("utf8");
  let text = "";
  for await (const piece of request) text += String(piece);
  return text;
}
