import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aiSdk } from "../../src/providers/ai-sdk/ai-sdk.ts";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import type { Dialect } from "../../src/providers/common/dialect.ts";
import { REQUEST_HEAD } from "../../src/providers/common/pieces.ts";
import { langchain } from "../../src/providers/langchain/langchain.ts";
import { gemini } from "../../src/providers/gemini/gemini.ts";
import { openaiChat } from "../../src/providers/openai/chat.ts";
import { openaiResponses } from "../../src/providers/responses/responses.ts";
import { createMeasure } from "../../src/session/count-tokens.ts";
import type { Format, Message, ProviderRequest } from "../../src/core/request.ts";
import {
  anthropicHistory,
  contentsHistory,
  langchainHistory,
  openaiHistory,
  promptHistory,
  realHistories,
  responsesHistory,
  seededHistory,
  validAnthropic,
  validGemini,
  validLangChain,
  validOpenAI,
  validPrompt,
  validResponses,
} from "../support/histories.ts";
import {
  changedAt,
  contentPaths,
  deepFreeze,
  HARMLESS,
  rewrite,
} from "../support/histories-rewrites.ts";
import { runs } from "../support/runs.ts";

interface Given {
  readonly dialect: Dialect;
  readonly history: fc.Arbitrary<Message[]>;
  readonly valid: (messages: readonly Message[]) => string | undefined;
}
const GIVEN: Record<Format, Given> = {
  anthropic: { dialect: anthropic, history: anthropicHistory(), valid: validAnthropic },
  "openai-chat": { dialect: openaiChat, history: openaiHistory(), valid: validOpenAI },
  "ai-sdk": { dialect: aiSdk, history: promptHistory(), valid: validPrompt },
  gemini: { dialect: gemini, history: contentsHistory(), valid: validGemini },
  "openai-responses": {
    dialect: openaiResponses,
    history: responsesHistory(),
    valid: validResponses,
  },
  langchain: { dialect: langchain, history: langchainHistory(), valid: validLangChain },
};
const real = realHistories();
const canons = (dialect: Dialect, messages: readonly Message[]) =>
  messages.map((_, index) => dialect.canon(messages, index));
/** Every long base64 string that stands as media in a message. */
function base64In(messages: readonly Message[]): string[] {
  const found: string[] = [];
  rewrite(messages, (value, name) => {
    if (
      typeof value === "string" &&
      ["data", "file_data", "url", "encrypted_content"].includes(name)
    ) {
      const data = value.replace(/^data:[^,]*,/, "");
      if (data.length >= 40 && /^[A-Za-z0-9+/]+={0,2}$/.test(data)) found.push(data);
    }
    return value;
  });
  return found;
}

function checkReadings({ dialect }: Given, messages: readonly Message[]): void {
  const secrets = base64In(messages);
  for (const message of messages) {
    const texts = dialect
      .pieces(message)
      .flatMap((piece) => (piece.kind === "text" ? [piece.text] : []));
    const results = dialect.results(message).map(({ text }) => text);
    // Joined by newlines, which cost nothing in pieces.
    expect(texts.join("").length).toBeGreaterThanOrEqual(
      dialect.text(message).length - texts.length,
    );
    for (const text of [...texts, ...results, dialect.text(message)])
      for (const secret of secrets) expect(text.includes(secret)).toBe(false);
  }
}

function checkEdits({ dialect, valid }: Given, messages: readonly Message[]): void {
  const before = JSON.stringify(messages);
  const whole = valid(messages);
  const edits: Record<string, (message: Message) => Message> = {
    thinking: (message) => dialect.withoutThinking(message),
    results: (message) =>
      dialect.shortenResults(message, (text, id) =>
        text.length > 20 ? `${text.slice(0, 10)} … ${id}` : text,
      ),
    "results to nothing": (message) => dialect.shortenResults(message, () => ""),
    texts: (message) => dialect.shortenTexts(message, (text) => text.slice(0, 8)),
  };
  for (const [name, edit] of Object.entries(edits)) {
    const edited = messages.map(edit);
    if (whole === undefined) expect(valid(edited), name).toBeUndefined();
    expect(
      edited.map((message) => dialect.calls(message).map(({ id }) => id)),
      name,
    ).toEqual(messages.map((message) => dialect.calls(message).map(({ id }) => id)));
    expect(
      edited.map((message) => dialect.results(message).map(({ id, failed }) => [id, failed])),
      name,
    ).toEqual(
      messages.map((message) => dialect.results(message).map(({ id, failed }) => [id, failed])),
    );
    // Done twice is done once, and what needs nothing comes back as it is.
    edited.forEach((message) =>
      expect(name === "thinking" ? edit(message) === message : true, name).toBe(true),
    );
  }
  expect(
    messages
      .map((message) => dialect.withoutThinking(message))
      .some((message) => dialect.thinks(message)),
  ).toBe(false);
  expect(JSON.stringify(messages)).toBe(before);
}

function checkHarmless({ dialect }: Given, messages: readonly Message[]): void {
  const before = canons(dialect, messages);
  for (const [name, change] of Object.entries(HARMLESS))
    expect(canons(dialect, change(messages)), name).toEqual(before);
}

/** Summaries are the user's, so a tail behind one must be a valid rest. */
function checkSeams({ dialect, valid }: Given, messages: readonly Message[]): void {
  const start = dialect.preamble(messages);
  const whole = valid(messages);
  for (let at = start; at < messages.length; at += 1) {
    const opens = dialect.opensTail(messages, at);
    if (!opens) continue;
    if (whole === undefined)
      expect(
        valid([...messages.slice(0, start), dialect.userMessage("summary"), ...messages.slice(at)]),
        `seam ${at}`,
      ).toBeUndefined();
    const inside = new Set<string>();
    const earlier = new Set(
      messages.slice(0, at).flatMap((message) => dialect.calls(message).map(({ id }) => id)),
    );
    for (const message of messages.slice(at)) {
      const calls = dialect.calls(message).map(({ id }) => id);
      for (const id of calls) inside.add(id);
      for (const { id } of dialect.results(message))
        expect(inside.has(id) || !earlier.has(id), `seam ${at}, result ${id}`).toBe(true);
    }
  }
}

function checkTrimming({ dialect }: Given, messages: readonly Message[], from: number): void {
  const kept = messages.slice(from);
  const inside = new Set<string>();
  const before = canons(dialect, messages).slice(from);
  canons(dialect, kept).forEach((canon, index) => {
    for (const { id } of dialect.calls(kept[index]!)) inside.add(id);
    if (dialect.results(kept[index]!).every(({ id }) => inside.has(id)))
      expect(canon).toEqual(before[index]);
  });
}

describe.each(Object.entries(GIVEN))("%s, random histories", (_format, given) => {
  const { dialect, history, valid } = given;
  const law = (check: (messages: Message[]) => void, numRuns = runs(35)) =>
    fc.assert(
      fc.property(history, (messages) => void check(deepFreeze(messages))),
      { numRuns },
    );

  it("are valid as generated, by the validator's own reading", () => {
    law((messages) => expect(valid(messages)).toBeUndefined());
    for (let seed = 0; seed < 100; seed += 1)
      expect(valid(seededHistory(dialect.format, seed))).toBeUndefined();
  });
  it("keep their canonical form through what callers and proxies do", () =>
    law((messages) => checkHarmless(given, messages), runs(40)));
  it("weigh at least their text and never their base64", () =>
    law((messages) => checkReadings(given, messages), runs(40)));
  it("stay valid and paired through every edit, which changes no given object", () =>
    law((messages) => checkEdits(given, messages), runs(40)));
  it("have seams, and every tail from a seam is a valid rest", () => {
    law((messages) => {
      checkSeams(given, messages);
      messages.forEach((message, index) => {
        const plain = dialect.speaker(message) === "user" && dialect.results(message).length === 0;
        if (plain) expect(dialect.opensTail(messages, index)).toBe(true);
        if (dialect.speaker(message) === "tool" || dialect.speaker(message) === "system")
          expect(dialect.opensTail(messages, index)).toBe(false);
      });
    });
  });
  it("keep the canonical form of what stands behind a trimmed head", () => {
    fc.assert(
      fc.property(
        history,
        fc.nat(),
        (messages, at) => void checkTrimming(given, messages, at % messages.length),
      ),
      { numRuns: runs(26) },
    );
  });
  it("are read as they are now where a caller changes one in place", () => {
    law((frozen) => {
      const messages = structuredClone(frozen);
      for (const [index, message] of messages.entries()) {
        dialect.canon(messages, index);
        const [path] = contentPaths(message);
        if (path === undefined) continue;
        Object.assign(message, structuredClone(changedAt(message, path)));
        const anew = structuredClone(messages);
        expect(dialect.canon(messages, index)).toBe(dialect.canon(anew, index));
        expect(dialect.text(message)).toBe(dialect.text(anew[index]!));
      }
    }, runs(26));
  });
  it("change their canonical form when one character of any text, input, result or medium does", () => {
    law((messages) => {
      for (const [index, message] of messages.entries()) {
        const before = dialect.canon(messages, index);
        for (const path of contentPaths(message)) {
          const changed = messages.with(index, changedAt(message, path));
          expect(
            dialect.canon(changed, index) === before,
            `${path.join("/")} of ${JSON.stringify(message)}`,
          ).toBe(false);
        }
      }
    }, runs(35));
  });
});

describe.each(real.map((each) => [each.name, each] as const))(
  "%s",
  (_name, { format, messages }) => {
    const given = GIVEN[format]!;
    deepFreeze(messages);
    it("obeys every law", () => {
      checkReadings(given, messages);
      checkEdits(given, messages);
      checkHarmless(given, messages);
      checkSeams(given, messages);
      for (const share of [0.1, 0.33, 0.5, 0.9])
        checkTrimming(given, messages, Math.floor(messages.length * share));
    });
  },
);

describe("whatever stands in a message", () => {
  const TYPES = [
    "text",
    "image",
    "document",
    "tool_use",
    "tool_result",
    "thinking",
    "server_tool_use",
    "web_search_tool_result",
    "mcp_tool_result",
    "search_result",
    "compaction",
    "image_url",
    "input_audio",
    "file",
    "refusal",
    "web_fetch_result",
  ];
  const NAMES = (
    "type text source content id tool_use_id tool_call_id name input is_error title data " +
    "url image_url file tool_calls function arguments refusal cache_control role __proto__ toString " +
    "functionCall functionResponse args response parts inlineData fileData thought " +
    "thoughtSignature executableCode codeExecutionResult toolResponse"
  ).split(" ");
  const { value } = fc.letrec<{ value: unknown; block: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom(...TYPES),
      tie("block"),
      fc.array(tie("value"), { maxLength: 3 }),
    ),
    block: fc
      .tuple(
        fc.constantFrom(...TYPES),
        fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 6 }),
      )
      .map(([type, members]) => ({ type, ...members })),
  }));
  const role = fc.constantFrom("user", "assistant", "model", "tool", "system", "function", 7, null);
  const members = "content parts tool_calls function_call refusal reasoning_details audio".split(
    " ",
  );
  const message = fc.oneof(
    fc.jsonValue(),
    fc.record(
      { role, ...Object.fromEntries(members.map((name) => [name, value])) },
      { requiredKeys: [] },
    ),
  ) as fc.Arbitrary<Message>;

  it.each(Object.entries(GIVEN))(
    "%s reads it and edits it without throwing",
    (_format, { dialect }) => {
      fc.assert(
        fc.property(fc.array(message, { maxLength: 4 }), value, (messages, other) => {
          deepFreeze(messages);
          dialect.preamble(messages);
          messages.forEach((each, index) => {
            dialect.speaker(each);
            expect(typeof dialect.text(each)).toBe("string");
            dialect.calls(each);
            dialect.results(each).forEach(({ text }) => expect(typeof text).toBe("string"));
            dialect.pieces(each);
            dialect.thinks(each);
            expect(dialect.canon(messages, index)).toEqual(dialect.canon(messages, index));
            dialect.opensTail(messages, index);
            expect(dialect.thinks(dialect.withoutThinking(each))).toBe(false);
            dialect.shortenResults(each, (text) => text.slice(0, 3));
            dialect.shortenTexts(each, (text) => text.slice(0, 3));
            dialect.reply(each);
          });
          dialect.canon(messages, messages.length);
          expect(dialect.opensTail(messages, messages.length)).toBe(false);
          dialect.overhead({ messages, system: other, tools: other });
          dialect.appendSystem({ messages, system: other }, "ours");
          dialect.reply(other);
          dialect.reply({ reply: other, usage: other });
        }),
        { numRuns: runs(80) },
      );
    },
  );
});

it.each(Object.values(GIVEN))(
  "whatever a dialect reads of a request's head weighs",
  ({ dialect }) => {
    const read = new Set<PropertyKey>();
    const spy = (request: ProviderRequest): ProviderRequest =>
      new Proxy(request, { get: (from, name) => (read.add(name), Reflect.get(from, name)) });
    const head = Object.fromEntries(
      REQUEST_HEAD.map((name) => [name, [{ type: "text", text: `Be brief in ${name}.` }]]),
    );
    const whole = createMeasure().head(dialect, { messages: [], ...head });
    expect(whole).toBeGreaterThan(0);
    dialect.overhead(spy({ messages: [], ...head }));
    expect([...read].toSorted()).toEqual([...REQUEST_HEAD].toSorted());
    for (const name of REQUEST_HEAD)
      expect(createMeasure().head(dialect, { messages: [], ...head, [name]: [] })).toBeLessThan(
        whole,
      );
  },
);
