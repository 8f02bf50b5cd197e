import type { ModelInfo } from "./models.ts";
import type { Signer } from "./signatures.ts";
import { messageTokens } from "./tokens.ts";
import { given, type Json } from "./wire.ts";

export const COMPACT_BETA = "compact-2026-09-04";

export const asksToCompact = (body: Json): boolean => given(body.compaction);

/** The answer to a host that asks for the server's own summary: one signed block and nothing else. */
export function compacted(body: Json, info: ModelInfo, { signer, text }: SummaryOf) {
  const content = [signer.signCompaction(body, info, text)];
  return {
    content,
    stop_reason: "compaction",
    stop_sequence: null,
    outputTokens: Math.max(1, messageTokens({ content })),
    thinkingTokens: 0,
  };
}

interface SummaryOf {
  readonly signer: Signer;
  readonly text: string;
}
