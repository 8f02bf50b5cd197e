import { describe, expect, it } from "vitest";
import type { Options } from "../../src/index.ts";
import { freshFolder, freshTidemark } from "../support/anthropic.ts";
import { requestOf, user } from "../support/talk.ts";

let desk = 0;
const NOON = Date.UTC(2026, 10, 24, 12);

async function opened(options: Options = {}) {
  const clock = { now: NOON };
  const { tidemark } = await freshTidemark({
    ...{ workspace: freshFolder(), distil: "extractive", now: () => clock.now },
    identity: { agent: "default", user: "ada" },
    ...options,
  });
  return { tidemark, clock };
}

describe("memory.past", () => {
  it("tells every value with its end, the latest first, of what has ended too", async () => {
    const { tidemark, clock } = await opened();
    const { memory } = tidemark;
    const { id } = await memory.save("Invoices are in euro.");
    clock.now += 1_000;
    await memory.update(id, { content: "Invoices are in francs." });
    clock.now += 1_000;
    await memory.end(id);
    const { values, said } = (await memory.past(id)) ?? {};
    expect(values?.map((value) => [value.memory.content, value.until])).toEqual([
      ["Invoices are in francs.", NOON + 2_000],
      ["Invoices are in euro.", NOON + 1_000],
    ]);
    expect(said).toEqual([]);
    await memory.undo(id);
    expect((await memory.past(id))?.values[0]).not.toHaveProperty("until");
    await memory.forget(id);
    expect([await memory.past(id), await memory.past("nope")]).toEqual([undefined, undefined]);
  });

  it("tells who said it where, in at most 300 characters, and nothing of what another user said", async () => {
    const { tidemark } = await opened();
    const bob = tidemark.as({ agent: "default", user: "bob" });
    const said = `I'm allergic to peanuts. The weather is fine ${"by the harbour wall, ".repeat(30)}so fine.`;
    const messages = [
      { role: "user", text: "Good morning.", at: NOON - 9_000 },
      { role: "assistant", text: "Good morning, Ada.", at: NOON - 8_000 },
      { role: "user", text: said, at: NOON - 7_000 },
      { role: "assistant", text: "Noted.", at: NOON - 6_000 },
    ];
    for (const view of [tidemark, bob]) {
      await view.history.import({ id: "old", messages });
      await view.idle();
    }
    const [mine] = await tidemark.memory.list({ scope: "user:ada" });
    const past = await tidemark.memory.past(mine?.id ?? "");
    const conversation = (await tidemark.history.list())[0]?.id;
    expect(past?.said).toEqual([
      {
        ...{ conversation, position: 2, at: NOON - 7_000, role: "user" },
        text: expect.stringMatching(/allergic to peanuts/) as string,
      },
    ]);
    expect(past?.said[0]?.text.length).toBeLessThanOrEqual(300);
    expect(await bob.memory.past(mine?.id ?? "")).toBeUndefined();
    // What both see was said to each in a conversation of their own.
    expect(
      (await bob.memory.past((await bob.memory.list({ scope: "user:bob" }))[0]?.id ?? ""))?.said,
    ).toHaveLength(1);
  });

  it("names the turns of the identity's own that told or recalled it, the latest first", async () => {
    const { tidemark } = await opened();
    const bob = tidemark.as({ agent: "default", user: "bob" });
    const content = "Always answer in French.";
    const { id } = await tidemark.memory.save({ content, category: "preference" });
    for (const view of [tidemark, tidemark, bob]) {
      const turn = await view.begin(requestOf([user("Where is the harbour?")]), {
        conversation: `desk ${(desk += 1)}`,
      });
      await turn.end({ role: "assistant", content: "Over there." });
    }
    const past = await tidemark.memory.past(id);
    const own = await Promise.all(["desk 2", "desk 1"].map((name) => tidemark.history.turns(name)));
    expect(past?.turns).toEqual(own.flat());
    expect(past?.turns.map(({ told }) => told.includes(id))).toEqual([true, true]);
    expect((await bob.memory.past(id))?.turns).toHaveLength(1);
  });
});
