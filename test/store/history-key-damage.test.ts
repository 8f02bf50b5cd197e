import Database from "better-sqlite3";
import { closeSync, copyFileSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openTidemark, type Tidemark } from "../../src/index.ts";
import type { Message } from "../../src/model/request.ts";
import { chance } from "../support/histories-random.ts";
import { seededHistory } from "../support/histories.ts";
import { KEY, play } from "../support/history-modes.ts";
import { conversations, leaveRooms, openRoom, type Room } from "../support/talk.ts";

afterEach(leaveRooms);

const folderOf = (room: Room): string => join(room.file, "../..");
/** With nothing beside it that the next start would write back. */
function settled(file: string): void {
  const database = new Database(file);
  database.pragma("wal_checkpoint(TRUNCATE)");
  database.close();
}

describe("an encrypted history that was damaged", () => {
  async function lived(talks: number): Promise<{ room: Room; said: Message[][] }> {
    const room = await openRoom({ inject: false, history: { key: KEY } });
    const said: Message[][] = [];
    for (let seed = 0; seed < talks; seed += 1) {
      const all = seededHistory("anthropic", 100 + seed, { turns: 4, long: 900 });
      const history = all.slice(0, all.findLastIndex(({ role }) => role === "assistant") + 1);
      if (history.length < 2) continue;
      said.push(history);
      await play({ tidemark: room.tidemark.as({ user: `u${seed}` }) }, history);
    }
    await room.tidemark.close();
    settled(room.file);
    return { room, said };
  }
  const all = async (tidemark: Tidemark, users: number): Promise<string[]> =>
    (
      await Promise.all(
        Array.from({ length: users }, async (_, seed) =>
          conversations(tidemark.as({ user: `u${seed}` })),
        ),
      )
    )
      .flat(2)
      .map((message) => JSON.stringify(message));

  it("keeps its key though the note of it is lost or changed, and all that was said", async () => {
    for (const harm of [
      "delete from keeping",
      `update keeping set value = replace(value, '"salt":"', '"salt":"A')`,
      "update keeping set value = '{}'",
      "drop table keeping",
    ]) {
      const { room, said } = await lived(4);
      const database = new Database(room.file);
      database.exec(harm);
      database.pragma("wal_checkpoint(TRUNCATE)");
      database.close();
      const tidemark = await room.reopen();
      expect(await all(tidemark, 4), harm).toEqual(
        expect.arrayContaining(said.flat().map((message) => JSON.stringify(message))),
      );
      expect(room.events).toContainEqual(
        expect.objectContaining({ type: "degraded", where: "history" }),
      );
      await expect(
        openTidemark({ workspace: folderOf(room), history: { key: new Uint8Array(32) } }),
      ).rejects.toMatchObject({ code: "config" });
    }
  });

  it("gives what can be read of it, true to the word, wherever it was struck, and the rest from a backup", async () => {
    const { room, said } = await lived(6);
    const known = new Set(said.flat().map((message) => JSON.stringify(message)));
    const whole = `${room.file}.whole`;
    copyFileSync(room.file, whole);
    const { size } = statSync(whole);
    let gave = 0;
    for (let strike = 0; strike < 3; strike += 1) {
      const draw = chance(strike);
      for (const end of ["", "-wal", "-shm"]) rmSync(room.file + end, { force: true });
      copyFileSync(whole, room.file);
      const file = openSync(room.file, "r+");
      for (let hit = 0; hit < 3; hit += 1)
        writeSync(
          file,
          Buffer.alloc(1_500, draw.nat(255)),
          0,
          1_500,
          strike === 0 && hit === 0 ? 0 : Math.min(size - 1_500, draw.nat(size)),
        );
      closeSync(file);
      const tidemark = await room.reopen();
      const read = await all(tidemark, 6).catch(() => []);
      // A damage that shows only when a message is read is mended at the next start.
      const mended = await all(await room.reopen(), 6);
      for (const message of [...read, ...mended])
        expect(known.has(message), message.slice(0, 200)).toBe(true);
      if (mended.length > 0) gave += 1;
      await room.tidemark.close();
    }
    expect(gave).toBeGreaterThanOrEqual(1);
    // With a backup beside it nothing is missing, though nothing of the file can be read.
    for (const end of ["", "-wal", "-shm"]) rmSync(room.file + end, { force: true });
    copyFileSync(whole, room.file);
    await (await room.reopen()).tidy();
    await room.tidemark.close();
    const file = openSync(room.file, "r+");
    writeSync(file, Buffer.alloc(statSync(room.file).size, 7), 0, statSync(room.file).size, 0);
    closeSync(file);
    expect(new Set(await all(await room.reopen(), 6))).toEqual(known);
  });
});
