import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Options, openTidemark, type Tidemark } from "../../src/index.ts";
import { run } from "../support/cli.ts";
import { clientOf, freshFolder, freshServer } from "../support/anthropic.ts";
import { play } from "../support/talk.ts";

const open = (workspace: string, options: Partial<Options> = {}) =>
  openTidemark({
    ...{ workspace, distil: "extractive", archive: true, window: { tokens: 3_000 }, listen: false },
    ...options,
  });

/** All bytes below a folder, as a database's free pages and its log have them. */
const bytesOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");

/** By each door one word that is found nowhere else. */
async function leave(view: Tidemark, word: string): Promise<void> {
  const at = (door: string): string => `${word}${door}`;
  const saved = await view.memory.save(`The deposit box is called ${at("saved")}.`);
  await view.memory.update(saved.id, { content: `The deposit box is named ${at("changed")}.` });
  const turn = await play(view, {
    calls: (call) => `I live in ${at("told")}${call} street. ${"We go on with it. ".repeat(60)}`,
    reply: (call) => `Noted ${at("reply")}${call}.`,
    until: ({ folded }) => folded,
  });
  expect(turn.folded).toBeDefined();
  await view.notes.write("plan.md", `Sell ${at("note")}.`);
  await view.records.add({ category: "decision", content: `# Keep ${at("record")}` });
  const task = await view.task({ description: `Paint ${at("task")}` });
  await task.note(`It is ${at("step")}`);
  await task.done(`It was ${at("result")}`);
  for (const tool of view.tools())
    if (tool.name === "memory_save") await tool.run({ content: `The cat is ${at("tool")}.` });
  await view.pin(`Always ${at("pin")}`);
  await view.history.import({ id: "old", messages: [{ role: "user", text: at("import") }] });
  await view.idle();
}

describe("levels", () => {
  for (const level of ["none", "session"] as const)
    it(`"${level}": no byte of it is on disk, in backups or exports`, async () => {
      const folder = freshFolder();
      const levels = { "agent:scout": level };
      const tidemark = await open(folder, { levels });
      const scout = tidemark.as({ agent: "scout", user: "ada", project: "web" });
      await tidemark.memory.save("The harbour opens at nine.");
      await leave(scout, "quokka");
      expect((await scout.history.list()).length).toBeGreaterThan(0);
      expect((await scout.memory.recall("what is the deposit box named?")).length).toBe(1);
      await tidemark.tidy();
      await scout.tidy();
      expect(bytesOf(folder)).not.toMatch(/quokka/i);
      await tidemark.close();
      expect(bytesOf(folder)).not.toMatch(/quokka/i);
      const again = await open(folder, { levels });
      const later = again.as({ agent: "scout", user: "ada", project: "web" });
      expect(await later.memory.search("quokkachanged deposit box quokkatold0 street")).toEqual([]);
      expect(await later.memory.list()).toEqual([]);
      expect(await later.history.list()).toEqual([]);
      expect((await again.memory.recall("when does the harbour open?")).length).toBe(1);
      await again.close();
    });

  it('"project": only what project, team and organisation hold outlives it', async () => {
    const folder = freshFolder();
    const options = { levels: { default: "project" } } as const;
    const identity = { agent: "scout", user: "ada", project: "web", org: "acme" };
    const tidemark = await open(folder, options);
    const scout = tidemark.as(identity);
    await leave(scout, "quokka");
    const kept = { content: "The web project deploys with wombat.", scope: "project:web" };
    const saved = await scout.memory.save(kept);
    await scout.memory.update(saved.id, { tags: ["deploy"] });
    const lost = await scout.memory.save({ content: "The lamp is a bilby.", scope: "project:web" });
    expect(await scout.memory.forget(lost.id)).toBe(1);
    const moved = await scout.memory.save("Releases are cut on echidna days.");
    await scout.as({ role: "human" }).memory.promote(moved.id, { to: "project:web" });
    await scout.notes.write("web.md", "Ask numbat first.", { scope: "project:web" });
    const mine = await scout.memory.list();
    expect(mine.map(({ id }) => id)).toContain(saved.id);
    expect(await scout.history.list()).not.toEqual([]);
    await tidemark.close();
    const bytes = bytesOf(folder);
    for (const word of ["wombat", "echidna", "numbat"]) expect(bytes).toContain(word);
    // A task's outcome is the user's, where one is named.
    expect(bytes).not.toMatch(/quokka|bilby/i);
    const again = await open(folder, options);
    const next = again.as({ ...identity, agent: "other" });
    const found = await next.memory.recall("what does the web project deploy with?");
    expect(found[0]?.content).toBe(kept.content);
    expect(await next.notes.read("web.md", { scope: "project:web" })).toBe("Ask numbat first.");
    expect(readFileSync(join(folder, "scopes/project/web/MEMORY.md"), "utf8")).toContain("wombat");
    expect((await next.memory.list()).map(({ scope }) => scope)).toEqual([
      "project:web",
      "project:web",
    ]);
    await again.close();
  });

  it("what groups hold is told at every level, and written only from project on", async () => {
    for (const level of ["none", "session"] as const) {
      const folder = freshFolder();
      const tidemark = await open(folder, { levels: { "user:eve": level } });
      const house = tidemark.as({ org: "acme", project: "web", role: "human" });
      const rule = { category: "core_policy", content: "No card numbers in chats." } as const;
      await house.org.write({ ...rule, author: "ada" });
      await house.workspace.write("MEMORY.md", "# Ours\n\n- Pages say *fjord*.\n", "project:web");
      const stands = { content: "The web project is built with esbuild.", scope: "project:web" };
      const { id } = await house.memory.save(stands);
      await house.workspace.write("SOUL.md", "I am calm.", "agent:default");
      const eve = tidemark.as({ user: "eve", org: "acme", project: "web", role: "lead" });
      const turn = await play(eve, { calls: ["How is the web project built?"] });
      const system = JSON.stringify(turn.request);
      expect(system).toContain("No card numbers in chats.");
      expect(system).toContain("I am calm.");
      const [hit] = await eve.memory.recall("what is the web project built with?");
      expect(hit?.content).toBe(stands.content);
      for (const write of [
        () => eve.memory.save({ content: "It is numbat.", scope: "project:web" }),
        () => eve.memory.update(id, { content: "It is numbat." }),
        () => eve.memory.forget(id),
        () => eve.org.write({ ...rule, category: "adr", author: "eve" }),
        () => eve.notes.write("a.md", "numbat", { scope: "project:web" }),
      ])
        await expect(write()).rejects.toThrow(/by the option levels nothing of it outlives/);
      const task = await eve.task({ description: "Feed the numbat" });
      expect(await task.done("Fed the numbat")).toBe(true);
      await tidemark.close();
      expect(bytesOf(folder)).not.toContain("numbat");
      expect(bytesOf(folder)).toContain("fjord");
    }
  });

  it('"none" teaches the next conversation nothing; "session" ends with its view', async () => {
    const tidemark = await open(freshFolder(), {
      levels: { "user:none": "none", "user:eve": "session" },
    });
    const said = async (user: string, conversation: string) => {
      const view = tidemark.as({ user, conversation });
      await play(view, { calls: ["I live in Ghent.", "Thanks."] });
      return view;
    };
    const told = async (user: string): Promise<string> => {
      const { request } = await play(tidemark.as({ user, conversation: "next" }), {
        calls: ["Hello there"],
      });
      return JSON.stringify(request);
    };
    await said("none", "one");
    expect(await told("none")).not.toContain("Ghent");
    const one = await said("eve", "one");
    const two = await said("eve", "two");
    expect(await told("eve")).toContain("Ghent");
    await two.memory.save("Eve keeps bees.");
    for (const view of [one, two, tidemark.as({ user: "eve", conversation: "next" })])
      await view.close();
    const eve = tidemark.as({ user: "eve" });
    expect(await eve.history.list()).toEqual([]);
    expect((await eve.memory.list()).map(({ content }) => content)).toEqual(["Eve keeps bees."]);
    await tidemark.close();
  });

  it("the strictest of the scopes that are named counts, and an adapter knows no more", async () => {
    const folder = freshFolder();
    const server = await freshServer();
    const tidemark = await open(folder, {
      identity: { agent: "scout", user: "eve" },
      levels: { default: "session", "agent:scout": "persistent", "user:eve": "none" },
    });
    const client = clientOf(server, tidemark);
    await client.messages.create({
      model: "claude-sonnet-5-5",
      max_tokens: 50,
      messages: [{ role: "user", content: "My safe is called quokka." }],
    });
    expect(await tidemark.history.list()).toHaveLength(1);
    const ada = tidemark.as({ user: "ada" });
    await ada.memory.save("Ada collects wombats.");
    await tidemark.close();
    expect(bytesOf(folder)).not.toContain("quokka");
    expect(bytesOf(folder)).toContain("wombats");
  });

  it("a level given later deletes nothing, and tidy says what it would not keep", async () => {
    const folder = freshFolder();
    const before = await open(folder);
    const ada = { user: "ada" };
    await play(before.as(ada), { calls: ["Hello", "I live in Ghent."] });
    await before.as(ada).memory.save("Ada has a quokka.");
    expect((await before.as(ada).tidy({ dryRun: true })).beyond).toBeUndefined();
    await before.close();
    const levels = { "user:ada": "none" } as const;
    const after = await open(folder, { levels });
    expect(await after.as(ada).memory.list()).toEqual([]);
    const beyond = { level: "none", memories: expect.any(Number) as number, conversations: 1 };
    expect((await after.as(ada).tidy({ dryRun: true })).beyond).toEqual(beyond);
    expect((await after.tidy({ dryRun: true })).beyond).toBeUndefined();
    await after.close();
    const { out } = await run(["tidy", "--dry-run", "--workspace", folder, "--user", "ada"]);
    expect(out).toMatch(/level "none" .* and 1 conversation; nothing of them is deleted/);
  });

  it("a level or a scope that is none is refused in one sentence", async () => {
    for (const [levels, said] of [
      [{ "agent:scout": "forever" }, /"levels.agent:scout" must be "none" or "session" or /],
      [{ scout: "none" }, /"levels" must be an object of levels by scope: "default", or a scope/],
      ["none", /"levels" must be an object of levels by scope/],
    ] as const)
      await expect(open(freshFolder(), { levels: levels as never })).rejects.toThrow(said);
  });
});
