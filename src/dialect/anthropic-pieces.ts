import { asText, type Dict, isDict } from "../model/guards.ts";
import { type ProviderRequest } from "../model/request.ts";
import { isCall, isResult } from "./anthropic-blocks.ts";
import { type Piece } from "./dialect.ts";
import { base64Source, mediaPiece, sealedPiece } from "./media.ts";
import { blocksOf } from "./reading.ts";
import { jsonText, textPiece, weigh } from "./weigh.ts";

const sealed = (data: string): Piece[] => (data === "" ? [] : [sealedPiece(data)]);

/** All that costs tokens in a block. */
export function piecesOf(block: Dict): Piece[] {
  if (isCall(block)) return [...textPiece(asText(block.name)), ...textPiece(jsonText(block.input))];
  if (isResult(block)) return blocksOf(block.content).flatMap(piecesOf);
  switch (block.type) {
    case "text":
      return textPiece(asText(block.text));
    case "image":
      return [mediaPiece(bytesOf(block.source), "image")];
    case "document":
      return [...textPiece(asText(block.title)), ...textPiece(asText(block.context)), ...sourcePieces(block.source)];
    case "search_result":
      return [...textPiece(asText(block.title)), ...textPiece(asText(block.source)), ...blocksOf(block.content).flatMap(piecesOf)];
    case "web_fetch_result":
      return [...textPiece(asText(block.url)), ...blocksOf(block.content).flatMap(piecesOf)];
    case "thinking":
      // Newer models may keep the words back: then the signature carries them, encrypted.
      return asText(block.thinking) === "" ? sealed(asText(block.signature)) : textPiece(asText(block.thinking));
    case "redacted_thinking":
      return sealed(asText(block.data));
    case "compaction":
      return asText(block.content) === "" ? sealed(asText(block.encrypted_content)) : textPiece(asText(block.content));
    default:
      return weigh(block);
  }
}

const bytesOf = (source: unknown) => (isDict(source) ? (base64Source(source) ?? {}) : {});

function sourcePieces(source: unknown): Piece[] {
  if (!isDict(source)) return [];
  if (source.type === "text") return textPiece(asText(source.data));
  if (source.type === "content") return blocksOf(source.content).flatMap(piecesOf);
  return [mediaPiece(bytesOf(source))];
}

export function overheadOf({ system, tools }: ProviderRequest): Piece[] {
  const declared = Array.isArray(tools) ? tools : tools === undefined || tools === null ? [] : [tools];
  return [...blocksOf(system).flatMap(piecesOf), ...declared.flatMap(weigh)];
}
