import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Tidemark } from "../../src/index.ts";
import { openRoom, user } from "../support/talk.ts";

const refused = expect.objectContaining({
  code: "config",
  message: expect.stringMatching(/whole characters/) as string,
}) as unknown;

/** Every way in for a text of the host's that something is known again by. */
const DOORS: Readonly<Record<string, (tidemark: Tidemark, name: string) => unknown>> = {
  key: ({ memory }, key) => memory.save({ content: "Tea.", key }),
  "key to forget": ({ memory }, key) => memory.forget({ key }),
  "category to recall": ({ memory }, category) => memory.recall("tea", { category }),
  "label of a request": (tidemark, conversation) =>
    tidemark.begin({ model: "m", messages: [user("Hello.")] }, { conversation }),
  user: async (tidemark, user) => tidemark.as({ user }),
  "id of an import": ({ history }, id) =>
    history.import({ id, messages: [{ role: "user", text: "Hi" }] }),
};

describe("half a character in what something is known by", () => {
  it.each(Object.keys(DOORS))("is refused with one clear sentence: %s", async (door) => {
    const { tidemark } = await openRoom({ workspace: false });
    for (const half of ["\ud800", "order-\udc00", "a\ud83d b"])
      await expect(DOORS[door]?.(tidemark, half)).rejects.toEqual(refused);
  });

  it("never makes one of two keys: what is taken is found again under its own name alone", async () => {
    const { tidemark } = await openRoom({ workspace: false });
    const unit = fc.constantFrom("\ud800", "\udfff", "\ud83d", "\ufffd", "é", "🦆", "k");
    const key = fc.array(unit, { minLength: 1, maxLength: 4 }).map((units) => units.join(""));
    await fc.assert(
      fc.asyncProperty(key, key, async (one, other) => {
        fc.pre(one !== other);
        const save = (name: string) =>
          tidemark.memory.save({ content: `This is ${name}.`, key: name });
        const ids = await Promise.all(
          [one, other].map((name) =>
            save(name).then(
              ({ id }) => id,
              () => name,
            ),
          ),
        );
        expect(new Set(ids).size).toBe(2);
      }),
      { numRuns: 60 },
    );
  });

  it("may stand in what is said, which is not what anything is known by", async () => {
    const { tidemark } = await openRoom({ workspace: false });
    await tidemark.memory.save({ content: "Tea at \ud83d noon.", key: "tea" });
    await tidemark.history.import({ id: "old", messages: [{ role: "user", text: "Tea \ud83d?" }] });
    expect((await tidemark.history.read({ conversation: "old" })).messages).toEqual([
      { role: "user", text: "Tea \ud83d?" },
    ]);
  });
});
