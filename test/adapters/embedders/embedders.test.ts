import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { httpEmbedder, type HttpEmbedderOptions } from "../../../src/adapters/embedders.ts";
import { embeddingsServer, vectorOf } from "../../support/embeddings-server.ts";
import { runs } from "../../support/runs.ts";

describe("the embedder over HTTP", () => {
  let server: Awaited<ReturnType<typeof embeddingsServer>>;
  beforeEach(async () => {
    server = await embeddingsServer({ most: 10 });
  });
  afterEach(() => server.close());

  const embedder = (more: Partial<HttpEmbedderOptions> = {}) =>
    httpEmbedder({ url: server.url, apiKey: server.key, model: "small", batch: 4, ...more });
  const numbers = (vectors: readonly (Float32Array | readonly number[])[]) =>
    vectors.map((vector) => [...vector]);
  const right = (texts: readonly string[], size = 6) => texts.map((text) => vectorOf(text, size));
  const soon = { status: 429, headers: { "retry-after-ms": "1" } };
  const TEXTS = ["a", "bb", "ccc", "dddd", "eeeee", "ffffff", "ggggggg", "hh", "i"];

  it("asks in batches, with the key, and gives one vector a text in order", async () => {
    expect(numbers(await embedder().embed(TEXTS))).toEqual(right(TEXTS));
    expect(server.asked.map(({ input }) => input.length)).toEqual([4, 4, 1]);
    expect(server.asked[0]).toMatchObject({ model: "small", authorization: "Bearer secret-key" });
    expect("dimensions" in server.asked[0]!, "not every server knows it").toBe(false);
    expect(await embedder().embed([])).toEqual([]);
  });

  it("orders by index, whatever the server's whims", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 12 }),
        fc.array(fc.constantFrom({ shuffled: true as const }, soon, { hangUp: true as const }), {
          maxLength: 3,
        }),
        async (texts, whims) => {
          server.whims.splice(0, Infinity, ...whims);
          const patient = httpEmbedder({
            url: server.url,
            apiKey: server.key,
            model: "small",
            batch: 5,
            retries: 4,
          });
          const found = numbers(await patient.embed(texts));
          found.forEach((vector, at) =>
            vector.forEach((value, place) =>
              expect(value).toBeCloseTo(vectorOf(texts[at]!, 6)[place]!, 5),
            ),
          );
        },
      ),
      // A lost connection waits half a second before the next attempt.
      { numRuns: runs(6) },
    );
  });

  it("says what the server finds wrong with a text", async () => {
    server.whims.push({ status: 400, body: "this very text" });
    await expect(embedder().embed(["a"])).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(/400.*this very text/) as string,
    });
  });

  it("waits as long as it is told after 429 and 5xx, then gives up with the server's words", async () => {
    server.whims.push(
      { status: 429, headers: { "retry-after-ms": "80" } },
      { status: 503, headers: { "retry-after-ms": "40" } },
    );
    expect(numbers(await embedder().embed(["a"]))).toEqual(right(["a"]));
    const [first, second, third] = server.asked.map(({ at }) => at);
    expect(second! - first!).toBeGreaterThanOrEqual(75);
    expect(third! - second!).toBeGreaterThanOrEqual(35);
    server.whims.push(soon, soon, { ...soon, body: "slow down, please" });
    await expect(embedder({ retries: 2 }).embed(["a"])).rejects.toMatchObject({
      code: "connection",
      message: expect.stringMatching(/429 3 times: .*slow down, please/) as string,
    });
  });

  it("does not repeat what will be refused again, and tells no secret", async () => {
    const wrong = embedder({ apiKey: "wrong-key" });
    await expect(wrong.embed(["a", "b"])).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(/401.*Incorrect API key/) as string,
    });
    expect(server.asked.length).toBe(0);
    const elsewhere = embedder({
      url: `${server.url}/elsewhere?token=hidden`,
      apiKey: "wrong-key",
    });
    const failures = [
      await wrong.embed(["a"]).catch(String),
      await elsewhere.embed(["a"]).catch(String),
    ];
    for (const secret of ["wrong-key", "hidden"]) expect(failures.join()).not.toContain(secret);
    expect(() => embedder({ url: server.url.replace("//", "//name:word@") })).toThrow(
      expect.objectContaining({
        code: "config",
        message: expect.not.stringContaining("word@") as string,
      }),
    );
  });

  it("asks for the dimensions it was given, and refuses vectors of another number in one sentence", async () => {
    expect(numbers(await embedder({ dimensions: 4 }).embed(["ab"]))).toEqual(right(["ab"], 4));
    expect(server.asked.at(-1)?.dimensions).toBe(4);
    server.whims.push({ size: 5 });
    await expect(embedder({ dimensions: 4 }).embed(["ab"])).rejects.toMatchObject({
      code: "capability",
      message: expect.stringMatching(/asked for 4 dimensions and gave 5/) as string,
    });
  });

  it("puts before a text what the model wants to know of its use", async () => {
    const told = embedder({ prefixes: { question: "query: ", memory: "passage: " } });
    await told.embed(["a"], undefined, "question");
    await told.embed(["b"], undefined, "memory");
    expect(server.asked.flatMap(({ input }) => input)).toEqual(["query: a", "passage: b"]);
  });

  it("says what is no list of embeddings, and what has no vector in it", async () => {
    server.whims.push({ raw: '{"hello":1}' });
    await expect(embedder().embed(["a"])).rejects.toMatchObject({
      code: "embed",
      message: expect.stringContaining("no list of embeddings") as string,
    });
    server.whims.push({ raw: '{"data":[{"index":0,"embedding":["x"]}]}' });
    await expect(embedder().embed(["a"])).rejects.toMatchObject({
      code: "embed",
      message: expect.stringContaining("answered 0 vectors for 1 texts") as string,
    });
  });

  it("stops at once when it is called off, while it waits and while it is asked", async () => {
    for (const whim of [
      { status: 429, headers: { "retry-after": "50" } },
      { hang: true as const },
    ]) {
      server.whims.push(whim);
      const end = new AbortController();
      const work = embedder().embed(["a"], end.signal);
      const before = server.asked.length;
      while (server.asked.length === before) await new Promise((resolve) => setImmediate(resolve));
      end.abort();
      await expect(work).rejects.toMatchObject({
        code: "embed",
        message: expect.stringContaining("called off") as string,
      });
    }
    await expect(embedder().embed(["a"], AbortSignal.abort())).rejects.toMatchObject({
      code: "embed",
    });
  });

  it("gives up on a server that never answers, after the time it was given", async () => {
    server.whims.push({ hang: true });
    await expect(embedder({ timeout: 40, retries: 0 }).embed(["a"])).rejects.toMatchObject({
      code: "connection",
      message: expect.stringContaining("could not be reached") as string,
    });
    expect(() => httpEmbedder({ url: "no address", model: "small" })).toThrow(
      expect.objectContaining({ code: "config" }),
    );
  });
});
