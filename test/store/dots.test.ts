import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import wabt from "wabt";
import { CODE, dots } from "../../src/store/vectors/math.ts";
import { runs } from "../support/runs.ts";

const plainly = (question: Int8Array, vectors: readonly Int8Array[]): number[] =>
  vectors.map((vector) => vector.reduce((sum, value, at) => sum + value * (question[at] ?? 0), 0));
const bytes = (max: number) => fc.int8Array({ minLength: 1, maxLength: max, min: -127, max: 127 });

describe("products of vectors in bytes", () => {
  it("are computed by the code that stands beside it in words", async () => {
    const { parseWat } = await wabt();
    const assembled = parseWat(
      "dots.wat",
      readFileSync(join(import.meta.dirname, "../../src/store/vectors/dots.wat"), "utf8"),
      { simd: true },
    );
    assembled.validate();
    expect(CODE).toBe(Buffer.from(assembled.toBinary({}).buffer).toString("base64"));
  });

  it("are the sums of the products, whatever the dimensions, whatever was asked before", () => {
    const asked = bytes(70).chain((question) =>
      fc.tuple(
        fc.constant(question),
        fc.array(fc.int8Array({ minLength: question.length, maxLength: question.length }), {
          maxLength: 70,
        }),
      ),
    );
    fc.assert(
      fc.property(asked, ([question, vectors]) => {
        const laid = Buffer.concat(
          vectors.map((vector) => Buffer.from(vector.buffer, vector.byteOffset, vector.length)),
        );
        expect([...dots(question, laid)]).toEqual(plainly(question, vectors));
      }),
      { numRuns: runs(166) },
    );
  });

  it("hold for more than one page of memory", () => {
    const question = Int8Array.from({ length: 3072 }, (_, at) => (at % 255) - 127);
    const vectors = Array.from({ length: 64 }, (_, row) =>
      Int8Array.from({ length: 3072 }, (__, at) => (((row * 3072 + at) * 7) % 255) - 127),
    );
    const laid = Buffer.concat(vectors.map((vector) => Buffer.from(vector.buffer)));
    expect([...dots(question, laid)]).toEqual(plainly(question, vectors));
  });
});
