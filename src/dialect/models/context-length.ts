import { isDict } from "../../base/guards.ts";

/** What local servers and gateways call the tokens a model reads and writes together. */
const NAMES = ["num_ctx", "max_model_len", "context_length", "n_ctx"] as const;
/** Where they stand beside the top: Ollama's options, what an SDK passes on. */
const WITHIN = ["options", "extra_body", "model_info"] as const;

/** The window that a request or an answer names, in tokens; undefined where it names none. */
export function contextLengthIn(value: unknown): number | undefined {
  if (!isDict(value)) return undefined;
  const places = [value, ...WITHIN.map((name) => value[name]).filter(isDict)];
  const found = places
    .flatMap((place) => NAMES.map((name) => place[name]))
    .find((one) => typeof one === "number" && Number.isInteger(one) && one > 0);
  return typeof found === "number" ? found : undefined;
}
