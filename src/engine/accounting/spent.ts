import type { Purpose, Spent, SpentLine } from "../../model/spent.ts";
import { type Embedder, NO_USAGE, readTokens } from "../../model/ports.ts";
import { NOTHING, add, spentOn } from "../runtime/spending.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import type { Spans } from "../runtime/tracing.ts";
import type { Dialect } from "../../dialect/common/dialect.ts";
import type { Embedded, Kept, Weighing, Who } from "../session/core.ts";
import type { Outgoing } from "../session/outgoing-request.ts";

type ReadReply = NonNullable<ReturnType<Dialect["reply"]>>;

/** One of the caller's calls: what was reported of it, else our own count. */
export function turnSpent(
  { measure }: Weighing,
  { dialect, model, can, level }: Outgoing,
  { usage, billed, message }: ReadReply,
): SpentLine {
  const counted = {
    ...NO_USAGE,
    input: level.used,
    output: usage?.output ?? measure.message(dialect, message),
  };
  const reported = usage !== undefined && readTokens(usage) > 0;
  const taken = reported ? (billed ?? usage) : counted;
  return { purpose: "turn", spent: spentOn(taken, model === "" ? undefined : can.prices) };
}

/** The sums of an identity, by purpose. */
export async function readSpent(
  { embedding, history }: Kept & Embedded,
  who: Who,
): Promise<Readonly<Record<Purpose, Spent>>> {
  await embedding?.flush();
  const { spent: lines } = await history.belongings(who.root);
  const of = (purpose: Purpose): Spent =>
    lines.find((line) => line.purpose === purpose)?.spent ?? NOTHING;
  return {
    turn: of("turn"),
    distil: of("distil"),
    read: of("read"),
    embed: of("embed"),
  };
}

/** Calls kept in memory before they are written: an embedder may be asked with every question. */
const BATCH = 50;

/**
 * The embedder with its calls counted. No service reports their tokens, so they are our own count.
 */
export function countedEmbedder(
  embedder: Embedder,
  { spans, write }: { spans: Spans; write: (lines: readonly SpentLine[]) => Promise<unknown> },
): { embedder: Embedder; flush(): Promise<void> } {
  let pending = NOTHING;
  const flush = async (): Promise<void> => {
    if (pending.calls === 0) return;
    const spent = pending;
    pending = NOTHING;
    // An answer is not lost for a count that cannot be written; history tells of its own troubles.
    await write([{ purpose: "embed", spent }]).catch(() => undefined);
  };
  const embed: Embedder["embed"] = async (texts, signal, use) => {
    let input = 0;
    try {
      const about = {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.request.model": embedder.model,
      };
      const vectors = await spans.run("embeddings", about, async () =>
        embedder.embed(texts, signal, use),
      );
      input = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
      return vectors;
    } finally {
      pending = add(pending, spentOn({ ...NO_USAGE, input }, undefined));
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
