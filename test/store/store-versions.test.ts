import Database from "better-sqlite3";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { identityKey } from "../../src/model/identity.ts";
import { openHistory } from "../../src/store/history/file.ts";
import { openSqliteStore } from "../../src/store/open-index.ts";
import {
  HISTORY_STEPS,
  HISTORY_VERSIONS,
  INDEX_STEPS,
  INDEX_VERSIONS,
  OLD_AT,
  writeOldHistory,
  writeOldIndex,
} from "../support/old-databases.ts";

const home = mkdtempSync(join(tmpdir(), "tidemark-versions-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
let made = 0;

/** A workspace as an earlier Tidemark left it. */
function oldWorkspace(
  index: keyof typeof INDEX_VERSIONS,
  history: keyof typeof HISTORY_VERSIONS,
): string {
  const workspace = join(home, `${(made += 1)}`);
  mkdirSync(join(workspace, ".tidemark"), { recursive: true });
  writeOldIndex(join(workspace, ".tidemark/index.db"), INDEX_VERSIONS[index] ?? []);
  writeOldHistory(join(workspace, ".tidemark/history.db"), HISTORY_VERSIONS[history] ?? [], {
    root: identityKey({ user: "ada" }),
    state: "{}",
  });
  return workspace;
}

/**
 * What has shipped is never edited: a database that made the old step would differ from one that makes the new one. A test
 * that fails here asks for a new step, not for a new digest. A release adds the steps that are new in it.
 */
const SHIPPED: Readonly<Record<string, string>> = {
  "001-history": "049c34283eb31fdb",
  "001-memory": "dfe6f8b39ae94b27",
  "002-turns": "492b5f5012a645bb",
  "003-categories": "6814355b4c3ff3ed",
  "004-sorted": "1687e89754b03e7b",
  "vectors-1": "2369b3a270e19fa7",
  "turns-2-stretches": "d5542093f135c0ca",
};
const digest = (sql: string): string =>
  createHash("sha256").update(sql.replace(/\s+/g, " ").trim()).digest("hex").slice(0, 16);

describe("migrations", () => {
  it("are only ever appended: each step that has shipped is as it was, in its place", () => {
    const steps = [...HISTORY_STEPS, ...INDEX_STEPS];
    expect(
      Object.fromEntries(
        steps.filter(([name]) => name in SHIPPED).map(([name, sql]) => [name, digest(sql)]),
      ),
    ).toEqual(SHIPPED);
    expect(new Set(steps.map(([name]) => name)).size).toBe(steps.length);
  });

  it("have a fixture for the version before the newest step, and for the newest", () => {
    for (const [steps, versions] of [
      [INDEX_STEPS, INDEX_VERSIONS],
      [HISTORY_STEPS, HISTORY_VERSIONS],
    ] as const)
      expect(
        Object.values(versions).some((version) => version.length === steps.length),
        "add the version before the new step, and the one with it",
      ).toBe(true);
  });

  it.each(Object.keys(INDEX_VERSIONS))(
    "open an index.db of the version %s with everything in it",
    async (version) => {
      let now = OLD_AT + 10_000;
      const tidemark = await openTidemark({
        workspace: oldWorkspace(version, "0.1.0"),
        identity: { user: "ada" },
        now: () => now,
      });
      const texts = async (query: string, options = {}) =>
        (await tidemark.memory.recall(query, options)).map(({ text }) => text);
      expect((await tidemark.memory.list()).map(({ id }) => id).sort()).toEqual(["bread", "city"]);
      expect(await tidemark.memory.get("city")).toMatchObject({
        content: "Ada lives in Lisbon",
        version: 2,
        key: "city",
        tags: ["old"],
        scope: "user:ada",
        uses: 3,
        at: OLD_AT,
      });
      expect(await texts("where does Ada live?")).toEqual(["Ada lives in Lisbon"]);
      expect(await texts("where does Ada live?", { asOf: OLD_AT + 999 })).toEqual([
        "Ada lives in Porto",
      ]);
      expect(await texts("tea")).toEqual([]);
      expect((await tidemark.memory.get("tea"))?.content).toBe("Tea at four");
      // Written to as if it were of today.
      expect(
        (
          await tidemark.memory.save({
            content: "Ada lives in Faro",
            key: "city",
            scope: "user:ada",
          })
        ).version,
      ).toBe(3);
      expect(await tidemark.memory.forget("bread")).toBe(1);
      expect(await texts("sourdough rye")).toEqual([]);
      now += 1;
      expect((await tidemark.tidy()).expired).toBe(1);
      expect((await tidemark.memory.search("Whiskerino", { in: ["history"] }))[0]?.text).toBe(
        "My cat is called Whiskerino.",
      );
      await tidemark.close();
    },
  );

  it.each(Object.keys(HISTORY_VERSIONS))(
    "open a history.db of the version %s, read it and go on in it",
    async (version) => {
      const tidemark = await openTidemark({
        workspace: oldWorkspace("0.1.0", version),
        identity: { user: "ada" },
      });
      expect(await tidemark.history.list()).toMatchObject([
        { id: "s1", messages: 2, folds: 0, at: OLD_AT },
      ]);
      expect((await tidemark.history.read({ conversation: "s1" })).messages).toEqual([
        { role: "user", content: "My cat is called Whiskerino." },
        { role: "assistant", content: "What a name!" },
      ]);
      const turn = await tidemark.begin({
        model: "claude-sonnet-5-5",
        max_tokens: 100,
        messages: [{ role: "user", content: "Hello" }],
      });
      await turn.end({ role: "assistant", content: "Hello, too" });
      expect(await tidemark.history.list()).toHaveLength(2);
      await tidemark.close();
    },
  );

  it("leave the same tables whatever version they began with", () => {
    const schemas = Object.entries(INDEX_VERSIONS).map(([version, steps]) => {
      const path = join(home, `schema-${version}.db`);
      writeOldIndex(path, steps);
      void openSqliteStore(path).close();
      const database = new Database(path, { readonly: true });
      const rows = database
        .prepare(
          "select type, name, sql from sqlite_schema where name not like 'sqlite_%' and name not like 'vector_index%' order by name",
        )
        .all();
      database.close();
      return rows;
    });
    for (const schema of schemas) expect(schema).toEqual(schemas[0]);
  });

  it("change nothing of a file that a newer Tidemark wrote, and say so in one sentence", () => {
    for (const [open, code] of [
      [openSqliteStore, "store"],
      [openHistory, "history"],
    ] as const) {
      const path = join(home, `newer-${code}.db`);
      void open(path).close();
      const database = new Database(path);
      database.exec(
        "insert into migration (name) values ('999-of-tomorrow'); create table tomorrow (x); pragma wal_checkpoint(TRUNCATE)",
      );
      database.close();
      const before = readFileSync(path);
      expect(() => open(path)).toThrow(
        expect.objectContaining({
          code,
          message: `${path} was written by a newer Tidemark (999-of-tomorrow); update the package, or open another workspace.`,
        }),
      );
      expect(readFileSync(path).equals(before)).toBe(true);
    }
  });
});
