import { describe, expect, it } from "vitest";
import { capabilitiesOf } from "../../src/providers/common/models.ts";
import { gemini } from "../../src/providers/gemini/gemini.ts";
import { isThinkingRefusal, overflowOf, replyIn } from "../../src/providers/usage-and-overflow.ts";
import type { Message } from "../../src/core/request.ts";
import { openRoom } from "../support/talk.ts";

const said = (text: string): Message => ({ role: "user", parts: [{ text }] });
const call = (name: string, id?: string) => ({
  functionCall: { name, args: { at: "pier 7" }, ...(id && { id }) },
});
const answer = (name: string, output: string, id?: string) => ({
  functionResponse: { name, response: { output }, ...(id && { id }) },
});
const UNSIGNED = "skip_thought_signature_validator";
const { open, close } = gemini.envelope!;

describe("a request of Gemini's", () => {
  const tools = [{ functionDeclarations: [{ name: "read" }] }];
  it.each<[string, Record<string, unknown>]>([
    [
      "as the API has it",
      {
        contents: [said("hi")],
        systemInstruction: { parts: [{ text: "Be brief." }] },
        tools,
        generationConfig: { maxOutputTokens: 9 },
      },
    ],
    [
      "as its client takes it",
      {
        contents: "hi",
        config: { systemInstruction: "Be brief.", tools, maxOutputTokens: 9, temperature: 1 },
      },
    ],
    ["of parts", { contents: ["hi", { inlineData: { mimeType: "image/png", data: "AAAA" } }] }],
    ["of one content", { contents: said("hi") }],
  ])("%s is opened, and closed as it was", (_, given) => {
    const opened = open(given);
    expect(gemini.text(opened.messages[0]!)).toBe("hi");
    expect(close(given, opened, opened)).toEqual(given);
    const longer = gemini.appendSystem(opened, "Be kind.");
    const made = close(given, { ...longer, messages: [said("ho")] }, opened) as {
      config?: Record<string, unknown>;
    };
    const { systemInstruction, ...rest } = (made.config ?? made) as {
      systemInstruction: { parts: object[] };
    };
    expect(systemInstruction.parts.at(-1)).toEqual({ text: "Be kind." });
    expect(JSON.stringify([rest, made])).toContain("ho");
    if ("max_tokens" in opened) expect([opened.max_tokens, opened.tools]).toEqual([9, tools]);
  });

  it("keeps the contents of a streamed reply apart, and reads them as one message", () => {
    const contents = [
      said("hi"),
      { role: "model", parts: [{ text: "I am rea" }] },
      { role: "model", parts: [{ text: "ding." }] },
      { role: "model", parts: [{ ...call("read"), thoughtSignature: "s" }] },
      { role: "user", parts: [answer("read", "Tide.")] },
    ];
    const opened = open({ contents });
    expect(opened.messages).toHaveLength(3);
    expect(gemini.text(opened.messages[1]!)).toBe("I am reading.");
    const cut = opened.messages.map((one) => gemini.shortenResults(one, () => "T"));
    expect(close({ contents }, { messages: cut }, opened).contents).toEqual(
      contents.with(-1, { role: "user", parts: [answer("read", "T")] }),
    );
    expect(open({ contents }).messages[1]).toBe(opened.messages[1]);
    expect(open({ contents: contents.slice(0, 3) }).messages[1]).not.toBe(opened.messages[1]);
  });
});

describe("calls and their answers", () => {
  const ids = (parts: object[]) => {
    const message = { role: "user", parts };
    return [...gemini.calls(message), ...gemini.results(message)].map(({ id }) => id);
  };
  it("are known by their ids, else by name and order", () => {
    expect(ids([call("read", "a"), call("read", "b")])).toEqual(["a", "b"]);
    expect(ids([call("read"), call("look"), call("read")])).toEqual(
      ids([answer("read", ""), answer("look", ""), answer("read", "")]),
    );
    // A long id is one that chance made.
    expect(ids([call("read_the_whole_of_a_page")])[0]!.length).toBeLessThan(16);
  });

  it("are shortened without a signature of other words", () => {
    const parts = [
      { text: "I read on and on.", thoughtSignature: "a" },
      { ...call("read"), thoughtSignature: "b" },
    ];
    const message = { role: "model", parts };
    const short = (text: string) => text.slice(0, 6);
    expect(gemini.shortenTexts(message, short).parts).toEqual([{ text: "I read" }, parts[1]]);
    const args = { left_out: '{"at":' };
    expect(gemini.shortenInputs(message, short).parts).toEqual([
      parts[0],
      { functionCall: { name: "read", args }, thoughtSignature: UNSIGNED },
    ]);
    expect(gemini.shortenInputs(message, (text) => text)).toBe(message);
    const without = gemini.withoutThinking(message);
    expect(without.parts).toEqual([
      { text: "I read on and on." },
      { ...call("read"), thoughtSignature: UNSIGNED },
    ]);
    expect([gemini.thinks(message), gemini.thinks(without)]).toEqual([true, false]);
  });

  it("stay failed, and tell what failed", () => {
    const response = { error: { code: 5, why: "the pier is closed" } };
    const message = { role: "user", parts: [{ functionResponse: { name: "read", response } }] };
    const [failed] = gemini.results(gemini.shortenResults(message, (text) => text.slice(0, 9)));
    expect(failed).toMatchObject({ failed: true });
    expect(gemini.results(message)[0]!.text).toContain("the pier is closed");
  });

  it("lose their pictures to a note", () => {
    const image = { inlineData: { mimeType: "image/png", data: "AAAA" } };
    const functionResponse = { name: "look", response: { output: "seen" }, parts: [image] };
    const { parts } = gemini.withoutMedia(
      { role: "user", parts: [image, { functionResponse }] },
      "(gone)",
    );
    expect(parts).toEqual([
      { text: "(gone)" },
      { functionResponse: { name: "look", response: { output: "seen", media: "(gone)" } } },
    ]);
  });
});

describe("what the API answers", () => {
  const chunk = (parts: object[], more: object = {}) => ({
    candidates: [{ content: { role: "model", parts }, ...more }],
    usageMetadata: {
      ...{ promptTokenCount: 100, cachedContentTokenCount: 40 },
      ...{ candidatesTokenCount: 20, thoughtsTokenCount: 7 },
    },
  });
  const usage = { input: 60, cacheWrite: 0, cacheRead: 40, output: 27 };

  it("is read whole, and from the pieces of a stream", () => {
    const parts = [
      { text: "Hm.", thought: true },
      { text: "Ahoy." },
      { text: "", thoughtSignature: "s" },
    ];
    const whole = { message: { role: "model", parts }, usage, stop: "STOP" };
    expect(gemini.reply(chunk(parts, { finishReason: "STOP" }))).toEqual(whole);
    const pieces = [
      ...[chunk([parts[0]!]), chunk([{ text: "Ah" }]), chunk([{ text: "oy." }])],
      chunk([parts[2]!], { finishReason: "STOP" }),
    ];
    expect(replyIn(gemini, pieces)).toMatchObject(whole);
    expect(gemini.reply({ promptFeedback: { blockReason: "SAFETY" } })).toBeUndefined();
  });

  it.each([
    "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
    "Unable to submit request because the input token count is 1100000 but model only supports up to 1048576. Reduce the input token count and try again. You can also use the CountTokens API.",
  ])("is an overflow: %s", (message) => {
    const error = { error: { code: 400, message, status: "INVALID_ARGUMENT" } };
    const told = { tokens: 1_100_000, window: 1_048_576 };
    // The client's error holds the whole body as its message.
    expect(overflowOf({ status: 400, message: JSON.stringify(error) })).toEqual(told);
    expect(overflowOf({ status: 400, message, error })).toEqual(told);
  });

  it("is a refusal of thinking where a signature does not hold", () => {
    expect(isThinkingRefusal({ status: 400, message: "Corrupted thought signature." })).toBe(true);
    expect(capabilitiesOf("gemini-3.8-flash").boundThinking).toBe(false);
  });
});

it("a loop of one's own asks by hand in the form of Google's client", async () => {
  const { tidemark } = await openRoom();
  await tidemark.workspace.write("USER.md", "Call me Ada.", "agent:default");
  const contents = [said("Which boat?")];
  const asked = { model: "gemini-3.8-flash", contents, config: { systemInstruction: "Be brief." } };
  const turn = await tidemark.begin(asked);
  expect(JSON.stringify(turn.request.config)).toContain("Call me Ada.");
  expect(turn.request.contents).toBe(contents);
  await turn.end({ candidates: [{ content: { role: "model", parts: [{ text: "The Nixe." }] } }] });
  const [conversation] = await tidemark.history.list();
  const { messages } = await tidemark.history.read({ conversation: conversation!.id });
  expect(messages).toEqual([...contents, { role: "model", parts: [{ text: "The Nixe." }] }]);
});
