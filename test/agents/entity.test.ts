import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { mulberry32 } from "../support/histories-random.ts";

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
    for (const name of ["it", "they", "he", "the user's", "..."])
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

/** Two hundred services, each in up to four homes over the years; some have a second name. */
function world(seed: number) {
  const random = mulberry32(seed);
  const below = (most: number): number => Math.floor(random() * most);
  const word = (start: string, number: number): string => `${start}${number.toString(26)}`;
  return Array.from({ length: 200 }, (_, at) => {
    const name = `${word("Qor", at + 700)} ${word("Vel", at + 900)}`;
    const homes = Array.from({ length: 1 + below(4) }, (_, nth) => ({
      place: word("Town", 1_000 + at * 5 + nth),
      from: Date.UTC(2020 + nth, below(12), 1 + below(28)),
    }));
    return {
      name,
      alias: at % 5 === 0 ? word("Nick", at + 500) : undefined,
      homes,
      order: random(),
    };
  });
}

describe("a world of two hundred names, told out of order and partly wrong", () => {
  it("is known as it was told, then and now, and nothing is known of what was not", async () => {
    const told200 = world(20_261_130);
    const now = Date.UTC(2026, 5, 1);
    let clock = now;
    const { memory, close } = await openTidemark({
      ...{ workspace: false, embed: false, zone: "UTC", distil: "extractive", now: () => clock++ },
    });
    const random = mulberry32(7);
    const says = told200.flatMap(({ name, alias, homes }) => [
      ...homes.map(({ place, from }, nth) => ({
        content: `${name} is hosted in ${place}${nth > 0 ? ` because it outgrew the last` : ""}.`,
        ...{ key: `${name}/host`, at: from },
      })),
      ...(alias === undefined
        ? []
        : [{ content: `${name} is also called ${alias}.`, at: Date.UTC(2020, 0, 1) }]),
    ]);
    const shuffled = says.map((one) => ({ one, by: random() })).sort((a, b) => a.by - b.by);
    for (const { one } of shuffled) await memory.save(one);
    // Somebody was wrong, and says so: what is ended was never a home.
    for (const { name } of told200.filter((_, at) => at % 7 === 0)) {
      const { id } = await memory.save(`${name} is owned by Wrongly Told.`);
      await memory.end(id);
    }
    const wrong: string[] = [];
    for (const { name, alias, homes } of told200)
      for (const asked of [name, ...(alias === undefined ? [] : [alias])]) {
        const at = async (asOf: number): Promise<string> =>
          (await memory.about(asked, { asOf }))
            .flatMap((one) => / in (Town\w+)/.exec(one.memory.content)?.[1] ?? [])
            .join();
        for (const { place, from } of homes)
          if ((await at(from)) !== place) wrong.push(`${asked} in ${place}`);
        const first = homes[0]?.from ?? 0;
        if ((await at(first - 1)) !== "") wrong.push(`${asked} before`);
        if ((await at(clock)) !== homes.at(-1)?.place) wrong.push(`${asked} now`);
        const moves = (await memory.changes(asked)).filter(({ was }) => was.includes("hosted"));
        const meant = homes.slice(1).map(({ place, from }) => ({ at: from, place }));
        const found = moves.map(({ at: day, now: then = "" }) => {
          return { at: day, place: / in (Town\w+)/.exec(then)?.[1] };
        });
        if (JSON.stringify(found) !== JSON.stringify(meant)) wrong.push(`${asked} changes`);
      }
    expect(wrong).toEqual([]);
    // When it holds and when it was told are two things.
    const [oldest] = await memory.about(told200[0]?.name ?? "");
    expect(oldest?.since).toBeLessThan(now);
    expect(oldest?.known).toBeGreaterThanOrEqual(now);
    for (const stranger of ["Zzyx Abra", "Nobody Here", "Qorless"])
      expect([await memory.about(stranger), await memory.changes(stranger)]).toEqual([[], []]);
    await close();
  });

  it("takes a second name only from a word that is told and trusted, in a circle too", async () => {
    const { memory } = await told();
    await memory.save("Bob lives in Kiel.");
    await memory.save("Robert Smith owns the pump house.");
    const names = async (name: string) =>
      (await memory.about(name)).map(({ memory: one }) => one.content);
    expect(await names("Bob")).toEqual(["Bob lives in Kiel."]);
    await memory.save({ content: "Bob and Robert Smith", edges: ["Bob", "alias", "Robert Smith"] });
    await memory.save({ content: "Robert Smith or Bob", edges: ["Robert Smith", "alias", "Bob"] });
    expect(await names("Bob")).toContain("Robert Smith owns the pump house.");
    expect(await names("Robert Smith")).toContain("Bob lives in Kiel.");
    const [first] = await memory.about("Bob and Robert Smith");
    expect(first?.edges).toEqual(["Bob", "alias", "Robert Smith"]);
    // An edge to nobody is none.
    const saved = await memory.save({ content: "He is Bob.", edges: ["he", "alias", "Bob"] });
    expect(saved.tags).toEqual([]);
    await expect(memory.save({ content: "x", edges: ["a", "b", "c", "d"] })).rejects.toThrow(
      /edges/,
    );
  });

  it("knows edges that a distiller gives, who is asked for them with each reading", async () => {
    const replies: string[] = [];
    const tidemark = await openTidemark({
      ...{ workspace: false, listen: false, now: () => Date.parse("2026-03-02T09:00:00Z") },
      distil: {
        // It gives what it is asked for, and no more.
        complete: async ({ messages }) => {
          const asked = JSON.stringify(messages.at(-1)).includes("- edges (optional)");
          const fact = { content: "Ada leads the billing team.", category: "fact", from: [1] };
          const edges = ["Ada", "leads", "billing team"];
          const facts = [asked ? { ...fact, edges } : fact];
          replies.push(JSON.stringify({ facts, summary: "- Ada leads the billing team" }));
          return { text: replies.at(-1) ?? "" };
        },
      },
    });
    const messages = [
      { role: "user", content: "Ada leads the billing team. We talk of it." },
      { role: "assistant", content: "Good to know." },
      ...Array.from({ length: 20 }, (_, at) => ({
        role: at % 2 === 0 ? "user" : "assistant",
        content: `Step ${at}. ${"We go on with the ledger. ".repeat(20)}`,
      })),
    ];
    await tidemark.fold({ request: { model: "claude-sonnet-5-5", max_tokens: 100, messages } });
    const [known] = await tidemark.memory.about("billing team");
    expect([replies.length, known?.edges]).toEqual([1, ["Ada", "leads", "billing team"]]);
    await tidemark.close();
  });
});
