import { afterAll, describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { PURE, whole } from "../support/fuzz.ts";
import { LEARNING } from "../support/fuzz-learning.ts";
import { fuzz, megabytes } from "../support/fuzz-run.ts";
import { runs } from "../support/runs.ts";

/** `npm run bench -- fuzz` plays a million of them; here is a share of the same cases. */
const CASES = runs(5_000);

describe("whatever is read", () => {
  it("is read by its laws: nothing throws but what must, what is written comes back, answers are bounded", async () => {
    expect((await fuzz(PURE, { cases: CASES })).crashes).toEqual([]);
  });

  it("becomes skills, front matter and names of files by their laws", async () => {
    expect((await fuzz(LEARNING, { cases: runs(600) })).crashes).toEqual([]);
    // A head whose comments the library writes where it does not read them.
    expect((await fuzz(LEARNING, { cases: 3, from: 25_550 })).crashes).toEqual([]);
    expect(megabytes(LEARNING, 30_000, ["a", "\n", "<", "- ", "'", ": ", "漢字"]).crashes).toEqual(
      [],
    );
  });

  it("may be long, of one token", () => {
    expect(
      megabytes(PURE, 30_000, [
        "a",
        "\n",
        "\r",
        "<",
        "[",
        "{",
        '"',
        "\\",
        "`",
        "~~~\n",
        "<!--",
        "<tidemark-facts>",
        "- ",
        "漢字",
        "\u200d",
        "\ud800",
        "# ",
      ]).crashes,
    ).toEqual([]);
  });
});

describe("a whole Tidemark", () => {
  const opened = openTidemark({
    workspace: false,
    distil: "extractive",
    embed: false,
    recall: {},
    window: { tokens: 200_000 },
  });
  afterAll(async () => (await opened).close());

  it("rejects with one sentence, or answers", async () => {
    expect((await fuzz(whole(await opened), { cases: runs(100) })).crashes).toEqual([]);
  });
});
