import fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { exactTokens } from "../../src/cli/replay/exact-tokens.ts";
import { estimateTokens } from "../../src/core/tokens/estimate.ts";
import { runs } from "../support/runs.ts";
import { anyCharacter } from "../support/any-character.ts";

/** Any string of UTF-16, lone surrogates included, leaning to the characters a scanner can trip over. */
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 })
    .map((codes) => String.fromCharCode(...codes)),
  fc
    .array(
      fc.constantFrom(
        "word ",
        "Ünïcode",
        "\n",
        "\t",
        "  ",
        "{}",
        "中文",
        "かな",
        "한글",
        "😀",
        "\ud83d",
        "\udc00",
        "9",
        "'s",
        "--",
        "\0",
        "\u00a0",
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join("")),
);

const error = (text: string): number => {
  const exact = exactTokens(text);
  return Math.abs(estimateTokens(text) - exact) / exact;
};
/** Texts of 2,000 characters, evenly taken. */
const cut = (text: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => {
    const from = Math.floor((index * (text.length - 2_000)) / count);
    return text.slice(from, from + 2_000);
  });
const medianError = (texts: readonly string[]): number =>
  texts.map(error).sort((a, b) => a - b)[texts.length >> 1]!;
const translated = (language: string): string =>
  Object.values(
    JSON.parse(
      readFileSync(
        `node_modules/typescript/lib/${language}/diagnosticMessages.generated.json`,
        "utf8",
      ),
    ) as Record<string, string>,
  ).join("\n");

describe("the estimate", () => {
  it("is a whole number, never negative, and 0 for the empty text alone", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const tokens = estimateTokens(text);
        expect(Number.isInteger(tokens)).toBe(true);
        expect(tokens === 0).toBe(text === "");
        expect(tokens).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: runs(400) },
    );
  });

  it("gets past every code unit there is, alone and between words", () => {
    for (let code = 0; code <= 0xffff; code += 1) {
      const unit = String.fromCharCode(code);
      const tokens = estimateTokens(`${unit}tide ${unit}${unit} 1${unit}`);
      if (!(tokens > 0 && tokens < 40)) expect.fail(`U+${code.toString(16)} gives ${tokens}`);
    }
  });

  it("of two texts together is near the sum of both", () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const both = estimateTokens(a + b);
        const sum = estimateTokens(a) + estimateTokens(b);
        // One word may change at the joint, and each of three results is rounded.
        expect(both).toBeLessThanOrEqual(sum * 1.1 + 8);
        expect(both).toBeGreaterThanOrEqual(
          Math.max(estimateTokens(a), estimateTokens(b)) * 0.9 - 8,
        );
      }),
      { numRuns: runs(400) },
    );
  });

  it("does not shrink when more is said", () => {
    const words = fc.array(
      fc.constantFrom("tide", "harbour", "the", "boats.", "42", "中文", '{"a":1}'),
      { minLength: 1, maxLength: 50 },
    );
    fc.assert(
      fc.property(words, words, (a, b) => {
        expect(estimateTokens([...a, ...b].join(" "))).toBeGreaterThanOrEqual(
          estimateTokens(a.join(" ")),
        );
      }),
    );
  });

  it("stays within 6 % for English, code and JSON of this repository's own dependencies", () => {
    const code = readFileSync("node_modules/typescript/lib/lib.es5.d.ts", "utf8");
    const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as unknown;
    expect(
      medianError(
        cut(
          readFileSync("node_modules/vite/README.md", "utf8") +
            readFileSync("node_modules/typescript/README.md", "utf8"),
          3,
        ),
      ),
    ).toBeLessThan(0.06);
    expect(medianError(cut(code, 15))).toBeLessThan(0.06);
    expect(medianError(cut(JSON.stringify(lock), 10))).toBeLessThan(0.06);
    expect(medianError(cut(JSON.stringify(lock, null, 2), 10))).toBeLessThan(0.06);
  });

  it("stays within 6 % for Chinese, mixed with English or alone", () => {
    const chinese = translated("zh-cn");
    expect(medianError(cut(chinese, 8))).toBeLessThan(0.06);
    expect(medianError(cut(chinese.replace(/[ -~]+/g, ""), 8))).toBeLessThan(0.06);
  });

  it.each(["zh-tw", "ja", "ko", "ru", "de", "fr", "pl", "tr", "cs", "pt-br", "es", "it"])(
    "stays within 15 % for %s",
    (language) => {
      expect(medianError(cut(translated(language), 6))).toBeLessThan(0.15);
    },
  );

  it("knows encoded bytes: base64, hex, identifiers", () => {
    const bytes = Buffer.from(
      Array.from(
        { length: 3_000 },
        (_, index) => (index * index * 31 + index * 17 + (index >> 3)) & 255,
      ),
    );
    let state = 7;
    const random = Buffer.from(
      bytes.map(() => (state = (state * 1_103_515_245 + 12_345) & 0x7fffffff) >> 16),
    );
    expect(medianError([random.toString("base64"), random.toString("base64url")])).toBeLessThan(
      0.05,
    );
    expect(error(random.toString("hex"))).toBeLessThan(0.05);
    const ids = Array.from({ length: 50 }, (_, index) =>
      random
        .toString("hex", index * 16, index * 16 + 16)
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
    );
    expect(error(ids.join("\n"))).toBeLessThan(0.05);
  });

  it("knows that runs of spaces, rules and dots merge", () => {
    for (const text of [
      " ".repeat(5_000),
      "-".repeat(5_000),
      `${"=".repeat(64)}\n`.repeat(40),
      "\n".repeat(2_000),
      ".".repeat(3_000),
    ]) {
      const exact = exactTokens(text);
      expect(estimateTokens(text)).toBeLessThan(exact * 2 + 4);
      expect(estimateTokens(text)).toBeGreaterThan(exact * 0.5 - 4);
    }
  });
});
