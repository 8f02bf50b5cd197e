/** How much a model reads. */
export interface Window {
  readonly tokens: number;
  /** Not in the table: a cautious guess. */
  readonly guessed: boolean;
  /** The prompt and `max_tokens` must fit into `tokens` together. */
  readonly promptPlusReply: boolean;
}

const GUESS: Window = { tokens: 200_000, guessed: true, promptPlusReply: true };

/**
 * As published or quoted, November 2026; first match wins, names are matched anywhere ("us.anthropic.claude-…",
 * "openai/gpt-…"). Where sources differ, or a window depends on headers, tier or platform, the smaller one stands: folding
 * early costs less than a refusal, and a wrapped client asks the provider anyway. Claude's fifth generation reads 1M.
 */
const TOGETHER: readonly (readonly [RegExp, number])[] = [
  [/\[1m\]$/, 1_000_000],
  [/claude-(?:opus|sonnet)-5(?!\d)/, 1_000_000],
  [/claude-(?:haiku|fable|mythos)-5(?!\d)/, 1_000_000],
  [/claude-(?:opus|sonnet|haiku)-4(?!\d)/, 200_000],
  [/claude-3[-.]7/, 200_000],
  [/gpt-4\.1/, 1_047_576],
  [/gpt-4o|gpt-4-turbo|gpt-4\.5|gpt-4-(?:1106|0125|vision)|gpt-5(?:\.\d)?-chat/, 128_000],
  [/gpt-oss/, 131_072],
  [/gpt-4-32k/, 32_768],
  [/gpt-4(?![\w.])|gpt-4-0/, 8_192],
  [/gpt-3\.5-turbo-instruct/, 4_096],
  [/gpt-3\.5|gpt-35/, 16_385],
  [/(?:^|[/.])o1-(?:mini|preview)/, 128_000],
  [/(?:^|[/.])o[134](?![\w.])|codex-mini/, 200_000],
  [/deepseek-(?:chat|reasoner|v3|r1)/, 128_000],
  [/grok-4/, 256_000],
  [/grok-[23]/, 131_072],
  [/mistral-(?:large|medium|small)|command-r|nova-micro/, 128_000],
  [/nova-(?:lite|pro)/, 300_000],
  [/kimi-k2|llama-?3[.-][123]/, 131_072],
];

/**
 * The prompt has a limit of its own. Claude before 3.7 shortened the reply instead of refusing (Anthropic: from Sonnet 3.7
 * on, prompt + max_tokens over the window is a validation error). GPT-5 refuses input over 272,000 whatever is left of its
 * 400,000; Gemini lists input and output apart.
 */
const APART: readonly (readonly [RegExp, number])[] = [
  [/claude-3(?![-.]7)|claude-2[-.]1/, 200_000],
  [/claude-2|claude-instant/, 100_000],
  [/gpt-5(?!(?:\.\d)?-chat)/, 272_000],
  [/gemini-1\.5-pro/, 2_097_152],
  [/gemini-[\w.-]*image/, 65_536],
  [/gemini-(?:1\.5|2|3)/, 1_048_576],
];

/** The window of a model by its name; what is not known is guessed at 200,000. */
export function windowOf(model: string): Window {
  const name = model.toLowerCase();
  const find = (table: typeof TOGETHER) => table.find(([pattern]) => pattern.test(name))?.[1];
  const together = find(TOGETHER);
  if (together !== undefined) return { tokens: together, guessed: false, promptPlusReply: true };
  const apart = find(APART);
  return apart === undefined ? GUESS : { tokens: apart, guessed: false, promptPlusReply: false };
}
