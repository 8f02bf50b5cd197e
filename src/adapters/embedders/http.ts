import { asDict, defined, dictIn, dicts } from "../../core/base.ts";
import { reasonOf, refuse, TidemarkError } from "../../core/errors-and-events.ts";
import type { Embedder, EmbeddingUse } from "../../core/request.ts";

export interface HttpEmbedderOptions {
  /**
   * Where an OpenAI-compatible server listens: "https://api.openai.com/v1", or the whole address of
   * its embeddings.
   */
  url: string;
  apiKey?: string;
  model: string;
  /**
   * Asked of the server, and of its vectors. Leave it out for a model that has one size: it is seen
   * from the first vector.
   */
  dimensions?: number;
  /** Texts in one request. Default 32. */
  batch?: number;
  headers?: Readonly<Record<string, string>>;
  /**
   * Put before a text, for models that want to know what it is for: { question: "query: ", memory:
   * "passage: " }.
   */
  prefixes?: Partial<Record<EmbeddingUse, string>>;
}

/**
 * Any server that speaks OpenAI's POST /embeddings: OpenAI, Azure's v1, Ollama, vLLM, LM Studio,
 * llama.cpp, Mistral, Together …
 */
export function httpEmbedder(options: HttpEmbedderOptions): Embedder {
  const { model, dimensions, batch = 32, prefixes = {} } = options;
  const ask = asker(options);

  return {
    model,
    ...defined({ dimensions }),
    async embed(texts, signal, use = "memory") {
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += batch)
        vectors.push(
          ...(await ask(
            texts.slice(from, from + batch).map((text) => (prefixes[use] ?? "") + text),
            signal,
          )),
        );
      const wrong = vectors.find(({ length }) => length !== (dimensions ?? length));
      if (wrong !== undefined)
        throw new TidemarkError(
          "capability",
          `The model ${model} was asked for ${dimensions} dimensions and gave ` +
            `${wrong.length}; give \`dimensions: ${wrong.length}\`, or leave it out.`,
        );
      return vectors;
    },
  };
}

function asker({ url, apiKey, model, dimensions, headers = {} }: HttpEmbedderOptions) {
  const address = addressOf(url);
  // A query string may hold a secret.
  const place = `The embeddings server ${address.origin}${address.pathname}`;
  const secrets = [
    apiKey ?? "",
    ...Object.values(headers),
    ...address.searchParams.values(),
  ].filter((secret) => secret.length > 3);
  /** A server may quote what it was sent. */
  const quoted = (text: string): string =>
    secrets.reduce(
      (masked, secret) => masked.replaceAll(secret, "•••"),
      text.replace(/\s+/g, " ").slice(0, 300),
    );

  /** The vectors in the order of the texts, whatever order they come in. */
  return async (
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Float32Array[]> => {
    const { ok, status, said } = await fetch(address, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...headers,
      },
      body: JSON.stringify({ model, input: texts, encoding_format: "float", dimensions }),
      signal,
    })
      .then(async (answer) => ({
        ok: answer.ok,
        status: answer.status,
        said: await answer.text(),
      }))
      .catch((thrown: unknown) => {
        signal?.throwIfAborted();
        throw new TidemarkError("connection", `${place} could not be reached: ${causeOf(thrown)}`, {
          cause: thrown,
        });
      });
    if (ok) return vectorsOf(dictIn(said), texts.length, place);
    // What is refused for good is the host's to mend; all else is tried again later.
    const isPassing = [408, 409, 429].includes(status) || status >= 500;
    throw new TidemarkError(
      isPassing ? "connection" : "config",
      `${place} answered ${status}: ${quoted(said)}`,
    );
  };
}

function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    refuse("httpEmbedder: `url` must be an http or https address.");
  if (url.username !== "" || url.password !== "")
    refuse(
      "httpEmbedder: `url` may not hold a name and password; give them as `apiKey` or `headers`.",
    );
  if (!/\/embeddings\/?$/.test(url.pathname))
    url.pathname = `${url.pathname.replace(/\/+$/, "")}/embeddings`;
  return url;
}

/** fetch says "fetch failed" and hides what failed in its cause. */
const causeOf = (thrown: unknown): string =>
  thrown instanceof Error && thrown.cause instanceof Error
    ? thrown.cause.message || thrown.message
    : reasonOf(thrown);

function vectorsOf(body: unknown, count: number, place: string): Float32Array[] {
  const { data } = asDict(body);
  const wrong = (what: string): TidemarkError =>
    new TidemarkError("embed", `${place} answered ${what}.`);
  if (!Array.isArray(data)) throw wrong("something that is no list of embeddings");
  const vectors = dicts(data)
    .sort((one, other) => Number(one.index ?? 0) - Number(other.index ?? 0))
    .flatMap(({ embedding }) => (isNumbers(embedding) ? Float32Array.from(embedding) : []));
  if (vectors.length !== count) throw wrong(`${vectors.length} vectors for ${count} texts`);
  return vectors;
}

const isNumbers = (embedding: unknown): embedding is number[] =>
  Array.isArray(embedding) && embedding.every((value) => typeof value === "number");
