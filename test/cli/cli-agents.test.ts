import { join } from "node:path";
import { expect, it } from "vitest";
import { type Io } from "../../src/cli/render/io.ts";
import { createPaint } from "../../src/cli/render/table.ts";
import { execute } from "../../src/cli/run.ts";
import { openTidemark } from "../../src/index.ts";
import { freshFolder } from "../support/workspace.ts";

async function agents(workspace: string, columns: number, ...more: string[]): Promise<string> {
  let out = "";
  const io: Io = {
    say: (line = "") => (out += `${line}\n`),
    write: (text) => (out += text),
    warn: (line) => (out += line),
    paint: createPaint(false),
    columns,
    seen: { output: true, errors: false },
    env: {},
  };
  expect(await execute(["agents", ...more, "--workspace", workspace], io)).toBe(0);
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
    expect(out.split("\n").every((line) => line.length <= columns)).toBe(true);
    expect(out).toMatch(/scout[\s\S]*team crew[\s\S]*project red[\s\S]*scribe[\s\S]*project red/);
    expect(out).not.toContain("ada");
  }
  expect(JSON.parse(await agents(workspace, 100, "--json"))).toEqual([
    { agent: "scout", team: "crew", project: "red" },
    { agent: "scribe", project: "red" },
  ]);
});
