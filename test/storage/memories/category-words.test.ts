import { join } from "node:path";
import { expect, it } from "vitest";
import { openStorage } from "../../../src/storage/sqlite/sqlite-storage.ts";
import { asked, valueOf } from "../../../src/storage/sqlite/database-file.ts";
import { stored } from "../../contracts/made.ts";
import { freshFolder } from "../../support/afterwards.ts";

it("leaves the words of many memories that come at once in one piece, however many categories count them", async () => {
  const folder = freshFolder();
  const path = join(folder, "tidemark.db");
  const store = openStorage(path);
  const rows = Array.from({ length: 12 }, (_, at) => stored(`m${at}`, `fact word${at}`));
  await store.commit({ memories: rows.map((row) => ({ do: "insert", row })) });
  await store.close();
  const pieces = asked({ path }, (database) =>
    valueOf(database, "select count(distinct segid) from memory_index_idx"),
  );
  expect(pieces).toBe(1);
});
