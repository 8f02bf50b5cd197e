import { describe, expect, it } from "vitest";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import type { Message } from "../../src/core/request.ts";
import { createMeasure } from "../../src/session/count-tokens.ts";
import { tokensOf } from "../../src/session/options/save-and-fold-marks.ts";
import { freshTidemark, MODEL, prose, UNBOUND } from "../support/anthropic.ts";

const tools = [{ name: "look", description: "Looks.", input_schema: { type: "object" } }];
const fact = (at: number): string =>
  `Berth ${at} belongs to the boat Zephyr${at}, painted in colour${at}.`;

describe("what a request weighs", () => {
  // No reply says what it took, so nothing but our own count is known.
  it.each([MODEL, UNBOUND])(
    "is what goes out, with a fold, shortened messages and what was recalled in it (%s)",
    async (model) => {
      const { tidemark } = await freshTidemark({
        inject: false,
        recall: { tokens: 200 },
        distil: "extractive",
        window: { tokens: 4_000, reserve: 300 },
      });
      for (let at = 0; at < 24; at++) await tidemark.memory.save(fact(at));
      const messages: Message[] = [];
      let [folds, recalls] = [0, 0];
      for (let turn = 0; turn < 24; turn++) {
        messages.push({
          role: "user",
          content: `Which boat does berth ${turn} belong to, is it Zephyr${turn}? ${prose(60, turn)}`,
        });
        const begun = await tidemark.begin({ model, max_tokens: 400, tools, messages });
        expect(begun.window.used).toBe(
          tokensOf({}, model, createMeasure().request(anthropic, begun.request)),
        );
        folds += begun.folded ? 1 : 0;
        recalls += JSON.stringify(begun.request.messages).split("<tidemark-recall>").length - 1;
        const reply = {
          role: "assistant",
          content: [{ type: "text", text: `So it is. ${prose(80, turn + 50)}` }],
        };
        await begun.end(reply);
        messages.push(reply);
      }
      expect(folds).toBeGreaterThan(1);
      expect(recalls).toBeGreaterThan(10);
      await tidemark.close();
    },
  );
});
