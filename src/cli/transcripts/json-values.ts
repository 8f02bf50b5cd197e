import { isDict, parsed } from "../../core/base.ts";
import type { Source } from "./sources.ts";

/** A value of JSON, a text that is none, or what is wrong with a piece that is left out. */
type JsonPiece =
  { readonly value: unknown } | { readonly text: string } | { readonly wrong: string };

/** Bytes of one conversation, or of a line. */
const LARGEST_PIECE = 64_000_000;
const TOO_LARGE = `larger than ${LARGEST_PIECE / 1e6} MB`;

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** Of either kind of bracket, once this bit is set. */
const KIND = 0x20;
const OPENS = 0x7b;
const CLOSES = 0x7d;

/** The bytes of a piece that comes in parts; one that grows too large is let go of. */
function held() {
  let [parts, size]: [Buffer[], number] = [[], 0];
  return {
    add(part: Buffer): void {
      size += part.length;
      if (size > LARGEST_PIECE) parts = [];
      else parts.push(part);
    },
    /** Undefined: it was too large. */
    take(): string | undefined {
      const whole = size > LARGEST_PIECE ? undefined : Buffer.concat(parts).toString("utf8");
      [parts, size] = [[], 0];
      return whole;
    },
  };
}

/**
 * The items of a list, or the values of lines, one at a time, however long the file is; what is
 * neither comes whole.
 */
export async function* piecesIn({ read }: Pick<Source, "read">): AsyncGenerator<JsonPiece> {
  const isList = await beginsAsList(read);
  if (isList === undefined) yield { text: "" };
  else yield* isList ? itemsIn(await read()) : linesIn(read);
}

/** Undefined for a file of white space. */
async function beginsAsList(read: Source["read"]): Promise<boolean | undefined> {
  for await (const chunk of await read()) {
    // A byte order mark has these three bytes.
    const [first] = /[^\s\u00ef\u00bb\u00bf]/.exec(chunk.toString("latin1")) ?? [];
    if (first !== undefined) return first === "[";
  }
  return undefined;
}

async function* itemsIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<JsonPiece> {
  const item = held();
  let [depth, nth, inText, escaped] = [0, 0, false, false];
  const piece = (): JsonPiece => {
    const text = item.take();
    const value = text === undefined ? undefined : parsed(text);
    nth += 1;
    if (value !== undefined) return { value };
    return { wrong: `item ${nth} is ${text === undefined ? TOO_LARGE : "no JSON"}` };
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (escaped) escaped = false;
      else if (inText) {
        if (byte === QUOTE) inText = false;
        else if (byte === BACKSLASH) escaped = true;
      } else if (byte === QUOTE) inText = true;
      else if ((byte | KIND) === OPENS) {
        depth += 1;
        if (depth === 1) from = at + 1;
      } else if ((byte | KIND) === CLOSES) {
        depth -= 1;
        if (depth > 0) continue;
        item.add(chunk.subarray(from, at));
        const last = piece();
        // An empty list holds no item.
        if ("value" in last || nth > 1) yield last;
        return;
      } else if (byte === COMMA && depth === 1) {
        item.add(chunk.subarray(from, at));
        yield piece();
        from = at + 1;
      }
    }
    if (depth > 0) item.add(chunk.subarray(from));
  }
  yield { wrong: `it is cut off in item ${nth + 1}` };
}

async function* linesIn(read: Source["read"]): AsyncGenerator<JsonPiece> {
  let [nth, begun] = [0, false];
  let torn: number | undefined;
  for await (const line of rowsIn(await read())) {
    nth += 1;
    if (line?.trim() === "") continue;
    const value = line === undefined ? undefined : parsed(line);
    if (torn !== undefined) {
      // Where the second is no object either, these are no lines of JSON.
      if (!isDict(value)) break;
      yield { wrong: `line ${torn} is no JSON` };
      torn = undefined;
    }
    if (value !== undefined) yield { value };
    else if (!begun) torn = nth;
    else yield { wrong: `line ${nth} is ${line === undefined ? TOO_LARGE : "no JSON"}` };
    begun = true;
  }
  if (torn === undefined) return;
  const whole = held();
  for await (const chunk of await read()) whole.add(chunk);
  const text = whole.take();
  const value = text === undefined ? undefined : parsed(text.replace(/^\ufeff/, ""));
  if (value !== undefined) yield { value };
  else yield text === undefined ? { wrong: `it is no list, and ${TOO_LARGE}` } : { text };
}

/** The lines of a text; undefined for one that is too large. */
async function* rowsIn(chunks: AsyncIterable<Buffer>): AsyncGenerator<string | undefined> {
  const line = held();
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      line.add(chunk.subarray(from, at));
      yield line.take();
      from = at + 1;
    }
    line.add(chunk.subarray(from));
  }
  yield line.take();
}
