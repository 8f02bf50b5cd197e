import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Dict } from "../../../src/base/guards.ts";
import type { Message, ProviderRequest } from "../../../src/model/request.ts";
import { markCache } from "../../../src/dialect/anthropic/breakpoints.ts";
import { freshTidemark, prose } from "../../support/anthropic.ts";
import {
  type InputUsage,
  modelInfo,
  PromptCache,
  refusalOf,
} from "../../support/messages-server/index.ts";
import { runs } from "../../support/runs.ts";

const model = "claude-sonnet-5-5";
const info = modelInfo(model);
const MARK = { cache_control: { type: "ephemeral" } };
/** The automatic mark stands on the request itself; the newest one on the last block of what is said last. */
interface Caller {
  readonly head: number;
  readonly automatic: boolean;
  readonly newest: boolean;
}
/** Calls of a tool at once in each turn; 0: words alone. */
type Turns = readonly number[];

const tool = (index: number): Dict => ({
  name: `tool${index}`,
  description: prose(200, index),
  input_schema: { type: "object" },
});
const marked = (block: Dict, is: boolean): Dict => (is ? { ...block, ...MARK } : block);

function head({ head: many }: Caller): Pick<ProviderRequest, "system" | "tools"> {
  return {
    tools: [tool(0), marked(tool(1), many > 0)],
    system: [
      marked({ type: "text", text: prose(900, 1) }, many > 1),
      marked({ type: "text", text: prose(300, 2) }, many > 2),
      marked({ type: "text", text: prose(300, 3) }, many > 3),
    ],
  };
}

function* requests(caller: Caller, turns: Turns): Generator<ProviderRequest> {
  const messages: Message[] = [];
  let ids = 0;
  const request = (): ProviderRequest => {
    const last = messages.at(-1);
    const content = last?.["content"] as Dict[];
    const newest = {
      role: "user",
      content: [...content.slice(0, -1), marked(content.at(-1) ?? {}, caller.newest)],
    };
    return {
      model,
      max_tokens: 400,
      ...head(caller),
      ...(caller.automatic ? MARK : {}),
      messages: [...messages.slice(0, -1), newest],
    };
  };
  for (const [turn, many] of turns.entries()) {
    messages.push({
      role: "user",
      content: [{ type: "text", text: `Turn ${turn}. ${prose(30, turn)}` }],
    });
    yield request();
    const calls = Array.from({ length: many }, () => `call_${ids++}`);
    if (many > 0) {
      messages.push({
        role: "assistant",
        content: calls.map((id) => ({ type: "tool_use", id, name: "tool0", input: { at: id } })),
      });
      messages.push({
        role: "user",
        content: calls.map((id) => ({
          type: "tool_result",
          tool_use_id: id,
          content: [{ type: "text", text: `${id} ${prose(12, turn)}` }],
        })),
      });
      yield request();
    }
    messages.push({ role: "assistant", content: [{ type: "text", text: `Done ${turn}.` }] });
  }
}

type Place = (request: ProviderRequest) => ProviderRequest;
interface Call extends InputUsage {
  readonly total: number;
  readonly body: ProviderRequest;
}

function play(
  caller: Caller,
  turns: Turns,
  place: Place = (request) => markCache(request, 10_000),
): Call[] {
  const cache = new PromptCache();
  let now = 0;
  return [...requests(caller, turns)].map((request) => {
    const body = place(request);
    expect(refusalOf(JSON.parse(JSON.stringify(body)) as ProviderRequest, info)).toBeUndefined();
    const usage = cache.book(body, info, (now += 20_000));
    return { ...usage, total: usage.input + usage.read + usage.write5m + usage.write1h, body };
  });
}

const many = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 6 }) },
    { weight: 1, arbitrary: fc.integer({ min: 10, max: 45 }) },
  ),
  { minLength: 2, maxLength: 16 },
);
const callers = fc
  .record({ head: fc.nat(3), automatic: fc.boolean(), newest: fc.boolean() })
  .filter(({ automatic, newest }) => !(automatic && newest));
const own = ({ head: static_, automatic, newest }: Caller): number =>
  static_ + Number(automatic || newest);

/** A call after the first that read less than the one before it had in the cache. */
const missed = (calls: readonly Call[], at: number): boolean => {
  const [before, call] = [calls[at - 1], calls[at]];
  return (
    before !== undefined &&
    call !== undefined &&
    call.read < before.read + before.write5m + before.write1h
  );
};
const misses = (calls: readonly Call[]): number[] =>
  calls.flatMap((_, at) => (missed(calls, at) ? [at] : []));
describe("a caller who marks for itself", () => {
  it("and leaves two marks, or one beside that at the end, reads with each call all that the one before has in the cache", () => {
    fc.assert(
      fc.property(
        callers.filter((caller) => own(caller) <= 2 || (own(caller) === 3 && caller.head < 3)),
        many,
        (caller, turns) => {
          expect(misses(play(caller, turns))).toEqual([]);
        },
      ),
      { numRuns: runs(20) },
    );
  });

  it("and uses all four is left alone", () => {
    for (const caller of [
      { head: 4, automatic: false, newest: false },
      { head: 3, automatic: true, newest: false },
    ])
      for (const request of requests(caller, [3, 30, 0]))
        expect(markCache(request, 10_000)).toBe(request);
  });
});

describe("what is put behind the caller's last block", () => {
  const mark = fc.constantFrom(undefined, "5m", "1h");
  const head = { tools: mark, first: mark, second: mark };
  const given = fc.record({ ...head, said: mark, last: mark, automatic: mark });
  const cache = fc.boolean();

  it("is never what the caller's automatic mark is refused for", async () => {
    const made = await Promise.all(
      [true, false].map((on) =>
        freshTidemark({ inject: false, recall: {}, distil: "extractive", cache: on }),
      ),
    );
    for (const { tidemark } of made)
      await tidemark.memory.save("The deploy key lives in the blue vault.");
    const put = <T extends Dict>(block: T, ttl: string | undefined): T =>
      ttl === undefined ? block : { ...block, cache_control: { type: "ephemeral", ttl } };
    await fc.assert(
      fc.asyncProperty(
        given,
        cache,
        fc.constantFrom(model, "claude-sonnet-4-5"),
        async ({ tools, first, second, said, last, automatic }, on, name) => {
          const request: ProviderRequest = {
            model: name,
            max_tokens: 400,
            ...put({}, automatic),
            tools: [put(tool(0), tools)],
            system: [
              put({ type: "text", text: prose(900, 1) }, first),
              put({ type: "text", text: prose(300, 2) }, second),
            ],
            messages: [
              { role: "user", content: [put({ type: "text", text: "Hello." }, said)] },
              { role: "assistant", content: "Hello!" },
              {
                role: "user",
                content: [put({ type: "text", text: "Where does the deploy key live?" }, last)],
              },
            ],
          };
          fc.pre(refusalOf(request, modelInfo(name)) === undefined);
          const turn = await made[on ? 0 : 1]!.tidemark.begin(request);
          expect(JSON.stringify(turn.request.messages)).toContain("blue vault");
          expect(
            refusalOf(JSON.parse(JSON.stringify(turn.request)) as ProviderRequest, modelInfo(name)),
          ).toBeUndefined();
        },
      ),
      { numRuns: runs(50) },
    );
  });
});
