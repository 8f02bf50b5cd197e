import fc from "fast-check";
import { expect, it } from "vitest";
import { maskSlowly } from "../../src/core/secrets/mask.ts";
import { runs } from "../support/runs.ts";

const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${"MIIEpAIBAAKCAQEAx7Qm9vTzL2kYbW4dRfGhJkLpOiUyTrEwQaSdFgHjKlZxCvBn\n".repeat(25)}-----END RSA PRIVATE KEY-----`;
const KEY = `sk-ant-api03-${"a1B2c3D4".repeat(11)}AA`;

it("hides a secret wherever it stands in a long text, and nothing else", async () => {
  const filler = "The ferry leaves the quay at noon and comes back at dusk.\n".repeat(700);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(PEM, KEY),
      fc.oneof(fc.integer({ min: 13_000, max: 21_000 }), fc.integer({ min: 0, max: 40_000 })),
      async (secret, at) => {
        const text = `${filler.slice(0, at)}\n${secret}\n${filler.slice(at)}`;
        const masked = await maskSlowly(text);
        for (const line of secret.split("\n").slice(1, -1)) expect(masked).not.toContain(line);
        expect(masked).not.toContain(KEY.slice(0, 40));
        expect(masked.length).toBeGreaterThan(filler.length - 10);
      },
    ),
    { numRuns: runs(60) },
  );
  expect(await maskSlowly(filler)).toBe(filler);
});
