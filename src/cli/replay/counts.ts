import type { Dialect, Piece } from "../../dialect/common/dialect.ts";
import { type Dict, dicts } from "../../base/guards.ts";
import type { Message, ProviderRequest, Format } from "../../model/request.ts";
import { digest } from "../../text/hash.ts";
import { createCounter } from "../../tokens/counter.ts";
import { exactTokens } from "../../tokens/exact.ts";
import type { Usage } from "../../model/ports.ts";

/** A block of a request: the least a prompt cache tells apart. */
interface Unit {
  /** Equal for what the provider reads as equal: cache marks aside, a string as the one text block it stands for. */
  readonly key: string;
  readonly tokens: number;
  /** Bears a cache mark. */
  readonly marked: boolean;
}

interface Counted {
  readonly units: readonly Unit[];
  readonly total: number;
}

/** What a message costs besides its content; the provider's frame around it. */
const FRAME = 4;

/** Counts requests as a provider would: all of what is sent, each text tokenised once. */
export function createCounts(dialect: Dialect) {
  const texts = new Map<string, number>();
  const known = new WeakMap<object, readonly Unit[]>();
  const media = createCounter();

  async function ofPiece(piece: Piece): Promise<number> {
    if (piece.kind !== "text")
      return media.message({}, () => [piece]) - media.message({}, () => []);
    const found = texts.get(piece.text);
    if (found !== undefined) return found;
    const tokens = await exactTokens(piece.text);
    texts.set(piece.text, tokens);
    return tokens;
  }

  async function sum(pieces: readonly Piece[]): Promise<number> {
    let tokens = 0;
    for (const piece of pieces) tokens += await ofPiece(piece);
    return tokens;
  }

  /** OpenAI's caches know whole messages, Anthropic's the blocks in them. */
  async function ofMessage(message: Message): Promise<readonly Unit[]> {
    const found = known.get(message);
    if (found) return found;
    const parts = dialect.format === "anthropic" ? partsOf(message) : [message];
    const units: Unit[] = [];
    for (const [index, part] of parts.entries()) {
      const marked = dicts(part.content).some(
        (block) => isMarked(block) || dicts(block.content).some(isMarked),
      );
      units.push({
        key: keyOf(dialect, part),
        tokens: (index === 0 ? FRAME : 0) + (await sum(dialect.pieces(part))),
        marked,
      });
    }
    known.set(message, units);
    return units;
  }

  /** Tools, then the system text, in the order the provider reads them. */
  async function ofHead({ system, tools }: ProviderRequest): Promise<Unit[]> {
    const units: Unit[] = [];
    if (tools !== undefined)
      units.push({
        key: `tools ${digest(JSON.stringify(tools))}`,
        tokens: await sum(dialect.overhead({ messages: [], tools })),
        marked: dicts(tools).some(isMarked),
      });
    const blocks = typeof system === "string" ? [{ type: "text", text: system }] : dicts(system);
    for (const block of blocks)
      units.push({
        key: `system ${keyOf(dialect, { content: [block] })}`,
        tokens: await sum(dialect.overhead({ messages: [], system: [block] })),
        marked: isMarked(block),
      });
    return units;
  }

  return {
    message: async (message: Message): Promise<number> => totalOf(await ofMessage(message)),
    async request(request: ProviderRequest): Promise<Counted> {
      const units = await ofHead(request);
      for (const message of request.messages) units.push(...(await ofMessage(message)));
      return { units, total: totalOf(units) };
    },
  };
}

const totalOf = (units: readonly Unit[]): number =>
  units.reduce((sum, { tokens }) => sum + tokens, 0);

const isMarked = (block: Dict): boolean =>
  block.cache_control !== undefined && block.cache_control !== null;

const partsOf = (message: Message): Message[] => {
  const { content } = message;
  return Array.isArray(content) && content.length > 0
    ? dicts(content).map((block) => ({ ...message, content: [block] }))
    : [message];
};

function keyOf(dialect: Dialect, message: Message): string {
  const bare = dialect.withoutCacheMarks(message);
  const content =
    typeof bare.content === "string" ? [{ type: "text", text: bare.content }] : bare.content;
  return digest(JSON.stringify({ ...bare, content }));
}

/** The least either provider caches (Anthropic: 512 to 4,096 by model). */
const LEAST = 1_024;
/** Anthropic looks this many blocks back from a breakpoint for something cached (platform.claude.com, prompt caching). */
const LOOK_BACK = 20;
/** OpenAI caches by itself, in steps of so many tokens (developers.openai.com, prompt caching). */
const STEP = 128;

/** How many units both begin with. */
function shared(before: readonly Unit[], now: readonly Unit[]): number {
  const other = now.findIndex(({ key }, at) => before[at]?.key !== key);
  return other < 0 ? now.length : other;
}

/**
 * What a provider would read of each request from its cache, from what the request before left there. Requests are taken
 * to follow each other within the five minutes an entry lives.
 */
export function createPromptCache(format: Format): (request: Counted) => Omit<Usage, "output"> {
  let before: readonly Unit[] = [];
  /** Places of `before` up to which the provider keeps what it read. */
  let kept: readonly number[] = [];

  return ({ units, total }) => {
    const sizeOf = (first: number): number => totalOf(units.slice(0, first));
    const same = shared(before, units);
    before = units;
    if (format !== "anthropic") {
      const prefix = sizeOf(same);
      const cacheRead = prefix < LEAST ? 0 : Math.floor(prefix / STEP) * STEP;
      return { input: total - cacheRead, cacheWrite: 0, cacheRead };
    }
    const marks = units.flatMap(({ marked }, at) =>
      marked && sizeOf(at + 1) >= LEAST ? [at] : [],
    );
    const alive = kept.filter((at) => at < same);
    const near = alive.filter((at) => marks.some((mark) => at <= mark && at > mark - LOOK_BACK));
    const cacheRead = sizeOf(Math.max(-1, ...near) + 1);
    const written = Math.max(cacheRead, sizeOf(Math.max(-1, ...marks) + 1));
    kept = [...new Set([...alive, ...marks])];
    return { input: total - written, cacheWrite: written - cacheRead, cacheRead };
  };
}
