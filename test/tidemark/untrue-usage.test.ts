import { expect, it } from "vitest";
import type { Message, ProviderRequest } from "../../src/core/request.ts";
import { kindOf, prose } from "../support/anthropic.ts";
import { countingDistiller, openRoom, requestOf } from "../support/talk.ts";

const TURNS = 45;
/** Tokens of this call's request by a true count, and of the one before. */
interface Counted {
  readonly truth: number;
  readonly before: number;
  readonly turn: number;
}
/** What a server says of a call, in Anthropic's words. */
type Says = (counted: Counted) => { input: number; cached?: number };

const usageOf = ({ input, cached = 0 }: ReturnType<Says>): Record<string, unknown> => ({
  usage: { input_tokens: input, cache_read_input_tokens: cached, output_tokens: 40 },
});

/** What a server counts of a request in plain English: a token to about four and a half characters. */
const sizeOf = (request: ProviderRequest): number =>
  Math.ceil(JSON.stringify(request.messages).length / 4.5) + 20;

async function converse(says: Says) {
  const { complete } = countingDistiller();
  const room = await openRoom({ distil: complete, window: { tokens: 6_000, reserve: 400 } });
  const messages: Message[] = [];
  const sizes: number[] = [];
  let before = 0;
  for (let turn = 0; turn < TURNS; turn += 1) {
    messages.push({ role: "user", content: `Question ${turn}: ${prose(60, turn)}` });
    const begun = await room.tidemark.begin(requestOf(messages));
    const truth = sizeOf(begun.request);
    sizes.push(truth);
    const content = `Answer ${turn}: ${prose(60, turn + 100)}`;
    const usage = usageOf(says({ truth, before, turn }));
    before = truth;
    await begun.end({
      ...{ id: `msg_${turn}`, type: "message", role: "assistant", model: "m" },
      ...{ content: [{ type: "text", text: content }], stop_reason: "end_turn" },
      ...usage,
    });
    messages.push({ role: "assistant", content });
    await room.tidemark.idle();
  }
  const kinds = room.events.map(kindOf);
  return {
    folds: kinds.filter((kind) => kind === "folded").length,
    told: kinds.filter((kind) => kind === "usage-untrue").length,
    sizes,
  };
}

let plain: ReturnType<typeof converse> | undefined;
const untrue: [string, Says][] = [
  ["three times the truth", ({ truth }) => ({ input: 3 * truth })],
  ["summed over a run of five calls", ({ truth, turn }) => ({ input: truth * (1 + (turn % 5)) })],
  ["with its cached part counted twice", ({ truth, before }) => ({ input: truth, cached: before })],
  ["zero", () => ({ input: 0 })],
];

it.each(untrue)("a usage %s: folds as with a true one, told at most once", async (_name, says) => {
  plain ??= converse(({ truth }) => ({ input: truth }));
  const [{ told, folds }, made] = [await plain, await converse(says)];
  expect(told).toBe(0);
  expect(Math.abs(made.folds - folds)).toBeLessThanOrEqual(1);
  expect(made.told).toBeLessThanOrEqual(1);
  expect(Math.max(...made.sizes)).toBeLessThan(5_600);
});
