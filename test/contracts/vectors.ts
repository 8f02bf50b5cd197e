import type { Storage } from "../../src/storage/port.ts";
import { ADA, BOB, NOW, stored } from "./made.ts";
import { opening, type Runner } from "./runner.ts";

const MODEL = { name: "tiny", dimensions: 2 };
const insert = (id: string, more: Parameters<typeof stored>[2] = {}) =>
  ({ do: "insert", row: stored(id, `words of ${id}`, more) }) as const;
const at = (id: string, x: number, y: number) => ({
  id,
  version: 1,
  vector: Float32Array.of(x, y),
});
const rounded = (numbers: Iterable<number>): number[] =>
  [...numbers].map((number) => Math.round(number * 1_000) / 1_000);

/** What every index of vectors must do, beside the store that keeps the memories. */
export function vectorsContract(
  { describe, it, expect, afterEach }: Runner,
  name: string,
  open: () => Promise<Storage>,
): void {
  describe(`the contract of vectors: ${name}`, () => {
    const opened = opening({ afterEach }, open);
    const fresh = async () => {
      const store = await opened();
      if (store.vectors !== undefined) return { store, vectors: store.vectors };
      throw new Error("It has no vectors: give { vectors: false } to storageContract.");
    };
    it("tells what has no vector yet, the first saved first, and finds the nearest of the reader's own", async () => {
      const { store, vectors } = await fresh();
      await store.commit({ memories: [insert("a"), insert("b"), insert("c", { scope: BOB })] });
      await vectors.use(MODEL);
      const missing = await vectors.missing("memories", 10);
      const told = "memories that the vectors see, which must be those of the same store";
      expect({ [told]: missing.map(({ id }) => id) }).toEqual({ [told]: ["a", "b", "c"] });
      expect({ "where none are asked for": await vectors.missing("memories", 0) }).toEqual({
        "where none are asked for": [],
      });
      expect({
        "asked again": (await vectors.missing("memories", 2)).map(({ id }) => id),
      }).toEqual({
        "asked again": ["a", "b"],
      });
      await store.commit({ vectors: { memories: [at("a", 3, 4), at("b", 1, 0), at("c", 1, 0)] } });
      expect(await vectors.missing("memories", 10)).toEqual([]);
      const near = await vectors.nearest("memories", {
        scopes: [ADA],
        now: NOW,
        limit: 5,
        vector: Float32Array.of(1, 0),
      });
      expect(near.map(({ memory }) => memory.id)).toEqual(["b", "a"]);
      expect(rounded(near.map(({ cosine }) => cosine))).toEqual([1, 0.6]);
    });

    it("answers cosines in the order asked, undefined out of scope or without one", async () => {
      const { store, vectors } = await fresh();
      await store.commit({ memories: [insert("a"), insert("b"), insert("c", { scope: BOB })] });
      await vectors.use(MODEL);
      await store.commit({ vectors: { memories: [at("a", 3, 4), at("c", 1, 0)] } });
      const named = ["c", "b", "a"].map((id) => ({ id, version: 1 }));
      const cosines = await vectors.cosines(named, [ADA], Float32Array.of(0, 2));
      expect(cosines.map((one) => one && rounded([one])[0])).toEqual([undefined, undefined, 0.8]);
    });

    it("shows some vectors of the reader's own", async () => {
      const { store, vectors } = await fresh();
      await store.commit({ memories: [insert("a"), insert("b"), insert("c", { scope: BOB })] });
      await vectors.use(MODEL);
      await store.commit({ vectors: { memories: [at("a", 1, 0), at("b", 1, 0), at("c", 0, 1)] } });
      const some = (limit: number) => vectors.sample([ADA], limit);
      const one = Float32Array.of(1, 0);
      expect([await some(1), await some(9)]).toEqual([[one], [one, one]]);
    });

    it("refuses another number of dimensions, and keeps nothing for a value that is gone", async () => {
      const { store, vectors } = await fresh();
      await store.commit({ memories: [insert("a")] });
      await vectors.use(MODEL);
      await expect(
        store.commit({
          vectors: { memories: [{ id: "a", version: 1, vector: Float32Array.of(1, 2, 3) }] },
        }),
      ).rejects.toMatchObject({ code: "embed" });
      await store.commit({ vectors: { memories: [{ ...at("a", 1, 0), version: 2 }] } });
      expect((await vectors.missing("memories", 10)).map(({ id }) => id)).toEqual(["a"]);
    });

    it("has no vector any more of a memory that was removed, though its value comes again", async () => {
      const { store, vectors } = await fresh();
      await store.commit({ memories: [insert("a"), insert("b"), insert("c")] });
      await vectors.use(MODEL);
      await store.commit({ vectors: { memories: [at("a", 1, 0), at("b", 1, 0), at("c", 1, 0)] } });
      expect(await vectors.missing("memories", 9)).toEqual([]);
      await store.commit({ gone: { memories: { ids: ["a"], scopes: [ADA] } } });
      await store.commit({ memories: [insert("a")] });
      const missing = (await vectors.missing("memories", 9)).map(({ id }) => id).sort();
      expect({ missing }).toEqual({ missing: ["a"] });
      const near = await vectors.nearest("memories", {
        ...{ scopes: [ADA], now: NOW, limit: 9, vector: Float32Array.of(1, 0) },
      });
      expect({ near: near.map(({ memory }) => memory.id) }).toEqual({ near: ["b", "c"] });
    });

    it("keeps models apart, and what was noted of each", async () => {
      const { store, vectors } = await fresh();
      await store.commit({ memories: [insert("a")] });
      expect(await vectors.use(MODEL)).toBeUndefined();
      await vectors.use(MODEL, "calibrated");
      await store.commit({ vectors: { memories: [at("a", 1, 0)] } });
      await vectors.use({ name: "other", dimensions: 2 });
      expect((await vectors.missing("memories", 10)).map(({ id }) => id)).toEqual(["a"]);
      expect(await vectors.use(MODEL)).toBe("calibrated");
      expect(await vectors.missing("memories", 10)).toEqual([]);
    });

    it("tells which chunks have none, finds the nearest of the reader's own, and loses them with their page", async () => {
      const { store, vectors } = await fresh();
      const page = (scope: typeof ADA, path: string, text: string) => ({
        ...{ scope, path, kind: "note", stamp: "1" },
        chunks: [{ passages: [{ heading: "Boats", text }] }],
      });
      await store.commit({
        pages: [
          page(ADA, "a.md", "one"),
          page(ADA, "b.md", "two"),
          page(BOB, "c.md", "three"),
          { ...page(ADA, "e.md", "five"), kind: "conversation" },
        ],
      });
      expect(await vectors.missing("pages", 10)).toEqual([]);
      await vectors.use(MODEL);
      expect({ "where none are asked for": await vectors.missing("pages", 0) }).toEqual({
        "where none are asked for": [],
      });
      const missing = await vectors.missing("pages", 10);
      const told = "chunks that the vectors see, which must be those of the same store";
      expect({ [told]: missing.map(({ content }) => content) }).toEqual({
        [told]: ["Boats\none", "Boats\ntwo", "Boats\nthree"],
      });
      await store.commit({
        vectors: {
          pages: missing.map(({ chunk }, place) => ({ chunk, vector: Float32Array.of(3, place) })),
        },
      });
      expect(await vectors.missing("pages", 10)).toEqual([]);
      const near = async (scope: typeof ADA) =>
        (
          await vectors.nearest("pages", {
            ...{ scopes: [scope], vector: Float32Array.of(1, 0), limit: 5 },
          })
        ).map(({ path, cosine }) => [path, ...rounded([cosine])]);
      expect(await near(ADA)).toEqual([
        ["a.md", 1],
        ["b.md", 0.949],
      ]);
      expect(await near(BOB)).toEqual([["c.md", 0.832]]);
      await store.commit({ gone: { pages: { scope: ADA, paths: ["a.md"] } } });
      expect(await near(ADA)).toEqual([["b.md", 0.949]]);
      await expect(
        store.commit({
          vectors: { pages: [{ chunk: missing[1]?.chunk ?? 0, vector: Float32Array.of(1, 2, 3) }] },
        }),
      ).rejects.toThrow();
      await vectors.use({ ...MODEL, name: "other" });
      expect(await near(ADA)).toEqual([]);
      expect((await vectors.missing("pages", 10)).length).toBe(2);
    });

    it("orders a root's turns by their signs, and asks anew for what was said anew", async () => {
      const { store, vectors } = await fresh();
      const turn = (id: string, text: string, root = "ada") => ({
        ...{ id, text, root, session: `of ${root}`, position: 0, role: "user", at: NOW },
      });
      const said = ["boats", "harbour", "rain"].map((text, at) => turn(`t${at}`, text));
      await store.commit({ turns: { rows: [...said, turn("b0", "boats", "bob")] } });
      expect(await vectors.missing("turns", 9)).toEqual([]);
      await vectors.use(MODEL);
      const missing = async (limit = 9) =>
        (await vectors.missing("turns", limit)).map(({ content }) => content);
      expect(await missing()).toEqual(["boats", "harbour", "rain", "boats"]);
      expect(await missing(0)).toEqual([]);
      const embed = async (...made: [x: number, y: number][]) => {
        const open = await vectors.missing("turns", made.length);
        const turns = open.map(({ stretch, place }, at) => ({
          ...{ stretch, place, vector: Float32Array.of(...(made[at] ?? [])) },
        }));
        await store.commit({ vectors: { turns } });
      };
      const near = async (root: string) => {
        const asked = { root, vector: Float32Array.of(2, 1), limit: 2 };
        const keys = await vectors.nearest("turns", asked);
        return (await store.turns(root, keys)).map(({ text }) => text);
      };
      await embed([-1, -1], [1, -1]);
      expect(await missing()).toEqual(["rain", "boats"]);
      await embed([1, 1], [1, 1]);
      expect([await missing(), await near("ada"), await near("bob")]).toEqual([
        [],
        ["rain", "harbour"],
        ["boats"],
      ]);
      await store.commit({ turns: { rows: [turn("t1", "sunshine"), turn("t3", "wind")] } });
      expect([await missing(), await near("ada")]).toEqual([
        ["sunshine", "rain", "wind"],
        ["boats"],
      ]);
      await store.commit({ gone: { turns: ["of ada"] } });
      expect([await missing(), await near("ada"), await near("bob")]).toEqual([[], [], ["boats"]]);
      await vectors.use({ ...MODEL, name: "other" });
      expect([await missing(), await near("bob")]).toEqual([["boats"], []]);
    });
  });
}
