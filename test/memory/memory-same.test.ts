import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonical, sameness } from "../../src/memory/saving/same-and-category.ts";
import { openRoom } from "../support/memory-room.ts";

const SAME: readonly (readonly [string, string])[] = [
  ["The deploy key is blue.", "  the DEPLOY key\n is blue!"],
  ["“Quoted” words, and more", '"Quoted" words and more'],
  ["Ｆｕｌｌ width", "full width"],
  ["Run `npm test` first", "Run npm test first"],
  ["Tom isn’t here", "Tom isn't here"],
  ["部署密钥是蓝色的!", "部署密钥是蓝色的。"],
];

const DIFFERENT: readonly (readonly [string, string])[] = [
  ["It is -5 degrees", "It is 5 degrees"],
  ["Version 2.0 is out", "Version 2.1 is out"],
  ["The fee is $5", "The fee is €5"],
  ["The discount is 15%", "The discount is 15"],
  ["Tom can swim", "Tom can't swim"],
  ["Karl was born on May 8, 1971", "Karl was born on May 9, 1971"],
  ["The password is Hunter2", "The password is hunter2"],
  ["Set maxItems", "Set maxitems"],
  ["call f() twice", "call f twice"],
  ["read a[0]", "read a[1]"],
  ["use --force", "use force"],
  ["open .env", "open env"],
  ["👍 for the plan", "👎 for the plan"],
  ["a > b", "a < b"],
  ["Ready? Yes", "Ready. Yes"],
  ["!x holds", "x holds"],
  ["x = 1", "x != 1"],
  ["Is Ada here?", "Ada is here"],
  ["src/a.ts holds it", "src/b.ts holds it"],
  ["On Monday, Ada leaves and Bob comes", "Ada leaves and Bob comes on Monday"],
  ["小明喝咖啡", "小明不喝咖啡"],
  ["密码是 Hunter2", "密码是 hunter2"],
];

describe("the same fact", () => {
  it.each(SAME)("is known again: %s | %s", (one, other) => {
    expect(sameness(other), `${canonical(one)} | ${canonical(other)}`).toBe(sameness(one));
  });

  it.each(DIFFERENT)("is not taken for another: %s | %s", (one, other) => {
    expect(sameness(other), canonical(one)).not.toBe(sameness(one));
  });

  it("changes with any digit, any name and any sign of any statement", () => {
    const word = fc.constantFrom(
      "ada",
      "river",
      "holds",
      "port",
      "is",
      "not",
      "the",
      "of",
      "blue",
      "in",
      "every",
      "and",
    );
    const sentence = fc.array(word, { minLength: 3, maxLength: 12 });
    fc.assert(
      fc.property(
        sentence,
        fc.nat(11),
        fc
          .tuple(fc.integer({ min: 0, max: 99_999 }), fc.integer({ min: 0, max: 99_999 }))
          .filter(([one, other]) => one !== other),
        (words, at, [one, other]) => {
          const put = (token: string): string =>
            [...words.slice(0, at), token, ...words.slice(at)].join(" ");
          expect(sameness(put(`${one}`))).not.toBe(sameness(put(`${other}`)));
          expect(sameness(put("Zelda"))).not.toBe(sameness(put("Orson")));
          expect(sameness(put("never"))).not.toBe(sameness(put("always")));
          expect(sameness(put(`-${one + 1}`))).not.toBe(sameness(put(`${one + 1}`)));
          expect(sameness(put("yes"))).not.toBe(sameness(words.join(" ")));
        },
      ),
    );
  });

  it("does not hang on case, spacing or the stop at the end of any statement in plain words", () => {
    const word = fc.stringMatching(/^[a-z]{2,9}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 2, maxLength: 12 }), (words) => {
        const plain = words.join(" ");
        for (const other of [
          plain.toUpperCase(),
          words.join("  \n"),
          `${plain}.`,
          `${plain}!`,
          `"${plain}"`,
        ])
          expect(sameness(other), other).toBe(sameness(plain));
      }),
    );
  });

  it("of a voice less trusted confirms, and changes neither weight nor place nor life", async () => {
    const { memories, clock, room } = openRoom({ lifetimes: { sources: { manual: 30 } } });
    const first = await memories.save({
      content: "The gate code is 4711",
      importance: 0.4,
      category: "core",
    });
    const { createMemories } = await import("../../src/memory/memories.ts");
    const web = createMemories({ ...room, origin: "untrusted" });
    clock.now += 1000;
    const again = await web.save({
      content: "the gate code is 4711",
      importance: 1,
      category: "principle",
      tags: ["urgent"],
      source: "distilled",
    });
    expect(again).toEqual({ ...first, updatedAt: clock.now });
  });
});
