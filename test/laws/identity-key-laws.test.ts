import fc from "fast-check";
import { expect, it } from "vitest";
import { type Identity, identityKey, identityOf } from "../../src/core/identity.ts";

const part = (...names: string[]) => fc.option(fc.constantFrom(...names), { nil: undefined });
const identity: fc.Arbitrary<Identity> = fc.record({
  agent: fc.constantFrom("default", "one", "two"),
  team: part("crew", "deck"),
  project: part("red", "blue"),
  user: part("ada", "bob"),
  org: part("acme"),
});
const anyText = fc.record({ agent: fc.string({ minLength: 1 }), user: fc.string() });

it("an identity is read back from its key, and from no other text", () => {
  fc.assert(
    fc.property(fc.oneof(identity, anyText), (who) => {
      expect(identityKey(identityOf(identityKey(who)) ?? {})).toBe(identityKey(who));
    }),
  );
  for (const text of ["", "ada", "{}", "[]", "[null]", "[1,2]"])
    expect(identityOf(text)).toBeUndefined();
});
