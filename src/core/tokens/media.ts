import { isUtf8 } from "node:buffer";
import { estimateTokens } from "./estimate.ts";

/** Bytes read of a PDF: 2 MB decode in 2 ms. */
const READ = 2_000_000;
/**
 * Bytes of a usual page (text and a figure), for files that hide their pages in compressed streams.
 */
const PER_PAGE = 50_000;
/** More than a provider takes; keeps a forged count from mattering. */
const MOST_PAGES = 600;

/** Pages of a PDF: those seen in its beginning tell of the whole, else its size does. */
function pagesOf(data: string): number {
  const size = Buffer.byteLength(data, "base64");
  const text = bytesOf(data, 0, READ).toString("latin1");
  const seen = text.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0;
  const pages = (seen * size) / Math.max(1, text.length) || size / PER_PAGE;
  return Math.min(MOST_PAGES, Math.max(1, Math.ceil(pages)));
}

/**
 * Bytes of base64, which is never read whole: four characters hold three bytes, so any offset can
 * be reached.
 */
function bytesOf(data: string, offset: number, length: number): Buffer {
  const skip = offset % 3;
  const from = ((offset - skip) / 3) * 4;
  const to = from + Math.ceil((skip + length) / 3) * 4;
  return Buffer.from(data.slice(from, to), "base64").subarray(skip, skip + length);
}

/**
 * Anthropic's vision guide: longest side scaled to 1,568 pixels, width · height / 750 tokens, about
 * 1,600 at most.
 */
const LONGEST_SIDE = 1_568;
const PIXELS_PER_TOKEN = 750;
const MOST_IMAGE_TOKENS = 1_600;
/** An image is never free: a one-pixel image still has its markers. */
const LEAST_IMAGE_TOKENS = 16;

/**
 * A page is read as its text (1,500 to 3,000 tokens, says Anthropic's PDF guide) and as an image.
 */
const TOKENS_PER_PAGE = 2_000;
/** English has about four; for text that cannot be read here. */
const BYTES_PER_TOKEN = 4;
/** Documents given by reference only, their pages unknown. */
const UNSEEN_PAGES = 5;

/** An image costs by its dimensions; unknown ones cost the most an image can. */
export function imageTokens(data = ""): number {
  const pixels = pixelsOf(data);
  if (!pixels) return MOST_IMAGE_TOKENS;
  const [width, height] = pixels;
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  const tokens = Math.ceil((width * scale * height * scale) / PIXELS_PER_TOKEN);
  return Math.min(MOST_IMAGE_TOKENS, Math.max(LEAST_IMAGE_TOKENS, tokens));
}

/** A text costs its estimate, any other document its pages. */
export function documentTokens(data?: string, mediaType = ""): number {
  if (data === undefined) return UNSEEN_PAGES * TOKENS_PER_PAGE;
  return /^text\//i.test(mediaType) ? textTokens(data) : pagesOf(data) * TOKENS_PER_PAGE;
}

/**
 * `data` may be the text itself, its base64, or the base64 of a text only the provider can decrypt.
 */
function textTokens(data: string): number {
  const bytes = Buffer.from(data, "base64");
  // Any other text loses characters in decoding.
  if (bytes.length < Buffer.byteLength(data, "base64") - 2) return estimateTokens(data);
  return isUtf8(bytes)
    ? estimateTokens(bytes.toString())
    : Math.ceil(bytes.length / BYTES_PER_TOKEN);
}

type Pixels = readonly [width: number, height: number];

/**
 * Width and height from a file's header; undefined when it is neither PNG nor JPEG, or cut short.
 */
function pixelsOf(data: string): Pixels | undefined {
  const head = bytesOf(data, 0, 32);
  const found = head.length < 30 ? undefined : (png(head) ?? jpeg(data, head));
  return found?.every((side) => side > 0) ? found : undefined;
}

const png = (head: Buffer): Pixels | undefined =>
  head.readUInt32BE(0) === 0x89504e47 ? [head.readUInt32BE(16), head.readUInt32BE(20)] : undefined;

/** Start-of-frame markers; C4, C8 and CC in their range are tables. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/**
 * From segment to segment, reading only their heads: an embedded thumbnail or profile is stepped
 * over.
 */
function jpeg(data: string, head: Buffer): Pixels | undefined {
  if (head.readUInt16BE(0) !== 0xffd8) return undefined;
  let offset = 2;
  for (let segments = 0; segments < 500; segments += 1) {
    const segment = bytesOf(data, offset, 9);
    if (segment.length < 9 || segment[0] !== 0xff) return undefined;
    const marker = segment[1] ?? 0;
    // Fill bytes before a marker.
    if (marker === 0xff) offset += 1;
    else if (isFrame(marker)) return [segment.readUInt16BE(7), segment.readUInt16BE(5)];
    else offset += 2 + segment.readUInt16BE(2);
  }
  return undefined;
}

/** A message is weighed by these; they equal the dialects' pieces. */
export type WeighedPiece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image" | "document"; readonly data?: string; readonly mediaType?: string };
