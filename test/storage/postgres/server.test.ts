import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as vitest from "vitest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTidemark } from "../../../src/index.ts";
import type { Storage } from "../../../src/storage/port.ts";
import type { TableRow } from "../../../src/storage/whole.ts";
import { openPostgres } from "../../../src/storage/postgres/postgres-storage.ts";
import { moved } from "../../../src/tidemark/upkeep/move.ts";
import { openPlace } from "../../../src/tidemark/upkeep/places.ts";
import { storageContract } from "../../contracts/index.ts";
import { ADA, insert, NOW } from "../../contracts/made.ts";
import { freshFolder } from "../../support/anthropic.ts";
import { run } from "../../support/cli.ts";
import { executeHere } from "../../support/cli-here.ts";
import { reused } from "../../support/emptied.ts";
import { postgresServer } from "../../support/postgres-server.ts";
import { rowFolder } from "../../../src/workspace/disk/row-folder.ts";
import { toyEmbedder } from "../../support/embedder.ts";
import { user } from "../../support/talk.ts";
import { fill, name, recallAgainstExact, vectorContract } from "../../support/vector-contract.ts";
import { clustered } from "../../support/vectors.ts";

let server: Awaited<ReturnType<typeof postgresServer>>;
let schemas = 0;
const named = (): string => `test_${(schemas += 1)}`;
const fresh = (): string => server.address(named());
beforeAll(async () => {
  server = await postgresServer();
  await byHand("create extension vector");
});
afterAll(() => server.close());

const { open, again } = reused((name) => openPostgres(server.address(name)), {
  ...{ schema: named, send: (text) => byHand(text) },
});
storageContract(vitest, "a PostgreSQL server", open, { again });
vectorContract("a PostgreSQL server", open);
/** As where pgvector is not installed. */
const bare = (): string => `${fresh()}&options=-c%20search_path%3Dpg_catalog`;

/** A connection beside, as a person uses one. */
async function byHand(text: string, address = server.address("public")): Promise<unknown[]> {
  const { default: pg } = await import("pg");
  const client = new pg.Client(address.replace(/\?.*/, ""));
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows as unknown[];
}
const CUT =
  "select pg_terminate_backend(pid) from pg_stat_activity " +
  "where application_name = 'tidemark' and pid <> pg_backend_pid()";

const failure = (work: Promise<unknown>): Promise<{ code?: string; message?: string }> =>
  work.then(
    () => ({}),
    (thrown: { code: string; message: string }) => thrown,
  );

describe("many processes on one PostgreSQL", () => {
  it("make the schema once when eight start at once, and refuse a newer one", async () => {
    const address = fresh();
    const stores = await Promise.all(Array.from({ length: 8 }, () => openPostgres(address)));
    await Promise.all(stores.map((store) => store.close()));
    const { 0: schema } = /(?<=schema=)\w+/.exec(address)!;
    await byHand(`insert into "${schema}".migration (name) values ('999-of-tomorrow')`);
    expect(await failure(openPostgres(address))).toMatchObject({
      code: "store",
      message: expect.stringMatching(/newer Tidemark \(999-of-tomorrow\); update the package/),
    });
  });

  it("recall from a replica, which holds up no answer and no word of their own", async () => {
    const { 0: schema } = /(?<=schema=)\w+/.exec(fresh())!;
    const store = server.address(schema);
    const writer = await openTidemark({ store, embed: toyEmbedder() });
    const replica = await server.replica();
    const read = replica.address(schema);
    const onReplica = (text: string): Promise<unknown> => byHand(text, read);
    const reader = await openTidemark({ store, read, embed: toyEmbedder() });
    const found = async (query: string): Promise<string[]> =>
      (await reader.memory.recall(query)).map(({ text }) => text);
    await onReplica("select pg_wal_replay_pause()");
    await writer.memory.save("The piano is in the hall.");
    expect(await found("Where is the piano?")).toEqual([]);
    await onReplica("select pg_wal_replay_resume()");
    await vitest.vi.waitFor(
      async () => expect(await found("Where is the piano?")).toEqual(["The piano is in the hall."]),
      60_000,
    );
    await onReplica("select pg_wal_replay_pause()");
    await reader.memory.save("The harp is in the cellar.");
    expect(await found("Where is the harp?")).toContain("The harp is in the cellar.");
    await reader.close();
    const again = await openTidemark({ store, read, embed: toyEmbedder() });
    replica.stop();
    const [hit] = await again.memory.search("Where is the harp?");
    expect(hit?.text).toBe("The harp is in the cellar.");
    await again.close();
    await writer.close();
    const without = openTidemark({ workspace: freshFolder(), read });
    expect(await failure(without)).toMatchObject({
      ...{ code: "config", message: expect.stringContaining('option "read" must be "postgres') },
    });
  });

  it("of one company read nothing of another's, and with --rls no row by a grant too many", async () => {
    await byHand("create role acme login; create role other login");
    await byHand("grant create on database postgres to acme, other");
    const by = (role: string, address = server.address(role)): string =>
      address.replace("ada:Xylophonist", role);
    const save = async (role: string): Promise<void> => {
      const tidemark = await openTidemark({ store: by(role) });
      await tidemark.memory.save(`A secret of ${role}.`);
      await tidemark.close();
    };
    await Promise.all([save("acme"), save("other")]);
    const asOther = (text: string): Promise<unknown[]> => byHand(text, by("other"));
    const secrets = "select content from acme.memory";
    expect(await failure(asOther(secrets))).toMatchObject({ code: "42501" });
    expect(
      await failure(openTidemark({ store: by("other", server.address("acme")) })),
    ).toMatchObject({ code: "store", message: expect.stringContaining("lacks a right") });
    await byHand("grant usage on schema acme to other");
    await byHand("grant select on all tables in schema acme to other");
    expect(await asOther(secrets)).toEqual([{ content: "A secret of acme." }]);
    const migrate = ["migrate", "--rls", "--workspace", by("acme")];
    expect(await run(migrate, {})).toMatchObject({
      ...{ code: 0, out: expect.stringContaining("shown to members of its owner's role alone") },
    });
    expect(await asOther(secrets)).toEqual([]);
    await save("acme");
    expect(await byHand(secrets, by("acme"))).toHaveLength(1);
  });

  it("change pages one at a time, and lose none that both change", async () => {
    const address = fresh();
    const stores = await Promise.all([0, 1, 2, 3].map(() => openPostgres(address)));
    let [inside, most] = [0, 0];
    const page = { base: "", path: "notes/a.md" };
    await Promise.all(
      stores.map(async ({ files }, at) => {
        const folder = rowFolder(files!, () => NOW);
        for (let time = 0; time < 10; time += 1) {
          await folder.append(page, `${at} ${time}\n`, "");
          await folder.alone(async () => {
            most = Math.max(most, (inside += 1));
            await folder.read(page);
            inside -= 1;
          });
        }
      }),
    );
    const lines = (await stores[0]!.files!.read("notes/a.md"))?.text.split("\n") ?? [];
    expect({ lines: new Set(lines).size - 1, most }).toEqual({ lines: 40, most: 1 });
    await Promise.all(stores.map((store) => store.close()));
  });

  it("are looked at and written to in the terminal, where both keep what both have changed", async () => {
    const home = freshFolder();
    mkdirSync(home, { recursive: true });
    const env = { TIDEMARK_STORE: fresh() };
    const ask = async (...words: string[]) => {
      const { all: said, code } = await executeHere(words, { env });
      expect(said).not.toContain("Xylophonist");
      return { said, code };
    };
    const page = (...path: string[]): string => join(home, ...path);
    const [one, two] = [page("one"), page("two")];
    await ask("save", "Ada drinks green tea");
    await ask("save", "I am vegetarian", "--user", "ada");
    expect((await ask("stats")).said).toMatch(/^postgres:\/\/127.0.0.1:\d+.*memories +1/s);
    await ask("files", "pull", one);
    await ask("files", "pull", two);
    writeFileSync(page("one", "SOUL.md"), "Be a pirate.");
    writeFileSync(page("two", "SOUL.md"), "Be a cook.");
    const hers = page("one", "scopes", "user", "ada", "MEMORY.md");
    writeFileSync(hers, readFileSync(hers, "utf8").replace("vegetarian", "vegan"));
    const memory = readFileSync(page("one", "MEMORY.md"), "utf8");
    writeFileSync(page("one", "MEMORY.md"), memory.replace("green", "black"));
    expect((await ask("files", "push", one)).said).toContain("3 pages went");
    expect((await ask("list")).said).toContain("black tea");
    expect((await ask("list", "--user", "ada")).said).toContain("I am vegan");
    expect(await ask("files", "push", two)).toMatchObject({
      ...{ code: 1, said: expect.stringContaining("SOUL.md was changed on both sides") },
    });
    expect(readFileSync(page("two", "SOUL.md.server.md"), "utf8")).toBe("Be a pirate.");
    expect((await ask("files", "push", two)).said).toContain("1 page went");
    await ask("files", "pull", one);
    expect(readFileSync(page("one", "SOUL.md"), "utf8")).toBe("Be a cook.");
    rmSync(page("one", "SOUL.md"));
    await ask("files", "push", one);
    expect((await ask("files", "list")).said).not.toContain("SOUL.md");
    expect((await ask("doctor")).said).toContain("works on a folder and on no server");
  });

  it("hear of each other", async () => {
    const address = fresh();
    const [one, other] = [await openPostgres(address), await openPostgres(address)];
    let heard = 0;
    const look = other.others(() => void (heard += 1));
    await expect
      .poll(async () => {
        const before = heard;
        await look();
        return heard - before;
      })
      .toBe(0);
    const before = heard;
    await one.commit({ notes: { a: "b" } });
    await expect.poll(() => heard).toBeGreaterThan(before);
    await byHand(CUT);
    await expect
      .poll(async () => {
        const sure = heard;
        await look();
        return heard - sure;
      })
      .toBe(1);
    await Promise.all([one.close(), other.close()]);
  });
});

describe("vectors on a PostgreSQL server", () => {
  const model = { name: "test", dimensions: 64 };
  const made = clustered(2_512, { dimensions: 64, groups: 20 });
  const [vectors, questions] = [made.slice(0, -12), made.slice(-12)];

  it("are found by an index where there are many, and one by one without pgvector, which is told once", async () => {
    const [address, told] = [bare(), [] as string[]];
    const without = await openPostgres(address, { missing: (why) => told.push(why) });
    for (let at = 0; at < 2; at += 1) await without.vectors.use(model);
    for (let from = 0; from < vectors.length; from += 500)
      await fill(without, vectors.slice(from, from + 500), { from });
    expect(await recallAgainstExact(without, vectors, questions)).toBe(1);
    expect(told).toEqual([expect.stringContaining("search path")]);
    await without.close();

    // Where it comes later, the next process has it.
    const later = await openPostgres(address.replace(/&.*/, ""));
    await later.vectors.use(model);
    const { 0: schema } = /(?<=schema=)\w+/.exec(address)!;
    const index = (what: string, of: string) =>
      expect.poll(() =>
        byHand(`select from ${of} where ${what} and indexrelid =
          to_regclass('${schema}.vector_signs_1')`),
      );
    await index("indisvalid", "pg_index").toHaveLength(1);
    expect(await recallAgainstExact(later, vectors, questions)).toBeGreaterThanOrEqual(0.95);
    const gone = vectors.map((vector, at) => (at % 7 === 0 ? undefined : vector));
    const ids = vectors.flatMap((_, at) => (at % 7 === 0 ? [name(at)] : []));
    await later.commit({ gone: { memories: { ids, scopes: [ADA] } } });
    expect(await recallAgainstExact(later, gone, questions)).toBeGreaterThanOrEqual(0.95);
    await later.close();
    await index("idx_scan > 23", "pg_stat_user_indexes").toHaveLength(1);
  });
});

describe("trouble with a PostgreSQL server", () => {
  const write = (store: Storage, at: number) =>
    store.commit({ memories: [insert(`m${at}`, `w${at}`)] });

  it("is told in one sentence without the password, and over when the server is back", async () => {
    const address = fresh();
    const store = await openPostgres(address);
    const tidemark = await openTidemark({
      store: address,
      listen: false,
    });
    server.stop();
    const begun = performance.now();
    const told = await failure(write(store, 1));
    const request = { model: "claude-sonnet-4-5", max_tokens: 9, messages: [user("Hello")] };
    const turn = await tidemark.begin(request);
    expect({
      ...{ code: told.code, secret: String(told.message).includes("Xylophonist") },
      sentence: told.message,
      "goes out as it came": turn.request.messages === request.messages,
      quick: performance.now() - begun < 3_000,
    }).toEqual({
      ...{ code: "store", secret: false },
      sentence: expect.stringMatching(
        /^The memory in PostgreSQL at 127.0.0.1:\d+, .*start the server/,
      ),
      ...{ "goes out as it came": true, quick: true },
    });
    server.start();
    expect(await write(store, 1)).toBe(true);
    await tidemark.memory.save("Ada drinks tea.");
    await Promise.all([tidemark.close(), store.close()]);
  });

  it("names what is missing: a role, a database, a right, room for writing", async () => {
    await byHand("create role bob login");
    const other = (from: string, to: string) => server.address("of_bob").replace(from, to);
    const readOnly = fresh();
    await (await openPostgres(readOnly)).close();
    const told = [
      await failure(openPostgres(other("ada:", "nobody:"))),
      await failure(openPostgres(other("/postgres?", "/nothing?"))),
      await failure(openPostgres(other("ada:", "bob:"))),
      await failure(openPostgres(other(`:${server.port}/`, ":1/"))),
    ];
    const store = await openPostgres(`${readOnly}&options=-c%20default_transaction_read_only%3Don`);
    told.push(await failure(write(store, 1)));
    await store.close();
    const cures = ["the user and the password", "make the database", "lacks a right"];
    expect(told.map(({ code }) => code)).toEqual(told.map(() => "store"));
    for (const [at, cure] of [...cures, "start the server", "read-only"].entries())
      expect(told[at]?.message).toContain(cure);
    expect(JSON.stringify(told.map(({ message }) => message))).not.toContain("Xylophonist");
  });
});

describe("tidemark move", () => {
  it("brings a workspace to a server and back, as of one moment, and shows no password", async () => {
    const [home, address] = [freshFolder(), fresh()];
    const [one, other, third] = [join(home, "one"), join(home, "other"), join(home, "third")];
    const tidemark = await openTidemark({ workspace: one, listen: false });
    await tidemark.memory.save({ content: "Ada drinks tea", key: "drink" });
    await tidemark.memory.save({ content: "Ada drinks coffee", key: "drink" });
    await tidemark.close();
    const there = await run(["move", one, address]);
    const back = await run(["move", address, other]);
    const again = await run(["move", other, address]);
    for (const { code, err, out } of [there, back, again]) {
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(out).toMatch(
        /✓ From .+ to .+: \d+ files, 1 memory \(1 earlier value\), no conversations\. Both sides have the digest/,
      );
    }
    expect(there.out).toContain(`to PostgreSQL at 127.0.0.1:${server.port}, database postgres`);
    const reader = await openTidemark({ workspace: other, listen: false });
    expect((await reader.memory.list()).map(({ content }) => content)).toEqual([
      "Ada drinks coffee",
    ]);
    await reader.close();

    const source = await openPlace({ workspace: address, now: () => NOW });
    const writer = await openPostgres(address);
    const target = await openPlace({ workspace: third, now: () => NOW }, "name another");
    let written = false;
    const take = async (rows: readonly TableRow[]): Promise<TableRow[]> => {
      if (!written) await writer.commit({ memories: [insert("late", "Ada drinks wine")] });
      written = true;
      return target.whole.take(rows);
    };
    const late = { ...target, whole: { ...target.whole, take } };
    expect(await moved(source, late)).toMatchObject({
      ...{ memories: 1, past: 1, differ: [] },
    });
    await Promise.all([source.store.close(), target.store.close(), writer.close()]);

    const ada = await openTidemark({ store: address, identity: { user: "ada" }, listen: false });
    await ada.memory.save("Ada sails on Sundays");
    await ada.close();
    const [archive, at] = [join(home, "ada.jsonl"), ["--workspace", address]];
    const copy = fresh();
    const verbs = [
      [["users", ...at], /  ada +1 memory/],
      [["export", archive, "--user", "ada", ...at], /what agent:default, user:ada may see/],
      [["import", archive, "--workspace", copy], /New in postgres:\/\/127.*3 memories/],
      [["forget", "--user", "ada", "--yes", ...at], /Forgotten of user "ada": 1 memory/],
      [["users", ...at], /No user was named yet/],
      [["users", "--workspace", copy], /  ada +1 memory/],
    ] as const;
    for (const [args, says] of verbs) {
      const { out, err } = await run([...args]);
      expect(err).toBe("");
      expect(out).toMatch(says);
      expect(out).not.toContain("Xylophonist");
    }

    const torn = join(home, "torn.jsonl");
    writeFileSync(torn, readFileSync(archive, "utf8").slice(0, -40));
    const told = [
      await run(["import", torn, "--workspace", fresh()]),
      await run(["move", join(home, "none"), address]),
      await run(["move", one]),
      await run(["move", one, address.replace(/:\d+\//, ":1/")]),
    ];
    for (const [at, said] of [
      "torn.jsonl cannot be imported because of line",

      "there is no workspace at",
      "move needs two places",
      "start the server, or check its address",
    ].entries()) {
      expect(told[at]?.code).not.toBe(0);
      expect(told[at]?.err).toContain(said);
      expect(told[at]?.err.trim().split("\n")).toHaveLength(1);
    }
    expect(existsSync(join(home, "none"))).toBe(false);
    expect(JSON.stringify([there, back, again, ...told])).not.toContain("Xylophonist");
  });
});
