import { type Encoded, encoded } from "./base64.ts";
import { estimateTokens } from "./estimate.ts";
import { pixelsOf } from "./pixels.ts";
import { pagesOf } from "./pages.ts";

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
