import { isDict, remembering } from "../../core/base.ts";
import type { Capabilities, Prices, Usage } from "../../core/request.ts";
import {
  above,
  byName,
  flag,
  from,
  is,
  object,
  optional,
  options,
  where,
} from "../../core/schema.ts";

// As published or quoted, November 2026: platform.claude.com (models, pricing, prompt caching,
// preserved thinking, mid-conversation system messages), developers.openai.com (models, pricing),
// ai.google.dev (models). Names are matched anywhere ("us.anthropic.claude-…", "openai/gpt-…").
// Where sources differ, or a window depends on headers, tier or platform, the smaller one stands:
// folding early costs less than a refusal, and a wrapped client asks the provider anyway.

/**
 * Anthropic: a write for five minutes costs 1.25 times the input, one for an hour twice; a read a
 * tenth or less.
 */
const claude = (input: number, output: number, read = 0.1): Prices => ({
  input,
  output,
  cacheWrite5m: input * 1.25,
  cacheWrite1h: input * 2,
  cacheRead: input * read,
});
/** OpenAI caches by itself and charges nothing for writing. */
const openai = (input: number, output: number, read: number): Prices => ({
  input,
  output,
  cacheWrite5m: input,
  cacheWrite1h: input,
  cacheRead: input * read,
});
/** From GPT-6 on it charges for writing, and a long prompt costs twice as much. */
const openai6 = (input: number, output: number, read = 0.1): Prices => ({
  ...claude(input, output, read),
  long: { above: 272_000, times: 2 },
});

const CLEAR_AT = { clearAt: "mid-conversation-system-clear-at-2026-08-21" } as const;
const UNMARKED = { cacheMinimumTokens: 0 } as const;

const together = (window: number): Partial<Capabilities> => ({
  window,
  promptPlusReply: true,
  ...UNMARKED,
});
/**
 * The prompt has a limit of its own: GPT-5 refuses input over 272,000 whatever is left of its
 * 400,000; Gemini lists input and output apart.
 */
const apart = (window: number): Partial<Capabilities> => ({
  window,
  promptPlusReply: false,
  ...UNMARKED,
});

/** First that fits decides; later rows fill in what it leaves open. */
const MODELS: readonly (readonly [RegExp, Partial<Capabilities>])[] = [
  [/\[1m\]$/, { window: 1_000_000, promptPlusReply: true }],

  [/claude-(?:fable|mythos)-5-\d/, { prices: claude(10, 50, 0.025), ...CLEAR_AT }],
  [/claude-(?:fable|mythos)-5(?!\d)/, { prices: claude(10, 50), cacheMinimumTokens: 512 }],
  [/claude-opus-5-5/, { prices: claude(4, 20, 0.05), ...CLEAR_AT }],
  [/claude-opus-5(?!\d)/, { prices: claude(5, 25), cacheMinimumTokens: 512 }],
  [/claude-sonnet-5-5/, { prices: claude(2, 10, 0.05), ...CLEAR_AT }],
  [/claude-sonnet-5(?!\d)/, { prices: claude(2, 10) }],
  [/claude-haiku-5(?!\d)/, { prices: { ...claude(0.1, 0.5), long: { above: 100_000, times: 5 } } }],
  [
    /claude-(?:fable|mythos|opus|sonnet|haiku)-5(?!\d)/,
    { window: 1_000_000, midConversationSystem: true },
  ],

  // Generations 3 and 4 check a thought's signature and nothing before it.
  [/claude-opus-4-8/, { midConversationSystem: true }],
  [/claude-opus-4-7/, { cacheMinimumTokens: 2_048 }],
  [/claude-opus-4[-.]6/, { cacheMinimumTokens: 4_096 }],
  [/claude-opus-4[-.]5/, { cacheMinimumTokens: 4_096 }],
  [/claude-opus-4[-.][5-9]/, { prices: claude(5, 25) }],
  [/claude-haiku-4/, { prices: claude(1, 5), cacheMinimumTokens: 4_096 }],
  [/claude-(?:opus|sonnet|haiku)-4(?!\d)/, { window: 200_000, boundThinking: false }],
  [/claude-3[-.]7/, { window: 200_000, boundThinking: false }],
  // Claude before 3.7 shortened the reply instead of refusing: the prompt alone must fit.
  [/claude-3[-.]5-haiku/, { prices: claude(0.8, 4) }],
  [/claude-3(?:[-.]5)?-haiku/, { cacheMinimumTokens: 2_048 }],
  [/claude-3(?![-.]7)/, { window: 200_000, promptPlusReply: false, boundThinking: false }],
  [/claude.*opus/, { prices: claude(15, 75) }],
  [/claude.*sonnet/, { prices: claude(3, 15) }],

  [/gpt-6\.2-astra/, { prices: openai6(8, 40, 0.05) }],
  [/gpt-6-astra/, { prices: openai6(10, 50) }],
  [/gpt-6\.[12]-sol/, { prices: openai6(2, 10, 0.05) }],
  [/gpt-6-sol/, { prices: openai6(2, 10) }],
  [/gpt-6\.1-terra/, { prices: openai6(1, 5) }],
  [/gpt-6-luna/, { prices: openai6(0.1, 0.5) }],
  [/gpt-6(?:\.[12])?-(?:astra|sol|terra|luna)/, apart(922_000)],
  [/gpt-4o-mini/, { prices: openai(0.15, 0.6, 0.5) }],
  [/gpt-4o/, { prices: openai(2.5, 10, 0.5) }],
  [/gpt-4\.1(?!-)/, { prices: openai(2, 8, 0.25) }],
  [/gpt-5(?:\.1)?(?:-\d|$)/, { prices: openai(1.25, 10, 0.1) }],
  [/gpt-4\.1/, together(1_047_576)],
  [/gpt-4o|gpt-4-turbo|gpt-4-(?:1106|0125|vision)|gpt-5(?:\.\d)?-chat/, together(128_000)],
  [/gpt-oss/, together(131_072)],
  [/gpt-4(?![\w.])|gpt-4-0/, together(8_192)],
  [/gpt-3\.5|gpt-35/, together(16_385)],
  [/(?:^|[/.])o[134](?![\w.])/, together(200_000)],
  [/gpt-[56](?!(?:\.\d)?-chat)/, apart(272_000)],
  // A thought's signature is checked, and nothing before it.
  [/gemini/, { boundThinking: false }],
  [/gemini-[\w.-]*image/, apart(65_536)],
  [/gemini-4/, together(1_048_576)],
  [/gemini-(?:1\.5|2|3)/, apart(1_048_576)],
  [/deepseek-(?:v4|flash)/, together(1_000_000)],
  [/deepseek-(?:chat|reasoner|v3|r1)/, together(128_000)],
  [/grok-4[.-][567](?!\d)/, together(500_000)],
  [/grok-4/, together(256_000)],
  [/grok-[23]/, together(131_072)],
  [/mistral-(?:large|medium|small)|command-r|nova-micro/, together(128_000)],
  [/nova-(?:lite|pro)/, together(300_000)],
  [/kimi-k3|glm-5[.-]2/, together(1_000_000)],
  [/glm-(?:4[.-][67]|5)|minimax-m2/, together(200_000)],
  [/minimax-m3/, together(500_000)],
  [/qwen3[.-]8-max/, together(991_000)],
  [/kimi-k2|llama-?3[.-][123]/, together(131_072)],
];

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
        clearAt: beta,
        cacheMinimumTokens: tokens,
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
