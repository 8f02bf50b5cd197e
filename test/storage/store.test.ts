import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as vitest from "vitest";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { openRoom } from "../support/memory-room.ts";
import { storageContract } from "../contracts/index.ts";
import { vectorsContract } from "../contracts/vectors.ts";
import { fileFolder } from "../support/afterwards.ts";

const home = fileFolder();
let files = 0;
const file = (): string => join(home, `${(files += 1)}`, "tidemark.db");

storageContract(vitest, "SQLite in memory", async () => openStorage(":memory:"));
vectorsContract(vitest, "SQLite, vectors by signs", async () =>
  openStorage(":memory:", { vectors: { few: 0 } }),
);
let last = "";
storageContract(vitest, "SQLite in a file", async () => openStorage((last = file())), {
  again: async () => openStorage(last),
});

const everyByte = (path: string): Buffer =>
  Buffer.concat(readdirSync(join(path, "..")).map((name) => readFileSync(join(path, "..", name))));

describe("the SQLite store", () => {
  it("makes files that only their owner can read", async () => {
    const path = file();
    const { memories, store } = openRoom({ store: openStorage(path) });
    await memories.save("tea");
    for (const name of readdirSync(join(path, "..")))
      expect(statSync(join(path, "..", name)).mode & 0o077, name).toBe(0);
    await store.close();
  });

  it("leaves no byte of what was forgotten, of a superseded value neither", async () => {
    const path = file();
    const { memories, store } = openRoom({ store: openStorage(path) });
    for (let at = 0; at < 50; at += 1) await memories.save(`Filler number ${at} about gardens`);
    await memories.save({ content: "The vault code is Xylophonist", key: "vault" });
    await memories.save({ content: "The vault code is Quadrennial", key: "vault" });
    const turn = { id: "t", session: "s", root: "ada", position: 0, role: "user", at: 1 };
    await store.commit({ turns: { rows: [{ ...turn, text: "Mumbojumbo" }] } });
    expect((await memories.forget({ key: "vault" })).count).toBe(1);
    await store.commit({ gone: { turns: ["s"] } });
    // Read beside the open database: the write-ahead log is part of what is on disk.
    const bytes = everyByte(path).toString("latin1").toLowerCase();
    for (const word of ["xylophonist", "quadrennial", "quadrenni", "mumbojumbo"])
      expect(bytes.includes(word), word).toBe(false);
    expect(bytes.includes("garden")).toBe(true);
    await store.close();
  });

  it("says in one sentence that a newer Tidemark wrote the file", () => {
    const path = file();
    void openStorage(path).close();
    const database = new Database(path);
    database.prepare("insert into migration (name) values ('999-of-tomorrow')").run();
    database.close();
    expect(() => openStorage(path)).toThrow(
      expect.objectContaining({
        code: "store",
        message: expect.stringMatching(/newer Tidemark.*999-of-tomorrow/),
      }),
    );
  });

  it("says what is wrong with a file that is no database", () => {
    const path = join(home, "no.db");
    writeFileSync(
      path,
      "not a database at all, but long enough to be read as the header of one: ".repeat(20),
    );
    expect(() => openStorage(path)).toThrow(expect.objectContaining({ code: "store" }));
  });

  it("rejects with a store error when the database is gone", async () => {
    const store = openStorage(":memory:");
    await store.close();
    await expect(store.find({ id: "a", scopes: ["user:ada"] })).rejects.toMatchObject({
      code: "store",
    });
  });
});
