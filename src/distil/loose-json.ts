/** An object as a model wrote it: members, and values that stood where a key should. */
export interface LooseObject {
  readonly members: ReadonlyMap<string, Loose>;
  readonly loose: readonly Loose[];
  /** The text ended before it did. */
  readonly cut: boolean;
  /** A string in it ended in a place that makes its text doubtful. */
  readonly damaged: boolean;
}
export interface LooseArray {
  readonly items: readonly Loose[];
  readonly cut: boolean;
}
export type Loose = string | number | boolean | null | LooseObject | LooseArray;

export const isObject = (value: Loose | undefined): value is LooseObject => typeof value === "object" && value !== null && "members" in value;
export const isArray = (value: Loose | undefined): value is LooseArray => typeof value === "object" && value !== null && "items" in value;

/** Deeper brackets are read past: no reply of ours needs them, and a megabyte of "[" must not overflow the stack. */
const DEPTH = 64;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", "/": "/", "\\": "\\", '"': '"', "'": "'" };
const WORDS: ReadonlyMap<string, Loose> = new Map<string, Loose>([
  ["true", true], ["false", false], ["null", null], ["True", true], ["False", false], ["None", null], ["undefined", null],
]);

/**
 * Every JSON object and array in a text, in order. Valid JSON is read exactly; the mistakes models make (prose around,
 * trailing or missing commas, raw newlines and quotes in strings, single quotes, bare words, a cut end) cost as little
 * as possible. Reads every character a bounded number of times, never throws.
 */
export function looseJson(text: string): Loose[] {
  let position = 0;
  let objects = 0;
  let arrays = 0;
  const end = text.length;

  const blank = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0xfeff;
  const skipBlank = (from: number): number => {
    let at = from;
    while (at < end && blank(text.charCodeAt(at))) at += 1;
    return at;
  };

  /** In sound JSON the quote that ends a string stands before one of `,}]:`; any other was not escaped. */
  const closes = (at: number): boolean => {
    const next = skipBlank(at + 1);
    const follower = text[next];
    if (follower === undefined || follower === "," || follower === "}" || follower === "]" || follower === ":") return true;
    return (follower === '"' || follower === "{") && text.slice(at + 1, next).includes("\n"); // a forgotten comma or brace
  };

  function string(quote: string): string {
    const parts: string[] = [];
    let from = position + 1;
    let at = from;
    for (; at < end; at += 1) {
      const character = text[at];
      if (character === quote && closes(at)) break;
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
    parts.push(text.slice(from, Math.min(at, end)));
    position = Math.min(at + 1, end);
    return parts.join("");
  }

  function word(): Loose | undefined {
    const bare = /[\p{L}\p{N}_.+-]+/uy;
    bare.lastIndex = position;
    const found = bare.exec(text)?.[0];
    if (found === undefined) return undefined;
    position += found.length;
    const known = WORDS.get(found);
    if (known !== undefined) return known;
    const number = Number(found);
    return Number.isFinite(number) ? number : found;
  }

  function value(): Loose | undefined {
    const character = text[position];
    if (character === '"' || character === "'") return string(character);
    if (character === "{" || character === "[") {
      if (objects + arrays >= DEPTH) return undefined;
      return character === "{" ? object() : array();
    }
    return word();
  }

  function object(): LooseObject {
    const members = new Map<string, Loose>();
    const loose: Loose[] = [];
    let damaged = false;
    const done = (cut: boolean): LooseObject => {
      objects -= 1;
      return { members, loose, cut, damaged };
    };
    objects += 1;
    position += 1;
    for (;;) {
      position = skipBlank(position);
      const character = text[position];
      if (character === undefined) return done(true);
      // A bracket that closes the array around this object says that "}" was forgotten.
      if (character === "}" || (character === "]" && arrays > 0)) {
        if (character === "}") position += 1;
        return done(false);
      }
      const key = value();
      if (key === undefined) {
        position += 1;
        continue;
      }
      const colon = skipBlank(position);
      if (typeof key === "object" || text[colon] !== ":") {
        if (key !== null && typeof key === "object") loose.push(key);
        continue;
      }
      position = skipBlank(colon + 1);
      const quoted = text[position] === '"' || text[position] === "'";
      const member = value();
      if (member === undefined) continue;
      if (quoted && text[skipBlank(position)] === ":") damaged = true;
      members.set(String(key), member);
    }
  }

  function array(): LooseArray {
    const items: Loose[] = [];
    const done = (cut: boolean): LooseArray => {
      arrays -= 1;
      return { items, cut };
    };
    arrays += 1;
    position += 1;
    for (;;) {
      position = skipBlank(position);
      const character = text[position];
      if (character === undefined) return done(true);
      if (character === "]" || (character === "}" && objects > 0)) {
        if (character === "]") position += 1;
        return done(false);
      }
      const item = value();
      if (item === undefined) position += 1;
      else if (typeof item === "object" || position < end) items.push(item); // else the text ended inside it
    }
  }

  const found: Loose[] = [];
  for (;;) {
    while (position < end && text[position] !== "{" && text[position] !== "[") position += 1;
    const container = position < end ? value() : undefined;
    if (container === undefined) return found;
    found.push(container);
  }
}
