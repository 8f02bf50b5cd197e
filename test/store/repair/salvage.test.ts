import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { HISTORY_STEPS } from "../../../src/store/history/schema.ts";
import { salvageHistory } from "../../../src/store/repair/salvage.ts";
import { asked, openDatabase, valuesOf } from "../../../src/store/sqlite/database.ts";
import { digest } from "../../../src/text/hash.ts";

const JSONS = ["one", "two"].map((content) => JSON.stringify({ role: "user", content }));

/** A history at a path with conversations of one message each; of those of `silent` the words are gone. */
function historyAt(path: string, sessions: readonly string[], silent: readonly string[] = []) {
  const database = openDatabase(path, HISTORY_STEPS, "history");
  const body = database.prepare("insert into body (id, hash, json) values (?, ?, ?)");
  sessions.forEach((id, at) => {
    const json = JSONS[at] ?? "{}";
    if (!silent.includes(id)) body.run(at + 1, digest(json), json);
    database.exec(`
      insert into session values ('${id}', '["ann"]', null, 0, 1, 1, 0, 0, 0, 1, '{}', 1);
      insert into entry values (null, '${id}', 0, 'chain', '${id}', 'skeleton', 'user', 0, null, 'head', null, null, 5, null, null, ${at + 1});
    `);
  });
  database.close();
}

it("takes from a backup the conversations that it has the words of, though it lacks those of others", () => {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-salvage-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [broken = "", backup = "", made = ""] = ["broken", "backup", "made"].map((name) =>
    join(folder, `${name}.db`),
  );
  historyAt(backup, ["whole", "silent"], ["silent"]);
  historyAt(broken, []);
  const database = openDatabase(broken, HISTORY_STEPS, "history");
  database.exec("drop table fold");
  database.close();
  expect(salvageHistory(broken, made, { backups: [backup] })).toMatchObject({
    kept: { conversations: 1, messages: 1 },
    broken: ["fold"],
    fromBackup: 1,
  });
  expect(asked(made, (source) => valuesOf(source, "select id from session"))).toEqual(["whole"]);
});
