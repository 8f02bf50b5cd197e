import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { httpEmbedder, type HttpEmbedderOptions } from "../../../src/adapters/embedders.ts";
import { embeddingsServer, vectorOf } from "../../support/embeddings-server.ts";

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
  const TEXTS = ["a", "bb", "ccc", "dddd", "eeeee", "ffffff", "ggggggg", "hh", "i"];

  it("asks in batches, with the key, and gives one vector a text in order", async () => {
    expect(numbers(await embedder().embed(TEXTS))).toEqual(right(TEXTS));
    expect(server.asked.map(({ input }) => input.length)).toEqual([4, 4, 1]);
    expect(server.asked[0]).toMatchObject({ model: "small", authorization: "Bearer secret-key" });
    expect("dimensions" in server.asked[0]!, "not every server knows it").toBe(false);
    expect(await embedder().embed([])).toEqual([]);
  });

  it("orders by index, in whatever order the server answers", async () => {
    server.whims.push({ shuffled: true }, {}, { shuffled: true });
    expect(numbers(await embedder().embed(TEXTS))).toEqual(right(TEXTS));
  });

  it("says what the server finds wrong with a text", async () => {
    server.whims.push({ status: 400, body: "this very text" });
    await expect(embedder().embed(["a"])).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(/400.*this very text/) as string,
    });
  });

  it("tells what passes from what does not, in the server's words: a retry is its caller's", async () => {
    server.whims.push({ status: 429, body: "slow down, please" }, { hangUp: true });
    await expect(embedder().embed(["a"])).rejects.toMatchObject({
      code: "connection",
      message: expect.stringMatching(/429: .*slow down, please/) as string,
    });
    await expect(embedder().embed(["a"])).rejects.toMatchObject({
      code: "connection",
      message: expect.stringContaining("could not be reached") as string,
    });
    expect(server.asked).toHaveLength(2);
  });

  it("says what will be refused again, and tells no secret", async () => {
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

  it("stops at once when it is called off", async () => {
    server.whims.push({ hang: true });
    const end = new AbortController();
    const work = embedder().embed(["a"], end.signal);
    while (server.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    end.abort();
    await expect(work).rejects.toThrow("aborted");
    await expect(embedder().embed(["a"], AbortSignal.abort())).rejects.toThrow("aborted");
  });

  it("refuses an address that is none", () => {
    expect(() => httpEmbedder({ url: "no address", model: "small" })).toThrow(
      expect.objectContaining({ code: "config" }),
    );
  });
});
