import { encoded, type Encoded, pagesOf } from "./pages.ts";
import { estimateTokens } from "./estimate.ts";

/** Anthropic's vision guide: longest side scaled to 1,568 pixels, width · height / 750 tokens, about 1,600 at most. */
const LONGEST_SIDE = 1_568;
const PIXELS_PER_TOKEN = 750;
const MOST = 1_600;
/** An image is never free: a one-pixel image still has its markers. */
const LEAST = 16;

/** A page is read as its text (1,500 to 3,000 tokens, says Anthropic's PDF guide) and as an image. */
const PER_PAGE = 2_000;
/** Of text that cannot be read here: English has about four. */
const BYTES_PER_TOKEN = 4;
/** Documents given by reference only, their pages unknown. */
const UNSEEN_PAGES = 5;

/** What an image costs, by its dimensions. Unknown ones cost the most an image can. */
export function imageTokens(data?: string, mediaType?: string): number {
  const pixels = data === undefined ? undefined : pixelsOf(encoded(data, mediaType));
  if (!pixels) return MOST;
  const scale = Math.min(1, LONGEST_SIDE / Math.max(pixels.width, pixels.height));
  const tokens = Math.ceil((pixels.width * scale * pixels.height * scale) / PIXELS_PER_TOKEN);
  return Math.min(MOST, Math.max(LEAST, tokens));
}

/** What a document costs: text by estimate, anything else by its pages. */
export function documentTokens(data?: string, mediaType?: string): number {
  if (data === undefined) return UNSEEN_PAGES * PER_PAGE;
  const file = encoded(data, mediaType);
  return file.mediaType.startsWith("text/") ? textTokens(file, data) : pagesOf(file) * PER_PAGE;
}

/** `data` may be the text itself, its base64, or the base64 of a text only the provider can decrypt. */
function textTokens(file: Encoded, data: string): number {
  const bytes = file.bytes(0, file.size);
  // What is no base64 loses characters in decoding.
  if (bytes.length < file.size - 2) return estimateTokens(data);
  try {
    return estimateTokens(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return Math.ceil(bytes.length / BYTES_PER_TOKEN);
  }
}

interface Pixels {
  readonly width: number;
  readonly height: number;
}

/** Width and height from a file's header; undefined when it is none of PNG, GIF, WebP and JPEG, or cut short. */
function pixelsOf(file: Encoded): Pixels | undefined {
  const head = file.bytes(0, 32);
  const found =
    head.length < 26 ? undefined : (png(head) ?? gif(head) ?? webp(head) ?? jpeg(file, head));
  return found && found.width > 0 && found.height > 0 ? found : undefined;
}

const png = (head: Buffer): Pixels | undefined =>
  head.readUInt32BE(0) === 0x89504e47
    ? { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
    : undefined;

const gif = (head: Buffer): Pixels | undefined =>
  head.toString("latin1", 0, 4) === "GIF8"
    ? { width: head.readUInt16LE(6), height: head.readUInt16LE(8) }
    : undefined;

/** Three layouts in one container: lossy, lossless (14 bits each, less one) and extended (24 bits each, less one). */
function webp(head: Buffer): Pixels | undefined {
  if (
    head.length < 30 ||
    head.toString("latin1", 0, 4) !== "RIFF" ||
    head.toString("latin1", 8, 12) !== "WEBP"
  )
    return undefined;
  switch (head.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** Start-of-frame markers; C4, C8 and CC in their range are tables. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** From segment to segment, reading only their heads: an embedded thumbnail or profile is stepped over. */
function jpeg(file: Encoded, head: Buffer): Pixels | undefined {
  if (head.readUInt16BE(0) !== 0xffd8) return undefined;
  let offset = 2;
  for (let segments = 0; segments < 500; segments += 1) {
    const segment = file.bytes(offset, 9);
    if (segment.length < 9 || segment[0] !== 0xff) return undefined;
    const marker = segment[1] ?? 0;
    // Fill bytes before a marker.
    if (marker === 0xff) offset += 1;
    else if (isFrame(marker))
      return { width: segment.readUInt16BE(7), height: segment.readUInt16BE(5) };
    else offset += 2 + segment.readUInt16BE(2);
  }
  return undefined;
}
