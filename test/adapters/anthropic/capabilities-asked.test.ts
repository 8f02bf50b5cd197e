import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capabilitiesIn } from "../../../src/adapters/anthropic/messages-api.ts";
import { capabilitiesOf } from "../../../src/providers/common/models.ts";
import { MODEL } from "../../support/anthropic.ts";

/** No table knows it. */
const HARBOUR = "harbour-large-1";

describe("what a provider's list says of a model", () => {
  it.each<[string, unknown, object]>([
    ["the window", { max_input_tokens: 400_000 }, { window: 400_000 }],
    ["nothing", { capabilities: null, max_input_tokens: null }, {}],
    ["junk", { max_input_tokens: "400000" }, {}],
    ["more than can be", { max_input_tokens: 1e999 }, {}],
    ["words", "no such model", {}],
  ])("%s", (_what, info, says) => {
    expect(capabilitiesIn(info)).toStrictEqual(says);
  });

  it("is read without an error whatever it is, and never says anything else", () => {
    const info = fc.oneof(fc.jsonValue(), fc.record({ max_input_tokens: fc.jsonValue() }));
    fc.assert(
      fc.property(info, (said) => {
        const { window = 1, ...rest } = capabilitiesIn(said);
        expect(window).toBeGreaterThan(0);
        expect([Number.isFinite(window), rest]).toEqual([true, {}]);
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
