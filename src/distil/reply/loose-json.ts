import { parsed } from "../../base/guards.ts";
import { cleaned, head } from "../../text/cut.ts";

export const listOf = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : [value].flat();

/** The words of a value, or of the first in a list; "" where it has none. */
export function textIn(value: unknown, max: number): string {
  const [one] = listOf(value);
  return typeof one === "string" || typeof one === "number"
    ? head(cleaned(String(one)).trim(), max).trim()
    : "";
}

/**
 * Deeper brackets are read past: no reply of ours needs them, and a megabyte of "[" must not
 * overflow the stack.
 */
const DEPTH = 64;
const OPENS = /[{[]/g;
const WORD = /[\p{L}\p{N}_.+-]+/uy;
/**
 * What is sound behind a backslash; a lone one, as in C:\Users, is meant as one, and so are quotes
 * and line ends.
 */
const ESCAPES = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|["\\\u0000-\u001f]/g;

/**
 * Every JSON object and array in a text, in order, and whether the text ended in it. Valid JSON is
 * read exactly, but for names, which are in small letters. Of what models get wrong, prose around,
 * commas, raw line ends and quotes in strings, single quotes, bare names and a forgotten brace cost
 * nothing; what else is broken, and what a cut went through, is left out. Reads every character a
 * bounded number of times, never throws.
 */
export function looseJson(text: string): { readonly value: unknown; readonly cut: boolean }[] {
  const open: string[] = [];
  let position = 0;
  let [cut, broken] = [false, false];

  function next(): string | undefined {
    position = skipBlank(text, position);
    return text[position];
  }

  function value(isName = false): unknown {
    const character = text[position];
    if (character === '"' || character === "'") return quoted(character);
    if (character === "{" || character === "[")
      return open.length < DEPTH ? container(character === "[") : undefined;
    WORD.lastIndex = position;
    const word = WORD.exec(text)?.[0] ?? "";
    position += word.length;
    cut ||= position === text.length;
    if (word === "") return undefined;
    return isName ? word : parsed(word.toLowerCase());
  }

  function quoted(quote: string): string {
    const start = position + 1;
    for (position = start; position < text.length; position += 1)
      if (text[position] === "\\") position += 1;
      else if (text[position] === quote && closes(text, position)) break;
    cut ||= position >= text.length;
    const raw = text.slice(start, position);
    position += 1;
    const sound = raw.replace(ESCAPES, (one) =>
      one.length > 1 ? one : JSON.stringify(one).slice(1, -1),
    );
    return JSON.parse(`"${sound}"`) as string;
  }

  function container(isList: boolean): object {
    const items: unknown[] = [];
    const members = new Map<string, unknown>();
    const closing = isList ? "]" : "}";
    open.push(closing);
    position += 1;
    for (;;) {
      const character = next();
      cut ||= character === undefined;
      // A bracket that closes what stands around this one, or opens another in a name's place, says
      // that its own was forgotten.
      if (character === undefined || open.includes(character)) break;
      if (!isList && character === "{") break;
      const from = position;
      const one = value(!isList);
      if (isList && one !== undefined && !cut) items.push(one);
      if (!isList && next() === ":") {
        position += 1;
        next();
        const member = value();
        // A string with a colon behind it ended at a quote of its own; in a list that costs one
        // item.
        const isBroken = typeof member === "string" && next() === ":";
        broken ||= isBroken && !open.includes("]");
        if (member !== undefined && (typeof member === "object" || !(cut || isBroken)))
          members.set(String(one).toLowerCase(), member);
      }
      if (position === from) position += 1;
    }
    if (text[position] === closing) position += 1;
    open.pop();
    return isList ? items : Object.fromEntries(members);
  }

  const found: { value: unknown; cut: boolean }[] = [];
  for (;;) {
    OPENS.lastIndex = position;
    const opening = OPENS.exec(text);
    if (opening === null) return found;
    [position, cut, broken] = [opening.index, false, false];
    found.push({ value: container(opening[0] === "["), cut: cut || broken });
  }
}

/**
 * In sound JSON the quote that ends a string stands before one of `,}]:`; any other was not
 * escaped.
 */
function closes(text: string, at: number): boolean {
  const next = skipBlank(text, at + 1);
  const follower = text[next];
  if (follower === undefined || ",}]:".includes(follower)) return true;
  // A comma or brace was forgotten at the end of the line.
  return (follower === '"' || follower === "{") && text.slice(at + 1, next).includes("\n");
}

function skipBlank(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text.charAt(at))) at += 1;
  return at;
}
