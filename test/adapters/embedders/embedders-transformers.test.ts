import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Transformers, transformersEmbedder } from "../../../src/adapters/embedders.ts";
import { writeTinyModel } from "../../support/tiny-model.ts";
import { cosine } from "../../support/vectors.ts";

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
const home = mkdtempSync(join(tmpdir(), "tidemark-model-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe("the embedder in this process", () => {
  it.skipIf(transformers === undefined)(
    `runs a model from a folder, in batches, as vectors of length 1 (skipped where ${NAME} is not installed)`,
    async () => {
      writeTinyModel(join(home, "tiny"));
      Object.assign(transformers!.env, { localModelPath: home, allowRemoteModels: false });
      const embedder = transformersEmbedder({
        model: "tiny",
        transformers: transformers!,
        options: { dtype: "fp32" },
        batch: 2,
      });
      expect(embedder.model).toBe("tiny fp32");
      const texts = ["tea", "coffee", "a cat", "the dog", "harbour"];
      const vectors = (await embedder.embed(texts)) as Float32Array[];
      expect(vectors.map(({ length }) => length)).toEqual([4, 4, 4, 4, 4]);
      vectors.forEach((vector) => expect(Math.hypot(...vector)).toBeCloseTo(1, 4));
      const [tea, coffee, cat, dog, harbour] = vectors as [
        Float32Array,
        Float32Array,
        Float32Array,
        Float32Array,
        Float32Array,
      ];
      expect(cosine(tea, coffee)).toBeGreaterThan(0.9);
      expect(cosine(cat, dog)).toBeGreaterThan(0.9);
      expect(cosine(tea, cat)).toBeLessThan(0.3);
      expect(cosine(harbour, dog)).toBeLessThan(0.3);
      const [alone] = await embedder.embed(["a cat"]);
      cat.forEach((value, at) => expect(alone![at]).toBeCloseTo(value, 5));
      const told = transformersEmbedder({
        model: "tiny",
        transformers: transformers!,
        options: { dtype: "fp32" },
        prefixes: { question: "dog " },
      });
      expect(
        cosine((await told.embed(["tea"], undefined, "question"))[0] as Float32Array, tea),
      ).toBeLessThan(0.99);
    },
  );

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
    await expect(embedder.embed(["tea"], AbortSignal.abort())).rejects.toMatchObject({
      code: "embed",
    });
    expect(loads).toBe(2);
  });
});
