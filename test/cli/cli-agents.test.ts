import { join } from "node:path";
import { expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { freshFolder } from "../support/workspace.ts";
import { executeHere } from "../support/cli-here.ts";

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
