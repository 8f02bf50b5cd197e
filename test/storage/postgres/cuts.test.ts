import { expect, it } from "vitest";
import { cuts } from "../../../drill/cuts.ts";

it("a connection that is cut at a message on the wire loses nothing, and doubles nothing", async () => {
  // All of them are the long form's, `npm run drill -- cuts`.
  const { places, broken } = await cuts({ step: 450 });
  expect(broken).toEqual([]);
  expect(places).toBeGreaterThan(3);
});
