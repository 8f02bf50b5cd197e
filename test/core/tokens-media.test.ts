import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../src/core/tokens/estimate.ts";
import { documentTokens, imageTokens } from "../../src/core/tokens/media.ts";

const base64 = (...parts: (Buffer | number[] | string)[]): string =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part),
    ),
  ).toString("base64");
const be16 = (value: number): number[] => [value >> 8, value & 255];
const be32 = (value: number): number[] => [...be16(value >>> 16), ...be16(value & 0xffff)];
const noise = Buffer.alloc(300_000, 7);

const png = (width: number, height: number) =>
  base64(
    [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    be32(13),
    "IHDR",
    be32(width),
    be32(height),
    [8, 6, 0, 0, 0],
    noise,
  );
const segment = (marker: number, size: number): Buffer =>
  Buffer.concat([Buffer.from([0xff, marker, ...be16(size + 2)]), Buffer.alloc(size, 0xc0)]);
const frame = (marker: number, width: number, height: number) => [
  0xff,
  marker,
  ...be16(17),
  8,
  ...be16(height),
  ...be16(width),
  3,
  1,
  0x22,
  0,
  2,
  0x11,
  1,
  3,
  0x11,
  1,
];
const jpeg = (width: number, height: number, marker = 0xc0) =>
  // A thumbnail in the first segment, a colour profile over three more, a table in the range of frames, fill bytes.
  base64(
    [0xff, 0xd8],
    segment(0xe1, 60_001),
    segment(0xe2, 65_000),
    segment(0xe2, 65_000),
    segment(0xc4, 40),
    [0xff],
    frame(marker, width, height),
    noise,
  );

describe("an image", () => {
  it.each([
    ["PNG", png],
    ["JPEG", jpeg],
    ["JPEG, progressive", (width: number, height: number) => jpeg(width, height, 0xc2)],
  ])("%s costs its width times its height over 750", (_, make) => {
    expect(imageTokens(make(750, 100))).toBe(100);
    expect(imageTokens(make(1_000, 750))).toBe(1_000);
    expect(imageTokens(make(301, 499))).toBe(Math.ceil((301 * 499) / 750));
  });

  it("is scaled to 1,568 pixels on its longest side first", () => {
    expect(imageTokens(png(3_136, 750))).toBe(Math.ceil((1_568 * 375) / 750));
    expect(imageTokens(jpeg(750, 3_136))).toBe(784);
  });

  it("costs at most 1,600 tokens, and never nothing", () => {
    expect(imageTokens(png(8_000, 8_000))).toBe(1_600);
    expect(imageTokens(png(1, 1))).toBe(16);
  });

  it("of unknown size costs the most", () => {
    for (const data of [
      undefined,
      "",
      "AAAA",
      "not base64 at all",
      base64(noise),
      png(0, 100),
      png(10, 10).slice(0, 20),
      base64([0xff, 0xd8], segment(0xe1, 500)),
    ])
      expect(imageTokens(data)).toBe(1_600);
  });
});

const page = (id: number): string => `${id} 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj\n`;

describe("a document", () => {
  it("costs 2,000 tokens for each page that can be seen, in the whole as in its beginning", () => {
    const pages = Array.from({ length: 7 }, (_, index) => page(index + 3)).join("");
    expect(documentTokens(base64("%PDF-1.4\n", pages, noise), "application/pdf")).toBe(14_000);
    const long = Array.from({ length: 40 }, (_, index) => [page(index), Buffer.alloc(100_000, 1)]);
    expect(documentTokens(base64(...long.flat()), "application/pdf")).toBe(82_000);
  });

  it("is bounded when nothing can be read", () => {
    expect(documentTokens(base64(Buffer.alloc(200_000, 3)), "application/pdf")).toBe(8_000);
    expect(documentTokens("", "application/pdf")).toBe(2_000);
    expect(documentTokens(undefined, "application/pdf")).toBe(10_000);
    expect(documentTokens(base64("%PDF-1.4\n", page(1).repeat(999)))).toBe(600 * 2_000);
  });

  it("of plain text costs its words, given as text or as base64", () => {
    const text = "The tide comes in over the flats. ".repeat(40);
    const tokens = estimateTokens(text);
    expect(documentTokens(text, "text/plain")).toBe(tokens);
    expect(documentTokens(base64(text), "text/plain; charset=utf-8")).toBe(tokens);
  });

  it("of words that only the provider can decrypt costs a token for four bytes", () => {
    const secret = Buffer.from(
      Array.from({ length: 3_000 }, (_, index) => (index * 151 + 200) & 255),
    );
    expect(documentTokens(secret.toString("base64"), "text/plain")).toBe(750);
  });
});
