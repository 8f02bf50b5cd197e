import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { freshFolder } from "../support/workspace.ts";
import { executeHere } from "../support/cli-here.ts";

const SECRET = "sk-ant-" + "api03-Ab3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAb3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA";

const run = (workspace: string, ...more: string[]) =>
  executeHere(["agents", ...more, "--workspace", workspace]);

async function agents(workspace: string, ...more: string[]): Promise<string> {
  const { code, out, err } = await run(workspace, ...more);
  expect([code, err]).toEqual([0, ""]);
  return out;
}

it("lists agents with their team and project, for a person and as JSON, and no user of theirs", async () => {
  const workspace = join(freshFolder(), "ws");
  const house = await openTidemark({ workspace, distil: "extractive", listen: false });
  expect(await agents(workspace)).toMatch(/^No agent of a team or project was seen yet/);
  for (const identity of [
    { agent: "scout", team: "crew", project: "red" },
    { agent: "scribe", project: "red", user: "ada" },
  ])
    await house.as(identity).memory.list();
  await house.close();
  const listed = await agents(workspace);
  expect(listed).toMatch(/scout[\s\S]*team crew,\s+project red[\s\S]*scribe[\s\S]*project red/);
  expect(listed).not.toContain("ada");
  const all = JSON.parse((await run(workspace, "--json")).out) as unknown;
  expect(all).toEqual([
    { agent: "scout", team: "crew", project: "red" },
    { agent: "scribe", project: "red" },
  ]);
});

it("adds an agent to the page of the fleet, of a team or of a project, which its agents read; again changes its line", async () => {
  const workspace = join(freshFolder(), "ws");
  const house = await openTidemark({ workspace, distil: "extractive", listen: false });
  await house.as({ agent: "scout", team: "crew" }).memory.list();
  await house.close();
  writeFileSync(join(workspace, "AGENTS.md"), "Mine: ask first.\n");
  expect(await agents(workspace, "add", "scout", "finds", "sources")).toBe(
    "scout stands in AGENTS.md: finds sources\n",
  );
  expect(await agents(workspace, "add", "scout", "finds sources")).toBe(
    "scout stands in AGENTS.md: finds sources\n",
  );
  expect(await agents(workspace, "add", "scout", "checks sources")).toBe(
    "scout stands in AGENTS.md: checks sources\n",
  );
  await agents(workspace, "add", "scribe", "writes the weekly report".repeat(4), "--team", "crew");
  expect(readFileSync(join(workspace, "AGENTS.md"), "utf8")).toBe(
    "Mine: ask first.\n\n## Fleet\n\n<!-- tidemark:fleet -->\n- **scout**: checks sources\n<!-- /tidemark:fleet -->\n",
  );
  expect((await agents(workspace)).replace(/\s+/g, " ")).toMatch(
    /scout team crew: checks sources scribe team crew: writes/,
  );
  // To be listed is not to have been seen.
  const seen = readFileSync(join(workspace, ".tidemark/agents.json"), "utf8");
  expect(JSON.parse(seen)).toEqual([["scout", "crew", null]]);
  const crew = await openTidemark({
    workspace,
    identity: { agent: "third", team: "crew" },
    distil: "extractive",
    listen: false,
  });
  const sent = await crew.begin({ messages: [{ role: "user", content: "Hello" }] });
  expect(JSON.stringify(sent.request)).toMatch(/checks sources[\s\S]*writes the weekly report/);
  await crew.close();
});

it("what cannot stand on the page is one sentence, and changes nothing", async () => {
  const workspace = join(freshFolder(), "ws");
  await (await openTidemark({ workspace, distil: "extractive", listen: false })).close();
  const before = readFileSync(join(workspace, "AGENTS.md"), "utf8");
  for (const words of [
    ["rename", "scout"],
    ["add"],
    ["add", "scout"],
    ["add", "two\nlines", "x"],
    ["add", "a".repeat(300), "x"],
    ["add", "nul\0", "x"],
    ["add", "**bold**", "x"],
    ["add", "scout", "x".repeat(201)],
    ["add", "scout", "x", "--team", "a", "--project", "b"],
    ["add", "scout", "x", "--team", "a\nb"],
    ["add", SECRET.slice(0, 50), "x"],
  ]) {
    const { code, out, err } = await run(workspace, ...words);
    expect([code > 0, out]).toEqual([true, ""]);
    expect(err).toMatch(/^tidemark: [^\n]{10,}\n$/);
  }
  expect(readFileSync(join(workspace, "AGENTS.md"), "utf8")).toBe(before);
  await agents(workspace, "add", "scout", `uses ${SECRET} <!-- x -->`);
  const after = readFileSync(join(workspace, "AGENTS.md"), "utf8");
  expect(after).not.toMatch(/sk-ant|<!-- x/);
});
