import "../node-version.ts";
import { asDict, defined, type Dict, dictIn, dicts } from "../core/base.ts";
import { contentsIn } from "../providers/gemini/contents.ts";
import { gatherContent, gemini } from "../providers/gemini/gemini.ts";
import type { Tidemark } from "../session/options/tidemark-api.ts";
import { eventsRead } from "./http/calls.ts";
import {
  callOf,
  type Fetch,
  type FetchApi,
  type FetchCall,
  type FetchOptions,
  fetchThrough,
  placeOf,
  postedTo,
} from "./http/fetch.ts";

export type GeminiOptions = FetchOptions;

/**
 * `new GoogleGenAI({ httpOptions: { fetch: geminiMiddleware(tidemark) } })`: generateContent, its
 * stream and chats go through Tidemark; all else passes untouched.
 */
export function geminiMiddleware(tidemark: Tidemark, options: GeminiOptions = {}): Fetch {
  return fetchThrough(tidemark, API, options);
}

const GENERATES = /\/([^/:]+):(?:g|streamG)enerateContent$/;
const INTERACTS = /\/interactions$/;

/** The model is named by the address. */
const callIn: FetchApi["callIn"] = (came, known) => {
  const path = postedTo(came);
  if (INTERACTS.test(path)) return "the server holds the history (interactions)";
  const [, model] = GENERATES.exec(path) ?? [];
  const own = (text: string): Dict => ({ ...dictIn(text), model });
  return model && callOf(came, known, { dialect: gemini, member: "contents", own });
};

/** Another address of the same model, or of another. */
function addressOf(call: FetchCall, { model, verb = "" }: { model: unknown; verb?: string }): URL {
  const url = placeOf(call.url);
  url.searchParams.delete("alt");
  url.pathname = url.pathname.replace(GENERATES, `/${String(model)}${verb}`);
  return url;
}

/** Of the caller's request what decides who answers, and at which price. */
const ALONG = ["safetySettings", "serviceTier", "labels"] as const;
/** Tokens that a model may think before it answers: the bound of a reply holds them, too. */
const THOUGHTS = 8_192;

const distil: FetchApi["distil"] = (call, ask) => {
  const { messages, system, tools, maxTokens, room = Infinity, alone } = ask;
  const { body } = call;
  const { model = body.model } = ask;
  // Tools of the server's would run.
  const own = dicts(tools).filter(({ functionDeclarations: named }) => Array.isArray(named));
  const { thinkingConfig } = asDict(model === body.model && body.generationConfig);
  const made = defined({
    ...Object.fromEntries(ALONG.map((name) => [name, body[name]])),
    contents: messages.flatMap(contentsIn),
    ...(alone !== true && { systemInstruction: system }),
    ...(alone !== true &&
      own.length > 0 && { tools: own, toolConfig: { functionCallingConfig: { mode: "NONE" } } }),
    generationConfig: defined({
      maxOutputTokens: Math.min(room, maxTokens + THOUGHTS),
      thinkingConfig,
    }),
  });
  const url = addressOf(call, { model, verb: ":generateContent" });
  return { body: made, url: url.href };
};

const API: FetchApi = {
  ...{ name: "geminiMiddleware", asks: "is it the client's `httpOptions.fetch`" },
  callIn,
  written: ({ model: _model, ...body }) => body,
  window: async (model, call, read) => (await read(addressOf(call, { model }))).inputTokenLimit,
  distil,
  reader: () => eventsRead(gatherContent()),
  refusal: ({ message }) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }),
};
