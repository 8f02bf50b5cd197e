import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { executeHere } from "../support/cli-here.ts";
import { fileFolder } from "../support/afterwards.ts";

const home = fileFolder();
const workspace = join(home, "workspace");
const archive = join(home, "all.jsonl");

beforeAll(async () => {
  const tidemark = await openTidemark({ workspace, listen: false, distil: "extractive" });
  for (let at = 0; at < 5; at += 1) await tidemark.memory.save(`Gate ${at} is red.`);
  await tidemark.history.import({
    id: "desk",
    messages: Array.from({ length: 300 }, (_, at) => ({ role: "user", text: `Boat ${at}` })),
  });
  await tidemark.close();
  mkdirSync(join(workspace, "notes"), { recursive: true });
});

/** A clock that goes on by so many ms each time it is looked at. */
const steps = (ms: number) => {
  let now = 0;
  return () => (now += ms);
};
const tidemark = (args: string[], ms: number, to = workspace) =>
  executeHere([...args, "--workspace", to], { now: steps(ms) });

describe.each([
  ["search", "boat", "messages indexed"],
  ["rebuild", "", "values read"],
  ["export", archive, "lines written"],
  ["import", archive, "(lines read|rows written)"],
])("%s %s", (verb, word, says) => {
  it("says on standard error how far it is, once it has taken two seconds", async () => {
    const to = verb === "import" ? join(home, "restored") : workspace;
    const words = word === "" ? [] : [word];
    const { code, err, out } = await tidemark([verb, ...words], 2_500, to);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(err).toMatch(new RegExp(`^(tidemark: [\\d,]+ ${says} …\n)+$`));
    expect(out).not.toContain("…\n");
  });

  it("says nothing of it before", async () => {
    const to = verb === "import" ? join(home, "quick") : workspace;
    if (verb === "export") rmSync(archive);
    const words = word === "" ? [] : [word];
    expect((await tidemark([verb, ...words], 0, to)).err).toBe("");
  });
});
