import type { Complete, Message } from "../../../src/core/request.ts";
import { estimateTokens } from "../../../src/core/tokens/estimate.ts";
import { hashed } from "./dice.ts";

const SUMMARY = /<tidemark-(?:previous-)?summary[^>]*>([\s\S]*?)<\/tidemark-(?:previous-)?summary>/;
const FENCED = /<(tidemark-[\w-]+)[^>]*>[\s\S]*?<\/\1>/g;
const FACTS_MOST = 40;

/** What a scripted model would have to say about one sentence. */
interface Point {
  readonly text: string;
  readonly from: number;
  readonly weight: number;
}

/**
 * A model that is none: it reads the conversation sentence by sentence, is blind for `blind` of all sentences (which ones, the
 * seed decides anew with every call), and writes the rest down as facts and summary within the bounds it is given.
 */
export function scriptedModel({ seed, blind }: { seed: number; blind: number }): Complete {
  let calls = 0;
  return async ({ messages }) => {
    calls += 1;
    const call = calls;
    const sees = (text: string): boolean => hashed(`${seed} ${call} ${text}`) / 2 ** 32 >= blind;
    const ask = textOf(messages.at(-1));
    const told = (pattern: RegExp, otherwise: number): number =>
      Number(pattern.exec(ask)?.[1] ?? otherwise);
    const bound = told(/^Summary: .*at most (\d+) tokens/m, 0);
    const missing = /<tidemark-missing>\n([\s\S]*?)\n<\/tidemark-missing>/.exec(ask)?.[1];
    if (missing !== undefined) {
      const before = (JSON.parse(textOf(messages.at(-2))) as { summary: string }).summary;
      return reply(
        [],
        inBound([...missing.split("\n").filter(sees), ...before.split("\n")], bound),
      );
    }
    const first = told(/^Range: messages (\d+) to \d+/m, 1);
    const last = told(/^Range: messages \d+ to (\d+)/m, 1e9);
    const factsFirst = told(
      /^Facts: from messages (\d+)/m,
      /^Facts: none/m.test(ask) ? Infinity : 1,
    );
    const most = told(/^Facts: .* at most (\d+)/m, FACTS_MOST);
    const written = /<tidemark-transcript>/.test(ask);
    const previous =
      SUMMARY.exec(written ? ask : `${ask}\n${textOf(messages[0])}`)?.[1]
        ?.split("\n")
        .filter((line) => line.startsWith("- ")) ?? [];
    const points = (
      written
        ? spoken(ask)
        : messages
            .slice(0, -1)
            .map((message, at) => ({ from: at + 1, text: textOf(message).replace(FENCED, " ") }))
    )
      .filter(({ from }) => from >= first && from <= last)
      .flatMap(({ from, text: all }) =>
        sentencesOf(all).map((text): Point => ({ text, from, weight: weightOf(text) })),
      )
      .filter(({ text }) => sees(text))
      .sort((a, b) => b.weight - a.weight);
    const facts = points
      .filter(({ from, weight }) => from >= factsFirst && weight > 0)
      .slice(0, most);
    if (bound === 0) return reply(facts, undefined);
    const before = inBound(previous.filter(sees), bound / 2).split("\n");
    return reply(facts, inBound([...before, ...points.map(({ text }) => `- ${text}`)], bound));
  };
}

const reply = (facts: readonly Point[], summary: string | undefined) => ({
  text: JSON.stringify({
    facts: facts.map(({ text, from, weight }) => ({
      content: text,
      category: "core",
      importance: Math.min(0.9, 0.3 + weight / 10),
      from: [from],
    })),
    summary: summary === "" ? "Nothing of note." : summary,
  }),
  stop: "end_turn",
});

function inBound(lines: readonly string[], tokens: number): string {
  const kept: string[] = [];
  let left = tokens;
  for (const line of lines) {
    const cost = estimateTokens(line) + 1;
    if (line.trim() === "" || cost > left) continue;
    left -= cost;
    kept.push(line.startsWith("- ") ? line : `- ${line}`);
  }
  return kept.join("\n");
}

const textOf = (message: Message | undefined): string => strings(message?.content).join("\n");

/** Every text in a message's content, inputs of calls among them; ids and types aside. */
function strings(value: unknown, name = ""): string[] {
  if (typeof value === "string")
    return ["type", "id", "tool_use_id", "role", "name"].includes(name) ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((item) => strings(item, name));
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, item]) => strings(item, key))
    : [];
}

/** A transcript written into the instruction: `[#4 user] …`. */
function spoken(ask: string): Pick<Point, "from" | "text">[] {
  const marks = [...ask.matchAll(/^\[#(\d+) [^\]]*\] /gm)];
  return marks.map((mark, at) => ({
    from: Number(mark[1]),
    text: ask
      .slice(mark.index + mark[0].length, marks[at + 1]?.index)
      .replace(/<\/tidemark-transcript>[\s\S]*$/, ""),
  }));
}

const sentencesOf = (text: string): string[] =>
  text
    .slice(0, 20_000)
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter(
      (sentence) => sentence.length >= 8 && sentence.length <= 400 && !sentence.includes("[…"),
    );

const weightOf = (text: string): number =>
  Math.min(4, (text.match(/\S*[\d/_]\S*|(?<!^)\b\p{Lu}\p{Ll}{2,}/gu) ?? []).length) +
  (/\b(?:never|always|must|not|please|decided|failed|because)\b/i.test(text) ? 2 : 0);
