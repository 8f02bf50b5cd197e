import { setTimeout } from "node:timers/promises";
import { asDict, defined, dicts, present } from "../../core/base.ts";
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
  /** Repetitions after 408, 409, 429, 5xx and lost connections. Default 4. */
  retries?: number;
  /** ms one request may take. Default 30,000. */
  timeout?: number;
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

function asker({
  url,
  apiKey,
  model,
  dimensions,
  retries = 4,
  timeout = 30_000,
  headers = {},
}: HttpEmbedderOptions) {
  const address = addressOf(url);
  // A query string may hold a secret.
  const place = address.origin + address.pathname;
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
    for (let attempt = 0; ; attempt += 1) {
      const last = attempt >= retries;
      let wait: number;
      try {
        const response = await fetch(address, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
            ...headers,
          },
          body: JSON.stringify({ model, input: texts, encoding_format: "float", dimensions }),
          signal: AbortSignal.any(present([AbortSignal.timeout(timeout), signal])),
        });
        if (response.ok) return vectorsOf(await response.json(), texts.length, place);
        const said = quoted(await response.text());
        const { status } = response;
        if (!isPassing(status))
          refuse(`The embeddings server ${place} refused with ${status}: ${said}`);
        if (last)
          throw new TidemarkError(
            "connection",
            `The embeddings server ${place} answered ${status} ${attempt + 1} times: ${said}`,
          );
        wait = waitFor(attempt, response.headers);
      } catch (thrown) {
        if (signal?.aborted === true) throw aborted(signal);
        if (thrown instanceof TidemarkError) throw thrown;
        if (last)
          throw new TidemarkError(
            "connection",
            `The embeddings server ${place} could not be reached ${attempt + 1} times: ` +
              `${causeOf(thrown)}`,
            { cause: thrown },
          );
        wait = waitFor(attempt);
      }
      await setTimeout(wait, undefined, { signal }).catch(() => Promise.reject(aborted(signal)));
    }
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
    new TidemarkError("embed", `The embeddings server ${place} answered ${what}.`);
  if (!Array.isArray(data)) throw wrong("something that is no list of embeddings");
  const vectors = dicts(data)
    .sort((one, other) => Number(one.index ?? 0) - Number(other.index ?? 0))
    .flatMap(({ embedding }) => (isNumbers(embedding) ? Float32Array.from(embedding) : []));
  if (vectors.length !== count) throw wrong(`${vectors.length} vectors for ${count} texts`);
  return vectors;
}

const isNumbers = (embedding: unknown): embedding is number[] =>
  Array.isArray(embedding) && embedding.every((value) => typeof value === "number");

/** ms before the first repetition; each further one waits twice as long. */
const FIRST_WAIT = 500;
/** ms; a server that asks for more is asked again after this much all the same. */
const LONGEST_WAIT = 60_000;

const isPassing = (status: number): boolean => [408, 409, 429].includes(status) || status >= 500;

/** ms to wait before attempt `attempt + 1`, by the server's word if it gave one. */
function waitFor(attempt: number, headers?: Headers): number {
  const asked = [headers?.get("retry-after-ms"), headers?.get("retry-after")].map((text, at) =>
    /^\d+(\.\d+)?$/.test(text ?? "") ? Number(text) * (at === 0 ? 1 : 1_000) : undefined,
  );
  return Math.min(LONGEST_WAIT, asked[0] ?? asked[1] ?? FIRST_WAIT * 2 ** attempt);
}

const aborted = (signal: AbortSignal | undefined): TidemarkError =>
  new TidemarkError("embed", "Embedding was called off.", { cause: signal?.reason });
