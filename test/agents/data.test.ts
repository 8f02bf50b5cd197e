import { copyFileSync, mkdirSync, readFileSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTidemark, type Options, type Repository, type Tidemark } from "../../src/index.ts";
import { backupsOf } from "../../src/storage/sqlite/backup.ts";
import { exportArchive, importArchive } from "../../src/tidemark/upkeep/archive.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { freshFolder, NOON } from "../support/workspace.ts";

const open = (options: Options = {}): Promise<Tidemark> =>
  openTidemark({ workspace: false, listen: false, now: () => NOON, ...options });
const database = (workspace: string): string => join(workspace, ".tidemark", "tidemark.db");
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "",
    ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
  );

/** Each of the ready ones, with what its rows are found by. */
const READY = {
  tasks: { status: "open", agent: "scout", project: "apollo" },
  costs: { agent: "scout", task: "t1", model: "opus", dollars: 0.5 },
  messages: { channel: "ops", sender: "scout" },
  audit: { action: "deploy", agent: "scout" },
  parked: { agent: "scout", approval: "a1" },
  agents: { status: "busy" },
  checkpoints: { task: "t1", execution: "e1" },
  heartbeats: { agent: "scout" },
  settings: { namespace: "budget" },
  artifacts: { task: "t1", agent: "scout", kind: "report" },
  projects: { status: "open", lead: "scout" },
  presets: { kind: "persona" },
} as const;
const NAMES = Object.keys(READY) as (keyof typeof READY)[];
const own = (tidemark: Tidemark, name: keyof typeof READY) =>
  tidemark.data[name] as Repository<Record<string, unknown>>;

describe("operational data", () => {
  it.each(NAMES)("of %s are saved, found by each index, summed and taken out", async (name) => {
    const tidemark = await open();
    const rows = own(tidemark, name);
    const { dollars, ...members } = { dollars: undefined, ...READY[name] };
    const [first, second] = [
      await rows.save(READY[name]),
      await rows.save({ id: "zz", text: "x" }),
    ];
    expect(first).toEqual({ ...READY[name], id: expect.any(String) as string });
    for (const [index, value] of Object.entries(members)) {
      expect(await rows.list({ [index]: value })).toEqual([first]);
      expect(await rows.aggregate({ by: index, of: "dollars" })).toContainEqual({
        ...{ group: value, count: 1 },
        ...(dollars && { sum: dollars, min: dollars, max: dollars }),
      });
    }
    // Another view of the workspace has the same.
    expect(await own(tidemark.as({ user: "bob" }), name).list()).toEqual([first, second]);
    const gone = await rows.delete("zz").catch(({ code }: { code: string }) => code);
    expect(gone).toBe(name === "audit" ? "config" : true);
    await tidemark.close();
  });

  it("gives a task to one of many workers, and an audited line to none to change", async () => {
    const tidemark = await open();
    const { tasks, audit } = tidemark.data;
    const task = await tasks.save({ status: "open" });
    const taken = await Promise.all(
      [1, 2, 3].map((worker) => refusal(tasks.save({ ...task, worker }, { was: task }))),
    );
    const late = `conflict: data.tasks.save: "${task.id}" is no longer what it \`was\`.`;
    expect(taken.sort()).toEqual(["", late, late]);
    await audit.save({ id: "1", action: "deploy" });
    expect(await refusal(audit.save({ id: "1", action: "nothing" }))).toBe(
      'conflict: data.audit.save: "1" is there already, and stays.',
    );
    expect(await audit.list()).toEqual([{ id: "1", action: "deploy" }]);
    await tidemark.close();
  });

  it("lists page by page, and the last of a channel", async () => {
    const tidemark = await open();
    const { messages } = tidemark.data;
    const said: unknown[] = [];
    for (let at = 0; at < 25; at += 1) said.push(await messages.save({ channel: "ops", at }));
    await messages.save({ channel: "other" });
    const read: { readonly id: string }[] = [];
    for (let page = await messages.list({ channel: "ops" }, 10); page.length > 0;) {
      read.push(...page);
      page = await messages.list({ channel: "ops" }, 10, page.at(-1)?.id);
    }
    expect(read).toEqual(said);
    expect(await messages.list({ channel: "ops" }, -3)).toEqual(said.slice(-3));
    expect(await messages.list({ channel: "ops" }, -3, read[2]?.id)).toEqual(said.slice(0, 2));
    await tidemark.close();
  });

  it.each<[string, (tidemark: Tidemark) => unknown]>([
    ["data.tasks.save takes an object, got 7", ({ data }) => data.tasks.save(7 as never)],
    [
      '"id" must be a text of 1 to 200 whole',
      ({ data }) => data.tasks.save({ id: "", status: "a" }),
    ],
    ['"status" must be a number, a', ({ data }) => data.tasks.save({ status: ["a"] } as never)],
    ["1000000 characters of JSON", ({ data }) => data.tasks.save({ text: "x".repeat(1e6) })],
    ['knows no "where.stat"; did you', ({ data }) => data.tasks.list({ stat: 1 } as never)],
    ['"by" must be "id" or', ({ data }) => data.tasks.aggregate({ by: "text" as never })],
    ['"of" must be letters', ({ data }) => data.tasks.aggregate({ of: "a'b" as never })],
    ['"name" must be letters', ({ data }) => data.repository("a b", { key: "id" })],
  ])("refuses with %s", async (sentence, ask) => {
    const tidemark = await open();
    const said = await refusal((async () => ask(tidemark))());
    expect(said).toMatch(/^config: /);
    expect(said).toContain(sentence);
    await tidemark.close();
  });

  it("are refused with `capability` where the storage has no room for them, and behind `close`", async () => {
    const tidemark = await open({ store: memoryStorage() });
    expect(tidemark.capabilities).toMatchObject({ storage: "own", data: false, files: false });
    for (const work of [
      tidemark.data.tasks.save({ status: "open" }),
      tidemark.data.repository("orders", { key: "id" }).list(),
      tidemark.users.list(),
    ])
      expect(await refusal(work)).toMatch(/^capability: /);
    const view = tidemark.as({ user: "ada" });
    await view.close();
    expect(await refusal(view.data.tasks.get("a"))).toMatch(/^closed: This view/);
    await tidemark.close();
    expect(await refusal(tidemark.data.tasks.get("a"))).toMatch(/^closed: /);
  });

  it("stand in backups, in what is mended and in archives; a user's own go when the user is forgotten", async () => {
    const workspace = join(freshFolder(), "ws");
    const rows = async (place: string): Promise<unknown> => {
      const opened = await open({ workspace: place });
      const found = await opened.data.tasks.list({ status: "open" });
      await opened.close();
      return found;
    };
    const tidemark = await open({ workspace });
    const { tasks, audit } = tidemark.data;
    const kept = [
      await tasks.save({ status: "open", user: "bob" }),
      await tasks.save({ status: "open", text: "of ada" }),
    ];
    await tasks.save({ status: "open", user: "ada", text: "the zeppelin" });
    await audit.save({ action: "deploy", user: "ada" });
    expect((await tidemark.users.forget("ada")).copies).toBe(0);
    expect(await audit.list()).toEqual([]);
    await tidemark.tidy();
    await tidemark.close();
    for (const end of ["", "-wal"])
      expect(readFileSync(database(workspace) + end, { flag: "a+" }).includes("zeppelin")).toBe(
        false,
      );
    const [backup = ""] = backupsOf(join(workspace, ".tidemark", "backups"));
    const [restored, moved] = [join(freshFolder(), "a"), join(freshFolder(), "b")];
    mkdirSync(dirname(database(restored)), { recursive: true });
    copyFileSync(backup, database(restored));
    expect(await rows(restored)).toEqual(kept);
    const to = join(freshFolder(), "all.jsonl");
    await exportArchive({ workspace, to, now: () => NOON });
    expect(readFileSync(to, "utf8")).toContain("of ada");
    await importArchive({ workspace: moved, from: to, now: () => NOON });
    expect(await rows(moved)).toEqual(kept);
    const one = join(freshFolder(), "one.jsonl");
    await exportArchive({ workspace, to: one, of: { user: "bob" }, now: () => NOON });
    expect(readFileSync(one, "utf8").match(/"table":"data"/g)).toHaveLength(1);
    truncateSync(database(workspace), 0);
    expect(await rows(workspace)).toEqual(kept);
  });
});

describe("health", () => {
  it("tells that a workspace is well, what is owed and what waits", async () => {
    const workspace = join(freshFolder(), "ws");
    const tidemark = await open({ workspace });
    const { ms, ...health } = await tidemark.health();
    expect(health).toEqual({
      ...{ ok: true, reads: true, writes: true, pages: true },
      ...{ storage: "sqlite", owed: 0, waiting: 0, trouble: [] },
    });
    expect(ms).toBeGreaterThan(0);
    expect(tidemark.capabilities).toEqual({
      ...{
        storage: "sqlite",
        data: true,
        vectors: true,
        encrypted: false,
        machines: false,
        files: true,
      },
    });
    // A folder stands where a file belongs.
    mkdirSync(join(workspace, ".tidemark", "probe"));
    expect(await tidemark.health()).toMatchObject({ ok: false, writes: true, pages: false });
    await tidemark.close();
    expect(await tidemark.health()).toMatchObject({ ok: false, reads: false, writes: false });
  });

  it("answers for a store that fails or never answers", async () => {
    const { promise: silent, resolve } = Promise.withResolvers<[]>();
    const tidemark = await open({
      store: {
        ...memoryStorage(),
        debts: () => silent,
        commit: (unit) =>
          unit.unpinned === undefined ? Promise.resolve(true) : Promise.reject(new Error("full")),
      },
      window: { patience: 150 },
    });
    const { ms, trouble, ...health } = await tidemark.health();
    expect(health).toMatchObject({ ok: false, reads: false, writes: false, pages: false });
    expect(trouble).toEqual(["full", expect.stringMatching(/timeout/)]);
    expect(ms).toBeLessThan(1_000);
    resolve([]);
    await tidemark.close();
  });
});
