import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retold } from "../../src/conversations/retold.ts";
import type { Message } from "../../src/core/request.ts";
import { pack, unpack } from "../../src/storage/sqlite/message-rows.ts";

describe("media", () => {
  const round = (message: Message): { again: Message; json: string; count: number } => {
    const { json, media } = pack(message);
    return { json, count: media.size, again: unpack(json, (hash) => media.get(hash)) };
  };

  it("leave the message and come back to it, whatever else the message says", () => {
    const data = "iVBORw0KGgo".repeat(100);
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: fc.constantFrom(..."aZ0 _-:{}[]é潮\u0000") }),
        fc.constantFrom("media:", "media: media:", `media:${"0".repeat(32)}`, '"', "\n", "\\"),
        fc.nat({ max: 2_000 }),
        (other, text, length) => {
          const message = {
            role: "user",
            text,
            other,
            "media:": [text],
            content: [
              { source: { data: data.slice(0, length) } },
              { image_url: { url: `data:image/png;base64,${data}` } },
              { url: "https://example.org/".padEnd(700, "x") },
              { data: text.repeat(200) },
            ],
          } as Message;
          const { again, json, count } = round(message);
          expect(JSON.stringify(again)).toBe(JSON.stringify(message));
          expect(count).toBeGreaterThan(0);
          expect(json).not.toContain(data.slice(0, 600));
        },
      ),
    );
  });

  it("of which a row is missing leave the rest of the message readable", () => {
    const { json } = pack({
      role: "user",
      content: [{ type: "text", text: "see" }, { source: { data: "A".repeat(600) } }],
    });
    expect(unpack(json, () => undefined)).toEqual({
      role: "user",
      content: [{ type: "text", text: "see" }, { source: { data: "" } }],
    });
  });
});

describe("what is new of a conversation", () => {
  const signs = (keys: string, named = false) =>
    Array.from(keys, (key) => ({ content: `${named ? "+" : "-"}${key}`, role: "user" }));
  const freshIn = (...given: Parameters<typeof retold>) =>
    retold(...given).flatMap(({ told }) => told ?? []);
  const words = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 });

  it("is what stands behind the old, whenever all or the last part of the old is passed with it", () => {
    fc.assert(
      fc.property(words, words, fc.nat({ max: 12 }), fc.boolean(), (old, more, from, named) => {
        fc.pre(from < old.length);
        const given = old.slice(from) + more;
        const fresh = freshIn(signs(old, named), signs(given, named));
        // Words that repeat themselves may overlap further than was meant; never is anything old taken for new.
        expect(fresh.length).toBeLessThanOrEqual(more.length);
        if (from === 0 && !old.slice(1).includes(old[0]!))
          expect(fresh).toEqual([...more].map((_, index) => old.length + index));
      }),
    );
  });

  it("is all of it when nothing of it is known, and nothing when all of it was passed before", () => {
    fc.assert(
      fc.property(words, (keys) => {
        expect(freshIn([], signs(keys))).toEqual([...keys].map((_, index) => index));
        expect(freshIn(signs(keys), signs(keys))).toEqual([]);
        expect(freshIn(signs("xyz"), signs(keys))).toEqual([...keys].map((_, index) => index));
      }),
    );
  });
});
