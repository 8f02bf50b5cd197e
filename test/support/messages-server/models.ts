/** What a model can do, as far as a request may be refused for it. */
export interface ModelInfo {
  readonly id: string;
  readonly max_input_tokens: number;
  /** Longest reply that may be asked for. */
  readonly max_tokens: number;
  /** Preserved thinking: a replayed thinking block must stand behind exactly what it was made from. */
  readonly boundThinking: boolean;
  /** Takes `thinking` that is not turned off. */
  readonly thinks: boolean;
  /** Takes `role: "system"` inside `messages`. */
  readonly systemMessages: boolean;
  /** Goes on with a trailing assistant text. */
  readonly prefill: boolean;
  /** Input and `max_tokens` together must fit the window. */
  readonly sumMustFit: boolean;
  readonly minimumCacheable: number;
}

export type ModelOptions = Partial<Omit<ModelInfo, "id">>;

/** The models of the page on prefix checks. */
const BOUND = /^claude-(?:(?:fable|mythos)-5-[12]|(?:opus|sonnet|haiku)-5-5)/;
/** Generations up to 4.5; later ones answer "does not support assistant message prefill". */
const PREFILL = /^claude-(?:(?:opus|sonnet|haiku)-4-5|(?:opus|sonnet)-4(?:-[01])?(?:-\d{8})?$|3)/;
/** Opus 4.8 brought system messages; every later model has them. */
const SYSTEM = /^claude-(?:opus-4-8|(?:opus|sonnet|haiku|fable|mythos)-5)/;
const NO_THOUGHT = /^claude-(?:3-(?:5-)?(?:haiku|sonnet|opus)|2|instant)/;
const MINIMUM: readonly (readonly [RegExp, number])[] = [
  [/^claude-(?:opus|fable|mythos)-5/, 512],
  [/^claude-opus-4-7/, 2_048],
  [/^claude-(?:opus-4-[56]|haiku-4-5)/, 4_096],
];

export const WINDOW = 200_000;

export function modelInfo(id: string, options: ModelOptions = {}, window = WINDOW): ModelInfo {
  return {
    id,
    max_input_tokens: window,
    max_tokens: 64_000,
    boundThinking: BOUND.test(id),
    systemMessages: SYSTEM.test(id),
    thinks: !NO_THOUGHT.test(id),
    prefill: PREFILL.test(id),
    sumMustFit: true,
    minimumCacheable: MINIMUM.find(([ids]) => ids.test(id))?.[1] ?? 1_024,
    ...options,
  };
}

/** The body of GET /v1/models/:id. */
export const modelAnswer = (info: ModelInfo) => ({
  type: "model",
  id: info.id,
  display_name: info.id,
  created_at: "2026-01-01T00:00:00Z",
  max_input_tokens: info.max_input_tokens,
  max_tokens: info.max_tokens,
});
