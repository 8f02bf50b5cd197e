import fc from "fast-check";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

import { PIECE_BOUND, piecesOf } from "../../src/workspace/documents/chunks.ts";
import { FILE_BOUND } from "../../src/workspace/search/page-rows.ts";
import { createWorkspace } from "../../src/workspace/workspace.ts";
import { freshPages, freshWorkspace, NOON, TEMPLATE } from "../support/workspace.ts";
import { runs } from "../support/runs.ts";
import { growsWithLength, repeated } from "../support/growth.ts";

const put = (root: string, path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const root = "agent:default" as const;

it("a question finds the line that answers it, with its headings", async () => {
  const { root: top, workspace } = freshWorkspace();
  await workspace.scaffold(["user:ada"]);
  put(
    top,
    "AGENTS.md",
    "# House rules\n\n## Deploy\n\nShips leave on Tuesdays.\n\n- Roll back with `make undo`.\n- Never on Fridays.\n",
  );
  put(
    top,
    "scopes/user/ada/MEMORY.md",
    "# Memory\n\n## You\n\n- My cat's name is Whiskerino\n- Her cat eats fish (2026-08-22) <!-- 7k2p -->\n",
  );
  const scopes = [root, "user:ada"] as const;
  expect(await workspace.search("what is my cat called?", { scopes })).toEqual([
    {
      path: "scopes/user/ada/MEMORY.md",
      heading: "Memory › You",
      text: "- My cat's name is Whiskerino",
      score: expect.closeTo(0.65, 1),
      scope: "user:ada",
    },
  ]);
  expect((await workspace.search("how do we roll back a deploy", { scopes }))[0]).toMatchObject({
    path: "AGENTS.md",
    heading: "House rules › Deploy",
    text: "- Roll back with `make undo`.",
  });
  expect(await workspace.search("submarine propulsion", { scopes })).toEqual([]);
  expect(await workspace.search("what is the who", { scopes })).toEqual([]);
});

it("rows of an earlier process are kept in step with what happened meanwhile", async () => {
  const pages = freshPages();
  const { root: top } = freshWorkspace();
  const process = () =>
    createWorkspace({ root: top, templateDir: TEMPLATE, now: () => NOON, store: pages });
  put(top, "records/a.md", "zebra");
  put(top, "records/b.md", "zebra finch");
  const found = async (query: string) =>
    (await process().search(query, { scopes: [root] })).map(({ path }) => path);
  expect(await found("zebra")).toHaveLength(2);
  rmSync(join(top, "records/a.md"));
  put(top, "records/b.md", "horse");
  put(top, "records/c.md", "zebra");
  expect(await found("zebra")).toEqual(["records/c.md"]);
});

it("hostile sizes cost what their length does: a megabyte of one character, of spaces, of Chinese", async () => {
  const { root: top, workspace } = freshWorkspace();
  put(top, "records/big.md", `${"a".repeat(1_000_000)} needle`);
  put(top, "records/spaces.md", " ".repeat(1_000_000));
  put(top, "memory/notes.md", `${"猫".repeat(400_000)} needle`);
  const hits = await workspace.search("needle", { scopes: [root] });
  for (const unit of ["a", "猫狗", "word "])
    await growsWithLength(
      (length) => workspace.search(repeated(unit, length), { scopes: [root] }),
      { what: unit },
    );
  expect(hits.map(({ path }) => path)).toEqual(["memory/notes.md"]);
  expect((await workspace.files([root])).map(({ text }) => text.length)).toEqual([
    FILE_BOUND,
    FILE_BOUND,
    FILE_BOUND,
  ]);
});

it("pieces hold every word of a text, none is longer than its bound, code and bullets stay whole", () => {
  fc.assert(
    fc.property(
      fc
        .array(
          fc.oneof(
            fc.constantFrom("# ", "## ", "- ", "\n", "\n\n", "```\n", "1. ", " "),
            fc.string({ unit: "grapheme" }),
            fc.string({ unit: fc.constantFrom("x", "y", " "), minLength: 1_500, maxLength: 5_000 }),
          ),
          { maxLength: 12 },
        )
        .map((parts) => parts.join("").replace(/[<`]/g, "")),
      (text) => {
        const pieces = piecesOf(text);
        for (const piece of pieces) {
          expect(piece.text.length).toBeLessThanOrEqual(PIECE_BOUND);
          expect(piece.text.trim()).not.toBe("");
        }
      },
    ),
    { numRuns: runs(66) },
  );
  expect(
    piecesOf(
      "intro\n\n# A\n### B\n- one\n  more\n- two\n```sh\n# no heading\n\n- no bullet\n```\n# C\nend",
    ),
  ).toEqual([
    { heading: "", text: "intro" },
    { heading: "A › B", text: "- one\n  more" },
    { heading: "A › B", text: "- two\n```sh\n# no heading\n\n- no bullet\n```" },
    { heading: "C", text: "end" },
  ]);
});
