import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { memoryDirectory } from "../../src/adapters/anthropic.ts";
import { ancestorRoom, savedId } from "../support/ancestors.ts";
import { freshFolder } from "../support/workspace.ts";

const TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
const SAID = `It is deployed with ${TOKEN}, as ever.`;

/** All files of a workspace but the verbatim history and the index of it. */
const files = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && !/\.db(?:-wal|-shm)?$/.test(file.name))
    .map(({ parentPath, name }) => `${name}\n${readFileSync(join(parentPath, name), "utf8")}`)
    .join("\n");

describe("a secret in what an agent learns", () => {
  it("stands in no memory, record, note or file, by whatever door it came", async () => {
    const { tidemark, workspace, run } = await ancestorRoom({ identity: { role: "lead" } });
    const { records, notes, memory } = tidemark;
    const record = await records.add({
      category: "decision",
      content: SAID,
      keywords: [TOKEN],
      source: TOKEN,
    });
    await records.update(record.id, { content: `Once more: ${SAID}`, aliases: [TOKEN] });
    await records.add({ category: "decision", content: "Plain.", name: TOKEN });
    await notes.write("a.md", SAID);
    await expect(notes.write(`${TOKEN}.md`, "x")).rejects.toMatchObject({ code: "config" });
    await memoryDirectory(tidemark).create({
      path: "/memories/b.md",
      file_text: SAID,
    });
    await memory.inject({ to: "agent:default", content: SAID });
    const id = savedId(await run("memory_save", { content: SAID, key: "deploy" }));
    await run("memory_update", { id, content: `Once more: ${SAID}`, version: 1 });
    await run("record_add", { category: "incident", content: SAID });
    await run("record_update", { id: record.id, content: `By a tool: ${SAID}` });
    await run("note_write", { name: "c.md", content: SAID });
    const task = await tidemark.task({ description: SAID, notes: SAID });
    await task.done(SAID);
    const other = await tidemark.task({ description: `Again: ${SAID}` });
    await other.failed(new Error(`Error: ${SAID}`));
    const kept = JSON.stringify([await memory.list(), await records.list(), files(workspace)]);
    expect(kept).toContain("masked]");
    expect(kept).not.toContain(TOKEN);
  });

  it("stands in no skill, in no proposal and in no name, though a model has said it again", async () => {
    const skills = join(freshFolder(), "skills");
    const { tidemark, workspace } = await ancestorRoom({
      procedures: { skills },
      distil: async () => ({
        text: JSON.stringify({
          discovery: `${TOKEN} opens the registry of the billing team.`,
          condition: `where ${TOKEN} is asked for`,
          action: `use ${TOKEN}`,
          rationale: "It is so.",
          steps: [`Paste ${TOKEN}.`],
          confidence: 0.9,
          tags: ["registry"],
        }),
      }),
    });
    const task = await tidemark.task({ description: "Push to the registry" });
    await task.failed(new Error("Error: denied"));
    await tidemark.idle();
    const person = tidemark.as({ role: "human" });
    const [proposal] = await person.proposals.list();
    await person.proposals.accept(proposal!.id);
    const kept = [files(skills), files(workspace), JSON.stringify(proposal)].join("\n");
    expect(files(skills)).toContain("masked]");
    expect(kept.toLowerCase()).not.toContain(TOKEN.toLowerCase());
  });
});
