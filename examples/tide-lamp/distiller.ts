import { WORTH } from "./worth.ts";

/**
 * The model that distils, played: of the messages the request names it keeps what the story's script says a model would, and
 * answers with the JSON that is asked for. The form of the instruction is read as any model would have to.
 */
export function distil(request: Readonly<Record<string, unknown>>): string {
  const messages = Array.isArray(request["messages"]) ? (request["messages"] as Message[]) : [];
  const ask = textOf(messages.at(-1)?.content).slice(
    textOf(messages.at(-1)?.content).lastIndexOf("[tidemark] distil"),
  );
  const [first, last] = numbers(/^Range: messages (\d+) to (\d+)/m, ask) ?? [1, messages.length];
  const [factsFirst, factsLast] = numbers(/^Facts: from messages (\d+) to (\d+)/m, ask) ?? [
    last + 1,
    last,
  ];
  const said = (/^\[#\d+ /m.test(ask) ? written(ask) : sent(messages.slice(0, -1))).filter(
    ({ ordinal, role }) => role === "user" && ordinal >= first && ordinal <= last,
  );
  const told = WORTH.flatMap((worth) =>
    said
      .filter(({ text }) => text.includes(worth.said))
      .map(({ ordinal }) => ({ ...worth, ordinal })),
  );
  const untrue = new Set(told.flatMap(({ supersedes }) => supersedes ?? []));
  const before = (
    /<tidemark-previous-summary[^>]*>([\s\S]*?)<\/tidemark-previous-summary>/.exec(ask)?.[1] ??
    standing(messages)
  )
    .split("\n")
    .filter((line) => line.startsWith("- "));
  const lines = [...before, ...told.map(({ content }) => `- ${content}`)].filter(
    (line) => !untrue.has(line.slice(2)),
  );
  const facts = told.filter(
    ({ ordinal, content }) => ordinal >= factsFirst && ordinal <= factsLast && !untrue.has(content),
  );
  return JSON.stringify({
    facts: facts.map(({ content, category, importance, supersedes, ordinal }) => ({
      content,
      category,
      importance,
      ...(supersedes !== undefined && { supersedes }),
      from: [ordinal],
    })),
    summary: [...new Set(lines)].join("\n"),
  });
}

interface Message {
  readonly role: string;
  readonly content: unknown;
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
const hasResult = (content: unknown): boolean =>
  Array.isArray(content) &&
  content.some((block: { type?: unknown }) => block.type === "tool_result");
const unfenced = (text: string): string =>
  text.replace(/<(tidemark-[\w-]+)[^>]*>[\s\S]*?<\/\1>/g, " ");

/** The summary of the last fold, which opens a folded conversation. */
const standing = (messages: readonly Message[]): string =>
  /<tidemark-summary[^>]*>\n?[^\n]*\n([\s\S]*?)<\/tidemark-summary>/.exec(
    textOf(messages[0]?.content),
  )?.[1] ?? "";

const sent = (messages: readonly Message[]): { ordinal: number; role: string; text: string }[] =>
  messages.map(({ role, content }, index) => ({
    ordinal: index + 1,
    role: hasResult(content) ? "tool" : role,
    text: unfenced(textOf(content)),
  }));

/** A conversation written out in the instruction: `[#4 user] …`. */
function written(ask: string): { ordinal: number; role: string; text: string }[] {
  const marks = [...ask.matchAll(/^\[#(\d+) (\w+)[^\]]*\] /gm)];
  return marks.map((mark, index) => ({
    ordinal: Number(mark[1]),
    role: String(mark[2]),
    text: ask
      .slice(mark.index + mark[0].length, marks[index + 1]?.index)
      .replace(/<\/tidemark-transcript>[\s\S]*$/, "")
      .replace(/^calls .*$/gm, ""),
  }));
}
