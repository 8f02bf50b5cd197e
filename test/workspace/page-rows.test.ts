import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Tidemark } from "../../src/index.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { createWorkspace } from "../../src/workspace/workspace.ts";
import { chunksOf, piecesOf } from "../../src/workspace/documents/chunks.ts";
import { afterwards } from "../support/afterwards.ts";
import { runs } from "../support/runs.ts";
import { freshFolder, NOON, TEMPLATE } from "../support/workspace.ts";
import { freshTidemark } from "../support/anthropic.ts";

/** The rows of pages beside their files. */

const SECRET_WORD = "zeppelinharbour";

const opened = async (root: string, clock: { now: number }): Promise<Tidemark> =>
  (await freshTidemark({ workspace: root, now: () => clock.now })).tidemark;
const paths = async (tidemark: Tidemark, query: string): Promise<(string | undefined)[]> =>
  (await tidemark.memory.search(query, { in: ["files"] })).map(({ ref }) => ref);

it("no byte of a forgotten page's text stays in the index", async () => {
  const [root, clock] = [join(freshFolder(), "ws"), { now: NOON }];
  const tidemark = await opened(root, clock);
  const holds = (): boolean =>
    ["", "-wal"].some((end) => {
      const path = join(root, `.tidemark/tidemark.db${end}`);
      return existsSync(path) && readFileSync(path).includes(SECRET_WORD);
    });
  await tidemark.notes.write("a.md", `The ${SECRET_WORD} leaves at noon.\n`);
  await tidemark.notes.write("b.md", "A quay.\n");
  expect(await paths(tidemark, SECRET_WORD)).toEqual(["notes/a.md"]);
  expect(holds()).toBe(true);
  await tidemark.notes.remove("a.md");
  expect(await paths(tidemark, SECRET_WORD)).toEqual([]);
  expect(holds()).toBe(false);
  await tidemark.notes.write("b.md", `A quay and a ${SECRET_WORD}.\n`);
  expect(await paths(tidemark, SECRET_WORD)).toEqual(["notes/b.md"]);
  await tidemark.notes.write("b.md", "A quay.\n");
  expect(await paths(tidemark, SECRET_WORD)).toEqual([]);
  expect(holds()).toBe(false);
});

it("what another program writes is found within two seconds of the clock, what goes meanwhile is not", async () => {
  const clock = { now: NOON };
  const root = join(freshFolder(), "ws");
  const store = openStorage(":memory:");
  afterwards(() => store.close());
  const workspace = createWorkspace({
    root,
    templateDir: TEMPLATE,
    now: () => clock.now,
    store,
  });
  const found = async (query: string): Promise<string[]> =>
    (await workspace.search(query, { scopes: ["agent:default"] })).map(({ path }) => path);
  mkdirSync(join(root, "notes"), { recursive: true });
  expect(await found("anchor")).toEqual([]);
  writeFileSync(join(root, "notes/a.md"), "An anchor.\n");
  clock.now += 2_000;
  expect(await found("anchor")).toEqual(["notes/a.md"]);
  // Another process took the row: it comes back though the file is as it was.
  await store.commit({ gone: { pages: { scope: "agent:default" } } });
  clock.now += 2_000;
  expect(await found("anchor")).toEqual(["notes/a.md"]);
  rmSync(join(root, "notes/a.md"));
  writeFileSync(join(root, "notes/b.md"), "An oar.\n");
  clock.now += 2_000;
  expect(await found("anchor")).toEqual([]);
  expect(await found("oar")).toEqual(["notes/b.md"]);
});

it("cuts a long page into chunks of 2,000 characters that overlap by 100 where a paragraph is cut, each under its headings", () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 400, maxLength: 1_500 }),
      (words) => {
        const text = words.join(" ");
        const chunks = chunksOf(piecesOf(`# Boats\n\n## Red\n\n${text}\n`));
        const parts = chunks.map(({ passages }) => {
          expect(passages.map(({ heading }) => heading)).toEqual(["Boats › Red"]);
          return passages[0]?.text ?? "";
        });
        let end = 0;
        for (const [at, part] of parts.entries()) {
          expect(part.length).toBeLessThanOrEqual(2_000);
          const start = text.indexOf(part, Math.max(0, end - 100));
          expect(start).toBeGreaterThanOrEqual(0);
          // A word more or less: no word is cut.
          if (at > 0) expect(end - start).toBeGreaterThan(100 - 15);
          end = start + part.length;
        }
        expect(end).toBe(text.length);
      },
    ),
    { numRuns: runs(50) },
  );
});
