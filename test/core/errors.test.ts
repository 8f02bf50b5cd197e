import { describe, expect, it } from "vitest";
import { reasonOf, isUnreached } from "../../src/core/errors-and-events.ts";

describe("an error that was not an answer", () => {
  it.each([
    [Object.assign(new Error("x"), { status: 503 }), true],
    [Object.assign(new Error("x"), { status: 429 }), true],
    [Object.assign(new Error("x"), { status: 400, cause: { code: "ECONNRESET" } }), false],
    [
      Object.assign(new TypeError("fetch failed"), {
        cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }),
      }),
      true,
    ],
    [Object.assign(new Error("gone"), { name: "APIConnectionError" }), true],
    [new DOMException("late", "TimeoutError"), true],
    [new Error("the model said no"), false],
    ["down", false],
    [undefined, false],
  ])("is told from one that was: %s %s", (thrown, is) => expect(isUnreached(thrown)).toBe(is));

  it("may hold itself", () => {
    const circle: { cause?: unknown } = {};
    circle.cause = circle;
    expect(isUnreached(circle)).toBe(false);
  });
});

describe("the words of what was thrown", () => {
  const circle: Record<string, unknown> = {};
  circle["itself"] = circle;
  it.each([
    ["an error's", new Error("The disk is full."), "The disk is full."],
    ["a text", "no more tokens", "no more tokens"],
    [
      "a provider's answer",
      { status: 400, error: { type: "invalid_request_error", message: "Unknown beta." } },
      "Unknown beta.",
    ],
    ["an answer of one line", { error: "model not found" }, "model not found"],
    ["an error of another realm", { name: "Error", message: "Gone." }, "Gone."],
    ["any object", { code: 7 }, '{"code":7}'],
    ["an object that is no JSON", circle, "a value of type object"],
    ["nothing", undefined, "undefined"],
  ])("are %s", (_of, thrown, words) => {
    expect(reasonOf(thrown)).toBe(words);
  });
});
