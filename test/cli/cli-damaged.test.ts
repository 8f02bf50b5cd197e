import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { folder, run } from "../support/cli.ts";
import { assistant, tell, user } from "../support/talk.ts";

const PAGE = 4_096;

async function talked(): Promise<{ workspace: string; file: string }> {
  const workspace = folder();
  const tidemark = await openTidemark({ workspace, distil: "extractive" });
  for (let turn = 0; turn < 20; turn++)
    await tell(
      tidemark,
      [user(`Which boat carries ice on day ${turn}? ${"It is cold. ".repeat(40)}`)],
      assistant(`None on day ${turn}.`),
    );
  await tidemark.close();
  return { workspace, file: join(workspace, ".tidemark/history.db") };
}

describe("a history of which much cannot be read", () => {
  it.each([
    [
      "all but its first pages is gone",
      (file: string) => writeFileSync(file, readFileSync(file).fill(0x5a, 3 * PAGE)),
    ],
    ["it is no database at all", (file: string) => writeFileSync(file, "not a database at all")],
    ["most of it is cut off", (file: string) => truncateSync(file, 3 * PAGE)],
  ])("is not called complete: %s", async (_, damage) => {
    const { workspace, file } = await talked();
    damage(file);
    const { code, out, err } = await run(["folds", "--workspace", workspace]);
    expect({ code, out }).toEqual({ code: 0, out: "Nothing was folded yet.\n" });
    expect(err).toMatch(
      /^tidemark: history: The history was damaged .+ and was put aside as history\.db\.damaged-\S+; 0 conversations with 0 messages were read into a new one\. (?:How much is missing cannot be said\.|\d+ messages? missing\.)\n$/,
    );
    expect(err).not.toContain("Nothing is known to be missing");
  });
});
