import { asDict, type Dict, dicts } from "../../core/base.ts";
import { tokenCount } from "../../providers/common/replies.ts";
import { type FetchApi, placeOf } from "../http/fetch.ts";

/** Servers whose list of models holds no windows. */
const SAY_NOTHING = /^[\w.-]*\b(?:openai|azure)\.com\/|\/openai\/deployments\//;

/**
 * Where servers list their models with what each can read: most beside the calls; LM Studio and
 * Ollama say what is loaded in an API of their own.
 */
const LISTS: readonly ((base: string, origin: string) => string)[] = [
  (base) => `${base}/models`,
  (_, origin) => `${origin}/api/v0/models`,
  (_, origin) => `${origin}/api/ps`,
];

/** OpenRouter and Ollama; Groq; vLLM; LM Studio; llama.cpp. What is loaded before what could be. */
function windowIn(model: Dict): number | undefined {
  const { loaded_context_length, context_window, max_model_len, context_length } = model;
  const said = [loaded_context_length, asDict(model.meta).n_ctx, context_window, max_model_len];
  return [...said, context_length].map(tokenCount).find((tokens) => tokens > 0);
}

const names = ({ id, name, model }: Dict): unknown[] => [id, name, model];

/** What a compatible server says of a model's window. */
export const retrieveWindow: FetchApi["window"] = async (name, call, read) => {
  const url = placeOf(call.url);
  if (SAY_NOTHING.test(url.hostname + url.pathname)) return undefined;
  const base = `${url.origin}${url.pathname.replace(/\/(?:chat\/completions|responses)$/, "")}`;
  for (const list of LISTS) {
    const { data, models } = await read(list(base, url.origin));
    const found = [...dicts(data), ...dicts(models)].find((one) => names(one).includes(name));
    const window = found && windowIn(found);
    if (window !== undefined) return window;
  }
  return undefined;
};
