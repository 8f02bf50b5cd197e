import { describe, expect, it } from "vitest";
import { type Identity, openTidemark, type Tidemark } from "../../src/index.ts";
import { afterwards, freshFolder } from "../support/anthropic.ts";

async function team(): Promise<(identity: Identity) => Tidemark> {
  const tidemark = await openTidemark({ workspace: freshFolder(), listen: false });
  afterwards(() => tidemark.close());
  return (identity) => tidemark.as({ team: "web", project: "shop", ...identity });
}

describe("what is published", () => {
  it("is a copy that names its author, of the same origin; the same again is one", async () => {
    const as = await team();
    const [scout, boss] = [as({ agent: "scout" }), as({ agent: "boss" })];
    const own = await scout.memory.save("The staging proxy drops idle sockets after 55 seconds.");
    const copy = await scout.memory.publish(own.id, { to: "team:web" });
    expect(copy).toMatchObject({ content: own.content, scope: "team:web", origin: own.origin });
    expect(copy.key).toContain(own.id);
    expect((await scout.memory.publish(own.id, { to: "team:web" })).id).toBe(copy.id);
    await scout.memory.update(own.id, {
      content: "The staging proxy drops idle sockets after 50.",
    });
    const anew = await scout.memory.publish(own.id, { to: "team:web" });
    expect(anew).toMatchObject({ id: copy.id, version: 2 });
    // Who publishes another's again does not become its author.
    const again = await boss.memory.publish(copy.id, { to: "project:shop" });
    const hits = await boss.memory.search("staging proxy idle sockets", { shared: true });
    expect(hits.map(({ author }) => author)).toEqual(["agent:scout", "agent:scout"]);
    expect(again).toMatchObject({ key: copy.key, scope: "project:shop" });
  });

  it("is found with what groups hold, but for an agent's own, and nothing else is", async () => {
    const as = await team();
    const [scout, boss] = [as({ agent: "scout" }), as({ agent: "boss", user: "eve" })];
    const own = await scout.memory.save("Scout says the build needs node twenty-four.");
    await scout.memory.publish(own.id, { to: "project:shop" });
    const mine = await boss.memory.save("Boss says the build needs node twenty-two.");
    await boss.memory.save({ content: "The build needs a license.", scope: "team:web" });
    await boss.notes.write("build.md", "The build needs node, says a note of Eve's.");
    const asked = "which node does the build need?";
    const found = async (of: Tidemark, options: object): Promise<string[]> =>
      (await of.memory.search(asked, options)).map(({ content }) => content).sort();
    const shared = ["Scout says the build needs node twenty-four.", "The build needs a license."];
    expect(await found(boss, { shared: true })).toEqual(shared);
    await boss.memory.publish(mine.id, { to: "team:web" });
    expect(await found(boss, { shared: true, except: "agent:boss" })).toEqual(shared);
    expect(await found(scout, { shared: true, except: "agent:scout" })).toEqual([
      "Boss says the build needs node twenty-two.",
      "The build needs a license.",
    ]);
    expect((await found(boss, {})).length).toBeGreaterThan(3);
  });

  it("is retracted and changed by its author, a lead or a person, by whichever door", async () => {
    const as = await team();
    const scout = as({ agent: "scout" });
    const rival = as({ agent: "rival" });
    const publish = async (content: string) => {
      const { id } = await scout.memory.save(content);
      return (await scout.memory.publish(id, { to: "team:web" })).id;
    };
    const id = await publish("Deploys go out at noon.");
    for (const door of [
      () => rival.memory.retract(id),
      () => rival.memory.update(id, { content: "Deploys go out at night." }),
      () => rival.memory.end(id),
      () => rival.memory.forget(id),
      () => rival.memory.promote(id, { to: "agent:rival" }),
    ])
      await expect(door()).rejects.toMatchObject({ code: "scope-denied" });
    const key = `published/agent:scout/${id}`;
    await expect(rival.memory.save({ content: "No.", scope: "team:web", key })).rejects.toThrow(
      /given by memory.publish alone/,
    );
    expect((await rival.memory.get(id))?.content).toBe("Deploys go out at noon.");
    expect(await scout.memory.retract(id, { reason: "We deploy by hand." })).toBe(true);
    expect(await scout.memory.retract(id)).toBe(false);
    const past = await scout.memory.past(id);
    expect(past?.values[0]?.memory.tags).toContain("ended-for:We deploy by hand.");
    for (const [at, role] of ["lead", "human"].entries()) {
      const other = await publish(`Freeze number ${at} begins in May.`);
      expect(await as({ agent: "boss", role }).memory.retract(other)).toBe(true);
    }
  });

  it("goes where its publisher may write, and gains no trust", async () => {
    const as = await team();
    const scout = as({ agent: "scout", org: "acme" });
    const [save] = scout.tools({ only: ["memory_save"] });
    await save?.run({ content: "Tool words: the api key rotates weekly." });
    const [own] = await scout.memory.list();
    const copy = await scout.memory.publish(own?.id ?? "", { to: "team:web" });
    expect(copy.origin).toBe(own?.origin);
    await expect(scout.memory.publish(copy.id, { to: "org:acme" })).rejects.toMatchObject({
      code: "scope-denied",
    });
    await expect(scout.memory.publish(copy.id, { to: "agent:scout" })).rejects.toThrow(/a team/);
    await expect(scout.memory.publish("nothing", { to: "team:web" })).rejects.toMatchObject({
      code: "not-found",
    });
  });
});
