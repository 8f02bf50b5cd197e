import { createHash, hash } from "node:crypto";
import { type Dict, isDict } from "../../base/guards.ts";
import { base64Source, bytesKey, dataUrl, urlKey } from "./weigh.ts";
import { blocksOf, DEPTH } from "./reading.ts";

/**
 * The length stands before the text, so that no text can imitate structure and none need be
 * escaped.
 */
export const sized = (text: string): string => `${text.length}:${text}`;

/** A text with a letter that says what it is; empty text is nothing. */
export const tagged = (tag: string, text: string): string =>
  text === "" ? "" : `${tag}${sized(text)}`;

const isNoise = (name: string, value: unknown): boolean =>
  value === null ||
  value === undefined ||
  name === "cache_control" ||
  (Array.isArray(value) && value.length === 0);

/**
 * A value that is the caller's or the model's own (call inputs): nothing but key order is
 * overlooked.
 */
export function exact(value: unknown, depth = 0): string {
  if (typeof value === "string") return `"${sized(value)}`;
  if (depth > DEPTH) return "…";
  if (Array.isArray(value)) return `[${value.map((item) => exact(item, depth + 1)).join("")}]`;
  if (!isDict(value))
    return value === null || value === undefined ? "~" : `${typeof value}${String(value)};`;
  let members = "";
  for (const name of Object.keys(value).sort())
    if (value[name] !== undefined) members += sized(name) + exact(value[name], depth + 1);
  return `{${members}}`;
}

/**
 * A value that is part of the provider's format: cache marks, nulls and empty lists are overlooked,
 * media go by content.
 */
export function loose(value: unknown, depth = 0): string {
  if (typeof value === "string") return looseText(value);
  if (depth > DEPTH) return "…";
  if (Array.isArray(value)) return `[${value.map((item) => loose(item, depth + 1)).join("")}]`;
  if (!isDict(value)) return exact(value);
  const bytes = base64Source(value);
  if (bytes) return `M${bytesKey(bytes.data)}${members(value, BYTES, depth)}`;
  if (value.type === "url" && typeof value.url === "string")
    return `U${sized(urlKey(value.url))}${members(value, LINK, depth)}`;
  return `{${members(value, NONE, depth)}}`;
}

const NONE: ReadonlySet<string> = new Set();
const BYTES: ReadonlySet<string> = new Set(["type", "data", "media_type"]);
const LINK: ReadonlySet<string> = new Set(["type", "url"]);

function looseText(text: string): string {
  const bytes = dataUrl(text);
  return bytes ? `M${bytesKey(bytes.data)}` : `"${sized(text)}`;
}

function members(value: Dict, without: ReadonlySet<string>, depth: number): string {
  let written = "";
  for (const name of Object.keys(value).sort())
    if (!without.has(name) && !isNoise(name, value[name]))
      written +=
        sized(name) +
        (name === "content" ? nested(value[name], depth + 1) : loose(value[name], depth + 1));
  return written;
}

/** Content within a block, where too a string is one text block and empty text is nothing. */
export function nested(content: unknown, depth = 0): string {
  const blocks = blocksOf(content).map((block) =>
    block.type === "text" && typeof block.text === "string"
      ? textBlock(block, block.text)
      : `B${loose(block, depth)}`,
  );
  return `(${blocks.join("")})`;
}

const TEXT: ReadonlySet<string> = new Set(["type", "text"]);
/** Providers send empty text blocks, and refuse them. */
export const textBlock = (block: Dict, text: string): string =>
  tagged("T", text) + rest(block, TEXT);

/** The members of a block that its kind does not name, "" when there are none. */
export function rest(value: Dict, without = NONE): string {
  const written = members(value, without, 0);
  return written === "" ? "" : `{${written}}`;
}

/** UTF-16, because UTF-8 would make one of all lone surrogates; it is the faster one besides. */
export function hashOf(written: string): string {
  // To make an object to hash with takes longer than to hash what is short.
  const whole =
    written.length <= SHORT
      ? hash("sha256", Buffer.from(written, "utf16le"), "buffer")
      : createHash("sha256").update(written, "utf16le").digest();
  return whole.toString("hex", 0, 16);
}
const SHORT = 1_000;
