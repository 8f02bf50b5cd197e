import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Dict } from "../../src/core/base.ts";
import type { Message, ProviderRequest } from "../../src/core/request.ts";
import { markCache } from "../../src/providers/anthropic/cache-marks.ts";
import { prose } from "../support/anthropic.ts";
import { modelInfo, PromptCache, refusalOf } from "../support/messages-server/index.ts";
import { runs } from "../support/runs.ts";

const info = modelInfo("claude-opus-5-5");
const MARK = { cache_control: { type: "ephemeral" } };
const text = (said: string): Dict => ({ type: "text", text: said });

/** What happens between two words of the user's. */
interface Turn {
  /** Searches of the provider in each part of the turn; it pauses between them. */
  readonly pauses: readonly number[];
  /** Calls of the client's at once, in each round of the loop. */
  readonly calls: readonly number[];
  /** Blocks in each result. */
  readonly inner: number;
  /** Messages of the user's before the answer, and system messages behind them. */
  readonly words: number;
  readonly reminded: boolean;
  readonly thinks: boolean;
}
/** Marks of the caller's: on its head, on the request, on the newest block. */
interface Caller {
  readonly head: number;
  readonly automatic: boolean;
  readonly newest: boolean;
}

const size = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 4 }) },
  { weight: 2, arbitrary: fc.integer({ min: 9, max: 30 }) },
);
const few = fc.integer({ min: 1, max: 4 });
const around = {
  words: fc.integer({ min: 1, max: 3 }),
  reminded: fc.boolean(),
  thinks: fc.boolean(),
};
const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({
    pauses: fc.constant([]),
    calls: fc.oneof(fc.constant([]), fc.array(size, { maxLength: 3 })),
    inner: fc.oneof(fc.constant(0), fc.nat(30)),
    ...around,
  }),
  fc.record({
    pauses: fc.array(few, { maxLength: 4 }),
    calls: fc.constant([]),
    inner: fc.constant(0),
    ...around,
  }),
);
const turns = fc.array(turn, { minLength: 1, maxLength: 8 });
const callers: fc.Arbitrary<Caller> = fc
  .record({ head: fc.nat(3), automatic: fc.boolean(), newest: fc.boolean() })
  .filter(({ automatic, newest }) => !(automatic && newest));
const own = ({ head, automatic, newest }: Caller): number => head + Number(automatic || newest);

/**
 * The requests of a conversation, one for each call of the model. `split`: nothing pauses, and a reply is sent back as one block a
 * message; of both together nobody could tell where a call has ended.
 */
function* requests(
  caller: Caller,
  conversation: readonly Turn[],
  split = false,
): Generator<ProviderRequest> {
  const messages: Message[] = [];
  let ids = 0;
  const mark = (block: Dict, is: boolean): Dict => (is ? { ...block, ...MARK } : block);
  const head = {
    tools: [
      { name: "look", description: prose(120, 1), input_schema: { type: "object" } },
      mark({ type: "web_search_20250305", name: "web_search" }, caller.head > 0),
    ],
    system: [
      mark(text(prose(900, 1)), caller.head > 1),
      mark(text(prose(300, 2)), caller.head > 2),
    ],
  };
  const newest = (message: Message): Message => {
    const blocks =
      typeof message["content"] === "string"
        ? [text(message["content"])]
        : (message["content"] as Dict[]);
    return { ...message, content: [...blocks.slice(0, -1), mark(blocks.at(-1) ?? {}, true)] };
  };
  const request = (): ProviderRequest => ({
    model: info.id,
    max_tokens: 400,
    thinking: { type: "adaptive" },
    ...head,
    ...(caller.automatic ? MARK : {}),
    messages: caller.newest ? [...messages.slice(0, -1), newest(messages.at(-1)!)] : [...messages],
  });
  const reply = (blocks: readonly Dict[]): void =>
    void messages.push(
      ...(split ? blocks.map((block) => [block]) : [blocks]).map((content) => ({
        role: "assistant",
        content,
      })),
    );
  const search = (): Dict => ({
    type: "server_tool_use",
    id: `srvtoolu_${++ids}`,
    name: "web_search",
    input: { query: `boats ${ids}` },
  });
  const found = (of: Dict): Dict => ({
    type: "web_search_tool_result",
    tool_use_id: of["id"],
    content: [
      {
        type: "web_search_result",
        title: "t",
        url: "https://example.org",
        encrypted_content: "ab12".repeat(60),
        page_age: null,
      },
    ],
  });

  for (const [at, { pauses, calls, inner, words, reminded, thinks }] of conversation.entries()) {
    for (let word = 0; word < words; word++)
      messages.push({ role: "user", content: `Turn ${at}.${word} ${prose(30, at)}` });
    if (reminded) messages.push({ role: "system", content: `Be brief ${at}.` });
    yield request();
    const rest: Dict[] = thinks
      ? [{ type: "thinking", thinking: `Hm ${at}.`, signature: "s" }]
      : [];
    for (const many of pauses) {
      for (let one = 0; one < many; one++) {
        const asked = search();
        rest.push(asked, found(asked));
      }
      const open = search();
      rest.push(open);
      if (!split) {
        reply(rest.splice(0));
        yield request();
      }
      rest.push(found(open));
    }
    for (const many of calls) {
      const uses = Array.from({ length: many }, () => ({
        type: "tool_use",
        id: `toolu_${++ids}`,
        name: "look",
        input: { at: ids },
      }));
      reply([...rest.splice(0), text("I look."), ...uses]);
      const shown = Array.from({ length: inner }, (_, index) => text(`line ${index}`));
      messages.push({
        role: "user",
        content: uses.map(({ id }) => ({
          type: "tool_result",
          tool_use_id: id,
          content: inner === 0 ? `${id} is fine` : shown,
        })),
      });
      yield request();
    }
    reply([...rest, text(`Done ${at}.`)]);
  }
}

/** Of each call after the first that read less than the one before left in the cache, its place and how much less. */
function misses(
  caller: Caller,
  conversation: readonly Turn[],
  split = false,
): [call: number, missing: number][] {
  const cache = new PromptCache();
  let [now, left] = [0, 0];
  return [...requests(caller, conversation, split)].flatMap((request, at) => {
    const body = JSON.parse(JSON.stringify(markCache(request, 10_000))) as ProviderRequest;
    expect(refusalOf(body, info)).toBeUndefined();
    const { read, write5m } = cache.book(body, info, (now += 20_000));
    const missing = left - read;
    left = read + write5m;
    return missing > 0 ? [[at, missing] as [number, number]] : [];
  });
}

describe("each call reads what the one before has in the cache", () => {
  it("through pauses, parallel calls, long results, words in a row, beside the caller's own marks", () => {
    fc.assert(
      fc.property(
        callers.filter((caller) => own(caller) <= 2 || (own(caller) === 3 && caller.head < 3)),
        turns,
        (caller, conversation) => {
          expect(misses(caller, conversation)).toEqual([]);
        },
      ),
      { numRuns: runs(40) },
    );
  });

  it("also where the caller sends a reply back as one block a message", () => {
    fc.assert(
      fc.property(
        callers.filter((caller) => own(caller) <= 1),
        turns,
        (caller, conversation) => {
          expect(misses(caller, conversation, true)).toEqual([]);
        },
      ),
      { numRuns: runs(26) },
    );
  });

  it("but for a caller who uses all four marks itself, whose request is left alone", () => {
    const turn = { pauses: [], calls: [3], inner: 0, words: 1, reminded: false, thinks: false };
    for (const request of requests({ head: 3, automatic: true, newest: false }, [turn, turn]))
      expect(markCache(request, 10_000)).toBe(request);
  });
});
