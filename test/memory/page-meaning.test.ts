import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { rebuildIndexes } from "../../src/tidemark/upkeep/mended-database.ts";
import type { Options, Tidemark } from "../../src/index.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { toyEmbedder, type ToyEmbedder } from "../support/embedder.ts";
import { freshFolder, NOON } from "../support/workspace.ts";
import { freshTidemark } from "../support/anthropic.ts";

/** Notes and other pages by what they mean. */

const KITTEN = "# Home\n\n## Pets\n\nWhiskerino sleeps on the sofa.\n";

const opened = async (root: string, embed: Options["embed"]): Promise<Tidemark> =>
  (
    await freshTidemark({
      ...{ workspace: root, distil: "extractive", now: () => NOON, embed },
    })
  ).tidemark;

const found = async (tidemark: Tidemark, query: string): Promise<(string | undefined)[]> =>
  (await tidemark.memory.search(query, { in: ["files"] }))
    .map(({ ref }) => ref)
    .filter((ref) => ref?.includes("notes/"));

const texts = ({ calls }: ToyEmbedder): string => calls.flat().join("\n");

it("finds a note by its meaning alone, with its headings, in search, briefs and the tool", async () => {
  const embed = toyEmbedder();
  const tidemark = await opened(join(freshFolder(), "ws"), embed);
  await tidemark.notes.write("a.md", KITTEN);
  await tidemark.notes.write("b.md", "The quay is made of oak.\n");
  await tidemark.idle();
  const [hit] = await tidemark.memory.search("kitten", { in: ["files"] });
  expect(hit).toMatchObject({
    ...{ ref: "notes/a.md", source: "file_index", heading: "Home › Pets" },
    text: "Whiskerino sleeps on the sofa.",
    why: { words: 0 },
  });
  expect(hit?.why.meaning).toBeGreaterThan(0.5);
  expect((await tidemark.brief("kitten")).text).toContain("Whiskerino sleeps");
  const tool = tidemark.tools().find(({ name }) => name === "memory_search");
  expect(await tool?.run({ query: "kitten" })).toContain("Whiskerino sleeps");
  expect(await found(tidemark, "sourdough")).toEqual([]);
});

it("embeds no secret of a page, and nothing where there is no embedder", async () => {
  const [root, embed] = [join(freshFolder(), "ws"), toyEmbedder()];
  const key = `sk-ant-api03-${"a1B2c3D4".repeat(11)}AA`;
  const plain = await opened(root, false);
  await plain.notes.write("a.md", KITTEN);
  expect(await found(plain, "kitten")).toEqual([]);
  expect(await found(plain, "sofa")).toEqual(["notes/a.md"]);
  await plain.close();
  writeFileSync(join(root, "notes/c.md"), `The kitten's key is ${key}.\n`);
  const tidemark = await opened(root, embed);
  await found(tidemark, "cat");
  await tidemark.idle();
  expect((await found(tidemark, "cat")).sort()).toEqual(["notes/a.md", "notes/c.md"]);
  expect(texts(embed)).not.toContain(key);
});

it("takes a page's vectors with the page, and makes them anew after a rebuild and for another model", async () => {
  const root = join(freshFolder(), "ws");
  const first = await opened(root, toyEmbedder());
  await first.notes.write("a.md", KITTEN);
  await first.notes.write("b.md", "The surgeon is in.\n");
  await first.idle();
  await first.notes.remove("b.md");
  expect(await found(first, "doctor")).toEqual([]);
  await first.close();
  const count = async (): Promise<number> => {
    const store = openStorage(join(root, ".tidemark/tidemark.db"));
    await store.vectors.use({ name: "none", dimensions: 2 });
    const missing = await store.vectors.missing("pages", 1_000);
    await store.close();
    return missing.filter(({ content }) => content.includes("surgeon")).length;
  };
  expect(await count()).toBe(0);
  await rebuildIndexes({ workspace: root, now: () => NOON });
  for (const embed of [toyEmbedder(), toyEmbedder({ model: "other", turn: 3 })]) {
    const again = await opened(root, embed);
    await found(again, "kitten");
    await again.idle();
    expect(await found(again, "kitten")).toEqual(["notes/a.md"]);
    await again.close();
  }
  expect(readFileSync(join(root, "notes/a.md"), "utf8")).toBe(KITTEN);
});
