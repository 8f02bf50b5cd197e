import { isDict, type Dict } from "../../base/guards.ts";
import { didYouMean } from "../../model/checks.ts";
import type { Capabilities, Prices } from "../../model/request.ts";
import { TidemarkError, shown } from "../../model/errors.ts";
import { MODELS } from "./table.ts";
import type { Usage } from "../../model/ports.ts";

export type { Capabilities, Prices } from "../../model/request.ts";

/** What is known of a model, and who said how large its window is. */
export interface Known extends Capabilities {
  readonly windowBy: "host" | "provider" | "table" | "guess";
}

/** A host's own knowledge: by a part of the model's name, `*` for anything. */
export type ModelOverrides = Readonly<Record<string, Partial<Capabilities>>>;

/** Of a model in no list: a cautious window, none of the betas. */
const NOBODY: Capabilities = {
  window: 200_000,
  promptPlusReply: true,
  boundThinking: true,
  midConversationSystem: false,
  cacheMinimumTokens: 1_024,
  cacheLifetimes: [],
};

const found = new Map<string, Known>();

/**
 * What the host says of a model by its name, else what the provider itself said, else the table: every row that fits adds to
 * it, and the first to name a thing decides.
 */
export function capabilitiesOf(
  model: string,
  own?: ModelOverrides,
  said?: Partial<Capabilities>,
): Known {
  const name = model.toLowerCase();
  let known = found.get(name);
  if (known === undefined) {
    const rows = MODELS.filter(([pattern]) => pattern.test(name)).map(([, row]) => row);
    const listed = rows.reduceRight<Partial<Capabilities>>((all, row) => ({ ...all, ...row }), {});
    known = { ...NOBODY, ...listed, windowBy: listed.window === undefined ? "guess" : "table" };
    if (found.size >= 1_000) found.clear();
    found.set(name, known);
  }
  const answered: Known = {
    ...known,
    ...said,
    windowBy: said?.window === undefined ? known.windowBy : "provider",
  };
  if (own === undefined) return answered;
  const mine = Object.entries(own).filter(([pattern]) => fits(pattern, name));
  return mine.reduce<Known>(
    (all, [, one]) => ({
      ...all,
      ...one,
      windowBy: one.window === undefined ? all.windowBy : "host",
    }),
    answered,
  );
}

const fits = (pattern: string, name: string): boolean =>
  new RegExp(pattern.toLowerCase().split("*").map(literal).join(".*")).test(name);
const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const price = (value: unknown): boolean =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;
const positive = (value: unknown): boolean => price(value) && value !== 0;
const PRICES = ["input", "output", "cacheWrite5m", "cacheWrite1h", "cacheRead"] as const;
const isLong = (value: unknown): boolean =>
  value === undefined || (isDict(value) && positive(value.above) && positive(value.times));
const arePrices = (value: unknown): boolean =>
  isDict(value) &&
  PRICES.every((name) => price(value[name])) &&
  isLong(value.long) &&
  onlyKeys(value, [...PRICES, "long"]);
const onlyKeys = (value: Dict, keys: readonly string[]): boolean =>
  Object.keys(value).every((key) => keys.includes(key));

interface Rule {
  readonly holds: (value: unknown) => boolean;
  readonly want: string;
}
const FLAG: Rule = { holds: (value) => typeof value === "boolean", want: "true or false" };
const BETA: Rule = {
  holds: (value) => value === undefined || (typeof value === "string" && /^[\w-]+$/.test(value)),
  want: "the name of a beta, or undefined for none",
};

const RULES: Readonly<Record<keyof Capabilities, Rule>> = {
  window: { holds: positive, want: "a number of tokens above 0" },
  promptPlusReply: FLAG,
  boundThinking: FLAG,
  serverCompaction: BETA,
  dropBlock: BETA,
  midConversationSystem: FLAG,
  clearAt: BETA,
  cacheMinimumTokens: { holds: price, want: "a number of tokens from 0" },
  cacheLifetimes: {
    holds: (value) => Array.isArray(value) && value.every(positive),
    want: "a list of seconds",
  },
  prices: { holds: arePrices, want: `dollars per million tokens: { ${PRICES.join(", ")} }` },
};

/** Throws TidemarkError "config" for what cannot be meant. */
export function checkModels(models: unknown): void {
  if (models === undefined) return;
  if (!isDict(models))
    throw new TidemarkError(
      "config",
      'models must be an object such as { "claude-opus-5-5": { window: 400_000 } }.',
    );
  for (const [pattern, own] of Object.entries(models)) {
    if (pattern.trim() === "")
      throw new TidemarkError("config", "models: a pattern must name at least a part of a model.");
    if (!isDict(own))
      throw new TidemarkError(
        "config",
        `models["${pattern}"] must be an object such as { window: 400_000 }, got ${shown(own)}.`,
      );
    for (const [name, value] of Object.entries(own)) {
      const rule = RULES[name as keyof Capabilities] as Rule | undefined;
      if (rule === undefined)
        throw new TidemarkError(
          "config",
          `models["${pattern}"] knows no "${name}"; it knows ${Object.keys(RULES).join(", ")}.${didYouMean(name, Object.keys(RULES))}`,
        );
      if (!rule.holds(value))
        throw new TidemarkError(
          "config",
          `models["${pattern}"].${name} must be ${rule.want}, got ${shown(value)}.`,
        );
    }
  }
}

/** Claude's tokenizers give more tokens than o200k, which the estimate imitates: 1.04–1.21 measured on the last public one. */
export const priorOf = (model: string): number => (/claude/i.test(model) ? 1.1 : 1);

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

/** What a request and its reply cost, in dollars. */
export function costOf(
  { input, cacheWrite, cacheRead, output, cacheWrite1h = 0 }: Usage,
  prices: Prices,
): number {
  const times =
    prices.long && input + cacheWrite + cacheRead > prices.long.above ? prices.long.times : 1;
  const spent =
    input * prices.input +
    (cacheWrite - cacheWrite1h) * prices.cacheWrite5m +
    cacheWrite1h * prices.cacheWrite1h +
    cacheRead * prices.cacheRead +
    output * prices.output;
  return (spent * times) / 1_000_000;
}
