import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOwnBody } from "../../../src/adapters/http/calls.ts";
import { runs } from "../../support/runs.ts";

type Body = Record<string, unknown> & { messages: Record<string, unknown>[] };

/** What a caller may do between two calls, or a middleware to the text of one. */
type Step =
  | { do: "say"; content: unknown }
  | { do: "edit" | "replace" | "drop" | "cut"; at: number; content: unknown }
  | { do: "head" | "behind"; content: unknown }
  | { do: "reorder" }
  | { do: "rewrite"; at: number };

const content = fc.oneof(
  fc.string(),
  fc.jsonValue({ maxDepth: 2 }),
  fc.constant(undefined),
  fc.array(fc.record({ type: fc.constant("text"), text: fc.string({ unit: "binary" }) }), {
    maxLength: 3,
  }),
);
const at = fc.nat(8);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("say" as const), content }) },
  fc.record({ do: fc.constantFrom("edit", "replace", "drop", "cut"), at, content }),
  fc.record({ do: fc.constantFrom("head", "behind"), content }),
  fc.record({ do: fc.constant("reorder" as const) }),
  fc.record({ do: fc.constant("rewrite" as const), at: fc.nat(400) }),
);

function take(body: Body, one: Step): Body {
  const { messages } = body;
  switch (one.do) {
    case "say":
      messages.push({
        role: messages.length % 2 === 0 ? "user" : "assistant",
        content: one.content,
      });
      return body;
    case "edit": {
      const found = messages[one.at];
      if (found !== undefined) found.content = one.content;
      return body;
    }
    case "replace":
      if (one.at < messages.length) messages[one.at] = { role: "user", content: one.content };
      return body;
    case "drop":
      return { ...body, messages: messages.filter((_, index) => index !== one.at) };
    case "cut":
      return { ...body, messages: messages.slice(0, one.at) };
    case "head":
      return { system: one.content, ...body };
    case "behind":
      return { ...body, stream: one.content };
    case "reorder":
      return Object.fromEntries(Object.entries(body).reverse()) as Body;
    case "rewrite":
      return body;
  }
}

describe("a body that is the caller's own", () => {
  it("is told from one that was rewritten on its way, exactly as if it were written out whole each time", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const isOwn = createOwnBody(0);
        let body: Body = {
          model: "m",
          max_tokens: 1,
          messages: [{ role: "user", content: "Hello" }],
        };
        for (const one of steps) {
          body = take(body, one);
          const written = JSON.stringify(body);
          const sent =
            one.do === "rewrite"
              ? `${written.slice(0, one.at % written.length)}x${written.slice((one.at % written.length) + 1)}`
              : written;
          expect(isOwn(body, sent)).toBe(JSON.stringify(body) === sent);
          expect(isOwn(body, written)).toBe(true);
        }
      }),
      { numRuns: runs(133) },
    );
  });

  it("is no other where two conversations begin with the same message", () => {
    const isOwn = createOwnBody(0);
    const first = { role: "user", content: "Hello" };
    const of = (...said: string[]): Body => ({
      model: "m",
      messages: [first, ...said.map((text) => ({ role: "user", content: text }))],
    });
    const [one, other] = [of("a", "b", "c"), of("a", "x")];
    for (const body of [one, other, one, other]) {
      expect(isOwn(body, JSON.stringify(body))).toBe(true);
      expect(isOwn(body, JSON.stringify(body === one ? other : one))).toBe(false);
    }
  });

  it.each([
    [
      "members that write themselves",
      () => ({
        model: "m",
        messages: [
          { role: "user", content: "Hello", toJSON: () => ({ role: "user", content: "Bye" }) },
        ],
      }),
    ],
    [
      "a body that writes itself",
      () => ({ model: "m", messages: [{ role: "user" }], toJSON: () => ({ messages: [] }) }),
    ],
    ["messages that are none", () => ({ model: "m", messages: ["Hello", 3, null] })],
    ["no message at all", () => ({ model: "m", messages: [] })],
    ["dates", () => ({ model: "m", messages: [{ role: "user", content: new Date(0) }] })],
  ])("is known with %s", (_, make) => {
    const isOwn = createOwnBody(0);
    const body = make();
    for (let call = 0; call < 3; call++) {
      expect(isOwn(body, JSON.stringify(body))).toBe(true);
      expect(isOwn(body, `${JSON.stringify(body)} `)).toBe(false);
    }
  });
});
