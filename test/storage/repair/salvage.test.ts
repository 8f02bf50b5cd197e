import { join } from "node:path";
import { expect, it } from "vitest";
import { salvage } from "../../../src/storage/sqlite/salvage.ts";
import { openTables } from "../../../src/storage/sqlite/schema.ts";
import { openStorage } from "../../../src/storage/sqlite/sqlite-storage.ts";
import { digest } from "../../../src/core/text/cut.ts";
import { freshFolder } from "../../support/afterwards.ts";

const bodyOf = (session: string, position: number): string =>
  JSON.stringify({ role: "user", content: `${session} ${position}` });

/** A history of conversations, named with the positions of which the words are there. */
function historyAt(path: string, sessions: Readonly<Record<string, readonly number[]>>) {
  const database = openTables({ path });
  const body = database.prepare("insert into body (hash, json) values (?, ?)");
  const entry = database.prepare(
    `insert into entry (session, position, chain, content, said, role, reply, at, body)
     values (?, ?, '', '', '', 'user', 0, 5, ?)`,
  );
  for (const [id, positions] of Object.entries(sessions)) {
    database.exec(
      `insert into session values ('${id}', '["ann"]', null, 0, 1, 1, 0, 9, 0, 4, '{}', 1)`,
    );
    for (let at = 0; at < 4; at += 1) {
      const json = bodyOf(id, at);
      const words = positions.includes(at) ? json : "other words";
      entry.run(id, at, body.run(digest(json), words).lastInsertRowid);
    }
  }
  database.close();
}

it("takes what the backup has of the words that cannot be read, and closes each gap", async () => {
  const folder = freshFolder();
  const [broken = "", backup = "", made = ""] = ["broken", "backup", "made"].map((name) =>
    join(folder, `${name}.db`),
  );
  historyAt(broken, { one: [0, 2, 3], two: [0, 2], three: [0, 1, 2, 3] });
  historyAt(backup, { two: [0, 1, 2], one: [0, 2] });
  expect(salvage({ path: broken }, { path: made }, { path: backup })).toEqual({
    memories: 0,
    conversations: 4,
    messages: 10,
    missing: 2,
    torn: true,
  });
  const history = openStorage(made);
  const said = async (id: string): Promise<unknown[]> =>
    (await history.bodies(id, 0, 9)).map(({ body }) => body.content);
  expect(await said("one")).toEqual(["one 0"]);
  expect(await said("one.3")).toEqual(["one 2", "one 3"]);
  expect(await said("two")).toEqual(["two 0", "two 1", "two 2"]);
  expect((await history.sessions({ ids: ["two"] }))[0]).toMatchObject({
    watermark: 3,
    revision: 2,
  });
  await history.close();
});
