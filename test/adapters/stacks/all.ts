import { aiSdkTalk, mastraTalk } from "./ai-sdk-and-mastra.ts";
import { messagesTalk, proxiedTalk } from "./anthropic-and-proxy.ts";
import { chatTalk, geminiTalk, serveGemini } from "./gemini.ts";
import { langchainTalk } from "./langchain.ts";
import { completionsTalk, responsesTalk } from "./openai.ts";
import { serveCompletions, serveMessages, serveResponses } from "./servers.ts";
import type { Stack } from "./stack.ts";

/** Every way in, with the real package against a strict server. */
export const STACKS: readonly Stack[] = [
  { name: "Anthropic's middleware", serve: serveMessages, talk: messagesTalk("middleware") },
  { name: "OpenAI's responses", serve: serveResponses, talk: responsesTalk(false) },
  { name: "OpenAI's responses, wrapped", serve: serveResponses, talk: responsesTalk(true) },
  { name: "OpenAI's chat completions", serve: serveCompletions, talk: completionsTalk },
  { name: "the AI SDK", serve: serveResponses, talk: aiSdkTalk },
  { name: "Mastra", serve: serveResponses, talk: mastraTalk },
  { name: "LangChain", serve: serveCompletions, talk: langchainTalk },
  { name: "Gemini", serve: serveGemini, talk: geminiTalk },
  { name: "Gemini's chats", serve: serveGemini, talk: chatTalk },
  { name: "the proxy, Messages", serve: serveMessages, talk: messagesTalk("proxy") },
  { name: "the proxy, responses", serve: serveResponses, talk: proxiedTalk },
];
