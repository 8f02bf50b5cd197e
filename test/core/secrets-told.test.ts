import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mask } from "../../src/core/secrets/mask.ts";
import { NO_SECRETS_EITHER, SECRETS_RETOLD } from "../support/secrets-retold.ts";
import { NO_SECRETS, SECRETS_TOLD } from "../support/secrets-told.ts";
import { openRoom } from "../support/talk.ts";

const SECRETS = [...SECRETS_TOLD, ...SECRETS_RETOLD];
const INNOCENT = [...NO_SECRETS, ...NO_SECRETS_EITHER];

describe("secrets as people and programs tell them", () => {
  it("are masked, at least 95 of a hundred and most of each kind", () => {
    expect(SECRETS.length).toBeGreaterThan(91);
    const missed = SECRETS.filter(({ text, secret }) => mask(text).includes(secret));
    expect(missed.length / SECRETS.length, JSON.stringify(missed, null, 1)).toBeLessThanOrEqual(
      0.05,
    );
    for (const kind of new Set(SECRETS.map((one) => one.kind))) {
      const all = SECRETS.filter((one) => one.kind === kind).length;
      expect(missed.filter((one) => one.kind === kind).length, kind).toBeLessThan(all / 2);
    }
  });

  it("are not seen where there is none", () => {
    expect(INNOCENT.length).toBeGreaterThan(70);
    const alarmed = INNOCENT.filter((text) => mask(text) !== text);
    expect(alarmed.length / INNOCENT.length, alarmed.join("\n")).toBeLessThanOrEqual(0.01);
    expect(mask("aws_access_key_id = AKIAIOSFODNN7EXAMPLE")).toContain("AKIAIOSFODNN7EXAMPLE");
  });

  it("stay masked, and what is around them stays as it was, in any order", () => {
    const piece = fc.constantFrom(
      ...SECRETS.map(({ text }) => text),
      ...INNOCENT,
      "password: ",
      "PIN is ",
      "://",
      "| ",
      "\n",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const once = mask(pieces.join("\n"));
        expect(mask(once)).toBe(once);
      }),
      { numRuns: 150 },
    );
  });

  it("are found whatever stands in the next line", () => {
    const alone = SECRETS.filter(({ text, secret }) => !mask(text).includes(secret));
    const line = fc.constantFrom(...SECRETS.map(({ text }) => text), ...INNOCENT, "://", "a: b");
    fc.assert(
      fc.property(fc.constantFrom(...alone), line, ({ text, secret }, next) => {
        fc.pre(!next.includes(secret));
        expect(mask(`${text}\n${next}`)).not.toContain(secret);
      }),
      { numRuns: 500 },
    );
  });
});

describe("every text that is stored of a memory", () => {
  const secret = "glpat-k3Vq8zLmXc1RbYtJw5Ns";

  it("is masked, and the memory is still found by what its host gave", async () => {
    const { tidemark, events } = await openRoom({});
    const { memory } = tidemark;
    const given = {
      key: `k ${secret}`,
      category: `c ${secret}`,
      source: `s ${secret}`,
      tags: [`t ${secret}`],
    };
    const saved = await memory.save({
      content: `The boat is called Whiskerino ${secret}.`,
      ...given,
    });
    const updated = await memory.update(saved.id, { category: `other ${secret}`, tags: [secret] });
    expect(JSON.stringify([saved, updated, await memory.list(), events])).not.toContain(secret);
    expect(await memory.list({ category: `other ${secret}` })).toHaveLength(1);
    expect(await memory.forget({ source: `s ${secret}` })).toBe(1);
  });
});
