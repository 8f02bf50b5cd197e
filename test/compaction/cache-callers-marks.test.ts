import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Dict } from "../../src/core/base.ts";
import type { ProviderRequest } from "../../src/core/request.ts";
import { freshTidemark, prose } from "../support/anthropic.ts";
import { modelInfo, refusalOf } from "../support/messages-server/index.ts";
import { runs } from "../support/runs.ts";

const model = "claude-sonnet-5-5";
const tool = (index: number): Dict => ({
  name: `tool${index}`,
  description: prose(200, index),
  input_schema: { type: "object" },
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
