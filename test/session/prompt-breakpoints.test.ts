import fc from "fast-check";
import { expect, test } from "vitest";
import { markCache } from "../../src/providers/anthropic/cache-marks.ts";
import type { Dict } from "../../src/core/base.ts";
import type { ProviderRequest } from "../../src/core/request.ts";
import { runs } from "../support/runs.ts";

const MARK = { type: "ephemeral" };
const maybeMarked = (block: fc.Arbitrary<Dict>): fc.Arbitrary<Dict> =>
  fc
    .tuple(
      block,
      fc.constantFrom(undefined, undefined, undefined, null, MARK, {
        type: "ephemeral",
        ttl: "1h",
      }),
    )
    .map(([inner, mark]) => (mark === undefined ? inner : { ...inner, cache_control: mark }));
const textBlock = fc.record({
  type: fc.constant("text"),
  text: fc.constantFrom("", " ", "words", "more words"),
});
const bareBlock = fc.constantFrom<Dict>(
  { type: "thinking", thinking: "hm", signature: "s" },
  { type: "redacted_thinking", data: "x" },
  { type: "made_of_tomorrow" },
);
const block: fc.Arbitrary<Dict> = fc.oneof(
  maybeMarked(textBlock),
  bareBlock,
  maybeMarked(
    fc.constant({ type: "tool_use", id: "a", name: "n", input: { cache_control: "a word" } }),
  ),
  maybeMarked(
    fc
      .array(maybeMarked(textBlock), { maxLength: 2 })
      .map((content) => ({ type: "tool_result", tool_use_id: "a", content })),
  ),
);
const content = fc.oneof(fc.string({ maxLength: 6 }), fc.array(block, { maxLength: 4 }));
const request: fc.Arbitrary<ProviderRequest> = fc.record(
  {
    messages: fc.array(
      fc.record({ role: fc.constantFrom("user", "assistant", "system"), content }),
      { maxLength: 6 },
    ),
    system: fc.oneof(fc.string(), fc.array(maybeMarked(textBlock), { maxLength: 3 })),
    tools: fc.array(maybeMarked(fc.constant({ name: "t", input_schema: {} })), { maxLength: 2 }),
    cache_control: fc.constantFrom(null, MARK, { type: "ephemeral", ttl: "1h" }),
  },
  { requiredKeys: ["messages"] },
);

/** Marks in the order the provider reads them, as "5m" and "1h", with the type of what carries them. */
function marksOf(request: ProviderRequest): { ttl: string; type: string }[] {
  const found: { ttl: string; type: string }[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (typeof value !== "object" || value === null) return;
    const { input: _, cache_control: mark, ...rest } = value as Record<string, unknown>;
    Object.values(rest).forEach(visit);
    if (mark)
      found.push({
        ttl: (mark as { ttl?: string }).ttl ?? "5m",
        type:
          rest["type"] === "text" && String(rest["text"]).trim() === ""
            ? "empty"
            : String(rest["type"]),
      });
  };
  visit(request.tools);
  visit(request.system);
  request.messages.forEach((message) => visit(message["content"]));
  if (request["cache_control"])
    found.push({
      ttl: (request["cache_control"] as { ttl?: string }).ttl ?? "5m",
      type: "request",
    });
  return found;
}

/** As if the last block of the system text were ours. */
const lastOf = (system: unknown): string => {
  const last: unknown = Array.isArray(system) ? system.at(-1) : undefined;
  return typeof last === "object" && last !== null && "text" in last ? String(last.text) : "";
};

const bare = (value: unknown): unknown => {
  if (typeof value === "string") return [{ type: "text", text: value }];
  return Array.isArray(value)
    ? value.map(({ cache_control: _, ...rest }: Record<string, unknown>) => rest)
    : value;
};

test("adds up to four marks in all, only where they are allowed, and changes nothing else", () => {
  fc.assert(
    fc.property(request, (given) => {
      const copy = structuredClone(given);
      const before = marksOf(given);
      const after = markCache(given, 5_000, { ours: lastOf(given.system) });
      expect(given).toEqual(copy);
      const marks = marksOf(after);
      expect(marks.length).toBeLessThanOrEqual(Math.max(4, before.length));
      const [ours, theirs] = [marks, before].map(
        (all) =>
          all.filter(({ type }) =>
            ["thinking", "redacted_thinking", "empty", "made_of_tomorrow"].includes(type),
          ).length,
      );
      expect(ours).toBe(theirs);
      if (marks.length === before.length) expect(after).toBe(given);
      expect(bare(after.system)).toEqual(bare(given.system));
      after.messages.forEach((message, index) => {
        expect({ ...message, content: bare(message["content"]) }).toEqual({
          ...given.messages[index],
          content: bare(given.messages[index]?.["content"]),
        });
        if (message["content"] === given.messages[index]?.["content"])
          expect(message).toBe(given.messages[index]);
      });
      if (after.messages.every((message, index) => message === given.messages[index]))
        expect(after.messages).toBe(given.messages);
    }),
    { numRuns: runs(600) },
  );
});

test("leaves small prompts alone, and does not mark what a message cleared later would hide", () => {
  const small: ProviderRequest = { messages: [{ role: "user", content: "hi" }] };
  expect(markCache(small, 1_023)).toBe(small);
  const cleared: ProviderRequest = {
    messages: [
      { role: "user", content: "hi" },
      { role: "system", content: "recalled", clear_at: "next_user_message" },
    ],
  };
  expect(markCache(cleared, 2_000).messages.map((message) => typeof message["content"])).toEqual([
    "object",
    "string",
  ]);
});
