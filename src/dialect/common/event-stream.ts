import { type Dict, dictIn } from "../../base/guards.ts";

const LINE = /^\uFEFF?(event|data): ?(.*)$/s;
/** A carriage return that ends a piece may be half of a line's end. */
const LINE_END = /\r\n|\r(?!$)|\n/;

/**
 * Reads the data of server-sent events from text or bytes that come in pieces. Data that is no
 * object is left out, such as the last line of OpenAI's streams.
 */
export function createEventReader() {
  const decoder = new TextDecoder();
  let [rest, data, type] = ["", "", ""];

  function read(line: string): Dict[] {
    if (line === "") [data, type] = ["", ""];
    const [, name, value = ""] = LINE.exec(line) ?? [];
    if (name === "event") type = value.trim();
    if (name !== "data") return [];
    data += `${value}\n`;
    // Some servers leave out the empty line between events.
    const event = dictIn(value) ?? dictIn(data);
    if (event === undefined) return [];
    data = "";
    return [type === "" ? event : { type, ...event }];
  }

  return {
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
