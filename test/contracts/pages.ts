import type { IndexedPage, PageIndex } from "../../src/model/page-index.ts";
import { ADA, BOB } from "./made.ts";
import { type Closable, opening, type Runner } from "./runner.ts";

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
  open: () => Promise<Closable & { readonly pages: PageIndex }>,
): void {
  describe(`the contract of pages: ${name}`, () => {
    const fresh = opening({ afterEach }, open);
    let pages: PageIndex;
    beforeEach(async () => {
      ({ pages } = await fresh());
    });
    const found = async (scopes = [ADA], ...terms: ReturnType<typeof word>[]) =>
      (await pages.candidates({ scopes, terms, least: 0, limit: 10 })).map(({ path }) => path);

    it("knows a scope's own pages with their stamps, by path", async () => {
      await pages.put([page("b.md", ["x"]), page("a.md", [], { stamp: "7" })]);
      await pages.put([page("c.md", ["x"], { scope: BOB })]);
      expect(await pages.known(ADA)).toEqual([
        { path: "a.md", stamp: "7" },
        { path: "b.md", stamp: "1" },
      ]);
      expect(await pages.known("agent:none")).toEqual([]);
    });

    it("has another version when a page of the scope comes or goes, and only then", async () => {
      const versions = [await pages.version(ADA)];
      await pages.put([page("a.md", ["x"])]);
      versions.push(await pages.version(ADA));
      await pages.put([page("a.md", ["y"], { stamp: "2" }), page("b.md", ["x"], { scope: BOB })]);
      expect(await pages.version(ADA)).toBe(versions[1]);
      await pages.put([page("b.md", ["x"])]);
      versions.push(await pages.version(ADA));
      await pages.remove(ADA, ["a.md"]);
      versions.push(await pages.version(ADA));
      expect(new Set(versions).size).toBe(4);
    });

    it("finds by words of the text and of the heading, greatest weight first, with their terms", async () => {
      await pages.put([page("a.md", ["The anchor is blue."]), page("b.md", ["A blue sail"])]);
      const terms = [word("anchor", 2), word("blue"), word("boat", 0.5)];
      const chunks = await pages.candidates({ scopes: [ADA], terms, least: 0, limit: 10 });
      expect(chunks.map(({ path, weight }) => [path, weight])).toEqual([
        ["a.md", 3.5],
        ["b.md", 1.5],
      ]);
      expect(chunks[1]).toMatchObject({ scope: ADA, kind: "note" });
      expect(chunks[1]?.passages).toEqual([
        { heading: "Boats", text: "A blue sail", terms: "boat a blue sail" },
      ]);
      expect(await pages.candidates({ scopes: [ADA], terms, least: 2, limit: 10 })).toHaveLength(1);
      expect(await pages.candidates({ scopes: [ADA], terms, least: 0, limit: 1 })).toHaveLength(1);
    });

    it("finds of what weighs alike the newest first", async () => {
      await pages.put([page("b.md", ["anchor"])]);
      await pages.put([page("a.md", ["anchor"]), page("c.md", ["anchor"])]);
      expect({ "put last first": await found([ADA], word("anchor")) }).toEqual({
        "put last first": ["c.md", "a.md", "b.md"],
      });
    });

    it("lets an open term stand for the words that begin with it", async () => {
      await pages.put([page("a.md", ["tidemark"]), page("b.md", ["tide"])]);
      const asked = [word("tide"), { ...word("tide"), open: true }];
      expect(await pages.frequencies([ADA], asked)).toEqual([1, 2]);
      expect(await found([ADA], { ...word("tide"), open: true })).toHaveLength(2);
    });

    it("shows, counts and weighs nothing of another scope", async () => {
      await pages.put([page("a.md", ["anchor"]), page("b.md", ["anchor"], { scope: BOB })]);
      expect(await found([ADA], word("anchor"))).toEqual(["a.md"]);
      expect(await found([], word("anchor"))).toEqual([]);
      expect(await pages.frequencies([BOB], [word("anchor")])).toEqual([1]);
      const same = await pages.containing({ scopes: [BOB], text: "nch", limit: 9 });
      expect(same.map(({ path }) => path)).toEqual(["b.md"]);
    });

    it("replaces a page that is put again, and knows nothing of one that was removed", async () => {
      await pages.put([page("a.md", ["anchor", "sail", "sail"]), page("b.md", ["rope"])]);
      await pages.put([page("a.md", ["sail", "mast"], { stamp: "2", kind: "record" })]);
      expect(await found([ADA], word("anchor"))).toEqual([]);
      expect(await pages.frequencies([ADA], [word("sail"), word("mast")])).toEqual([1, 1]);
      expect((await pages.known(ADA))[0]).toEqual({ path: "a.md", stamp: "2" });
      await pages.remove(ADA, ["a.md", "never.md"]);
      expect(await found([ADA], word("sail"), word("rope"))).toEqual(["b.md"]);
      await pages.put([page("c.md", ["rope"], { scope: BOB })]);
      await pages.remove(ADA);
      expect(await pages.known(ADA)).toEqual([]);
      expect(await found([ADA, BOB], word("rope"))).toEqual(["c.md"]);
    });

    it("finds a text as it stands, signs and ends of lines too", async () => {
      const chunks = [{ passages: [{ heading: "", text: '50%_of "it"\nC:\\new' }] }];
      await pages.put([page("a.md", [], { chunks }), page("b.md", ["50 of it"])]);
      for (const text of ["50%_OF", 'of "it"\nc:', ":\\new"]) {
        const hits = await pages.containing({ scopes: [ADA], text, limit: 9 });
        expect(hits.map(({ path }) => path)).toEqual(["a.md"]);
      }
    });
  });
}
