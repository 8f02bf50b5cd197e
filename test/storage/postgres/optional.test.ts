import { describe, expect, it } from "vitest";
import { runProgram } from "../../support/program.ts";

describe("the client of PostgreSQL", () => {
  it("is loaded by no program that names no store", async () => {
    const { out, code } = await runProgram(`
      import { createRequire } from "node:module";
      const tidemark = await open({});
      await tidemark.memory.save("Ada drinks tea.");
      await tidemark.close();
      const loaded = Object.keys(createRequire(import.meta.filename ?? process.cwd() + "/x.js").cache);
      console.log(loaded.some((path) => path.includes("better-sqlite3")),
        loaded.filter((path) => /node_modules.(?:pg|pg-.*|@electric-sql)./.test(path)).length);`);
    expect({ out, code }).toEqual({ out: "true 0\n", code: 0 });
  });

  it("is asked for in one sentence where it is not installed", async () => {
    const { out } = await runProgram(`
      import Module from "node:module";
      const { _load } = Module;
      Module._load = (name, ...more) => {
        if (name === "pg") throw new Error("Cannot find it");
        return _load(name, ...more);
      };
      const { code, message } = await open({ store: "postgres://ada:secret@localhost/x" }).catch((thrown) => thrown);
      console.log(code, message);`);
    expect(out).toBe(
      "config An address as store needs the package pg: install it beside tidemark: npm install pg.\n",
    );
  });
});
