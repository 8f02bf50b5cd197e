import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { createMemories } from "../../src/memory/memories.ts";
import type { Tidemark } from "../../src/session/options/tidemark-api.ts";
import { freshFolder } from "../support/anthropic.ts";
import { openRoom, START } from "../support/memory-room.ts";

const CITIES = "Kiel Gent Oslo Turin Porto Lyon Graz Bern Cork Bath Riga Lodz".split(" ");

/** Facts of twelve services, each in three wordings, with figures that must outlive the night. */
async function planted() {
  const { room, clock } = openRoom();
  const memories = createMemories(room);
  const facts = CITIES.map((city, at) => [
    `The ${city} service listens on port ${4_000 + at}.`,
    `The ${city} service listens on the port ${4_000 + at}.`,
    `The ${city} service listens on port ${4_000 + at} there.`,
  ]);
  for (const [at, wordings] of facts.entries())
    for (const content of wordings) {
      clock.now = START + at * 1_000;
      await memories.saveAll([{ content, origin: "agent", category: "fact" }], "agent:probe");
    }
  clock.now = START + 86_400_000;
  return { memories, clock, room, facts };
}

describe("consolidation", () => {
  it("puts together what says the like, loses no fact, and restores each word for word", async () => {
    const { memories, facts } = await planted();
    const told = await memories.consolidate({ dry: true });
    expect(await memories.list()).toHaveLength(36);
    const archived = await memories.consolidate({});
    expect(archived).toEqual(told);
    expect(archived).toHaveLength(24);
    expect(await memories.list()).toHaveLength(12);
    for (const [at, city] of CITIES.entries()) {
      const [hit] = await memories.recall(`which port does the ${city} service listen on?`);
      expect(hit?.text).toContain(String(4_000 + at));
    }
    // Twice is once.
    expect(await memories.consolidate({})).toEqual([]);
    for (const { id, content } of archived)
      expect(await memories.restore(id)).toMatchObject({ id, content, tags: [] });
    const again = (await memories.list()).map(({ content }) => content);
    expect(again.sort()).toEqual(facts.flat().sort());
  });

  it("drops a merge that would lose a name, a number, a path, a denial or a day", async () => {
    for (const other of [
      "The backup of the billing database runs on server seven every single night at 04:00.",
      "The backup of the billing database runs on server seven every single night, says Ada.",
      "The backup of the billing database never runs on server seven every single night.",
      "The backup of the billing database runs on server seven every single night by /opt/b.sh.",
      "The backup of the billing database runs on server seven every single night from 2026-05-01.",
      "The backup of the crawler database runs on server seven every single night.",
    ]) {
      const { room } = openRoom();
      const memories = createMemories(room);
      for (const content of [
        "The backup of the billing database runs on server seven every single night.",
        "A backup of the billing database runs on the server seven every single night.",
        other,
      ])
        await memories.saveAll([{ content, origin: "agent", category: "fact" }], "agent:probe");
      expect(await memories.consolidate({}), other).toEqual([]);
    }
  });

  it("leaves a person's words, wishes and policies alone, whatever there is of them", async () => {
    const { room } = openRoom();
    const memories = createMemories(room);
    for (const end of ["", " please", " thanks", " today"]) {
      await memories.save(`The build runs on the old machine under the desk${end}.`);
      await memories.saveAll(
        [
          {
            content: `I prefer short answers in English${end}.`,
            origin: "user",
            category: "preference",
          },
        ],
        "agent:probe",
      );
    }
    expect(await memories.consolidate({ keep: 1 })).toEqual([]);
  });

  it("keeps so many of a scope, and archives those that matter least with an abstract", async () => {
    const { room } = openRoom();
    const memories = createMemories(room);
    const long = `${"The harbour was rebuilt in several years by many people. ".repeat(40)}`;
    await memories.saveAll(
      [
        { content: long, origin: "agent", category: "fact", importance: 0.1 },
        { content: "Cranes need oil.", origin: "agent", category: "fact", importance: 0.9 },
        { content: "Ropes are wet.", origin: "agent", category: "fact", importance: 0.2 },
      ],
      "agent:probe",
    );
    const archived = await memories.consolidate({ keep: 2 });
    expect(archived).toMatchObject([{ content: long, scope: "agent:probe" }]);
    const [abstract] = await memories.recall("harbour rebuilt");
    expect(abstract?.text.length).toBeLessThan(1_200);
    expect(abstract?.memory?.tags[0]).toBe(`archive-of:${archived[0]?.id}`);
    const back = await memories.restore(archived[0]?.id ?? "");
    expect(back?.content).toBe(long);
    const rest = await memories.list();
    expect(rest.map(({ content }) => content)).not.toContain(abstract?.text);
    expect(await memories.restore("nothing")).toBeUndefined();
  });
});

describe("consolidation by a model", () => {
  const WORDINGS = [
    "The Kiel service writes its log to the north cluster.",
    "The Kiel service writes its log to the north cluster, says Quist.",
    "Since May the Kiel service writes its log to the north cluster.",
  ];
  const GOOD = "Since May, says Quist, the Kiel service writes its log to the north cluster.";
  async function night(answer: string | Error, origin: "agent" | "user" | "tool" = "agent") {
    const { room, clock } = openRoom();
    const memories = createMemories(room);
    let asked: readonly string[] = [];
    const merge = async (contents: readonly string[]) => {
      asked = contents;
      if (answer instanceof Error) return undefined;
      return answer;
    };
    for (const [at, content] of WORDINGS.entries())
      await memories.saveAll(
        [
          {
            content,
            origin: at === 1 ? origin : "agent",
            category: "fact",
            importance: at === 0 ? 0.9 : 0.5,
          },
        ],
        "agent:probe",
      );
    clock.now = START + 86_400_000;
    const archived = await memories.consolidate({ merge });
    return { memories, merge, archived, asked, left: await memories.list({ limit: 10 }) };
  }

  it("keeps the best, makes one sentence of the rest in one commit, and gives each back word for word", async () => {
    const { memories, merge, archived, left } = await night(GOOD, "tool");
    expect(archived.map(({ content }) => content).sort()).toEqual(WORDINGS.slice(1).sort());
    const made = left.find(({ content }) => content === GOOD);
    expect(left.map(({ content }) => content).sort()).toEqual([WORDINGS[0], GOOD].sort());
    expect(archived.every(({ into }) => into === made?.id)).toBe(true);
    // What a tool said stays a tool's.
    expect(made?.origin).toBe("tool");
    expect(await memories.consolidate({ merge })).toEqual([]);
    const [first, second] = archived;
    expect((await memories.restore(first?.id ?? ""))?.content).toBe(first?.content);
    // It stands for the other still.
    expect(await memories.get(made?.id ?? "")).toBeDefined();
    expect((await memories.restore(second?.id ?? ""))?.content).toBe(second?.content);
    const all = (await memories.list({ limit: 10 })).map(({ content }) => content);
    expect(all.sort()).toEqual(WORDINGS.toSorted());
  });

  it.each([
    ["a name", GOOD.replace("Quist", "someone")],
    ["a month", GOOD.replace("Since May, says", "Says")],
    ["what nobody said", `${GOOD.slice(0, -1)} on port 99.`],
    ["a denial", GOOD.replace("writes", "does not write")],
    ["nothing", ""],
    ["trouble", new Error("down")],
  ])("is dropped where the sentence has lost or made up %s", async (_what, answer) => {
    const { archived, left } = await night(answer);
    expect(archived).toEqual([]);
    expect(left).toHaveLength(3);
  });

  it("rewords no word of a user's", async () => {
    expect((await night(GOOD, "user")).asked).toEqual([]);
  });

  it("asks the host's function within the budget, once about the same, and counts its calls", async () => {
    const workspace = freshFolder();
    const asked: string[] = [];
    let answer = GOOD;
    const model = async ({ messages }: { messages: readonly { content?: unknown }[] }) => {
      asked.push(JSON.stringify(messages));
      if (answer === "") throw new Error("The model is down.");
      return { text: answer, usage: { input: 100, output: 20 } };
    };
    const open = (budget: number) =>
      openTidemark({
        ...{ workspace, distil: "extractive", listen: false, now: () => START + 86_400_000 },
        consolidate: { every: "never", model: model as never },
        advanced: { budget },
      });
    const poor = await open(10);
    for (const content of WORDINGS)
      await poor.memory.save({ content, source: "log", category: "fact", at: START });
    expect((await poor.tidy()).archived).toEqual([]);
    expect(asked).toEqual([]);
    await poor.close();
    const tidemark = await open(100_000);
    answer = "";
    expect((await tidemark.tidy()).archived).toEqual([]);
    answer = "The Kiel service writes.";
    for (let at = 0; at < 2; at += 1) expect((await tidemark.tidy()).archived).toEqual([]);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain("says Quist");
    expect((await tidemark.stats()).calls.distil).toMatchObject({
      calls: 2,
      output: expect.any(Number),
    });
    await tidemark.close();
  });
});

it("comes round by itself: as a workspace opens, and with a turn a week later, for whose it is", async () => {
  let now = START;
  const options = { workspace: freshFolder(), now: () => now };
  const save = (tidemark: Tidemark, contents: readonly string[]) =>
    Promise.all(contents.map((content) => tidemark.memory.save({ content, source: "log" })));
  const berths = Array.from({ length: 510 }, (_, at) => `Berth ${at} is for ship ${at}.`);
  const pumps = [
    "The pump runs on diesel.",
    "The pump runs on the diesel.",
    "A pump runs on diesel.",
  ];
  const first = await openTidemark(options);
  await save(first, [...berths, ...pumps]);
  await save(first.as({ user: "ada" }), [...berths, ...pumps]);
  await first.close();

  const tidemark = await openTidemark(options);
  await tidemark.idle();
  const left = async (of: Tidemark): Promise<number> =>
    (await of.memory.list({ scope: of === tidemark ? "agent:default" : "user:ada", limit: 1_000 }))
      .length;
  expect(await left(tidemark)).toBe(511);
  const ada = tidemark.as({ user: "ada" });
  expect(await left(ada)).toBe(513);
  now += 8 * 86_400_000;
  await ada.begin({ model: "m", max_tokens: 10, messages: [{ role: "user", content: "Hello" }] });
  await tidemark.idle();
  expect(await left(ada)).toBe(511);
  await expect(tidemark.tidy({ dryrun: true } as object)).rejects.toThrow('did you mean "dryRun"?');
  await tidemark.close();
});
