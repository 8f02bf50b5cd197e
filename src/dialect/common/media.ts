import { defined, type Dict } from "../../base/guards.ts";
import { createHash } from "node:crypto";
import { type Piece } from "./dialect.ts";

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
  return mediaType ? { data: url.slice(comma + 1), mediaType } : { data: url.slice(comma + 1) };
}

/** The bytes of a `{ type: "base64", media_type, data }` source. */
export function base64Source(value: Dict): Bytes | undefined {
  if (value.type !== "base64" || typeof value.data !== "string") return undefined;
  return typeof value.media_type === "string"
    ? { data: value.data, mediaType: value.media_type }
    : { data: value.data };
}

/** Same bytes, same key, however the base64 was wrapped or padded. */
export function bytesKey(data: string): string {
  const bytes = Buffer.from(data, "base64");
  // What is no base64 at all decodes to nothing much; only its text tells it from other such strings.
  const decoded = bytes.length * 4 >= data.length;
  return createHash("sha256")
    .update(decoded ? bytes : data)
    .digest("hex");
}

/** Scheme, host and path: signatures in the query change with every request, credentials are no content. */
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
  return {
    kind: shown,
    ...defined({ data, mediaType }),
  };
}

/** Text only the provider can read (encrypted pages, hidden thinking): it is weighed by its bytes. */
export const sealedPiece = (data: string): Piece => ({
  kind: "document",
  data,
  mediaType: "text/plain",
});
