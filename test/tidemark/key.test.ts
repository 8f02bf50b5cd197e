import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { VERBS } from "../../src/cli/verbs.ts";
import { openTidemark, type Options } from "../../src/index.ts";
import { exportArchive, importArchive } from "../../src/tidemark/upkeep/archive.ts";
import { forgetIn } from "../support/forget-in.ts";
import { run, runApart } from "../support/cli.ts";
import { executeHere } from "../support/cli-here.ts";
import { assistant, user } from "../support/talk.ts";
import { open, said, talk } from "../support/faults.ts";
import { toyEmbedder } from "../support/embedder.ts";
import { fileFolder } from "../support/afterwards.ts";

const KEY = "it's the harbour master's";
const CANARY = "Whiskerino";
const FACT = `The cat is called ${CANARY} and sleeps on the router.`;

/** Facts, a conversation, and a backup of it. */
async function lived(options: Partial<Options> = {}) {
  const workspace = fileFolder();
  const { tidemark, events } = await open(workspace, { recall: false, ...options });
  await tidemark.memory.save(FACT);
  await talk(tidemark, `Who is ${CANARY}?`);
  const { backup } = await tidemark.tidy();
  await tidemark.close();
  expect(said(events)).toBe("");
  return { workspace, backup: backup ?? "" };
}

/** Databases of a workspace, and their bytes. */
const databases = (workspace: string): Map<string, string> =>
  new Map(
    readdirSync(join(workspace, ".tidemark"), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.db(?:-wal)?$/.test(name) && !/^(?:lock|heartbeat)\.db/.test(name))
      .map((name) => [name, readFileSync(join(workspace, ".tidemark", name), "latin1")]),
  );

const refused = (workspace: string, key?: string): Promise<string> =>
  openTidemark({ workspace, key }).then(
    () => "opened",
    ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
  );

describe("a workspace with a key", () => {
  it("has no word in its databases and backups that can be read, and goes on with the key", async () => {
    const { workspace, backup } = await lived({ key: KEY, embed: toyEmbedder() });
    const files = databases(workspace);
    expect([...files.keys()].map((name) => basename(name).slice(0, 9)).sort()).toEqual([
      "tidemark-",
      "tidemark.",
    ]);
    for (const [name, bytes] of files) {
      expect(bytes.startsWith("SQLite"), name).toBe(false);
      for (const word of [CANARY, "router", "memory_index"])
        expect(bytes.includes(word), name).toBe(false);
    }
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const { tidemark, events } = await open(workspace, { key: KEY, embed: toyEmbedder() });
    const again = await open(workspace, { key: KEY });
    expect((await again.tidemark.memory.recall("What is the cat called?"))[0]?.text).toBe(FACT);
    await again.tidemark.close();
    expect((await tidemark.memory.recall("cat router"))[0]?.text).toBe(FACT);
    expect((await tidemark.memory.search(CANARY, { in: ["history"] })).length).toBe(2);
    await tidemark.close();
    expect(said(events)).toBe("");
  });

  it("is read into a new file from what can be read and from the backup, when it is damaged", async () => {
    const { workspace } = await lived({ key: KEY });
    const path = join(workspace, ".tidemark/tidemark.db");
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0x5a, 3 * 4096, 30 * 4096));
    const { tidemark, events } = await open(workspace, { key: KEY });
    const words = JSON.stringify(
      await Promise.all(
        (await tidemark.history.list()).map(({ id }) =>
          tidemark.history.read({ conversation: id }),
        ),
      ),
    );
    await tidemark.close();
    expect(said(events)).toMatch(/database was damaged .* came from the backup tidemark-/);
    expect(words).toContain(CANARY);
    for (const [name, held] of databases(workspace))
      expect(held.includes(CANARY), name).toBe(false);
  });

  it("forgets in the backups too, and is exported as plain text and imported with a key", async () => {
    const { workspace } = await lived({ key: KEY, identity: { user: "ada" } });
    const now = Date.now;
    const to = join(fileFolder(), "all.jsonl");
    await exportArchive({ workspace, key: KEY, to, now });
    expect(readFileSync(to, "utf8")).toContain(CANARY);
    const restored = join(fileFolder(), "new");
    await importArchive({ from: to, workspace: restored, key: "another", now });
    expect(await refused(restored, KEY)).toMatch(/does not open with this key/);
    const { tidemark } = await open(restored, { key: "another" });
    expect(
      (await tidemark.as({ user: "ada" }).memory.list()).map(({ content }) => content),
    ).toEqual([FACT]);
    await tidemark.close();
    await forgetIn({ workspace, key: KEY, user: "ada", now });
    const left = await open(workspace, { key: KEY, identity: { user: "ada" } });
    expect(await left.tidemark.stats()).toMatchObject({ conversations: 0 });
    await left.tidemark.close();
  });
});

describe("a key that does not fit", () => {
  it("is refused in one sentence, and nothing is changed, mended or put aside", async () => {
    const [locked, plain] = [await lived({ key: KEY }), await lived()];
    const before = [locked, plain].map(({ workspace }) => databases(workspace));
    expect(await refused(locked.workspace)).toMatch(
      /^config: .+tidemark\.db is encrypted: give its key, by the option "key" or as TIDEMARK_KEY to the command line\.$/,
    );
    expect(await refused(locked.workspace, "wrong")).toMatch(
      /^config: .+tidemark\.db does not open with this key: give the one it was made with; if .*\.$/,
    );
    expect(await refused(plain.workspace, KEY)).toMatch(
      /^config: .+tidemark\.db is not encrypted: open it without a key; .*\.$/,
    );
    for (const key of ["", 5 as never, Buffer.from(KEY) as never])
      expect(await refused(locked.workspace, key)).toBe(
        'config: openTidemark: option "key" must be a text that is not empty.',
      );
    // A mark of damage that another process left is no reason to take the file away either.
    writeFileSync(join(locked.workspace, ".tidemark/tidemark.db.suspect"), "");
    expect(await refused(locked.workspace, "wrong")).toMatch(/does not open with this key/);
    expect([locked, plain].map(({ workspace }) => databases(workspace))).toEqual(before);
  });

  it("loses nothing of what a killed process left in the log", async () => {
    const { tidemark } = await open(fileFolder(), { key: KEY });
    await tidemark.memory.save(FACT);
    const left = join(fileFolder(), "left");
    cpSync(tidemark.workspace.root ?? "", left, { recursive: true });
    await tidemark.close();
    expect(existsSync(join(left, ".tidemark/tidemark.db-wal"))).toBe(true);
    expect(await refused(left)).toMatch(/is encrypted/);
    expect(await refused(left, "wrong")).toMatch(/does not open with this key/);
    const again = await open(left, { key: KEY });
    expect((await again.tidemark.memory.list()).map(({ content }) => content)).toEqual([FACT]);
    await again.tidemark.close();
    expect(said(again.events)).toBe("");
  });

  it("is told where the package is missing, and nothing is made", async () => {
    const home = fileFolder();
    const without = join(home, "without.cjs");
    writeFileSync(
      without,
      `const { _load } = require("node:module");
       require("node:module")._load = (name, ...more) => {
         if (name === "better-sqlite3-multiple-ciphers") throw new Error("Cannot find it");
         return _load(name, ...more);
       };`,
    );
    const args = ["save", "The gate opens at six", "--workspace", join(home, "w")];
    await run(["init", "--workspace", join(home, "w")]);
    const env = { TIDEMARK_KEY: KEY, NODE_OPTIONS: `--require "${without}"` };
    expect(await runApart(args, { env })).toEqual({
      code: 1,
      out: "",
      err: "tidemark: A key needs the package better-sqlite3-multiple-ciphers: install it beside tidemark: npm install better-sqlite3-multiple-ciphers.\n",
    });
    await runApart(["init", "--workspace", join(home, "new")], { env });
    expect(existsSync(join(home, "new/.tidemark/tidemark.db"))).toBe(false);
  });
});

const ENDLESS = "import hook mcp proxy wrap files migrate serve inspect".split(" ");

describe("every verb", () => {
  /** The words a verb cannot do without. */
  const words = async (workspace: string): Promise<Record<string, readonly string[]>> => {
    const { tidemark } = await open(workspace, { key: KEY });
    const [memory] = await tidemark.memory.list();
    const [conversation] = await tidemark.history.list();
    const pin = await tidemark.pin("Feed the cat.");
    await tidemark.close();
    const talked = join(fileFolder(), "talk.json");
    writeFileSync(talked, JSON.stringify([user("Hello"), assistant("Hi")]));
    return {
      ...{ recall: ["cat"], search: ["cat"], save: ["The gate opens at six"], pin: ["No herring"] },
      ...{ show: [memory?.id ?? ""], read: [conversation?.id ?? ""], unpin: [pin] },
      turns: [conversation?.id ?? ""],
      ...{
        replay: [talked],
        record: ["list"],
        token: ["list"],
        index: [workspace],
        diff: ["none"],
        undo: ["none"],
      },
      ...{
        export: [join(fileFolder(), "out.jsonl")],
        tune: ["--embedder", "http://127.0.0.1:9/v1", "--model", "bge"],
        move: [workspace, join(fileFolder(), "to")],
        forget: [memory?.id ?? "", "--yes"],
      },
    };
  };

  it("works with TIDEMARK_KEY, and without it says so in one line and does nothing", async () => {
    const { workspace } = await lived({ key: KEY });
    const given = await words(workspace);
    const env = { EDITOR: "true", ANTHROPIC_API_KEY: "x" };
    for (const verb of Object.keys(VERBS)) {
      // An import makes a workspace that is not there yet; others look at no database, never fail, or
      // go on until they are told to end.
      if (ENDLESS.includes(verb)) continue;
      const args = [verb, ...(given[verb] ?? []), "--workspace", workspace];
      const before = databases(workspace);
      const without = await executeHere(args, { env });
      expect({ verb, ...without }).toMatchObject({ code: 1, out: "" });
      expect(without.err, verb).toMatch(/^tidemark: .*\.db is encrypted: give its key, .*\.\n$/);
      expect(databases(workspace), verb).toEqual(before);
      if (verb === "chat") continue;
      const done = await executeHere(args, { env: { ...env, TIDEMARK_KEY: KEY } });
      expect(done.err, verb).toMatch(/^(?:|tidemark: .*"none".*\n|Not due: .*\n|.* …\n)$/);
      expect(done.code, verb).toBe(/^$| …\n/.test(done.err) ? 0 : 1);
    }
  });
});
