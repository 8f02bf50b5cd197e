import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { describe, expect, it } from "vitest";
import { memoryDirectory, type MemoryDirectory } from "../../../src/adapters/anthropic.ts";
import { isTidemarkError, type Options } from "../../../src/index.ts";
import { freshFolder, freshTidemark } from "../../support/anthropic.ts";

const SECRET = "sk-ant-api03-" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG".repeat(2);

async function opened(options: Options = {}) {
  const { tidemark, events } = await freshTidemark(options);
  return { tidemark, events, directory: memoryDirectory(tidemark) };
}
/** What a command says, or why it was refused. */
const said = (work: Promise<string>): Promise<string> =>
  work.catch((error: unknown) => {
    if (!isTidemarkError(error)) throw error;
    return `Error: ${error.message}`;
  });
const create = (directory: MemoryDirectory, path: string, text = "x"): Promise<string> =>
  said(directory.create({ path, file_text: text }));
const content = (path: string, text: string): string =>
  `Here's the content of ${path} with line numbers:\n     1\t${text}`;

describe("the memory directory", () => {
  it("is what the SDK's memory tool takes, and what `notes` reads", async () => {
    const { tidemark, directory } = await opened();
    const tool = betaMemoryTool(directory);
    const path = "/memories/progress.txt";
    expect(await tool.run({ command: "create", path, file_text: "Half done." })).toBe(
      `File created successfully at: ${path}`,
    );
    expect(await tidemark.notes.read("progress.txt")).toBe("Half done.");
    await tidemark.notes.write("progress.txt", "Done.");
    expect(await tool.run({ command: "view", path })).toBe(content(path, "Done."));
  });

  it("shows the team's notes in one folder, and to its members only", async () => {
    const { tidemark } = await opened({ identity: { agent: "sky", team: "web" } });
    const sky = memoryDirectory(tidemark);
    const sea = memoryDirectory(tidemark.as({ agent: "sea" }));
    const stranger = memoryDirectory(tidemark.as({ agent: "sea", team: "ops" }));
    const path = "/memories/team/plan.md";
    await create(sky, path, "Ship it.");
    await create(sky, "/memories/mine.md");
    expect(await said(sea.view({ path }))).toBe(content(path, "Ship it."));
    expect(await said(sea.view({ path: "/memories/mine.md" }))).toMatch(/does not exist/);
    expect(await said(stranger.view({ path }))).toMatch(/does not exist/);
    expect(await tidemark.notes.read("plan.md", { scope: "team:web" })).toBe("Ship it.");
    for (const refused of [
      sky.delete({ path: "/memories/team" }),
      sky.rename({ old_path: "/memories/team/", new_path: "/memories/ours" }),
    ])
      expect(await said(refused)).toMatch(
        /^Error: Cannot .* the \/memories\/team directory itself$/,
      );
    const moved = { old_path: "/memories/mine.md", new_path: "/memories/team/ours.md" };
    expect(await said(sky.rename(moved))).toMatch(/^Successfully renamed/);
    expect(await tidemark.notes.read("ours.md", { scope: "team:web" })).toBe("x");
  });

  it("masks what is written and what is replaced, and shows it so", async () => {
    const { directory } = await opened();
    const path = "/memories/keys.md";
    await create(directory, path, `Staging is ${SECRET}\nProduction is unknown`);
    const edit = { path, old_str: "unknown", new_str: SECRET };
    expect(await said(directory.str_replace(edit))).not.toContain(SECRET);
    expect(await said(directory.insert({ path, insert_line: 0, insert_text: SECRET }))).toMatch(
      /has been edited/,
    );
    const shown = await directory.view({ path });
    expect(shown.match(/masked\]/g)).toHaveLength(3);
    expect(shown).not.toContain(SECRET);
    expect(await create(directory, `/memories/${SECRET}`)).not.toContain(SECRET);
  });

  it.each(["out/a.md", "out/new.md", "out", "link.md", "inner.md", "dangling.md"])(
    "follows no link: %s",
    async (name) => {
      const [workspace, outside] = [freshFolder(), freshFolder()];
      const { directory } = await opened({ workspace });
      const notes = join(workspace, "notes");
      for (const folder of [notes, outside]) mkdirSync(folder, { recursive: true });
      writeFileSync(join(outside, "a.md"), "Outside.");
      writeFileSync(join(notes, "real.md"), "Real.");
      symlinkSync(outside, join(notes, "out"));
      symlinkSync(join(outside, "a.md"), join(notes, "link.md"));
      symlinkSync("real.md", join(notes, "inner.md"));
      symlinkSync(join(outside, "new.md"), join(notes, "dangling.md"));
      const path = `/memories/${name}`;
      for (const work of [
        directory.view({ path }),
        directory.create({ path, file_text: "x" }),
        directory.str_replace({ path, old_str: "Outside.", new_str: "x" }),
        directory.insert({ path, insert_line: 0, insert_text: "x" }),
        directory.delete({ path }),
        directory.rename({ old_path: path, new_path: "/memories/b.md" }),
        directory.rename({ old_path: "/memories/real.md", new_path: `${path}/b.md` }),
      ])
        expect(await said(work)).toBe("Error: Path would escape /memories directory via symlink");
      expect((await directory.view({ path: "/memories" })).split("\n").slice(2)).toEqual([
        "5B\t/memories/real.md",
      ]);
      expect(readdirSync(outside)).toEqual(["a.md"]);
      expect(readFileSync(join(outside, "a.md"), "utf8")).toBe("Outside.");
    },
  );

  it("deletes a folder with a link in it, and nothing that the link leads to", async () => {
    const [workspace, outside] = [freshFolder(), freshFolder()];
    const { directory } = await opened({ workspace });
    mkdirSync(outside);
    writeFileSync(join(outside, "a.md"), "Outside.");
    await create(directory, "/memories/old/b.md");
    symlinkSync(outside, join(workspace, "notes/old/out"));
    symlinkSync(join(outside, "a.md"), join(workspace, "notes/old/a.md"));
    expect(await said(directory.delete({ path: "/memories/old" }))).toMatch(/^Successfully/);
    expect(readdirSync(join(workspace, "notes"))).toEqual([]);
    expect(readFileSync(join(outside, "a.md"), "utf8")).toBe("Outside.");
  });

  it("loses nothing where two processes' agents write at once", async () => {
    const workspace = freshFolder();
    const two = await Promise.all([opened({ workspace }), opened({ workspace })]);
    const path = "/memories/tally.md";
    const created = await Promise.all(
      two.flatMap(({ directory }) => [
        create(directory, path, "end"),
        create(directory, path, "end"),
      ]),
    );
    expect(created.sort()).toEqual([
      ...Array.from({ length: 3 }, () => `Error: File ${path} already exists`),
      `File created successfully at: ${path}`,
    ]);
    const words = Array.from({ length: 20 }, (_, at) => `word ${at}.`);
    await Promise.all(
      words.map((word, at) =>
        two[at % 2]?.directory.insert({ path, insert_line: 0, insert_text: word }),
      ),
    );
    const lines = readFileSync(join(workspace, "notes/tally.md"), "utf8").split("\n");
    expect(lines.sort()).toEqual([...words, "end"].sort());
    const renamed = await Promise.all(
      two.map(({ directory }, at) =>
        said(directory.rename({ old_path: path, new_path: `/memories/${at}.md` })),
      ),
    );
    expect(renamed.filter((answer) => answer.startsWith("Successfully"))).toHaveLength(1);
    expect(renamed.filter((answer) => answer.endsWith("does not exist"))).toHaveLength(1);
  });

  it("says in a sentence what a model must not do, and names no folder of the machine", async () => {
    const workspace = freshFolder();
    const { tidemark, events, directory } = await opened({ workspace });
    expect(await create(directory, "/memories/big.md", "x".repeat(200_001))).toMatch(
      /would be 200001 characters long/,
    );
    expect(await said(directory.view({} as never))).toBe(
      'Error: The command: "path" must be a text, got undefined.',
    );
    expect(await said(directory.create({ path: "/memories/a" } as never))).toBe(
      'Error: The command: "file_text" must be a text, got undefined.',
    );
    const copies = join(workspace, ".tidemark/backups/root");
    mkdirSync(copies, { recursive: true });
    writeFileSync(join(copies, "notes"), "in the way");
    await create(directory, "/memories/a.md", "tea");
    const answer = await said(
      directory.str_replace({ path: "/memories/a.md", old_str: "tea", new_str: "milk" }),
    );
    expect(answer).toBe("Error: Memory could not do this now; go on without it.");
    expect(await directory.view({ path: "/memories/a.md" })).toBe(content("/memories/a.md", "tea"));
    expect(events).toContainEqual(
      expect.objectContaining({ type: "degraded", where: "memory directory" }),
    );
    await tidemark.close();
    expect(await said(directory.view({ path: "/memories" }))).toBe("Error: Memory is closed.");
  });
});
