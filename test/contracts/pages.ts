import type { Storage } from "../../src/storage/port.ts";
import type { IndexedPage } from "../../src/storage/search-index.ts";
import { ADA, BOB, shorthands } from "./made.ts";
import { opening, type Runner } from "./runner.ts";

const page = (
  path: string,
  passages: readonly string[],
  more: Partial<IndexedPage> = {},
): IndexedPage => ({
  scope: ADA,
  path,
  kind: "note",
  stamp: "1",
  chunks: passages.map((text) => ({ passages: [{ heading: "Boats", text }] })),
  ...more,
});
const word = (term: string, weight = 1) => ({ term, open: false, weight });

/** What every index of pages must do. */
export function pagesContract(
  { describe, it, expect, beforeEach, afterEach }: Runner,
  name: string,
  open: () => Promise<Storage>,
): void {
  describe(`the contract of pages: ${name}`, () => {
    const fresh = opening({ afterEach }, open);
    let store: Storage;
    const { index } = shorthands(() => store);
    beforeEach(async () => {
      store = await fresh();
    });
    const found = async (scopes = [ADA], ...terms: ReturnType<typeof word>[]) =>
      (await store.candidates("pages", { scopes, terms, least: 0, limit: 10 })).map(
        ({ path }) => path,
      );

    it("knows a scope's own pages with their stamps, by path", async () => {
      await index([page("b.md", ["x"]), page("a.md", [], { stamp: "7" })]);
      await index([page("c.md", ["x"], { scope: BOB })]);
      expect(await store.pages(ADA)).toEqual([
        { path: "a.md", stamp: "7" },
        { path: "b.md", stamp: "1" },
      ]);
      expect(await store.pages("agent:none")).toEqual([]);
    });

    it("finds by words of the text and of the heading, greatest weight first, with their terms", async () => {
      await index([page("a.md", ["The anchor is blue."]), page("b.md", ["A blue sail"])]);
      const terms = [word("anchor", 2), word("blue"), word("boat", 0.5)];
      const chunks = await store.candidates("pages", { scopes: [ADA], terms, least: 0, limit: 10 });
      expect(chunks.map(({ path, weight }) => [path, weight])).toEqual([
        ["a.md", 3.5],
        ["b.md", 1.5],
      ]);
      expect(chunks[1]).toMatchObject({ scope: ADA, kind: "note" });
      expect(chunks[1]?.passages).toEqual([
        { heading: "Boats", text: "A blue sail", terms: "boat a blue sail" },
      ]);
      expect(
        await store.candidates("pages", { scopes: [ADA], terms, least: 2, limit: 10 }),
      ).toHaveLength(1);
      expect(
        await store.candidates("pages", { scopes: [ADA], terms, least: 0, limit: 1 }),
      ).toHaveLength(1);
    });

    it("finds of what weighs alike the newest first", async () => {
      await index([page("b.md", ["anchor"])]);
      await index([page("a.md", ["anchor"]), page("c.md", ["anchor"])]);
      expect({ "put last first": await found([ADA], word("anchor")) }).toEqual({
        "put last first": ["c.md", "a.md", "b.md"],
      });
    });

    it("lets an open term stand for the words that begin with it", async () => {
      await index([page("a.md", ["tidemark"]), page("b.md", ["tide"])]);
      const asked = [word("tide"), { ...word("tide"), open: true }];
      expect(await store.frequencies("pages", { scopes: [ADA], terms: asked })).toEqual([1, 2]);
      expect(await found([ADA], { ...word("tide"), open: true })).toHaveLength(2);
    });

    it("shows, counts and weighs nothing of another scope", async () => {
      await index([page("a.md", ["anchor"]), page("b.md", ["anchor"], { scope: BOB })]);
      expect(await found([ADA], word("anchor"))).toEqual(["a.md"]);
      expect(await found([], word("anchor"))).toEqual([]);
      expect(await store.frequencies("pages", { scopes: [BOB], terms: [word("anchor")] })).toEqual([
        1,
      ]);
    });

    it("replaces a page that is put again, and knows nothing of one that was removed", async () => {
      await index([page("a.md", ["anchor", "sail", "sail"]), page("b.md", ["rope"])]);
      await index([page("a.md", ["sail", "mast"], { stamp: "2", kind: "record" })]);
      expect(await found([ADA], word("anchor"))).toEqual([]);
      expect(
        await store.frequencies("pages", { scopes: [ADA], terms: [word("sail"), word("mast")] }),
      ).toEqual([1, 1]);
      expect((await store.pages(ADA))[0]).toEqual({ path: "a.md", stamp: "2" });
      await store.commit({ gone: { pages: { scope: ADA, paths: ["a.md", "never.md"] } } });
      expect(await found([ADA], word("sail"), word("rope"))).toEqual(["b.md"]);
      await index([page("c.md", ["rope"], { scope: BOB })]);
      await store.commit({ gone: { pages: { scope: ADA } } });
      expect(await store.pages(ADA)).toEqual([]);
      expect(await found([ADA, BOB], word("rope"))).toEqual(["c.md"]);
    });
  });
}
