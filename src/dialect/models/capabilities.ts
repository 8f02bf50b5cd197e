import { remembering } from "../../base/cache.ts";
import { isDict } from "../../base/guards.ts";
import type { Capabilities, Prices } from "../../model/request.ts";
import {
  above,
  byName,
  flag,
  from,
  is,
  list,
  object,
  optional,
  options,
  where,
} from "../../model/schema.ts";
import { MODELS } from "./table.ts";
import type { Usage } from "../../model/ports.ts";

/** A model's abilities, and who said how large its window is. */
export interface KnownModel extends Capabilities {
  readonly windowBy: "host" | "provider" | "table" | "guess";
}

/** A host's own knowledge: by a part of the model's name, `*` for anything. */
export type ModelOverrides = Readonly<Record<string, Partial<Capabilities>>>;

/** A model in no list gets a cautious window and none of the betas. */
const NOBODY: Capabilities = {
  window: 200_000,
  promptPlusReply: true,
  boundThinking: true,
  midConversationSystem: false,
  cacheMinimumTokens: 1_024,
  cacheLifetimes: [],
};

/** Every row that fits adds to what is known of a name, and the first to name a thing decides. */
const inTable = remembering((name: string): KnownModel => {
  const listed = MODELS.filter(([pattern]) => pattern.test(name)).reduceRight<
    Partial<Capabilities>
  >((all, [, row]) => ({ ...all, ...row }), {});
  return { ...NOBODY, ...listed, windowBy: listed.window === undefined ? "guess" : "table" };
});

/**
 * What the host says of a model by its name, else what the provider itself said, else the table.
 */
export function capabilitiesOf(
  model: string,
  own: ModelOverrides = {},
  said: Partial<Capabilities> = {},
): KnownModel {
  const name = model.toLowerCase();
  const known = (
    all: KnownModel,
    one: Partial<Capabilities>,
    by: "host" | "provider",
  ): KnownModel => ({
    ...all,
    ...one,
    windowBy: one.window === undefined ? all.windowBy : by,
  });
  return Object.entries(own)
    .filter(([pattern]) => fits(pattern, name))
    .reduce((all, [, one]) => known(all, one, "host"), known(inTable(name), said, "provider"));
}

const fits = (pattern: string, name: string): boolean =>
  new RegExp(pattern.toLowerCase().split("*").map(literal).join(".*")).test(name);
const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const beta = is<string>(
  "the name of a beta, or undefined for none",
  (value) => typeof value === "string" && /^[\w-]+$/.test(value),
);
const tokens = from(0, "a number of tokens from 0");
const dollars = from(0, "a number of dollars from 0");

export const OVERRIDES = where(
  byName(
    'an object such as { "claude-opus-5-5": { window: 400_000 } }',
    options<Partial<Capabilities>>(
      {
        window: above("a number of tokens above 0"),
        ...{ promptPlusReply: flag, boundThinking: flag, midConversationSystem: flag },
        ...{ dropBlock: beta, clearAt: beta },
        cacheMinimumTokens: tokens,
        cacheLifetimes: list("a list of seconds", from(1, "a number of seconds")),
        prices: object<Prices>({
          ...{ input: dollars, output: dollars, cacheRead: dollars },
          ...{ cacheWrite5m: dollars, cacheWrite1h: dollars },
          long: optional(object({ above: tokens, times: from(0) })),
        }),
      },
      "an object such as { window: 400_000 }",
    ),
  ),
  "of patterns that name at least a part of a model",
  (models) => Object.keys(models).every((pattern) => pattern.trim() !== ""),
);

/**
 * Claude's tokenizers give more tokens than o200k, which the estimate imitates: 1.04–1.21 measured
 * on the last public one.
 */
export const priorOf = (model: string): number => (/claude/i.test(model) ? 1.1 : 1);

/** Local servers and gateways call the window by these names. */
const NAMES = ["num_ctx", "max_model_len", "context_length", "n_ctx"] as const;
/** They also stand in Ollama's options and in members that an SDK passes on. */
const WITHIN = ["options", "extra_body", "model_info"] as const;

/** The window that a request or an answer names, in tokens; undefined where it names none. */
export function contextLengthIn(value: unknown): number | undefined {
  if (!isDict(value)) return undefined;
  const places = [value, ...WITHIN.map((name) => value[name]).filter(isDict)];
  return places
    .flatMap((place) => NAMES.map((name) => place[name]))
    .find((one): one is number => typeof one === "number" && Number.isInteger(one) && one > 0);
}

/** Dollars for a request and its reply. */
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
