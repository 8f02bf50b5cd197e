import { type LedgerLine } from "../../model/ledger.ts";
import { type Embedder } from "../../model/ports.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import { embedSpan, type Spans } from "./tracing.ts";
import { add, NOTHING, spentOn } from "./spending.ts";

/** Calls kept in memory before they are written: an embedder may be asked with every question. */
const BATCH = 50;

export interface Embedded {
  readonly embedder: Embedder;
  flush(): Promise<void>;
}

/** The embedder with its calls in the books. No service reports their tokens, so they are our own count. */
export function bookedEmbedder(
  embedder: Embedder,
  { spans, write }: { spans: Spans; write: (lines: readonly LedgerLine[]) => Promise<void> },
): Embedded {
  let pending = NOTHING;
  const flush = async (): Promise<void> => {
    if (pending.calls === 0) return;
    const spent = pending;
    pending = NOTHING;
    // Books that cannot be written are no reason to lose an answer; the history tells of its own troubles.
    await write([{ session: "", purpose: "embed", model: embedder.model ?? "", spent }]).catch(
      () => undefined,
    );
  };
  const embed: Embedder["embed"] = async (texts, signal, use) => {
    const started = performance.now();
    let failed = true;
    try {
      const vectors = await spans.run(embedSpan(embedder.model, embedder.dimensions), async () =>
        embedder.embed(texts, signal, use),
      );
      failed = false;
      return vectors;
    } finally {
      const usage = {
        input: failed ? 0 : texts.reduce((sum, text) => sum + estimateTokens(text), 0),
        cacheWrite: 0,
        cacheRead: 0,
        output: 0,
      };
      pending = add(
        pending,
        spentOn(usage, {
          prices: undefined,
          ms: Math.round(performance.now() - started),
          estimated: true,
          failed,
        }),
      );
      if (pending.calls >= BATCH) await flush();
    }
  };
  return {
    embedder: Object.defineProperties({ embed } as Embedder, {
      dimensions: { get: () => embedder.dimensions, enumerable: true },
      model: { get: () => embedder.model, enumerable: true },
    }),
    flush,
  };
}
