import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Asked {
  readonly input: string[];
  readonly model: string;
  readonly dimensions?: number;
  readonly authorization: string | undefined;
}

/** What the server does with one request instead of answering it as it should. */
export interface Whim {
  status?: number;
  body?: string;
  shuffled?: true;
  /** Vectors of the last so many texts, no more. */
  only?: number;
  size?: number;
  hang?: true;
  hangUp?: true;
  raw?: string;
}

/** A vector that tells which text it is of: its length and its first character. */
export const vectorOf = (text: string, size: number): number[] =>
  Array.from({ length: size }, (_, at) =>
    at === 0 ? text.length : at === 1 ? (text.codePointAt(0) ?? 0) : at / 8,
  );

/** Plays POST /v1/embeddings as OpenAI documents it, and refuses what OpenAI refuses: other paths, other keys, empty texts, too many. */
export async function embeddingsServer({
  key = "secret-key",
  size = 6,
  most = 2048,
  vector = vectorOf,
} = {}) {
  const asked: Asked[] = [];
  const whims: Whim[] = [];
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = (status: number, message: string): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(
        JSON.stringify({
          error: { message, type: "invalid_request_error", param: null, code: null },
        }),
      );
    };
    request.setEncoding("utf8");
    let text = "";
    for await (const chunk of request) text += String(chunk);
    if (request.method !== "POST" || request.url !== "/v1/embeddings")
      return refuse(404, `Unknown request URL: ${request.method} ${request.url}.`);
    if (request.headers.authorization !== `Bearer ${key}`)
      return refuse(401, "Incorrect API key provided.");
    if (request.headers["content-type"] !== "application/json")
      return refuse(400, "The body must be application/json.");
    const body = JSON.parse(text) as Record<string, unknown>;
    const unknown = Object.keys(body).find(
      (name) => !["model", "input", "dimensions", "encoding_format", "user"].includes(name),
    );
    if (unknown !== undefined)
      return refuse(400, `Unrecognized request argument supplied: ${unknown}`);
    const { input, model, dimensions } = body;
    if (
      typeof model !== "string" ||
      !Array.isArray(input) ||
      input.length === 0 ||
      !input.every((one) => typeof one === "string" && one !== "")
    )
      return refuse(400, "'$.input' is invalid.");
    asked.push({
      input: input as string[],
      model,
      ...(typeof dimensions === "number" ? { dimensions } : {}),
      authorization: request.headers.authorization,
    });
    const whim = whims.shift() ?? {};
    if (whim.status !== undefined) return refuse(whim.status, whim.body ?? "a whim");
    if (whim.hang) return;
    if (whim.hangUp) return void request.socket.destroy();
    if (whim.raw !== undefined)
      return void response.writeHead(200, { "content-type": "application/json" }).end(whim.raw);
    if (input.length > most) return refuse(400, `'input' may hold at most ${most} texts.`);
    let data = (input as string[]).map((one, index) => {
      const numbers = vector(
        one,
        whim.size ?? (typeof dimensions === "number" ? dimensions : size),
      );
      return {
        object: "embedding",
        index,
        embedding: numbers,
      };
    });
    if (whim.shuffled) data = data.reverse();
    if (whim.only !== undefined) data = data.slice(-whim.only);
    response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify({
        object: "list",
        data,
        model,
        usage: { prompt_tokens: 1, total_tokens: 1 },
      }),
    );
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    key,
    asked,
    whims,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
