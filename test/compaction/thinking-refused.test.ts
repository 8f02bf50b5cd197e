import { describe, expect, it } from "vitest";
import { loopOf, MODEL, prose, setUp, spoken, typesOf, UNBOUND } from "../support/anthropic.ts";
import type { Json } from "../support/messages-server/index.ts";

const REFUSED = {
  status: 400,
  type: "invalid_request_error",
  message: "messages.1.content.0: Invalid `signature` in `thinking` block",
};
const thinks = (body: Json): boolean => JSON.stringify(body.messages).includes('"thinking":"');

describe("thinking that a provider refuses", () => {
  it.each([MODEL, UNBOUND])(
    "is not sent again in the same bytes, whatever the table says of %s",
    async (model) => {
      const { client, server, events } = await setUp({ inject: false });
      server.script({
        reply: () => [
          { type: "thinking", thinking: "Hm." },
          { type: "text", text: "Well." },
        ],
      });
      const loop = loopOf(client, { model, max_tokens: 4_000, thinking: { type: "adaptive" } });
      await loop.say("One.");
      server.script({ fail: (body) => (thinks(body) ? REFUSED : undefined) });
      await loop.say("Two.");
      const [, refused, again] = spoken(server).map(({ body }) => body);
      expect(thinks(refused!)).toBe(true);
      expect(thinks(again!)).toBe(false);
      expect(typesOf(events)).toContain("thinking-refused");
    },
  );
});

describe("the system text", () => {
  it("has one form from the first call on, however small the conversation begins", async () => {
    const { client, server } = await setUp({ inject: false });
    const loop = loopOf(client, { system: "You are brief.", max_tokens: 500 });
    for (let at = 0; at < 4; at += 1) await loop.say(prose(700, at + 1));
    expect(new Set(spoken(server).map(({ body }) => JSON.stringify(body.system)))).toEqual(
      new Set(['"You are brief."']),
    );
    expect(
      JSON.stringify(spoken(server).at(-1)!.body.messages),
      "the end of the conversation is cached all the same",
    ).toContain("cache_control");
  });
});
