import { describe, expect, it } from "vitest";
import { answers, type Canary, KINDS } from "../../bench/support/trial/canary.ts";
import { Dice } from "../../bench/support/trial/dice.ts";
import { fillerOf, type Style } from "../../bench/support/trial/filler.ts";
import { modelInfo } from "../support/messages-server/models.ts";
import { refusalOf } from "../support/messages-server/refusals.ts";
import { throughTidemark } from "../../bench/support/trial/trial.ts";
import { plant } from "../../bench/support/trial/planting.ts";
import { wordingsOf } from "../../bench/support/trial/wordings.ts";
import { scriptedModel } from "../../bench/support/trial/scripted.ts";
import { failingModel } from "../support/broken-models.ts";
import type { Complete } from "../../src/core/request.ts";

const FOLDS = 10;
/** Distinct runs, so that together they hold every kind in many wordings; the bench has more of them. */
const RUNS: readonly (readonly [
  name: string,
  distil: "extractive" | Complete,
  style: Style,
  seed: number,
])[] = [
  ["drops a third", scriptedModel({ seed: 1, blind: 1 / 3 }), "chat", 11],
  ["drops a third", scriptedModel({ seed: 3, blind: 1 / 3 }), "support", 13],
  ["failing", failingModel, "agent", 16],
];

describe("what was said once before the first fold", () => {
  it("is answerable from the request or by recall after ten, in 95 of 100 cases with a distiller that drops a third, and with one that fails", async () => {
    const lost: string[] = [];
    let planted = 0;
    for (const [name, distil, style, seed] of RUNS) {
      const canaries = plant(seed, 4);
      const { inPrompt, inSearch, folds, invalid, early } = await throughTidemark(
        { canaries, filler: fillerOf(style, new Dice(seed)), folds: FOLDS, window: 8_000 },
        distil,
      );
      expect([folds, invalid, early]).toEqual([FOLDS, 0, false]);
      planted += canaries.length;
      canaries.forEach((canary, at) => {
        if (inPrompt[at] !== true && inSearch[at] !== true)
          lost.push(`${name}, ${style}: ${canary.kind} ${canary.wording}`);
      });
    }
    expect(lost.length, lost.join("\n")).toBeLessThanOrEqual(planted * 0.05);
  });
});

describe("planting", () => {
  it("gives the same canaries for the same seed, others for another, of all kinds, each in a sound exchange that answers it", () => {
    expect(plant(5)).toEqual(plant(5));
    expect(plant(5)).not.toEqual(plant(6));
    for (let seed = 0; seed < 40; seed += 1) {
      const canaries = plant(seed, 3);
      expect(new Set(canaries.map(({ kind }) => kind))).toEqual(new Set(KINDS));
      expect(
        refusalOf(
          {
            model: "m",
            max_tokens: 1,
            tools: [{ name: "run", input_schema: { type: "object" } }],
            messages: [
              ...canaries.flatMap(({ messages }) => messages),
              { role: "user", content: "And?" },
            ],
          },
          modelInfo("m"),
        ),
      ).toBeUndefined();
      for (const canary of canaries) {
        const said = (value: unknown): string =>
          typeof value === "string"
            ? value
            : typeof value === "object" && value !== null
              ? Object.values(value).map(said).join("\n")
              : "";
        expect(
          answers(said(canary.messages.map(({ content }) => content)), canary),
          JSON.stringify(canary),
        ).toBe(true);
        const others = canaries.filter((other) => other !== canary && other.kind !== canary.kind);
        expect(
          answers(
            said(others.map(({ messages }) => messages.map(({ content }) => content))),
            canary,
          ),
        ).toBe(false);
      }
    }
  });

  it("has at least seven wordings of every kind, and filler that says nothing of them", () => {
    for (const kind of KINDS) expect(wordingsOf(kind).length).toBeGreaterThanOrEqual(7);
    const filler = fillerOf("chat", new Dice(3));
    const text = JSON.stringify(Array.from({ length: 300 }, filler));
    const found = Array.from({ length: 10 }, (_, seed) => plant(seed, 3))
      .flat()
      .filter((canary: Canary) => answers(text, canary));
    expect(found).toEqual([]);
  });

  it("takes an answer only whole and close together", () => {
    expect(answers("Order 4711 is paid.", { needs: ["4711"] })).toBe(true);
    expect(answers("Order 147110 is paid.", { needs: ["4711"] })).toBe(false);
    expect(answers(`Kestrel ${"x".repeat(900)} on Friday`, { needs: ["Kestrel", "Friday"] })).toBe(
      false,
    );
  });
});
