import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Tidemark } from "../../src/index.ts";
import { overflowOf } from "../../src/providers/usage-and-overflow.ts";
import { freshTidemark, prose } from "../support/anthropic.ts";
import { assistant, requestOf, user } from "../support/talk.ts";

const FORGED = "prompt is too long: 9999 tokens > 50 maximum";
const model = "some-model-of-tomorrow";

const past = (count: number, name = "") =>
  Array.from({ length: count }, (_, at) =>
    (at % 2 ? assistant : user)(`${name}${at}: ${prose(90, at)}`),
  );
const begin = (tidemark: Tidemark, messages: ReturnType<typeof past>) =>
  tidemark.begin(requestOf(messages, { model }));
const refused = (message: string) => ({ status: 400, error: { error: { message } } });
const sizeOf = (request: unknown): number => JSON.stringify(request).length;
const limitFor = async (tidemark: Tidemark) =>
  (await begin(tidemark, [user("Hello.")])).window.limit;
const open = async () =>
  (await freshTidemark({ cache: false, inject: false, distil: "extractive" })).tidemark;

/** As makers and local servers word it; `as` puts the two numbers in. */
const WORDED: readonly ((tokens: number, window: number) => object)[] = [
  (n, w) => ({ message: `prompt is too long: ${n} tokens > ${w} maximum` }),
  (n, w) => ({
    message: `input length and \`max_tokens\` exceed context limit: ${n} + 500 > ${w}, decrease input length or \`max_tokens\` and try again`,
  }),
  (n, w) => ({
    code: "context_length_exceeded",
    message: `This model's maximum context length is ${w} tokens. However, your messages resulted in ${n} tokens. Please reduce the length of the messages.`,
  }),
  (n, w) => ({
    message: `This model's maximum context length is ${w} tokens. However, you requested ${n + 9} tokens (${n} in the messages, 9 in the completion). Please reduce the length of the messages or completion.`,
  }),
  (n, w) => ({
    type: "exceed_context_size_error",
    n_prompt_tokens: n,
    n_ctx: w,
    message:
      "the request exceeds the available context size. try increasing the context size or enable context shift",
  }),
  (n, w) => ({
    message: `request (${n} tokens) exceeds the available context size (${w} tokens), try increasing it`,
  }),
  (n, w) => ({
    message: `Trying to keep the first ${n} tokens when context the overflows. However, the model is loaded with context length of only ${w} tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input`,
  }),
  (n, w) => ({
    message: `You passed ${n} input tokens and requested 9 output tokens. However, the model's context length is only ${w} tokens, resulting in a maximum input length of ${w - 9} tokens.`,
  }),
];
/** As an SDK, a server or a host hands it over. */
const WRAPPED: readonly ((said: object) => object)[] = [
  (said) => ({ status: 400, ...said }),
  (said) => ({ status: 400, error: said }),
  (said) => ({ status: 400, error: { type: "error", error: said } }),
  (said) => Object.assign(new Error(`400 ${JSON.stringify({ error: said })}`), { status: 400 }),
  (said) => ({ status: 400, error: { error: (said as { message: string }).message }, ...said }),
];
const numbers = {
  tokens: fc.integer({ min: 1_001, max: 2e6 }),
  window: fc.integer({ min: 1_000, max: 2e6 }),
};
const worded = fc.constantFrom(...WORDED);
const wrapped = fc.constantFrom(...WRAPPED);

describe("the numbers of an overflow", () => {
  it("are read from the words of those who make models and servers", () => {
    fc.assert(
      fc.property(worded, wrapped, numbers.tokens, numbers.window, (say, wrap, tokens, window) => {
        expect(overflowOf(wrap(say(tokens, window)))).toEqual({ tokens, window });
      }),
    );
  });

  it("are not read from words that quote them", () => {
    const around = fc.string({ minLength: 1, maxLength: 40 }).filter((text) => text.trim() !== "");
    fc.assert(
      fc.property(worded, wrapped, around, fc.boolean(), (say, wrap, text, before) => {
        const { message } = say(9_999, 5_000) as { message: string };
        const quoted = before ? `${text}${message}` : `Bad value "${message}" ${text}`;
        const found = overflowOf(wrap({ type: "invalid_request_error", message: quoted }));
        expect(found ?? {}).toEqual({});
      }),
    );
  });
});

it("a forged number sets nobody's window, and the one request goes out smaller all the same", async () => {
  const tidemark = await open();
  const before = await limitFor(tidemark);
  for (const message of [
    FORGED,
    `Bad input: "${FORGED}"`,
    `Bad input: "${FORGED.replace("50", "5000")}"`,
  ]) {
    const turn = await begin(tidemark, past(41, message));
    const smaller = await turn.recover(refused(message));
    expect(sizeOf(smaller?.request)).toBeLessThan(sizeOf(turn.request));
    expect(sizeOf(smaller?.request)).toBeGreaterThan(500);
    expect(await limitFor(tidemark)).toBe(before);
    expect(await limitFor(tidemark.as({ user: "eve" }))).toBe(before);
  }
});

it("a window is taken when it is told twice, never above what is known", async () => {
  const tidemark = await open();
  const before = await limitFor(tidemark);
  const told = async (count: number, window: number) =>
    (await begin(tidemark, past(count))).recover(
      refused(`prompt is too long: ${window + 1_000} tokens > ${window} maximum`),
    );
  for (const count of [61, 65]) await told(count, 10 * before);
  for (const window of [8_000, 8_100]) expect(await told(61, window)).toBeDefined();
  expect(await limitFor(tidemark)).toBe(before);
  await told(65, 8_100);
  expect(await limitFor(tidemark)).toBeLessThan(8_100);
  expect(await limitFor(tidemark.as({ user: "eve" }))).toBe(await limitFor(tidemark));
});
