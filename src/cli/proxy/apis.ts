import { messagesApi } from "../../adapters/anthropic/messages-api.ts";
import { type Fetch, fetchThrough } from "../../adapters/http/fetch.ts";
import { openaiMiddleware } from "../../adapters/openai.ts";
import { type Dict, dictIn, dicts } from "../../core/base.ts";
import { anthropic } from "../../providers/anthropic/messages.ts";
import type { Message } from "../../core/request.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";

/** A provider's API, as programs in any language speak to it. */
export interface ProxiedApi {
  /** Its calls lie below this path of the proxy. */
  readonly mount: string;
  /** Its own address, and the names by which programs are told another one. */
  readonly address: string;
  readonly names: readonly string[];
  /** Paths of the calls that show a conversation. */
  readonly reads: RegExp;
  /** Sends these calls through Tidemark. */
  through(tidemark: Tidemark, out: Fetch): Fetch;
  /** The conversation that a program wants a summary of for itself; undefined for any turn. */
  summarised(path: string, text: string): Dict | undefined;
  /** Its form of an error. */
  error(status: 400 | 502, message: string): Dict;
}

/** Claude Code asks so for its own summary, as the user's last words. */
const SUMMARISE = "CRITICAL: Respond with TEXT ONLY";

const anthropicApi: ProxiedApi = {
  mount: "/anthropic",
  address: "https://api.anthropic.com",
  names: ["ANTHROPIC_BASE_URL"],
  reads: /\/v1\/messages\/?$/,
  through: (tidemark, out) => fetchThrough(tidemark, messagesApi(tidemark), { fetch: out }),
  summarised(_path, text) {
    const body = text.includes(SUMMARISE) ? dictIn(text) : undefined;
    const messages = dicts(body?.messages) as Message[];
    const last = messages.at(-1);
    const isAsked = last !== undefined && anthropic.text(last).includes(SUMMARISE);
    return isAsked ? { ...body, messages: messages.slice(0, -1) } : undefined;
  },
  error: (status, message) => {
    const type = status === 400 ? "invalid_request_error" : "api_error";
    return { type: "error", error: { type, message } };
  },
};

const openaiApi: ProxiedApi = {
  mount: "/openai/v1",
  address: "https://api.openai.com/v1",
  // The second is what older programs read, and those of Python still do.
  names: ["OPENAI_BASE_URL", "OPENAI_API_BASE"],
  reads: /\/(?:chat\/completions|responses(?:\/compact)?)$/,
  through: (tidemark, out) => openaiMiddleware(tidemark, { fetch: out }),
  summarised(path, text) {
    if (path.endsWith("/compact")) return dictIn(text);
    const body = text.includes('"compaction_trigger"') ? dictIn(text) : undefined;
    const items = dicts(body?.input);
    const isAsked = items.at(-1)?.type === "compaction_trigger";
    return isAsked ? { ...body, input: items.slice(0, -1) } : undefined;
  },
  error: (status, message) => {
    const type = status === 400 ? "invalid_request_error" : "server_error";
    return { error: { message, type, param: null, code: null } };
  },
};

export const APIS: readonly ProxiedApi[] = [anthropicApi, openaiApi];

export const textOf = (body: unknown): string =>
  body instanceof Uint8Array ? new TextDecoder().decode(body) : "";
