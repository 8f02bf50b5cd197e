import { describe, expect, it } from "vitest";
import { Dice } from "../../bench/support/trial/dice.ts";
import { fillerOf, type Style } from "../../bench/support/trial/filler.ts";
import { throughTidemark } from "../../bench/support/trial/trial.ts";
import { plant } from "../../bench/support/trial/planting.ts";
import { scriptedModel } from "../../bench/support/trial/scripted.ts";
import { failingModel } from "../support/broken-models.ts";
import type { Complete } from "../../src/core/request.ts";

const FOLDS = 10;
/** The bench has more of them. */
const RUNS: readonly (readonly [
  name: string,
  distil: "extractive" | Complete,
  style: Style,
  seed: number,
])[] = [
  ["drops a third", scriptedModel({ seed: 1, blind: 1 / 3 }), "chat", 11],
  ["failing", failingModel, "agent", 16],
];

describe("what was said once before the first fold", () => {
  it("is answerable from the request or by recall after ten, in 95 of 100 cases with a distiller that drops a third, and with one that fails", async () => {
    const lost: string[] = [];
    let planted = 0;
    for (const [name, distil, style, seed] of RUNS) {
      const canaries = plant(seed, 4);
      const { inPrompt, inSearch, folds, invalid, early } = await throughTidemark(
        { canaries, filler: fillerOf(style, new Dice(seed)), folds: FOLDS, window: 3_500 },
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
