import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { createAsker } from "../../../src/adapters/http/ask-window.ts";
import { capabilitiesOf } from "../../../src/providers/common/models.ts";
import { tokenCount } from "../../../src/providers/common/replies.ts";
import { internalsFor } from "../../../src/session/options/internals.ts";
import { freshTidemark, MODEL } from "../../support/anthropic.ts";

/** No table knows it. */
const HARBOUR = "harbour-large-1";

/** What is known of a model from the next call on. */
async function known(answer: () => Promise<unknown>): Promise<object | undefined> {
  const { tidemark } = await freshTidemark();
  const ask = createAsker(internalsFor(tidemark, "a test"));
  expect(ask(HARBOUR, answer)).toEqual({ pending: true });
  await vi.waitUntil(() => ask(HARBOUR, answer).pending === undefined);
  return ask(HARBOUR, answer).said;
}

describe("what a provider's list says of a model", () => {
  it.each<[string, unknown, object]>([
    ["the window", 400_000, { window: 400_000 }],
    ["nothing", null, {}],
    ["junk", "400000", {}],
    ["more than can be", 1e999, {}],
    ["words", "no such model", {}],
  ])("%s", async (_what, tokens, says) => {
    expect(await known(() => Promise.resolve(tokens))).toStrictEqual(says);
  });

  it("is nothing where the provider is away", async () => {
    expect(await known(() => Promise.reject(new Error("away")))).toStrictEqual({});
  });

  it("is read without an error whatever it is, and never says anything else", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (said) => {
        const tokens = tokenCount(said);
        expect([Number.isFinite(tokens), tokens >= 0]).toEqual([true, true]);
      }),
    );
  });

  it("outranks the table, and the host's word outranks it", () => {
    const said = { window: 300_000, boundThinking: false };
    expect(capabilitiesOf(MODEL, undefined, said)).toEqual({
      ...capabilitiesOf(MODEL),
      ...said,
      windowBy: "provider",
    });
    expect(capabilitiesOf(HARBOUR, {}, {})).toEqual({
      ...capabilitiesOf(HARBOUR),
      windowBy: "guess",
    });
    const own = { "sonnet-5": { window: 50_000, boundThinking: true } };
    expect(capabilitiesOf(MODEL, own, said)).toEqual({
      ...capabilitiesOf(MODEL),
      ...own["sonnet-5"],
      windowBy: "host",
    });
    expect(
      capabilitiesOf(MODEL, { "sonnet-5": { boundThinking: true } }, { window: 300_000 }),
    ).toMatchObject({ window: 300_000, windowBy: "provider" });
  });
});
