import { asDict, type Dict, dictIn, isDict } from "../../core/base.ts";
import type { Usage } from "../../core/request.ts";

/** A provider's reply, or `{ usage, reply }` around one: the outer usage wins. */
export function unwrap(reply: unknown): { reply: unknown; usage: unknown } {
  if (!isDict(reply)) return { reply, usage: undefined };
  const inner = "reply" in reply ? reply.reply : reply;
  return { reply: inner, usage: reply.usage ?? asDict(inner).usage };
}

/** Providers write null for nothing. */
export const tokenCount = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;

/**
 * Usage where the tokens of a prompt include what came from the cache and what went into it;
 * undefined where the prompt's are not told.
 */
export function usageOf({ prompt, read, write, output }: Dict): Usage | undefined {
  if (prompt === undefined) return undefined;
  const total = tokenCount(prompt);
  const cacheRead = Math.min(total, tokenCount(read));
  const cacheWrite = Math.min(total - cacheRead, tokenCount(write));
  return {
    ...{ input: total - cacheRead - cacheWrite, cacheWrite, cacheRead },
    output: tokenCount(output),
  };
}

/** Usage of which no count includes another's. */
export function countsApart({ input, cacheWrite: write, hour, cacheRead, output }: Dict): Usage {
  const cacheWrite = tokenCount(write);
  return {
    input: tokenCount(input),
    cacheWrite,
    cacheWrite1h: hour === undefined ? undefined : Math.min(cacheWrite, tokenCount(hour)),
    cacheRead: tokenCount(cacheRead),
    output: tokenCount(output),
  };
}

/** The tokens of two calls. */
export function together(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    cacheWrite1h: (one.cacheWrite1h ?? 0) + (other.cacheWrite1h ?? 0) || undefined,
    cacheRead: one.cacheRead + other.cacheRead,
    output: one.output + other.output,
  };
}

const LINE = /^\uFEFF?(event|data): ?(.*)$/s;
/** A carriage return that ends a piece may be half of a line's end. */
const LINE_END = /\r\n|\r(?!$)|\n/;

/**
 * Reads the data of server-sent events from text or bytes that come in pieces. Data that is no
 * object is left out; the last line of OpenAI's streams says that they have ended.
 */
export function createEventReader() {
  const decoder = new TextDecoder();
  let [rest, data, type] = ["", "", ""];
  let ended = false;

  function read(line: string): Dict[] {
    if (line === "") [data, type] = ["", ""];
    const [, name, value = ""] = LINE.exec(line) ?? [];
    if (name === "event") type = value.trim();
    if (name !== "data") return [];
    ended ||= value.trim() === "[DONE]";
    data += `${value}\n`;
    // Some servers leave out the empty line between events.
    const event = dictIn(value) ?? dictIn(data);
    if (event === undefined) return [];
    data = "";
    return [type === "" ? event : { type, ...event }];
  }

  return {
    ended: () => ended,
    push(piece: string | Uint8Array): Dict[] {
      const text = typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
      const lines = (rest + text).split(LINE_END);
      rest = lines.pop() ?? "";
      return lines.flatMap(read);
    },
    /** Takes a last line that has no end. */
    flush(): Dict[] {
      const last = rest;
      rest = "";
      return last === "" ? [] : read(last);
    },
  };
}
