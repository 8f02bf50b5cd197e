import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";

const DAY = 86_400_000;

async function told() {
  let now = Date.parse("2026-01-05T09:00:00Z");
  const tidemark = await openTidemark({ workspace: false, zone: "UTC", now: () => now });
  return {
    tidemark,
    memory: tidemark.memory,
    later: (days: number) => (now += days * DAY),
    at: () => now,
  };
}

describe("what is known of a name", () => {
  it("is what holds now, or held then, and not what only looks like it", async () => {
    const { memory, later, at } = await told();
    const web = await memory.save({ content: "The web service uses Flask.", key: "web/framework" });
    await memory.save("The Web Service's port is 8080.");
    await memory.save("The website service is run by others.");
    await memory.save("Flask was written by Armin.");
    const before = at();
    later(60);
    await memory.update(web.id, {
      content: "The web service uses Litestar, because Flask blocks.",
    });
    const now = await memory.about("web service");
    expect(now.map(({ memory: one }) => one.content)).toEqual([
      "The Web Service's port is 8080.",
      "The web service uses Litestar, because Flask blocks.",
    ]);
    const then = await memory.about("Web service", { asOf: before });
    expect(then.map(({ memory: one }) => one.content)).toContain("The web service uses Flask.");
    expect(then.find(({ memory: one }) => one.id === web.id)?.until).toBe(at());
    expect(await memory.about("nobody")).toEqual([]);
    for (const name of ["it", "they", "..."])
      await expect(memory.about(name)).rejects.toThrow(/names nothing/);
  });

  it("changes in sentences with days and reasons, whoever replaced it", async () => {
    const { tidemark, memory, later, at } = await told();
    const web = await memory.save({ content: "The web service uses Flask.", key: "web/framework" });
    const owner = await memory.save("The web service belongs to Ada.");
    later(60);
    await memory.save({
      content: "The web service uses Litestar because Flask blocks.",
      key: "web/framework",
    });
    const from = later(30);
    await memory.end(owner.id);
    expect(await memory.changes("web service")).toEqual([
      {
        at: from - 30 * DAY,
        id: web.id,
        was: "The web service uses Flask.",
        now: "The web service uses Litestar because Flask blocks.",
        because: "because Flask blocks",
        text:
          "Until 2026-03-06: The web service uses Flask. " +
          "Since then: The web service uses Litestar because Flask blocks.",
      },
      {
        at: at(),
        id: owner.id,
        was: "The web service belongs to Ada.",
        text: "Until 2026-04-05: The web service belongs to Ada.",
      },
    ]);
    expect(await memory.changes("web service", { since: from })).toHaveLength(1);
    expect(await memory.changes("Flask")).toMatchObject([{ because: "because Flask blocks" }]);
    // Another identity sees nothing of it.
    expect(await tidemark.as({ agent: "other" }).memory.changes("web service")).toEqual([]);
  });
});
