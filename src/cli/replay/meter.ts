import type { Dialect, Piece } from "../../dialect/common/dialect.ts";
import { NO_USAGE, type Usage } from "../../model/ports.ts";
import type { Message, ProviderRequest } from "../../model/request.ts";
import { digest } from "../../text/hash.ts";
import { createCounter } from "../../tokens/counter.ts";
import { exactTokens } from "../../tokens/exact.ts";

interface MeterPart {
  /** Equal for parts that a provider reads as equal, cache marks aside. */
  readonly key: string;
  readonly tokens: number;
}

/** Providers cache no prefix of fewer tokens (Anthropic: 512 to 4,096 by model). */
const CACHED_FROM = 1_024;

/**
 * Counts requests with the tokenizer o200k_base, and how much of each a prompt cache would hold.
 */
export function createMeter(dialect: Dialect) {
  const known = new WeakMap<Message, MeterPart>();
  const media = createCounter();
  let before: readonly MeterPart[] = [];

  async function tokensOf(pieces: readonly Piece[]): Promise<number> {
    let tokens = media.weigh(pieces.filter(({ kind }) => kind !== "text"));
    for (const piece of pieces) if (piece.kind === "text") tokens += await exactTokens(piece.text);
    return tokens;
  }

  async function partOf(message: Message): Promise<MeterPart> {
    const found = known.get(message);
    if (found !== undefined) return found;
    const { content, ...rest } = dialect.withoutCacheMarks(message);
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const part = {
      key: digest(JSON.stringify({ ...rest, content: blocks })),
      tokens: await tokensOf(dialect.pieces(message)),
    };
    known.set(message, part);
    return part;
  }

  async function partsOf(request: ProviderRequest): Promise<MeterPart[]> {
    const head = dialect.overhead(request);
    const parts = [{ key: JSON.stringify(head), tokens: await tokensOf(head) }];
    for (const message of request.messages) parts.push(await partOf(message));
    return parts;
  }

  return {
    size: async (request: ProviderRequest): Promise<number> => totalOf(await partsOf(request)),
    /** Takes each request for sent within the minutes that the cache keeps the one before it. */
    async usage(request: ProviderRequest, reply: Message | undefined): Promise<Usage> {
      const parts = await partsOf(request);
      const total = totalOf(parts);
      const other = parts.findIndex(({ key }, at) => before[at]?.key !== key);
      const same = totalOf(parts.slice(0, other < 0 ? parts.length : other));
      before = parts;
      const cacheRead = same < CACHED_FROM ? 0 : same;
      const isWritten = dialect.format === "anthropic" && total >= CACHED_FROM;
      const fresh = total - cacheRead;
      return {
        ...NO_USAGE,
        ...(isWritten ? { cacheWrite: fresh } : { input: fresh }),
        cacheRead,
        output: reply === undefined ? 0 : (await partOf(reply)).tokens,
      };
    },
  };
}

const totalOf = (parts: readonly MeterPart[]): number =>
  parts.reduce((sum, { tokens }) => sum + tokens, 0);
