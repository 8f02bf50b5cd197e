import { asText, type Dict, isDict } from "../../base/guards.ts";
import { type ProviderRequest } from "../../model/request.ts";
import { isCall, isResult } from "./blocks.ts";
import { type Piece } from "../common/dialect.ts";
import { base64Source, mediaPiece, sealedPiece } from "../common/media.ts";
import { blocksOf, DEPTH } from "../common/reading.ts";
import { jsonText, textPiece, weigh } from "../common/weigh.ts";

const sealed = (data: string): Piece[] => (data === "" ? [] : [sealedPiece(data)]);

/** All that costs tokens in a block. */
export function piecesOf(block: Dict, depth = 0): Piece[] {
  if (depth > DEPTH) return [];
  const inside = (content: unknown) =>
    blocksOf(content).flatMap((nested) => piecesOf(nested, depth + 1));
  if (isCall(block)) return [...textPiece(asText(block.name)), ...textPiece(jsonText(block.input))];
  if (isResult(block)) return inside(block.content);
  switch (block.type) {
    case "text":
      return textPiece(asText(block.text));
    case "image":
      return [mediaPiece(bytesOf(block.source), "image")];
    case "document":
      return [
        ...textPiece(asText(block.title)),
        ...textPiece(asText(block.context)),
        ...sourcePieces(block.source, inside),
      ];
    case "search_result":
      return [
        ...textPiece(asText(block.title)),
        ...textPiece(asText(block.source)),
        ...inside(block.content),
      ];
    case "web_fetch_result":
      return [...textPiece(asText(block.url)), ...inside(block.content)];
    case "thinking":
      // Newer models may keep the words back: then the signature carries them, encrypted.
      return asText(block.thinking) === ""
        ? sealed(asText(block.signature))
        : textPiece(asText(block.thinking));
    case "redacted_thinking":
      return sealed(asText(block.data));
    case "compaction":
      return asText(block.content) === ""
        ? sealed(asText(block.encrypted_content))
        : textPiece(asText(block.content));
    default:
      return weigh(block);
  }
}

const bytesOf = (source: unknown) => (isDict(source) ? (base64Source(source) ?? {}) : {});

function sourcePieces(source: unknown, inside: (content: unknown) => Piece[]): Piece[] {
  if (!isDict(source)) return [];
  if (source.type === "text") return textPiece(asText(source.data));
  if (source.type === "content") return inside(source.content);
  return [mediaPiece(bytesOf(source))];
}

export function overheadOf({ system, tools }: ProviderRequest): Piece[] {
  const one = tools === undefined || tools === null ? [] : [tools];
  const declared = Array.isArray(tools) ? tools : one;
  return [...blocksOf(system).flatMap((block) => piecesOf(block)), ...declared.flatMap(weigh)];
}
