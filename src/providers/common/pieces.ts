import { createHash, hash } from "node:crypto";
import { asDict, type Dict, isDict } from "../../core/base.ts";
import type { ProviderRequest } from "../../core/request.ts";
import { blocksOf, type Cut, DEPTH, OPAQUE, type Piece } from "./dialect.ts";

/** Base64 and what it is said to be. */
interface Bytes {
  readonly data: string;
  readonly mediaType?: string;
}

const DATA_URL = "data:";
/** Longer heads than this are not the head of a data: URL but a text that begins like one. */
const HEAD = 200;

/** The bytes of a `data:…;base64,…` URL. */
export function dataUrl(url: string): Bytes | undefined {
  if (!url.startsWith(DATA_URL)) return undefined;
  const comma = url.slice(0, HEAD).indexOf(",");
  const head = url.slice(DATA_URL.length, comma);
  if (comma < 0 || !head.endsWith(";base64")) return undefined;
  const mediaType = head.split(";")[0];
  return { data: url.slice(comma + 1), mediaType: mediaType || undefined };
}

/** The bytes of a `{ type: "base64", media_type, data }` source. */
export function base64Source(value: Dict): Bytes | undefined {
  if (value.type !== "base64" || typeof value.data !== "string") return undefined;
  const { data, media_type: mediaType } = value;
  return { data, mediaType: typeof mediaType === "string" ? mediaType : undefined };
}

/** Same bytes, same key, however the base64 was wrapped or padded. */
function bytesKey(data: string): string {
  const bytes = Buffer.from(data, "base64");
  // A text that is no base64 decodes to next to nothing; no other sign tells it from base64.
  const decoded = bytes.length * 4 >= data.length;
  return createHash("sha256")
    .update(decoded ? bytes : data)
    .digest("hex");
}

/**
 * Scheme, host and path: signatures in the query change with every request, credentials are no
 * content.
 */
function urlKey(url: string): string {
  const parts = /^([a-z][a-z0-9+.-]*):\/\/(?:[^/?#]*@)?([^/?#]*)([^?#]*)/i.exec(url);
  if (!parts) return url.split(/[?#]/, 1)[0] ?? url;
  const [, scheme = "", host = "", path = ""] = parts;
  return `${scheme.toLowerCase()}://${host.toLowerCase()}${path === "" ? "/" : path}`;
}

export function mediaPiece(
  { data, mediaType }: { data?: string; mediaType?: string },
  kind: "image" | "document" = "document",
): Piece {
  const shown = kind === "image" || mediaType?.startsWith("image/") ? "image" : "document";
  return { kind: shown, data, mediaType };
}

/**
 * Text only the provider can read (encrypted pages, hidden thinking): it is weighed by its bytes.
 */
export const sealedPiece = (data: string): Piece => ({
  kind: "document",
  data,
  mediaType: "text/plain",
});

/** No text has an unbroken run of these characters as long as this; encoded bytes do. */
const BLOB = /^[A-Za-z0-9+/_-]{256,}={0,2}$/;
const SEALED = /^(encrypted_.*|signature)$/;

/** JSON of anything; "" for what has none (undefined, or nested deeper than the stack). */
export function jsonText(
  value: unknown,
  replacer?: (key: string, value: unknown) => unknown,
): string {
  try {
    return JSON.stringify(value, replacer) ?? "";
  } catch {
    return "";
  }
}

export const textPiece = (text: string): Piece[] => (text === "" ? [] : [{ kind: "text", text }]);

/**
 * What a block we do not know weighs: its JSON, with encoded bytes taken out and weighed as what
 * they are.
 */
export function weigh(value: unknown): Piece[] {
  const media: Piece[] = [];
  const json = jsonText(value, (key, member) => {
    if (key === "cache_control" || member === null) return undefined;
    if (typeof member === "string") {
      const bytes = dataUrl(member);
      if (bytes) media.push(mediaPiece(bytes));
      else if (member !== "" && (SEALED.test(key) || BLOB.test(member)))
        media.push(sealedPiece(member));
      else return member;
      return undefined;
    }
    if (!isDict(member)) return member;
    const bytes = base64Source(member);
    if (!bytes) return member;
    media.push(mediaPiece(bytes));
    return { ...member, data: undefined };
  });
  return [...textPiece(json), ...media];
}

export const REQUEST_HEAD = ["tools", "functions", "system"] as const;
/**
 * What a request holds beside its messages: the system text, by the pieces of its blocks, and the
 * tools it declares.
 */
export const overheadOf = (
  { system, tools, functions }: ProviderRequest,
  piecesOf: (block: Dict) => Piece[],
): Piece[] => [
  ...blocksOf(system).flatMap((block) => piecesOf(block)),
  ...[tools ?? [], functions ?? []].flat().flatMap(weigh),
];

/**
 * A call's input, shorter: its strings cut, or where there are too many, one string of it all.
 * Itself when short enough.
 */
export function cutInput(input: unknown, cut: Cut): unknown {
  const json = jsonText(input);
  const whole = cut(json);
  if (whole.length >= json.length) return input;
  const inside = cutStrings(input, cut);
  return jsonText(inside).length <= 2 * whole.length ? inside : { left_out: whole };
}

function cutStrings(value: unknown, cut: Cut, depth = 0): unknown {
  if (typeof value === "string") return cut(value);
  if (depth > DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => cutStrings(item, cut, depth + 1));
  return isDict(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, cutStrings(member, cut, depth + 1)]),
      )
    : value;
}

/**
 * The length stands before the text, so that no text can imitate structure and none need be
 * escaped.
 */
export const sized = (text: string): string => `${text.length}:${text}`;

/** A text with a letter that says what it is; empty text is nothing. */
const tagged = (tag: string, text: string): string => (text === "" ? "" : `${tag}${sized(text)}`);

/** The caller that a call has by default need not be named (SDK 1.11 types). */
const isNoise = (name: string, value: unknown): boolean =>
  value === null ||
  value === undefined ||
  name === "cache_control" ||
  (Array.isArray(value) && value.length === 0) ||
  (name === "caller" && asDict(value).type === "direct");

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
 * A value that is part of the provider's format, a message or `{ system, tools }` too: the same for
 * all forms that providers take for the same. Cache marks, nulls and empty lists are overlooked,
 * media go by content.
 */
export function loose(value: unknown, depth = 0): string {
  if (typeof value === "string") return looseText(value);
  if (depth > DEPTH) return "…";
  if (Array.isArray(value)) return `[${value.map((item) => loose(item, depth + 1)).join("")}]`;
  if (!isDict(value)) return exact(value);
  const bytes = base64Source(value);
  if (bytes) return `M${bytesKey(bytes.data)}${members(value, BYTES, depth)}`;
  if (typeof value.url === "string") {
    const place = dataUrl(value.url) ? looseText(value.url) : sized(urlKey(value.url));
    return `U${place}${members(value, LINK, depth)}`;
  }
  return `{${members(value, NONE, depth)}}`;
}

const NONE: ReadonlySet<string> = new Set();
const BYTES: ReadonlySet<string> = new Set(["type", "data", "media_type"]);
const LINK: ReadonlySet<string> = new Set(["type", "url"]);

function looseText(text: string): string {
  const bytes = dataUrl(text);
  return bytes ? `M${bytesKey(bytes.data)}` : `"${sized(text)}`;
}

/** In these members a string is short for one text block. */
const CONTENT = new Set(["content", "system"]);

function members(value: Dict, without: ReadonlySet<string>, depth: number): string {
  let written = "";
  for (const name of Object.keys(value).sort()) {
    const held = value[name];
    if (without.has(name) || isNoise(name, held)) continue;
    written += sized(name);
    if (OPAQUE.has(name)) written += exact(held);
    else written += CONTENT.has(name) ? nested(held, depth + 1) : loose(held, depth + 1);
  }
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
