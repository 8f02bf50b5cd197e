import { type Content, type GenerateContentConfig, GoogleGenAI } from "@google/genai";
import { geminiMiddleware } from "../../../src/adapters/gemini.ts";
import type { Tidemark } from "../../../src/index.ts";
import { prose } from "../../support/anthropic.ts";
import { asContents, lastSaid, startGeminiServer } from "../../support/gemini-server.ts";
import {
  asksToDistil,
  DISTILLED,
  nextCall,
  PARAMETERS,
  read,
  type Api,
  type Stack,
  userOf,
} from "./stack.ts";

export const serveGemini: Stack["serve"] = (options) =>
  startGeminiServer({
    ...options,
    reply: (body) => {
      const words = lastSaid(body);
      if (asksToDistil(words)) return [{ text: DISTILLED }];
      if (!words.startsWith("Read")) return [{ text: `Aye. ${prose(40, words.length)}` }];
      return ["a", "b"].map((path) => ({
        functionCall: { id: `call_${nextCall()}`, name: "read", args: { path } },
      }));
    },
  });

const googleOf = ({ url }: Api, tidemark: Tidemark | undefined): GoogleGenAI => {
  const who = ({ labels }: { labels?: { user?: string } }) => userOf(labels?.user);
  const fetch = tidemark && geminiMiddleware(tidemark, { identity: who });
  return new GoogleGenAI({
    apiKey: "test",
    httpOptions: { baseUrl: url, fetch, retryOptions: { attempts: 2, initialDelay: 0.01 } },
  });
};
const CALLABLE = {
  tool: async () => ({
    functionDeclarations: [{ name: "read", parametersJsonSchema: PARAMETERS }],
  }),
  callTool: async (made: { id?: string; name?: string; args?: Record<string, unknown> }[]) =>
    made.map(({ args, ...call }) => ({
      functionResponse: { ...call, response: { output: read(String(args?.path)) } },
    })),
};

/** A chat of the client's own calls the tools by itself; its stream leaves them to the caller. */
export const chatTalk: Stack["talk"] = (api, tidemark, history = []) => {
  const client = googleOf(api, tidemark);
  return {
    history,
    async say(words, { stream = false, signal, user } = {}) {
      const own = { tools: [await CALLABLE.tool()] };
      const config: GenerateContentConfig = {
        ...(stream ? own : { tools: [CALLABLE] }),
        ...(signal && { abortSignal: signal }),
        ...(user && { labels: { user } }),
      };
      const chat = client.chats.create({
        ...{ model: "gemini-3.8-flash", config },
        history: asContents(history),
      });
      if (!stream) await chat.sendMessage({ message: words });
      else
        for (let message: unknown = words; message !== undefined;) {
          const made = [];
          for await (const chunk of await chat.sendMessageStream({ message: message as string }))
            made.push(...(chunk.functionCalls ?? []));
          message = made.length > 0 ? await CALLABLE.callTool(made) : undefined;
        }
      history.splice(0, history.length, ...chat.getHistory());
    },
  };
};

export const geminiTalk: Stack["talk"] = (api, tidemark, history = []) => {
  const client = googleOf(api, tidemark);
  history.splice(0, history.length, ...asContents(history));
  const contents = history as Content[];
  return {
    history,
    async say(words, { stream = false, signal, user } = {}) {
      contents.push({ role: "user", parts: [{ text: words }] });
      for (;;) {
        const asked = {
          ...{ model: "gemini-3.8-flash", contents },
          config: {
            ...{ tools: [await CALLABLE.tool()], systemInstruction: "Be brief." },
            ...(signal && { abortSignal: signal }),
            ...(user && { labels: { user } }),
          },
        };
        const parts = [];
        if (stream)
          for await (const { candidates } of await client.models.generateContentStream(asked))
            parts.push(...(candidates?.[0]?.content?.parts ?? []));
        else
          parts.push(
            ...((await client.models.generateContent(asked)).candidates?.[0]?.content?.parts ?? []),
          );
        contents.push({ role: "model", parts });
        const made = parts.flatMap(({ functionCall }) => functionCall ?? []);
        if (made.length === 0) return;
        contents.push({ role: "user", parts: await CALLABLE.callTool(made) });
      }
    },
  };
};
