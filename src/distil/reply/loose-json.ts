/** An object or a list as a model wrote it. */
export interface Container {
  readonly isList: boolean;
  /** Of an object. */
  readonly members: ReadonlyMap<string, Loose>;
  /** Of a list; of an object the values that stood where a key should. */
  readonly items: readonly Loose[];
  /** The text ended before it did. */
  readonly cut: boolean;
  /** A string in it ended in a place that makes its text doubtful. */
  readonly damaged: boolean;
}
export type Loose = string | number | boolean | null | Container;

const isContainer = (value: Loose | undefined): value is Container =>
  typeof value === "object" && value !== null;
export const isObject = (value: Loose | undefined): value is Container =>
  isContainer(value) && !value.isList;
export const isArray = (value: Loose | undefined): value is Container =>
  isContainer(value) && value.isList;

/** Deeper brackets are read past: no reply of ours needs them, and a megabyte of "[" must not overflow the stack. */
const DEPTH = 64;
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  "/": "/",
  "\\": "\\",
  '"': '"',
  "'": "'",
};
const WORDS: ReadonlyMap<string, Loose> = new Map<string, Loose>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["True", true],
  ["False", false],
  ["None", null],
  ["undefined", null],
]);

/**
 * Every JSON object and array in a text, in order. Valid JSON is read exactly; the mistakes models make (prose around,
 * trailing or missing commas, raw newlines and quotes in strings, single quotes, bare words, a cut end) cost as little
 * as possible. Reads every character a bounded number of times, never throws.
 */
export function looseJson(text: string): Loose[] {
  let position = 0;
  const open = { "}": 0, "]": 0 };
  const end = text.length;

  function value(): Loose | undefined {
    const character = text[position];
    if (character === '"' || character === "'") {
      const { string, end: after } = readString(text, position);
      position = after;
      return string;
    }
    if (character === "{" || character === "[")
      return open["}"] + open["]"] < DEPTH ? container(character === "[") : undefined;
    const bare = /[\p{L}\p{N}_.+-]+/uy;
    bare.lastIndex = position;
    const word = bare.exec(text)?.[0];
    if (word === undefined) return undefined;
    position += word.length;
    if (WORDS.has(word)) return WORDS.get(word);
    return Number.isFinite(Number(word)) ? Number(word) : word;
  }

  function container(isList: boolean): Container {
    const members = new Map<string, Loose>();
    const items: Loose[] = [];
    const [own, other] = isList ? (["]", "}"] as const) : (["}", "]"] as const);
    let cut = false;
    let damaged = false;
    open[own] += 1;
    position += 1;
    for (;;) {
      position = skipBlank(text, position);
      const character = text[position];
      cut = character === undefined;
      // A bracket that closes what stands around this one says that its own was forgotten.
      if (cut || character === own || (character === other && open[other] > 0)) break;
      const one = value();
      const colon = skipBlank(text, position);
      if (one === undefined) position += 1;
      else if (isContainer(one) || (isList && position < end))
        items.push(one); // else the text ended inside it
      else if (!isList && text[colon] === ":") {
        position = skipBlank(text, colon + 1);
        const quoted = text[position] === '"' || text[position] === "'";
        const member = value();
        if (member === undefined) continue;
        if (quoted && text[skipBlank(text, position)] === ":") damaged = true;
        members.set(String(one), member);
      }
    }
    if (text[position] === own) position += 1;
    open[own] -= 1;
    return { isList, members, items, cut, damaged };
  }

  const found: Loose[] = [];
  for (;;) {
    while (position < end && text[position] !== "{" && text[position] !== "[") position += 1;
    const container = position < end ? value() : undefined;
    if (container === undefined) return found;
    found.push(container);
  }
}

/** In sound JSON the quote that ends a string stands before one of `,}]:`; any other was not escaped. */
function closes(text: string, at: number): boolean {
  const next = skipBlank(text, at + 1);
  const follower = text[next];
  if (follower === undefined || ",}]:".includes(follower)) return true;
  return (follower === '"' || follower === "{") && text.slice(at + 1, next).includes("\n"); // a forgotten comma or brace
}

/** The string that the quote at `start` opens, and where it ends. */
function readString(text: string, start: number): { string: string; end: number } {
  const parts: string[] = [];
  let from = start + 1;
  let at = from;
  for (; at < text.length; at += 1) {
    const character = text[at];
    if (character === text[start] && closes(text, at)) break;
    if (character !== "\\") continue;
    const next = text[at + 1] ?? "";
    const hex = next === "u" ? text.slice(at + 2, at + 6) : "";
    const escape = ESCAPES[next];
    if (/^[0-9a-fA-F]{4}$/.test(hex)) {
      parts.push(text.slice(from, at), String.fromCharCode(parseInt(hex, 16)));
      at += 5;
    } else if (escape !== undefined) {
      parts.push(text.slice(from, at), escape);
      at += 1;
    } else continue; // a lone backslash, as in C:\Users, is meant as one
    from = at + 1;
  }
  parts.push(text.slice(from, Math.min(at, text.length)));
  return { string: parts.join(""), end: Math.min(at + 1, text.length) };
}

function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at += 1;
  return at;
}
