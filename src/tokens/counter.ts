import { estimateTokens } from "./estimate.ts";
import { documentTokens, imageTokens } from "./media.ts";
import { MEASURED_TEXTS, remembering } from "../base/cache.ts";
import { createSeen } from "./seen.ts";

/** What a message is weighed by; equal to the dialects' pieces. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image" | "document"; readonly data?: string; readonly mediaType?: string };

interface Counter {
  /** Estimated tokens of a message. `pieces` is asked only when the message is new or has changed. */
  message<M extends object>(message: M, pieces: (message: M) => readonly Piece[]): number;
  /** The same of a message whose weight the caller remembers. */
  weigh(pieces: readonly Piece[]): number;
}

/** Role and turn markers around each message: 3 to 5 tokens at OpenAI (its cookbook), about as many at Anthropic. */
const AROUND = 4;

export function createCounter(): Counter {
  const seen = createSeen<number>();
  const ofText = remembering(estimateTokens, MEASURED_TEXTS);

  function ofPiece(piece: Piece): number {
    switch (piece.kind) {
      case "text":
        return ofText(piece.text);
      case "image":
        return imageTokens(piece.data, piece.mediaType);
      case "document":
        return documentTokens(piece.data, piece.mediaType);
      default:
        return piece satisfies never;
    }
  }

  const weigh = (pieces: readonly Piece[]): number =>
    pieces.reduce((sum, piece) => sum + ofPiece(piece), AROUND);
  return {
    message(message, pieces) {
      const known = seen.get(message);
      if (known !== undefined) return known;
      const tokens = weigh(pieces(message));
      seen.set(message, tokens);
      return tokens;
    },
    weigh,
  };
}
