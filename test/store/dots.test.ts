import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import wabt from "wabt";
import { assembledDots, CODE, dots, loopedDots } from "../../src/store/vectors/dots.ts";
import { runs } from "../support/runs.ts";

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

  it("are the same with and without it, whatever the dimensions, whatever was asked before", () => {
    const fast = assembledDots();
    if (fast === undefined) throw new Error("WebAssembly is missing here");
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
        const exact = vectors.map((vector) =>
          vector.reduce((sum, value, at) => sum + value * (question[at] ?? 0), 0),
        );
        expect([...fast(question, laid)]).toEqual(exact);
        expect([...loopedDots(question, laid)]).toEqual(exact);
      }),
      { numRuns: runs(166) },
    );
  });

  it("hold for more than one page of memory", () => {
    const question = Int8Array.from({ length: 3072 }, (_, at) => (at % 255) - 127);
    const vectors = Int8Array.from({ length: 64 * 3072 }, (_, at) => ((at * 7) % 255) - 127);
    expect([...dots(question, new Uint8Array(vectors.buffer))]).toEqual([
      ...loopedDots(question, new Uint8Array(vectors.buffer)),
    ]);
  });
});
