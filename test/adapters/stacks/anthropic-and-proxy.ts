import Anthropic from "@anthropic-ai/sdk";
import { anthropicMiddleware } from "../../../src/adapters/anthropic.ts";
import type { ProviderRequest, Tidemark } from "../../../src/index.ts";
import { startProxy, type TestProxy } from "../../support/proxy.ts";
import { responsesTalk } from "./openai.ts";
import { PARAMETERS, read, type Api, type Stack, userOf } from "./stack.ts";

/** What a proxy of each Tidemark tells programs. */
const proxies = new WeakMap<Tidemark, Promise<TestProxy>>();

/** The bare SDK, whose calls go by way of a proxy. */
async function throughProxy({ url }: Api, tidemark: Tidemark): Promise<TestProxy> {
  const env = { ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: url };
  const proxy = proxies.get(tidemark) ?? startProxy(tidemark, env);
  proxies.set(tidemark, proxy);
  return proxy;
}

export const proxiedTalk: Stack["talk"] = (api, tidemark, history = []) => ({
  history,
  async say(words, way) {
    const url = tidemark ? (await throughProxy(api, tidemark)).openai : api.url;
    return responsesTalk(false)({ ...api, url }, undefined, history).say(words, way);
  },
});

const identity = ({ metadata }: ProviderRequest) =>
  userOf((metadata as { user_id?: string } | undefined)?.user_id);

export const messagesTalk =
  (way: "middleware" | "proxy"): Stack["talk"] =>
  (api, tidemark, history = []) => {
    const messages = history as Anthropic.MessageParam[];
    const input_schema = PARAMETERS;
    return {
      history,
      async say(words, { stream = false, signal, user } = {}) {
        const reached =
          way === "proxy" && tidemark ? (await throughProxy(api, tidemark)).anthropic : api.url;
        const client = new Anthropic({
          ...{ baseURL: reached, apiKey: "test", logLevel: "off" as const },
          middleware:
            tidemark && way === "middleware" ? [anthropicMiddleware(tidemark, { identity })] : [],
        });
        messages.push({ role: "user", content: words });
        for (;;) {
          const asked = {
            ...{ model: "claude-sonnet-4-6", max_tokens: 500, messages },
            tools: [{ name: "read", input_schema }],
            ...(user && { metadata: { user_id: user } }),
          };
          const reply = stream
            ? await client.messages.stream(asked, { signal }).finalMessage()
            : await client.messages.create(asked, { signal });
          const { content } = reply;
          messages.push({ role: "assistant", content });
          const made = content.filter((block) => block.type === "tool_use");
          if (made.length === 0) return;
          messages.push({
            role: "user",
            content: made.map(({ id, input }) => ({
              ...{ type: "tool_result", tool_use_id: id },
              content: read((input as { path: string }).path),
            })),
          } as Anthropic.MessageParam);
        }
      },
    };
  };
