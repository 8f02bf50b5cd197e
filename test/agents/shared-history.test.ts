import { afterEach, describe, expect, it } from "vitest";
import { type Identity, openTidemark, type Options, type Tidemark } from "../../src/index.ts";

const ADA = { agent: "one", project: "red", user: "ada" };
const KITE = "The kite of the harbour office is purple.";

let tidemark: Tidemark | undefined;
afterEach(async () => tidemark?.close());

async function open(share?: NonNullable<Options["history"]>["share"]): Promise<Tidemark> {
  tidemark = await openTidemark({
    workspace: false,
    distil: "extractive",
    listen: false,
    history: { share },
  });
  return tidemark;
}

async function tell(house: Tidemark, who: Identity, text = KITE, role = "user"): Promise<string> {
  const view = house.as(who);
  await view.history.import({ id: "kites", messages: [{ role, text }] });
  return (await view.history.list())[0]?.id ?? "";
}

const found = async (view: Tidemark): Promise<string[]> =>
  (await view.memory.search("Which colour has the kite?", { in: ["history"] })).map(
    ({ text }) => text,
  );

describe("a conversation with another agent of the project", () => {
  it("is found and read where history is shared, by search, brief and tool, and cannot be changed", async () => {
    const house = await open("project");
    const [id, free] = [
      await tell(house, { ...ADA, agent: "two", team: "crew" }),
      await tell(house, { agent: "three", project: "red" }, "A kite flew over Ghent."),
    ];
    const ada = house.as(ADA);
    expect((await found(ada)).sort()).toEqual(["A kite flew over Ghent.", KITE]);
    const { text } = await ada.brief("Which colour has the kite?");
    expect(text).toContain(`${KITE} [kites #0`);
    const tools = new Map(ada.tools().map((tool) => [tool.name, tool]));
    expect(await tools.get("memory_search")?.run({ query: "colour of the kite" })).toContain(KITE);
    expect(await tools.get("memory_read")?.run({ conversation: id })).toContain(KITE);
    expect((await ada.history.read({ conversation: free })).messages).toHaveLength(1);
    // By the id of the conversation alone: a host's own name for it is each identity's.
    expect((await ada.history.read({ conversation: "kites" })).messages).toEqual([]);
    expect(await ada.history.forget({ conversation: id })).toBe(0);
    expect(await ada.history.list()).toEqual([]);
    expect(await found(ada)).toHaveLength(2);
  });

  it("is found among many: its own and those that spoke last are asked", async () => {
    const house = await open("project");
    await tell(house, ADA);
    const at = Date.UTC(2026, 10, 1);
    for (let n = 0; n < 40; n += 1) {
      const view = house.as({ ...ADA, agent: `agent-${n}` });
      const text = `Kite ${n} is a colour.`;
      await view.history.import({
        id: "k",
        messages: [{ role: "user", text, at: at + n * 1_000 }],
      });
    }
    const search = (limit: number) =>
      house.as(ADA).memory.search("Which colour has the kite?", { in: ["history"], limit });
    const texts = (await search(100)).map(({ text }) => text);
    expect(texts).toHaveLength(32);
    expect(texts).toContain(KITE);
    expect(texts).toContain("Kite 39 is a colour.");
    expect(texts).not.toContain("Kite 0 is a colour.");
  });

  it("is told once where both were told the same", async () => {
    const house = await open("project");
    await tell(house, ADA);
    await tell(house, { ...ADA, agent: "two" });
    expect(await found(house.as(ADA))).toEqual([KITE]);
  });

  it("is out of sight without sharing, of another project or org, and of an agent in no project", async () => {
    const alone = await open();
    const id = await tell(alone, { ...ADA, agent: "two" });
    expect(await found(alone.as(ADA))).toEqual([]);
    expect((await alone.as(ADA).history.read({ conversation: id })).messages).toEqual([]);
    await alone.close();
    const house = await open("project");
    await tell(house, { ...ADA, agent: "two", project: "blue" });
    await tell(house, { ...ADA, agent: "two", org: "acme" });
    await tell(house, { agent: "two" });
    expect(await found(house.as(ADA))).toEqual([]);
    expect(await found(house.as({ agent: "one" }))).toEqual([]);
  });
});

describe("a conversation with another user of the project", () => {
  const BOB = { agent: "two", project: "red", user: "bob" };

  it("is out of sight, of an agent that speaks with no user too", async () => {
    const house = await open("project");
    await tell(house, BOB);
    expect(await found(house.as(ADA))).toEqual([]);
    expect(await found(house.as({ agent: "one", project: "red" }))).toEqual([]);
  });
});

it("what may be shared is said in one sentence", async () => {
  for (const share of ["team", true, { users: "all" }])
    await expect(open(share as never)).rejects.toThrow(/"history.share" must be "project", got /);
});
