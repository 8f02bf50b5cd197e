import Database from "better-sqlite3";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import type { Message } from "../../src/model/request.ts";
import { exportArchive, importArchive } from "../../src/engine/upkeep/transfer.ts";
import { forgetUser } from "../../src/engine/upkeep/forget-user.ts";
import { rebuildIndex } from "../../src/engine/upkeep/rebuild.ts";
import { bytesOf, KEY, play, wordsIn } from "../support/history-modes.ts";
import {
  assistant,
  conversations,
  leaveRooms,
  openRoom,
  type Room,
  tell,
  user,
} from "../support/talk.ts";

const home = mkdtempSync(join(tmpdir(), "tidemark-key-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
afterEach(leaveRooms);
let made = 0;
const fresh = (): string => join(home, `${(made += 1)}`);
const now = (): number => Date.UTC(2026, 4, 1);

const PICTURE = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo".repeat(90) },
};
const TALK: Message[] = [
  user([{ type: "text", text: "Which boat is this one in the old photograph?" }, PICTURE]),
  assistant("It is the Ons ferry of nineteen sixty."),
  user("Thank you, that was my grandfather's."),
  assistant("A fine boat it was."),
];

const rooms = (history: Parameters<typeof openRoom>[0] = {}): Promise<Room> =>
  openRoom({ inject: false, history: { key: KEY }, ...history });
const folderOf = (room: Room): string => join(room.file, "../..");
/** Everything under a folder, by path. */
const everyFile = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [
        join(entry.parentPath, entry.name),
        readFileSync(join(entry.parentPath, entry.name), "latin1"),
      ]),
  );
/** With nothing beside it that the next start would write back. */
function settled(file: string): void {
  const database = new Database(file);
  database.pragma("wal_checkpoint(TRUNCATE)");
  database.close();
}

describe("a history with a key", () => {
  it("refuses a wrong key, a missing one, and a key for what is not encrypted, and changes nothing", async () => {
    const sealed = await rooms();
    const plain = await rooms({ history: {} });
    for (const room of [sealed, plain]) {
      await play(room, TALK);
      await room.tidemark.close();
      settled(room.file);
    }
    const refusals: [Room, Parameters<typeof openTidemark>[0], RegExp][] = [
      [
        sealed,
        { history: { key: new Uint8Array(32) } },
        /does not open with this key; nothing was changed\. Give the key/,
      ],
      [sealed, { history: { key: "a passphrase of mine" } }, /does not open with this key/],
      [
        sealed,
        {},
        /is encrypted: open it with the key it was made with, as history\.key .*TIDEMARK_HISTORY_KEY/,
      ],
      [
        sealed,
        { history: { keep: "none", key: new Uint8Array(32) } },
        /does not open with this key/,
      ],
      [
        plain,
        { history: { key: KEY } },
        /is not encrypted, and a key given later does not encrypt what is there\. To encrypt it: "tidemark export".*or open it without history\.key\.$/,
      ],
    ];
    for (const [room, options, said] of refusals) {
      const before = everyFile(folderOf(room));
      await expect(openTidemark({ workspace: folderOf(room), ...options })).rejects.toMatchObject({
        code: "config",
        message: expect.stringMatching(said) as string,
      });
      expect(everyFile(folderOf(room))).toEqual(before);
    }
    expect((await conversations(await sealed.reopen()))[0]).toEqual(TALK);
    expect((await conversations(await plain.reopen()))[0]).toEqual(TALK);
  });

  it("opens with its passphrase in another process, through every view of it", async () => {
    const room = await openRoom({ inject: false, history: { key: "the tide turns at six" } });
    await play({ tidemark: room.tidemark.as({ user: "ada" }) }, TALK);
    const again = await room.reopen();
    expect((await conversations(again.as({ user: "ada" })))[0]).toEqual(TALK);
    expect(await conversations(again)).toEqual([]);
  });

  it("is searched, and no word of it lies in the search index on disk, not even what an earlier history left there", async () => {
    const room = await rooms({ history: {}, distil: () => Promise.reject(new Error("not today")) });
    await play(room, TALK);
    expect(
      (await room.tidemark.memory.search("grandfather", { in: ["history"] }))[0]?.text,
    ).toContain("grandfather");
    const index = join(dirname(room.file), "index.db");
    await room.tidemark.close();
    expect(bytesOf(index)).toContain("grandfather");
    rmSync(room.file);
    await room.reopen({ history: { key: KEY } });
    await play(room, TALK);
    const [hit] = await room.tidemark.memory.search("grandfather", { in: ["history"] });
    expect(hit?.text).toContain("grandfather");
    await room.reopen({ history: { key: KEY } });
    expect(
      (await room.tidemark.memory.search("grandfather", { in: ["history"] }))[0]?.text,
    ).toContain("grandfather");
    const [conversation] = await room.tidemark.history.list();
    expect(await room.tidemark.history.forget({ conversation: conversation!.id })).toBe(1);
    expect(await room.tidemark.memory.search("grandfather", { in: ["history"] })).toEqual([]);
    await room.tidemark.close();
    const turns = new Database(index, { readonly: true });
    expect(turns.prepare("select count(*) from turn").pluck().get()).toBe(0);
    expect(turns.prepare("select count(*) from turn_word").pluck().get()).toBe(0);
    turns.close();
  });

  it("is backed up, rebuilt beside, tidied and forgotten of a user, without its key where none is read", async () => {
    const room = await rooms();
    await play({ tidemark: room.tidemark.as({ user: "ada" }) }, TALK);
    await play(room, TALK);
    const { backup } = await room.tidemark.tidy();
    await room.tidemark.close();
    expect(readFileSync(backup!, "latin1")).not.toContain("grandfather");
    expect((await rebuildIndex({ workspace: folderOf(room), now })).differed).toBe(0);
    expect(await forgetUser({ workspace: folderOf(room), user: "ada", now })).toMatchObject({
      conversations: 1,
      messages: 4,
    });
    const again = await room.reopen();
    expect(await conversations(again.as({ user: "ada" }))).toEqual([]);
    expect((await conversations(again))[0]).toEqual(TALK);
  });

  it("is exported and imported as it is, and encrypted on the way where it was not", async () => {
    const words = TALK.flatMap(wordsIn);
    for (const history of [{ key: KEY }, {}]) {
      const room = await rooms({ history });
      await play(room, TALK);
      await room.tidemark.history.import({
        id: "old",
        messages: [
          { role: "user", text: "An imported word of the harbour.", name: "Ada", ref: "r1", at: 5 },
        ],
      });
      await room.tidemark.pin("Never on Fridays.");
      const about = await room.tidemark.history.list();
      await room.tidemark.close();
      const [archive, target] = [`${fresh()}.jsonl`, fresh()];
      expect(
        await exportArchive({ workspace: folderOf(room), to: archive, now, by: "test" }),
      ).toMatchObject({ sealed: "key" in history });
      expect(words.some((said) => readFileSync(archive, "utf8").includes(said))).toBe(
        !("key" in history),
      );
      if ("key" in history)
        await expect(
          importArchive({ from: archive, workspace: fresh(), now, key: "not the key it has" }),
        ).rejects.toMatchObject({ code: "config" });
      expect(
        await importArchive({ from: archive, workspace: target, now, key: KEY }),
      ).toMatchObject({ sealed: "key" in history ? "before" : "now" });
      const file = join(target, ".tidemark/history.db");
      expect(words.filter((said) => bytesOf(file).includes(said))).toEqual([]);
      expect(bytesOf(file)).not.toContain("Fridays");
      const tidemark = await openTidemark({
        workspace: target,
        inject: false,
        history: { key: KEY },
      });
      expect(await tidemark.history.list()).toEqual(about);
      expect(
        (
          await tidemark.history.read({
            conversation: about.find(({ label }) => label === undefined)!.id,
          })
        ).messages,
      ).toEqual(TALK);
      expect((await tidemark.history.read({ conversation: "old" })).messages).toEqual([
        { role: "user", text: "An imported word of the harbour.", name: "Ada", ref: "r1", at: 5 },
      ]);
      expect((await tidemark.pins()).map(({ text }) => text)).toEqual(["Never on Fridays."]);
      // Known again: the digests are the same behind the lock.
      await tell(tidemark, [...TALK, user("And the engine?")], assistant("A Bolinder."));
      expect(await tidemark.history.list()).toHaveLength(about.length);
      await tidemark.close();
    }
  });
});
