/**
 * A stand-in for the model that distils. It knows the instruction's form and nothing of the story: out of the messages the
 * request names it takes the sentences that weigh most (rules, decisions, corrections, numbers and names of the user's),
 * and answers with the JSON that is asked for.
 */
export function distil(request: Readonly<Record<string, unknown>>): string {
  const messages = Array.isArray(request["messages"]) ? (request["messages"] as Message[]) : [];
  const ask = textOf(messages.at(-1)?.content).slice(textOf(messages.at(-1)?.content).lastIndexOf("[tidemark] distil"));
  const [first, last] = numbers(/^Range: messages (\d+) to (\d+)/m, ask) ?? [1, messages.length];
  const [factsFirst, factsLast] = numbers(/^Facts: from messages (\d+) to (\d+)/m, ask) ?? [last + 1, last];
  const room = (numbers(/at most (\d+)( tokens)/, ask)?.[0] ?? 400) * CHARACTERS_PER_TOKEN;
  const said = (/^\[#\d+ /m.test(ask) ? written(ask) : sent(messages.slice(0, -1))).filter(({ ordinal }) => ordinal >= first && ordinal <= last);
  const before = sentencesOf(/<tidemark-previous-summary[^>]*>([\s\S]*?)<\/tidemark-previous-summary>/.exec(ask)?.[1] ?? standing(messages));

  const sentences: Sentence[] = said.flatMap(({ ordinal, role, text }) => sentencesOf(text).map((sentence) => ({ ordinal, text: sentence, weight: weigh(role, sentence) })));
  const earlier = before.map((text) => ({ ordinal: 0, text: text.replace(/^- /, ""), weight: 0 }));
  const replaced = new Map(sentences.filter(({ text }) => CORRECTION.test(text)).map((correction) => [correction.text, corrected(correction, [...earlier, ...sentences])]));
  const untrue = new Set([...replaced.values()].flat());
  const telling = sentences.filter(({ text, weight }) => weight > 0 && !untrue.has(text)).sort((one, other) => other.weight - one.weight || one.ordinal - other.ordinal);
  const facts = telling.filter(({ ordinal }) => ordinal >= factsFirst && ordinal <= factsLast).slice(0, FACTS);
  return JSON.stringify({
    facts: facts.map(({ ordinal, text, weight }) => ({ content: text, category: RULE.test(text) ? "decision" : "core", importance: Math.min(0.95, 0.3 + weight / 10), ...supersedes(replaced.get(text)), from: [ordinal] })),
    summary: fill([...before.filter((text) => !untrue.has(text.replace(/^- /, ""))), ...telling.slice(0, FACTS).sort((one, other) => one.ordinal - other.ordinal).map(({ text }) => text)], room).join("\n"),
  });
}

interface Message {
  readonly role: string;
  readonly content: unknown;
}
interface Sentence {
  readonly ordinal: number;
  readonly text: string;
  readonly weight: number;
}

const FACTS = 16;
const CHARACTERS_PER_TOKEN = 3;
const RULE = /\b(?:must|never|always|decided|budget|promise)\b/i;
const CORRECTION = /\b(?:was wrong|correction|i meant)\b/i;

/** The user's words weigh most; of the assistant's only what has a number in it; what tools say is looked up again. */
function weigh(role: string, text: string): number {
  if (text.endsWith("?") || role === "tool") return 0;
  const exact = /\d|\b[A-Z]{2,}|(?<=\p{Ll} )\p{Lu}\p{Ll}{2,}/u.test(text) ? 2 : 0;
  if (role !== "user") return exact / 2;
  return 1 + exact + (RULE.test(text) ? 3 : 0) + (CORRECTION.test(text) ? 3 : 0);
}

/** The earlier sentences a correction is about: all that share enough of its longer words, the user's own first. */
function corrected(correction: Sentence, sentences: readonly Sentence[]): string[] {
  const words = (text: string): string[] => text.match(/\p{L}{3,}/gu) ?? [];
  const wanted = new Set(words(correction.text));
  const earlier = sentences.filter(({ ordinal, text }) => ordinal < correction.ordinal && !CORRECTION.test(text)).map(({ text, weight }) => ({ text, weight, shared: new Set(words(text).filter((word) => wanted.has(word))).size }));
  return earlier.filter(({ shared }) => shared >= 3).sort((one, other) => other.weight - one.weight || other.shared - one.shared).map(({ text }) => text);
}

/** What was saved of it before the correction came is no longer true either. */
const supersedes = (older: readonly string[] = []): { supersedes?: string } => (older[0] === undefined ? {} : { supersedes: older[0] });

/** As many as fit: of the oldest and of the newest alike, when there are too many. */
function fill(texts: readonly string[], room: number): string[] {
  const half = texts.length >> 1;
  const inTurn = texts.flatMap((_, index) => (index < half ? [index, texts.length - 1 - index] : texts.length % 2 === 1 && index === half ? [index] : []));
  let left = room;
  const taken = inTurn.filter((index) => {
    const cost = (texts[index] ?? "").length + 1;
    if (cost > left) return false;
    left -= cost;
    return true;
  });
  return taken.sort((one, other) => one - other).flatMap((index) => texts[index] ?? []);
}

const numbers = (form: RegExp, text: string): [number, number] | undefined => {
  const match = form.exec(text);
  return match ? [Number(match[1]), Number(match[2])] : undefined;
};

const textOf = (content: unknown): string => {
  if (typeof content === "string") return content;
  const blocks = Array.isArray(content) ? (content as { type?: unknown; text?: unknown }[]) : [];
  return blocks.flatMap(({ type, text }) => (type === "text" ? String(text) : [])).join("\n");
};
const hasResult = (content: unknown): boolean => Array.isArray(content) && content.some((block: { type?: unknown }) => block.type === "tool_result");
const unfenced = (text: string): string => text.replace(/<(tidemark-[\w-]+)[^>]*>[\s\S]*?<\/\1>/g, " ");

/** The summary of the last fold, which opens a folded conversation. */
const standing = (messages: readonly Message[]): string => /<tidemark-summary[^>]*>\n?[^\n]*\n([\s\S]*?)<\/tidemark-summary>/.exec(textOf(messages[0]?.content))?.[1] ?? "";

const sent = (messages: readonly Message[]): { ordinal: number; role: string; text: string }[] =>
  messages.map(({ role, content }, index) => ({ ordinal: index + 1, role: hasResult(content) ? "tool" : role, text: unfenced(textOf(content)) }));

/** A conversation written out in the instruction: `[#4 user] …`. */
function written(ask: string): { ordinal: number; role: string; text: string }[] {
  const marks = [...ask.matchAll(/^\[#(\d+) (\w+)[^\]]*\] /gm)];
  return marks.map((mark, index) => ({ ordinal: Number(mark[1]), role: String(mark[2]), text: ask.slice(mark.index + mark[0].length, marks[index + 1]?.index).replace(/<\/tidemark-transcript>[\s\S]*$/, "").replace(/^calls .*$/gm, "") }));
}

const sentencesOf = (text: string): string[] =>
  text
    .split(/\n+|(?<=[.!?])\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length >= 20 && sentence.length <= 260);
