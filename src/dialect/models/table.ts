import type { Capabilities, Prices } from "../../model/request.ts";

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

const DROP_BLOCK = { dropBlock: "thinking-binding-controls-2026-08-01" } as const;
const CLEAR_AT = { clearAt: "mid-conversation-system-clear-at-2026-08-21" } as const;
const MARKED = { cacheLifetimes: [300, 3_600] } as const;
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
export const MODELS: readonly (readonly [RegExp, Partial<Capabilities>])[] = [
  [/\[1m\]$/, { window: 1_000_000, promptPlusReply: true }],

  [/claude-(?:fable|mythos)-5-\d/, { prices: claude(10, 50, 0.025), ...DROP_BLOCK, ...CLEAR_AT }],
  [/claude-(?:fable|mythos)-5(?!\d)/, { prices: claude(10, 50), cacheMinimumTokens: 512 }],
  [/claude-opus-5-5/, { prices: claude(4, 20, 0.05), ...DROP_BLOCK, ...CLEAR_AT }],
  [/claude-opus-5(?!\d)/, { prices: claude(5, 25), cacheMinimumTokens: 512 }],
  [/claude-sonnet-5-5/, { prices: claude(2, 10, 0.05), ...DROP_BLOCK, ...CLEAR_AT }],
  [/claude-sonnet-5(?!\d)/, { prices: claude(2, 10) }],
  [/claude-haiku-5-5/, { ...DROP_BLOCK }],
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
  [/claude/, MARKED],

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
