import { existsSync, readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import type { Format, Message } from "../../src/core/request.ts";
import {
  ANTHROPIC_TURNS,
  type AnthropicTurn,
  buildAnthropic,
  type HistorySize,
  SIZE,
} from "./histories-anthropic.ts";
import { buildOpenAI, OPENAI_TURNS, type OpenAITurn } from "./histories-openai.ts";
import { chance } from "./histories-random.ts";
import { buildPrompt } from "./histories-ai-sdk.ts";
import { buildLangChain } from "./histories-langchain.ts";
import { buildContents } from "./histories-gemini.ts";
import { buildResponses } from "./histories-responses.ts";

export { type HistorySize } from "./histories-anthropic.ts";
export { validGemini } from "./histories-gemini.ts";
export { validPrompt } from "./histories-ai-sdk.ts";
export { validLangChain } from "./histories-langchain.ts";
export { validResponses } from "./histories-responses.ts";
export { validAnthropic, validOpenAI } from "./histories-valid.ts";

/** Where a request may be sent: the model's turn is next. */
function endingWithUser(
  messages: Message[],
  seed: number,
  said: (text: string) => Message = (content) => ({ role: "user", content }),
): Message[] {
  const random = chance(seed);
  if (random.maybe(0.5)) return [...messages, said(random.text(40))];
  const end = messages.findLastIndex(({ role }) => role !== "assistant" && role !== "model");
  return messages.slice(0, end + 1);
}

const plansOf = <Kind extends string>(kinds: readonly Kind[], turns: number) =>
  fc.array(fc.record({ kind: fc.constantFrom(...kinds), seed: fc.nat() }), {
    minLength: 1,
    maxLength: turns,
    size: "max",
  });

/** Valid Messages histories that end where a model answers; they shrink by whole turns. */
export const anthropicHistory = (size: HistorySize = {}): fc.Arbitrary<Message[]> =>
  plansOf(ANTHROPIC_TURNS, size.turns ?? SIZE.turns).map((plans: AnthropicTurn[]) =>
    endingWithUser(buildAnthropic(plans, size), plans.length + (plans.at(-1)?.seed ?? 0)),
  );

/** Valid Chat Completions histories, instructions included, that end where a model answers. */
export const openaiHistory = (size: HistorySize = {}): fc.Arbitrary<Message[]> =>
  plansOf(OPENAI_TURNS, size.turns ?? SIZE.turns).map((plans: OpenAITurn[]) =>
    endingWithUser(buildOpenAI(plans, size), plans.length + (plans.at(-1)?.seed ?? 0)),
  );

/** Valid Responses items, those of a reply as one message, that end where a model answers. */
export const responsesHistory = (size: HistorySize = {}): fc.Arbitrary<Message[]> =>
  plansOf(OPENAI_TURNS, size.turns ?? SIZE.turns).map((plans: OpenAITurn[]) =>
    endingWithUser(buildResponses(plans, size), plans.length + (plans.at(-1)?.seed ?? 0)),
  );

/** Valid prompts of the AI SDK that end where a model answers. */
export const promptHistory = (size: HistorySize = {}): fc.Arbitrary<Message[]> =>
  plansOf(ANTHROPIC_TURNS, size.turns ?? SIZE.turns).map((plans: AnthropicTurn[]) =>
    endingWithUser(buildPrompt(plans, size), plans.length + (plans.at(-1)?.seed ?? 0)),
  );

/** Valid messages of LangChain's that end where a model answers. */
export const langchainHistory = (size: HistorySize = {}): fc.Arbitrary<Message[]> =>
  plansOf(ANTHROPIC_TURNS, size.turns ?? SIZE.turns).map((plans: AnthropicTurn[]) =>
    endingWithUser(buildLangChain(plans, size), plans.length + (plans.at(-1)?.seed ?? 0)),
  );
/** Valid contents of Gemini's API that end where a model answers. */
export const contentsHistory = (size: HistorySize = {}): fc.Arbitrary<Message[]> =>
  plansOf(ANTHROPIC_TURNS, size.turns ?? SIZE.turns).map((plans: AnthropicTurn[]) =>
    endingWithUser(buildContents(plans, size), plans.length + (plans.at(-1)?.seed ?? 0), contentOf),
  );
const contentOf = (text: string): Message => ({ role: "user", parts: [{ text }] });

/** One history of a seed, for runs of thousands where fast-check's own cost would count. */
export function seededHistory(format: Format, seed: number, size: HistorySize = {}): Message[] {
  const random = chance(seed);
  const turns = 1 + random.nat(size.turns ?? SIZE.turns);
  const plans = <Kind extends string>(kinds: readonly Kind[]) =>
    Array.from({ length: turns }, () => ({ kind: random.pick(kinds), seed: random.nat(2 ** 31) }));
  const built: Record<Format, () => Message[]> = {
    anthropic: () => buildAnthropic(plans(ANTHROPIC_TURNS), size),
    "openai-chat": () => buildOpenAI(plans(OPENAI_TURNS), size),
    "ai-sdk": () => buildPrompt(plans(ANTHROPIC_TURNS), size),
    "openai-responses": () => buildResponses(plans(OPENAI_TURNS), size),
    langchain: () => buildLangChain(plans(ANTHROPIC_TURNS), size),
    gemini: () => buildContents(plans(ANTHROPIC_TURNS), size),
  };
  return endingWithUser(built[format](), seed + 1, format === "gemini" ? contentOf : undefined);
}

export interface RealHistory {
  readonly name: string;
  readonly format: Format;
  readonly system: unknown;
  readonly messages: Message[];
}

const AGENTS = new URL("../../../shared/data/agents/", import.meta.url);

/** Real transcripts, read anew each time; none where the data folder is absent. */
export function realHistories(): RealHistory[] {
  if (!existsSync(AGENTS)) return [];
  return readdirSync(AGENTS)
    .filter((file) => file.endsWith(".json"))
    .map((file) => {
      const parsed = JSON.parse(readFileSync(new URL(file, AGENTS), "utf8")) as
        Message[] | { system?: unknown; messages: Message[] };
      const { system, messages } = Array.isArray(parsed)
        ? { system: undefined, messages: parsed }
        : parsed;
      return {
        name: file.replace(/\.json$/, ""),
        format: file.endsWith(".openai.json") ? "openai-chat" : "anthropic",
        system,
        messages,
      };
    });
}
