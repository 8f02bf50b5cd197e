import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Io } from "../../src/cli/render/io.ts";
import { createPaint, width } from "../../src/cli/render/layout.ts";
import { execute } from "../../src/cli/run.ts";
import { openTidemark } from "../../src/index.ts";
import { freshFolder } from "../support/workspace.ts";

const SECRET = "sk-ant-" + "api03-Ab3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAb3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA";

async function run(
  workspace: string,
  columns: number,
  ...more: string[]
): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ["", ""];
  const io: Io = {
    say: (line = "") => (out += `${line}\n`),
    write: (text) => (out += text),
    warn: (line) => (err += `${line}\n`),
    paint: createPaint(false),
    columns,
    seen: { output: true, errors: false },
    env: {},
  };
  return { code: await execute(["agents", ...more, "--workspace", workspace], io), out, err };
}

async function agents(workspace: string, columns: number, ...more: string[]): Promise<string> {
  const { code, out, err } = await run(workspace, columns, ...more);
  expect([code, err]).toEqual([0, ""]);
  expect(out.split("\n").every((line) => width(line) <= columns)).toBe(true);
  return out;
}

it("lists agents with their team and project, in any width and as JSON, and no user of theirs", async () => {
  const workspace = join(freshFolder(), "ws");
  const house = await openTidemark({ workspace, distil: "extractive", listen: false });
  expect(await agents(workspace, 100)).toMatch(/^No agent of a team or project was seen yet/);
  for (const identity of [
    { agent: "scout", team: "crew", project: "red" },
    { agent: "scribe", project: "red", user: "ada" },
  ])
    await house.as(identity).memory.list();
  await house.close();
  for (const columns of [40, 80, 200]) {
    const out = await agents(workspace, columns);
    expect(out).toMatch(/scout[\s\S]*team crew,\s+project red[\s\S]*scribe[\s\S]*project red/);
    expect(out).not.toContain("ada");
  }
  const all = JSON.parse((await run(workspace, 40, "--json")).out) as unknown;
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
  expect(await agents(workspace, 80, "add", "scout", "finds", "sources")).toBe(
    "Added scout to AGENTS.md: finds sources\n",
  );
  expect(await agents(workspace, 80, "add", "scout", "finds sources")).toBe(
    "scout stands like this already in AGENTS.md: finds sources\n",
  );
  expect(await agents(workspace, 80, "add", "scout", "checks sources")).toBe(
    "Changed the line of scout in AGENTS.md: checks sources\n",
  );
  await agents(
    workspace,
    40,
    "add",
    "scribe",
    "writes the weekly report".repeat(4),
    "--team",
    "crew",
  );
  expect(readFileSync(join(workspace, "AGENTS.md"), "utf8")).toBe(
    "Mine: ask first.\n\n## Fleet\n\n<!-- tidemark:fleet -->\n- **scout**: checks sources\n<!-- /tidemark:fleet -->\n",
  );
  for (const columns of [40, 80, 200]) {
    const out = await agents(workspace, columns);
    expect(out.replace(/\s+/g, " ")).toMatch(
      /scout team crew: checks sources scribe team crew: writes/,
    );
  }
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
    const { code, out, err } = await run(workspace, 80, ...words);
    expect([code > 0, out]).toEqual([true, ""]);
    expect(err).toMatch(/^tidemark: [^\n]{10,}\n$/);
  }
  expect(readFileSync(join(workspace, "AGENTS.md"), "utf8")).toBe(before);
  await agents(workspace, 80, "add", "scout", `uses ${SECRET} <!-- x -->`);
  const after = readFileSync(join(workspace, "AGENTS.md"), "utf8");
  expect(after).not.toMatch(/sk-ant|<!-- x/);
});
