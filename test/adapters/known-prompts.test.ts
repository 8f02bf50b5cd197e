import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKnownPrompts } from "../../src/adapters/http/known-prompts.ts";
import { runs } from "../support/runs.ts";

const message = fc.dictionary(fc.string(), fc.jsonValue(), {
  noNullPrototype: true,
});
const prompts = fc.array(message, { minLength: 1 });

describe("a prompt that comes as new objects", () => {
  it("is answered with the objects of last time wherever they hold the same", () => {
    fc.assert(
      fc.property(prompts, prompts, fc.nat(), (said, more, at) => {
        const known = createKnownPrompts();
        const first = known(said) as object[];
        const again = structuredClone([...said, ...more]);
        const second = known(again) as object[];
        expect(second).toStrictEqual(again);
        second.slice(0, said.length).forEach((one, index) => expect(one).toBe(first[index]));

        const changed = structuredClone(again);
        const index = at % (changed.length - 1 || 1);
        changed[index] = { ...changed[index], changed: true };
        expect(known(changed)).toStrictEqual(changed);
      }),
      { numRuns: runs(100) },
    );
  });
});
