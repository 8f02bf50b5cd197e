import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { exclusively } from "../../src/workspace/disk/disk-folder.ts";
import { freshWorkspace, NOON } from "../support/workspace.ts";

const tree = (root: string) =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(root, path)).isFile())
    .sort()
    .map(
      (path) =>
        [path, readFileSync(join(root, path), "utf8"), statSync(join(root, path)).mtimeMs] as const,
    );

it("the first opening makes the files, a second one changes nothing", async () => {
  const { root, workspace } = freshWorkspace();
  await workspace.scaffold(["agent:probe", "user:ada"]);
  const first = tree(root);
  expect(first.map(([path]) => path)).toEqual([
    ".tidemark/.gitignore",
    ".tidemark/lock.db",
    "AGENTS.md",
    "HEARTBEAT.md",
    "MEMORY.md",
    "SOUL.md",
    "USER.md",
    "learnings/corrections.md",
    "learnings/errors.md",
    "scopes/agent/probe/HEARTBEAT.md",
    "scopes/agent/probe/MEMORY.md",
    "scopes/agent/probe/USER.md",
    "scopes/agent/probe/learnings/corrections.md",
    "scopes/agent/probe/learnings/errors.md",
    "scopes/user/ada/MEMORY.md",
    "scopes/user/ada/USER.md",
    "scopes/user/ada/learnings/corrections.md",
    "scopes/user/ada/learnings/errors.md",
  ]);
  await freshWorkspace(root).workspace.scaffold(["agent:probe", "user:ada"]);
  expect(tree(root)).toEqual(first);
});

it("scaffolding leaves a person's file alone, an empty one too", async () => {
  const { root, workspace } = freshWorkspace();
  mkdirSync(root);
  writeFileSync(join(root, "SOUL.md"), "");
  writeFileSync(join(root, "USER.md"), "I am Ada");
  await workspace.scaffold([]);
  expect(readFileSync(join(root, "SOUL.md"), "utf8")).toBe("");
  expect(readFileSync(join(root, "USER.md"), "utf8")).toBe("I am Ada");
});

it("conversations are for their owner's eyes: 0600 files, 0700 .tidemark", async () => {
  const { root, workspace } = freshWorkspace();
  mkdirSync(join(root, ".tidemark"), { recursive: true, mode: 0o755 });
  await workspace.scaffold(["user:ada"]);
  expect(statSync(join(root, ".tidemark")).mode & 0o777).toBe(0o700);
  expect(statSync(join(root, "scopes/user/ada/MEMORY.md")).mode & 0o777).toBe(0o600);
  expect(statSync(join(root, "scopes/user/ada")).mode & 0o777).toBe(0o700);
});

it("writing keeps the old text, twenty times back", async () => {
  const { root, workspace, clock } = freshWorkspace();
  await workspace.scaffold([]);
  await workspace.write("USER.md", "zero", "agent:default");
  for (let time = 1; time <= 25; time += 1) {
    clock.now += time % 2;
    await workspace.write("USER.md", `text ${time}`, "agent:default");
  }
  expect(await workspace.read("USER.md", "agent:default")).toBe("text 25");
  const backups = join(root, ".tidemark/backups/root/USER.md");
  const texts = readdirSync(backups)
    .sort()
    .map((name) => readFileSync(join(backups, name), "utf8"));
  expect(texts).toEqual(Array.from({ length: 20 }, (_, index) => `text ${index + 5}`));
});

it("a text over 32,000 characters and an unknown file are refused, the old text stays", async () => {
  const { workspace } = freshWorkspace();
  await workspace.write("USER.md", "old", "agent:default");
  await expect(workspace.write("USER.md", "x".repeat(32_001), "agent:default")).rejects.toThrow(
    /may be 32000/,
  );
  await expect(workspace.write("../evil.md" as "USER.md", "x", "agent:default")).rejects.toThrow(
    /Choose one of/,
  );
  expect(await workspace.read("USER.md", "agent:default")).toBe("old");
});

it("a link that leads out of the folder, or into another scope, is neither written nor read", async () => {
  const { root, workspace, events } = freshWorkspace();
  await workspace.scaffold(["user:ada", "user:bob"]);
  const outside = join(dirname(root), "secret.md");
  writeFileSync(outside, "- outside treasure");
  writeFileSync(join(root, "scopes/user/bob/USER.md"), "bob's treasure");
  const links: [string, string][] = [
    ["memory/a.md", outside],
    ["conversations/b.md", join(root, "scopes/user/bob/USER.md")],
    ["records", dirname(root)],
    ["scopes/user/ada/memory", join(root, "scopes/user/bob")],
    ["scopes/user/eve", join(root, "scopes/user/bob")],
    ["memory/gone.md", join(root, "nowhere")],
  ];
  mkdirSync(join(root, "memory"));
  mkdirSync(join(root, "conversations"));
  for (const [path, target] of links) symlinkSync(target, join(root, path));
  expect(
    await workspace.search("treasure", { scopes: ["agent:default", "user:ada", "user:eve"] }),
  ).toEqual([]);
  expect(
    JSON.stringify(await workspace.files(["agent:default", "user:ada", "user:eve"])),
  ).not.toContain("treasure");
  expect(events.filter((event) => event.type === "degraded").length).toBeGreaterThan(0);
  rmSync(join(root, "HEARTBEAT.md"));
  symlinkSync(outside, join(root, "HEARTBEAT.md"));
  await expect(workspace.write("HEARTBEAT.md", "x", "agent:default")).rejects.toThrow(
    /leads out of its folder/,
  );
  await expect(workspace.read("HEARTBEAT.md", "agent:default")).rejects.toThrow(
    /leads out of its folder/,
  );
  await expect(workspace.write("USER.md", "x", "user:eve")).rejects.toThrow(
    /leads out of its folder/,
  );
  expect(readFileSync(outside, "utf8")).toBe("- outside treasure");
});

it("a link within the scope is followed, and stays a link", async () => {
  const { root, workspace } = freshWorkspace();
  await workspace.scaffold([]);
  mkdirSync(join(root, "records"));
  writeFileSync(join(root, "records/me.md"), "real");
  rmSync(join(root, "USER.md"));
  symlinkSync("records/me.md", join(root, "USER.md"));
  await workspace.write("USER.md", "new", "agent:default");
  expect(lstatSync(join(root, "USER.md")).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(root, "records/me.md"), "utf8")).toBe("new");
});

it("temporary files of a dead process are gone after the next opening, wherever they stand; a living one's are not touched", async () => {
  const { root, workspace } = freshWorkspace();
  await workspace.scaffold([]);
  await workspace.write("MEMORY.md", "one\n", "agent:default");
  await workspace.write("MEMORY.md", "two\n", "agent:default");
  const places = ["", "memory", "learnings", ".tidemark", ".tidemark/backups/root/MEMORY.md"].map(
    (folder) => join(root, folder, ".MEMORY.md.99-1.tmp"),
  );
  mkdirSync(join(root, "memory"));
  for (const path of places) writeFileSync(path, "half");
  writeFileSync(join(root, ".tidemark/backups/history-2026.db.tmp"), "half");
  utimesSync(
    join(root, ".tidemark/backups/history-2026.db.tmp"),
    NOON / 1000 - 7_200,
    NOON / 1000 - 7_200,
  );
  // Who sweeps waits for the one who is writing: what that one has staged is in its place by then.
  let finish = (): void => {};
  const writing = exclusively(
    root,
    () =>
      new Promise<void>((resolve) => {
        writeFileSync(join(root, ".USER.md.99-2.tmp"), "whole");
        finish = () => {
          renameSync(join(root, ".USER.md.99-2.tmp"), join(root, "USER.md"));
          resolve();
        };
      }),
  );
  const opening = workspace.scaffold([]);
  await new Promise(setImmediate);
  finish();
  await Promise.all([writing, opening]);
  expect(
    readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".tmp"),
    ),
  ).toEqual([]);
  expect(await workspace.read("USER.md", "agent:default")).toBe("whole");
});
