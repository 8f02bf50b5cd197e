import { createHash } from "node:crypto";
import { type Dict, isDict } from "../../base/guards.ts";
import type { ProviderRequest } from "../../model/request.ts";
import type { Piece } from "./dialect.ts";
import { blocksOf, type Cut, DEPTH } from "./reading.ts";

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
export function bytesKey(data: string): string {
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
export function urlKey(url: string): string {
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
