import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { distilBody } from "../../../src/adapters/anthropic/distil-calls.ts";
import type { Dict } from "../../../src/core/base.ts";
import type { ProviderRequest } from "../../../src/core/request.ts";
import { markCache } from "../../../src/providers/anthropic/cache-marks.ts";
import { prose, UNBOUND } from "../../support/anthropic.ts";
import { modelInfo, refusalOf } from "../../support/messages-server/index.ts";
import { runs } from "../../support/runs.ts";

type Json = Record<string, unknown>;
const info = modelInfo(UNBOUND);
const MARK = { type: "ephemeral" };
const HOUR = { type: "ephemeral", ttl: "1h" };
const instruction = { role: "user", content: "[tidemark] distil\nWrite it down." };
const wire = (request: ProviderRequest): Json => JSON.parse(JSON.stringify(request)) as Json;

describe("a request to distil that takes its settings from another call", () => {
  const marks = fc.constantFrom(undefined, MARK, HOUR);
  const withMark = (block: Dict, mark: Dict | undefined): Dict =>
    mark ? { ...block, cache_control: mark } : block;
  const request = (
    system: readonly (Dict | undefined)[],
    last: Dict | undefined,
    automatic: Dict | undefined,
  ): ProviderRequest => ({
    model: UNBOUND,
    max_tokens: 500,
    system: system.map((mark, at) => withMark({ type: "text", text: prose(400, at) }, mark)),
    ...(automatic ? { cache_control: automatic } : {}),
    messages: [
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
      { role: "user", content: [withMark({ type: "text", text: "three" }, last)] },
    ],
  });
  const own = fc
    .tuple(fc.array(marks, { minLength: 1, maxLength: 3 }), marks, marks)
    .map((parts) => request(...parts))
    .filter((made) => refusalOf(wire(made), info) === undefined);

  it("has four marks at most and none the provider refuses where it stands, whatever automatic mark it inherits", () => {
    fc.assert(
      fc.property(own, own, (last, given) => {
        const { system, messages } = markCache(given, 10_000);
        const made = distilBody(last, {
          system,
          messages: [...messages, instruction],
          maxTokens: 300,
          model: undefined,
        });
        expect(refusalOf(wire(made), info)?.message).toBeUndefined();
      }),
      { numRuns: runs(133) },
    );
  });

  it("keeps the automatic mark of the call it goes on with: nothing else may find the cache there", () => {
    const plain = request([undefined], undefined, MARK);
    expect(
      distilBody(plain, {
        system: plain.system,
        messages: [...plain.messages, instruction],
        maxTokens: 300,
        model: undefined,
      })["cache_control"],
    ).toEqual(MARK);
  });
});
