import { prose } from "../../support/anthropic.ts";
import { startCompletionsServer } from "../../support/completions-server.ts";
import { startMessagesServer } from "../../support/messages-server/index.ts";
import { lastText } from "../../support/messages-server/replies.ts";
import { lastWords, said, startResponsesServer } from "../../support/responses-server.ts";
import { DISTILLED, asksToDistil, nextCall, type Json, type Stack } from "./stack.ts";

export const serveResponses: Stack["serve"] = (options) =>
  startResponsesServer({
    ...options,
    reply: (body) => {
      const words = lastWords(body);
      if (asksToDistil(words)) return [said(DISTILLED)];
      if (!words.startsWith("Read")) return [said(`Aye. ${prose(40, words.length)}`)];
      return [
        { type: "reasoning", summary: [], encrypted_content: "x".repeat(200) },
        ...["a", "b"].map((path) => ({
          ...{ type: "function_call", name: "read", status: "completed" },
          ...{ call_id: `call_${nextCall()}`, arguments: JSON.stringify({ path }) },
        })),
      ];
    },
  });

export const serveCompletions: Stack["serve"] = (options) =>
  startCompletionsServer({
    ...options,
    reply: ({ messages }) => {
      const { content } = (messages as Json[]).at(-1)!;
      const parts = Array.isArray(content) ? (content as Json[]) : [{ text: content }];
      const words = parts.map(({ text }) => text).join("\n");
      if (asksToDistil(words)) return { content: DISTILLED };
      if (!words.startsWith("Read")) return { content: `Aye. ${prose(40, words.length)}` };
      return {
        tool_calls: ["a", "b"].map((path) => ({
          ...{ id: `call_${nextCall()}`, type: "function" },
          function: { name: "read", arguments: JSON.stringify({ path }) },
        })),
      };
    },
  });

/** The same as the others, of Anthropic's. */
export const serveMessages: Stack["serve"] = async ({ window, fails } = {}) => {
  const server = await startMessagesServer({
    ...(window && { window }),
    distil: () => DISTILLED,
    fail: (_, { index }) => {
      const failure = fails?.(index);
      return failure === "cut" ? { cutAfter: 4 } : failure ? "rate-limit" : undefined;
    },
    reply: (body) => {
      const words = lastText(body);
      if (!words.startsWith("Read")) return `Aye. ${prose(40, words.length)}`;
      return ["a", "b"].map((path) => ({
        ...{ type: "tool_use", id: `toolu_${nextCall()}`, name: "read" },
        input: { path },
      }));
    },
  });
  return {
    url: server.url,
    get requests() {
      return server.requests.map(({ body }) => body);
    },
    get refusals() {
      return server.refusals.map(({ message }) => message);
    },
    close: () => server.close(),
  };
};
