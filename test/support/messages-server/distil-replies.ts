import type { Reply } from "./replies.ts";
import { textTokens } from "./tokens.ts";
import { blocksOf, isJson, type Json, list } from "./wire.ts";

export type DistilMode = "well" | "junk" | "cut" | "refuse" | "tool_use";

const MARK = "[tidemark] distil";

/** The instruction, when the last words of the request are one. */
export function distilAsk(request: Json): string | undefined {
  const last = list(request.messages).at(-1);
  if (!isJson(last) || last.role !== "user") return undefined;
  const text = blocksOf(last.content).findLast(({ type }) => type === "text")?.text;
  return typeof text === "string" && text.startsWith(MARK) ? text : undefined;
}

interface Said {
  readonly ordinal: number;
  readonly role: string;
  readonly text: string;
}

/** What an answer in each mode looks like on the wire. */
export function distilReply(request: Json, ask: string, mode: DistilMode): Reply {
  switch (mode) {
    case "well":
      return JSON.stringify(distilled(request, ask));
    case "junk":
      return "Certainly! It was a pleasant conversation about many things, and I hope this helps.";
    case "cut": {
      const whole = JSON.stringify(distilled(request, ask));
      return { content: whole.slice(0, whole.length >> 1), stop_reason: "max_tokens" };
    }
    case "refuse":
      return { content: "I can't help with that.", stop_reason: "refusal" };
    case "tool_use": {
      const first = list(request.tools)[0];
      return [
        { type: "text", text: "Let me look that up first." },
        { type: "tool_use", name: isJson(first) ? first.name : "look", input: {} },
      ];
    }
  }
}

const FACTS = 12;
const FACT_LENGTH = 240;
const CATEGORY: readonly (readonly [RegExp, string])[] = [
  [/\b(?:prefers?|likes?|favou?rite|always|never)\b/i, "preference"],
  [/\b(?:decided|decision|we will|let's|going with)\b/i, "decision"],
  [/\b(?:error|failed|exception|crash)/i, "incident"],
];

/** The longest summary that surely leaves room for the facts. */
const SUMMARY_SHARE = 0.6;

function distilled(request: Json, ask: string): Json {
  const { first, last, factsFirst, factsLast, summaryTokens, previous } = rangeOf(ask);
  const said = (/^\[#\d+ /m.test(ask) ? written(ask) : sent(request)).filter(
    ({ ordinal }) => ordinal >= first && ordinal <= last,
  );
  const sentences = said.flatMap((message) =>
    sentencesOf(message.text).map((text) => ({
      ...message,
      text,
      weight: weightOf(message.role, text),
    })),
  );
  const facts = sentences
    .filter(({ ordinal, weight }) => ordinal >= factsFirst && ordinal <= factsLast && weight >= 2)
    .sort((a, b) => b.weight - a.weight || a.ordinal - b.ordinal)
    .slice(0, FACTS)
    .map(({ ordinal, text, weight }) => ({
      content: text.slice(0, FACT_LENGTH),
      category: CATEGORY.find(([words]) => words.test(text))?.[1] ?? "core",
      importance: Math.min(0.9, 0.3 + weight / 10),
      from: [ordinal],
    }));
  const room =
    Math.min(
      summaryTokens,
      Math.floor(said.reduce((sum, { text }) => sum + textTokens(text), 0) / 4),
    ) * SUMMARY_SHARE;
  if (!/^Summary: /m.test(ask)) return { facts };
  return { facts, summary: summaryOf(sentences, previous, Math.max(room, 40)) };
}

const number = (text: string | undefined, otherwise: number): number =>
  text === undefined ? otherwise : Number(text);

function rangeOf(ask: string) {
  const range = /^Range: messages (\d+) to (\d+)/m.exec(ask);
  const facts = /^Facts: from messages (\d+) to (\d+)/m.exec(ask);
  const none = /^Facts: none/m.test(ask);
  return {
    first: number(range?.[1], 1),
    last: number(range?.[2], Number.MAX_SAFE_INTEGER),
    factsFirst: none ? Number.MAX_SAFE_INTEGER : number(facts?.[1], 1),
    factsLast: number(facts?.[2], Number.MAX_SAFE_INTEGER),
    summaryTokens: number(/at most (\d+) tokens/.exec(ask)?.[1], 500),
    previous:
      /<tidemark-previous-summary[^>]*>([\s\S]*?)<\/tidemark-previous-summary>/
        .exec(ask)?.[1]
        ?.trim() ?? "",
  };
}

/** The request's own messages, counted from 1. What stands in our own fences is known already. */
function sent(request: Json): Said[] {
  return list(request.messages).map((message, index) => {
    const { role, content } = isJson(message) ? message : { role: "", content: [] };
    const blocks = blocksOf(content);
    const results = blocks.filter(({ type }) => type === "tool_result");
    const words = blocks.map((block) =>
      block.type === "text"
        ? String(block.text)
        : block.type === "tool_result"
          ? wordsOf(block.content)
          : "",
    );
    return {
      ordinal: index + 1,
      role: results.length > 0 ? "tool" : String(role),
      text: unfenced(words.join("\n")),
    };
  });
}

const wordsOf = (content: unknown): string =>
  blocksOf(content)
    .map(({ text }) => String(text ?? ""))
    .join("\n");
const unfenced = (text: string): string =>
  text.replace(/<(tidemark-[\w-]+)[^>]*>[\s\S]*?<\/\1>/g, " ");

/** A transcript written into the instruction: `[#4 user] …`. */
function written(ask: string): Said[] {
  const marks = [...ask.matchAll(/^\[#(\d+) (\w+)[^\]]*\] /gm)];
  return marks.map((mark, index) => ({
    ordinal: Number(mark[1]),
    role: String(mark[2]),
    text: ask
      .slice(mark.index + mark[0].length, marks[index + 1]?.index)
      .replace(/<\/tidemark-transcript>[\s\S]*$/, ""),
  }));
}

const sentencesOf = (text: string): string[] =>
  text
    .slice(0, 20_000)
    .split(/(?<=[.!?])\s+|\n+|(?<=[。！？])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length >= 8);

/** Names, numbers, paths and the user's own words weigh; most of a tool's output does not. */
function weightOf(role: string, text: string): number {
  const exact = (
    text.match(
      /[\w.-]+[/\\][\w./\\-]+|https?:\/\/\S+|\b\w*\d\w*\b|\b[a-z]+[A-Z]\w*|(?<!^)\b[A-Z][a-z]{2,}/g,
    ) ?? []
  ).length;
  return (
    Math.min(exact, 3) +
    (role === "user" ? 2 : role === "assistant" ? 1 : 0) +
    (/\b(?:my|name|is called|must|remember)\b/i.test(text) ? 1 : 0)
  );
}

/** The last summary, then the weightiest sentences in their order, to the bound. */
function summaryOf(
  sentences: readonly (Said & { weight: number })[],
  previous: string,
  room: number,
): string {
  let left = room;
  const take = (text: string): boolean => {
    const tokens = textTokens(text) + 2;
    if (tokens > left) return false;
    left -= tokens;
    return true;
  };
  const old = sentencesOf(previous).filter((text) => left > room / 2 && take(text));
  const fresh = [...sentences]
    .sort((a, b) => b.weight - a.weight || a.ordinal - b.ordinal)
    .map((sentence) => ({ ...sentence, text: sentence.text.slice(0, FACT_LENGTH) }))
    .filter(({ text }) => take(text))
    .sort((a, b) => a.ordinal - b.ordinal)
    .map(({ role, text }) => `${role}: ${text}`);
  return [...old, ...fresh].join("\n") || "Nothing of note was said.";
}
