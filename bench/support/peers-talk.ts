// The conversations the contestants hold: each exchange from the user's words to the assistant's last, with its pause before.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Dice } from "./trial/dice.ts";
import { type Filler, fillerOf, type Style } from "./trial/filler.ts";
import { exchangesOf, fillerFrom } from "./filler-from.ts";
import type { Message } from "../../src/core/request.ts";

export type Block = Readonly<Record<string, unknown>> & { readonly type: string };

/** A reply, and the results of what it calls. */
export interface Step {
  readonly reply: readonly Block[];
  readonly results: readonly Block[];
}

export interface Exchange {
  /** ms since the last reply. */
  readonly pause: number;
  readonly say: string;
  readonly steps: readonly Step[];
}

export const blocksOf = (content: unknown): Block[] =>
  typeof content === "string"
    ? [{ type: "text", text: content }]
    : Array.isArray(content)
      ? (content as Block[])
      : [];

const isThought = ({ type }: Block): boolean => type === "thinking" || type === "redacted_thinking";
const textOf = (content: unknown): string =>
  blocksOf(content)
    .flatMap(({ text }) => (typeof text === "string" ? [text] : []))
    .join("\n");

/** Results in plain text, so that every contestant can hold them. */
const plain = (block: Block): Block => ({
  type: "tool_result",
  tool_use_id: block.tool_use_id,
  content: textOf(block.content).trim() || "(nothing)",
  ...(block.is_error === true ? { is_error: true } : {}),
});

/** Undefined for what not all can hold: calls without results, media, words beside results. */
export function exchangeOf(messages: readonly Message[], pause: number): Exchange | undefined {
  const say = textOf(messages[0]?.content).trim();
  const steps: Step[] = [];
  for (const { role, content } of messages.slice(1)) {
    const blocks = blocksOf(content).filter((block) => !isThought(block));
    const last = steps.at(-1);
    if (role === "assistant") {
      const reply = blocks.flatMap((block): Block[] =>
        block.type === "text"
          ? String(block.text).trim() === ""
            ? []
            : [{ type: "text", text: block.text }]
          : block.type === "tool_use"
            ? [{ type: "tool_use", id: block.id, name: block.name, input: block.input }]
            : [],
      );
      if (reply.length === 0) return undefined;
      if (last !== undefined && last.results.length === 0)
        steps[steps.length - 1] = { ...last, reply: [...last.reply, ...reply] };
      else steps.push({ reply, results: [] });
    } else if (last !== undefined)
      steps[steps.length - 1] = {
        ...last,
        results: [
          ...last.results,
          ...blocks.filter(({ type }) => type === "tool_result").map(plain),
        ],
      };
  }
  const matched = steps.every(({ reply, results }, at) => {
    const calls = reply.filter(({ type }) => type === "tool_use").map(({ id }) => id);
    return (
      calls.length === results.length &&
      calls.every((id, place) => results[place]?.tool_use_id === id) &&
      calls.length > 0 === at < steps.length - 1
    );
  });
  return say !== "" && steps.length > 0 && matched ? { pause, say, steps } : undefined;
}

/** Mostly seconds, now and then minutes, rarely longer than a cache lives. */
function pauseOf(dice: Dice): number {
  const at = dice.next();
  return Math.round(
    1_000 *
      (at < 0.7
        ? 5 + 25 * dice.next()
        : at < 0.95
          ? 30 + 90 * dice.next()
          : 360 + 840 * dice.next()),
  );
}

const FOLDER = process.env["TIDEMARK_DATA"] ?? "../shared/data/agents";
/** Characters of one exchange: a longer one would not fit the smaller window whatever was left out. */
const EXCHANGE_MOST = 16_000;
/** And of one reply: the smaller window leaves a thousand tokens for it. */
const REPLY_MOST = 2_500;

export const transcriptFiles = (): string[] =>
  existsSync(FOLDER)
    ? readdirSync(FOLDER)
        .filter((file) => file.endsWith(".anthropic.json"))
        .sort()
    : [];

/** Exchanges people and agents really had, file after file, begun at another file with each seed. */
function fromTranscripts(seed: number): Filler {
  const files = transcriptFiles();
  return fillerFrom(
    files
      .map((_, at) => files[(at + seed * 5) % files.length] ?? "")
      .flatMap((file) => {
        const { messages } = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as {
          messages: Message[];
        };
        return exchangesOf(messages)
          .filter(
            (exchange) =>
              JSON.stringify(exchange).length <= EXCHANGE_MOST &&
              exchangeOf(exchange, 0)?.steps.every(
                ({ reply }) => JSON.stringify(reply).length <= REPLY_MOST,
              ),
          )
          .flat();
      }),
  );
}

/** Ids of calls no other exchange has: transcripts use some twice. */
function withOwnIds(exchange: Exchange, number: number): Exchange {
  const steps = exchange.steps.map(({ reply, results }, step) => {
    let call = 0;
    return {
      reply: reply.map((block) =>
        block.type === "tool_use" ? { ...block, id: `call_${number}_${step}_${call++}` } : block,
      ),
      results: results.map((block, at) => ({
        ...block,
        tool_use_id: `call_${number}_${step}_${at}`,
      })),
    };
  });
  return { ...exchange, steps };
}

export type TalkStyle = Style | "transcripts";

export function talkOf(style: TalkStyle, seed: number): { next: () => Exchange } {
  const dice = new Dice(seed);
  const filler = style === "transcripts" ? fromTranscripts(seed) : fillerOf(style, dice);
  const pauses = new Dice(seed + 7_919);
  let told = 0;
  return {
    next: () => {
      for (let tries = 0; tries < 1_000; tries++) {
        const found = exchangeOf(filler(), 0);
        if (found !== undefined) return withOwnIds({ ...found, pause: pauseOf(pauses) }, ++told);
      }
      throw new Error(`no exchange of ${style} can be played`);
    },
  };
}

/** What a caller of tools declares; any name a transcript uses. */
export const toolsFor = (names: readonly string[]) =>
  names.map((name) => ({
    name,
    description: `Runs ${name} and gives back what it says.`,
    input_schema: { type: "object" as const, properties: {}, additionalProperties: true },
  }));
export const namesIn = (exchanges: readonly Exchange[]): string[] =>
  [
    ...new Set(
      exchanges.flatMap(({ steps }) =>
        steps.flatMap(({ reply }) =>
          reply.filter(({ type }) => type === "tool_use").map(({ name }) => String(name)),
        ),
      ),
    ),
  ].sort();
