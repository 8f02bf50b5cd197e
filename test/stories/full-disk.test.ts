import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY } from "../support/packed.ts";

it.each([
  [
    "whatever a host does is undone where it is refused, and done where it is not",
    "full-disk.ts",
    11,
  ],
  [
    "a skill or its forgetting leaves no part of one, no second one and no words of what is forgotten",
    "skill-faults.ts",
    2,
  ],
  ["an import says what to do, and comes in whole the next time", "import-faults.ts", 1],
])("on a disk that runs full at any of its writes, %s", { timeout: 240_000 }, (_, child, deeds) => {
  const output = execFileSync(
    process.execPath,
    ["--no-warnings", join(REPOSITORY, "test/support/children", child)],
    { encoding: "utf8" },
  );
  const { broken, counts } = JSON.parse(output.split("\n")[0] ?? "") as {
    broken: string[];
    counts: Record<string, [refused: number, tried: number]>;
  };
  expect(broken).toEqual([]);
  expect(Object.values(counts)).toHaveLength(deeds);
  for (const [refused, tried] of Object.values(counts))
    expect(refused > 0 && tried >= refused).toBe(true);
});
