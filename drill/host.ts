import type { Message } from "../src/index.ts";
import type { Complete } from "../src/core/request.ts";

// What the drills talk about. Every text is made from its number: a host that was killed knows its history by counting.

const PARTS = [
  "ba",
  "do",
  "fi",
  "gu",
  "ka",
  "le",
  "mo",
  "nu",
  "pi",
  "ra",
  "se",
  "ti",
  "vo",
  "wu",
  "xa",
  "zo",
];

/** A word no other number has. */
export function wordOf(n: number): string {
  let word = "";
  for (let rest = n + 4096; rest > 0; rest = Math.floor(rest / PARTS.length))
    word += PARTS[rest % PARTS.length] ?? "";
  return word;
}

/** The same numbers for the same seed. */
export function chance(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const filler = (n: number, words: number): string =>
  Array.from({ length: words }, (_, at) => wordOf(n * 1_000 + at)).join(" ");

export const tagOf = (n: number): string => `«m${n}»`;
export const tagsIn = (text: string): number[] => [
  ...new Set([...text.matchAll(/«m(\d+)»/g)].map((match) => Number(match[1]))),
];

/** What the distiller makes of a message: one fact each, and in other words each time it is asked, as models do. */
export const factOf = (n: number, asking: number): string =>
  `Message number ${n} was about ${wordOf(n)}${asking === 1 ? "" : `, told at asking ${asking}`}.`;
/** Which message a fact is about. */
export const aboutIn = (content: string): number | undefined => {
  const found = /^Message number (\d+) was about /.exec(content)?.[1];
  return found === undefined ? undefined : Number(found);
};

/** Message `n` of the conversation: even ones the user's; every third pair a tool call. A reply asked for again may come out another way. */
export function messageOf(
  n: number,
  { words = 90, attempt = 1 }: { words?: number; attempt?: number } = {},
): Message {
  const text = `${tagOf(n)} ${filler(n, words)}`;
  switch (n % 6) {
    case 1:
      return { role: "assistant", content: `${text} Said at try ${attempt}.` };
    case 3:
      return {
        role: "assistant",
        content: [
          { type: "text", text },
          { type: "tool_use", id: `toolu_${n}`, name: "look", input: { path: `notes/${n}.md` } },
        ],
      };
    case 4:
      return {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: `toolu_${n - 1}`, content: text }],
      };
    case 5:
      return { role: "assistant", content: [{ type: "text", text }] };
    default:
      return { role: "user", content: text };
  }
}

export const TOOLS = [
  {
    name: "look",
    description: "Reads a note.",
    input_schema: { type: "object", properties: { path: { type: "string" } } },
  },
];
export const MODEL = "claude-sonnet-5-5";
export const requestOf = (messages: readonly Message[]) => ({
  model: MODEL,
  max_tokens: 200,
  tools: TOOLS,
  messages,
});

export const replyOf = (message: Message, tokens: number): unknown => ({
  id: "msg_1",
  type: "message",
  model: MODEL,
  ...message,
  stop_reason: JSON.stringify(message.content).includes('"tool_use"') ? "tool_use" : "end_turn",
  usage: {
    input_tokens: tokens,
    output_tokens: 20,
    cache_creation_input_tokens: null,
    cache_read_input_tokens: null,
  },
});

/** Tells one fact of each message it is asked about, and a summary that names how far it read. `asking`: the how manyth time it is. */
export const distillerFor =
  (asking: (n: number) => number): Complete =>
  async ({ messages, signal }) => {
    await new Promise(setImmediate);
    signal.throwIfAborted();
    const said = messages.map((message) => JSON.stringify(message.content));
    const ask = said.at(-1) ?? "";
    const facts = /\\nFacts: from messages (\d+) to (\d+)/.exec(ask);
    const range = /\\nRange: messages (\d+) to (\d+)/.exec(ask);
    const last = Number(range?.[2] ?? said.length - 1);
    const [from, to] = facts
      ? [Number(facts[1]), Number(facts[2])]
      : /\\nFacts: none/.test(ask)
        ? [last + 1, last]
        : [Number(range?.[1] ?? 1), last];
    const parts = ask.split(/\[#(\d+) [^\]]*\]/);
    const texts = new Map<number, string>();
    if (parts.length > 1)
      for (let at = 1; at < parts.length; at += 2)
        texts.set(Number(parts[at]), `${texts.get(Number(parts[at])) ?? ""}${parts[at + 1] ?? ""}`);
    else said.slice(0, -1).forEach((text, index) => texts.set(index + 1, text));
    const told = [...texts]
      .filter(([ordinal]) => ordinal >= from && ordinal <= to)
      .flatMap(([ordinal, text]) =>
        tagsIn(text).map((n) => ({
          content: factOf(n, asking(n)),
          // It does not expire, however many days of its own clock a drill on a slow machine takes.
          category: "codebase-knowledge",
          importance: 0.4,
          from: [ordinal],
        })),
      );
    const text = JSON.stringify({
      facts: told,
      summary: `They went through their notes up to message ${last}.`,
    });
    return {
      text,
      stop: "end_turn",
      usage: { input: 1_000, cacheWrite: 0, cacheRead: 0, output: 50 },
    };
  };

export const distiller: Complete = distillerFor(() => 1);
