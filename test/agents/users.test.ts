import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTidemark, type Options, type Tidemark } from "../../src/index.ts";
import { executeHere } from "../support/cli-here.ts";
import { toyEmbedder } from "../support/embedder.ts";
import { postgresStorage } from "../../src/storage/postgres/postgres-storage.ts";
import { pglite } from "../support/pglite.ts";
import { asReply, assistant, requestOf, user } from "../support/talk.ts";
import { fileFolder } from "../support/afterwards.ts";
import { freshFolder, NOON } from "../support/workspace.ts";

const OPTIONS: Options = {
  ...{ distil: "extractive", archive: true, recall: true, listen: false },
  ...{ now: () => NOON, embed: toyEmbedder() },
};
const WORDS = { iduna: "zeppelin", bob: "submarine" } as const;
const { server, schema } = pglite();
type Name = keyof typeof WORDS;
const NAMES: readonly Name[] = ["iduna", "bob"];

/** Everything that a user can leave: words, keys, tags, pages, labels, records, proposals, pins. */
async function lives(house: Tidemark, name: Name): Promise<void> {
  const word = WORDS[name];
  const scope = `user:${name}` as const;
  for (const agent of ["default", "ops"]) {
    const view = house.as({ user: name, agent, team: "crew" });
    await view.memory.save({
      ...{ content: `The ${word} of ${agent} leaves at noon.`, scope, key: `${word}-${agent}` },
      ...{ tags: [word], category: `${word}-things` },
    });
    await view.memory.save({ content: `The ${word} leaves at ten.`, scope, key: `${word}-ops` });
    const wish = user(`Remember that I prefer the ${word} over trains, always.`);
    for (const said of [[wish], [wish, assistant(`The ${word} it is.`), user(`And a ${word}?`)]])
      await (
        await view.begin(requestOf(said), { conversation: `${word}-talk` })
      ).end(asReply(assistant(`The ${word} it is.`)));
    await view.notes.write("deep/a.md", `The ${word} is blue.`, { scope });
    await view.notes.write("deep/a.md", `The ${word} is red.`, { scope });
    const content = `Moor the ${word}.`;
    const { id } = await view.records.add({ content, category: "procedure", scope });
    await view.records.update(id, { content: `Moor the ${word} at dusk.` });
    await view.workspace.write("USER.md", `Loves the ${word}.`, scope);
    await view.workspace.edit("MEMORY.md", (page) => `Mine: the ${word}.\n${page}`, scope);
    await view.pin(`Never sell the ${word}.`);
    const own = await view.memory.save({ content: `A ${word} is fast.`, scope });
    await view.memory.promote(own.id, { to: "team:crew" }).catch(() => undefined);
    await view.memory.search(word);
  }
}

async function opened(workspace = join(freshFolder(), "ws")) {
  return { workspace, house: await openTidemark({ ...OPTIONS, workspace }) };
}

/** A close reads what was said, so it is opened anew. */
async function inhabited(names: readonly Name[], shared: string, place?: string): Promise<string> {
  const { workspace, house } = await opened(place);
  await house.memory.save(shared);
  for (const name of names) await lives(house, name);
  await house.close();
  const again = (await opened(workspace)).house;
  await again.tidy();
  await again.close();
  return workspace;
}

const home = fileFolder();
let both: Promise<string> | undefined;
/** A copy of a workspace in which both have lived. */
async function ofBoth() {
  const workspace = join(freshFolder(), "ws");
  both ??= inhabited(NAMES, "The harbour closes at ten.", join(home, "both"));
  cpSync(await both, workspace, { recursive: true });
  return opened(workspace);
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
const holding = (folder: string, ...marks: readonly string[]): string[] =>
  filesIn(folder).filter((path) => {
    const all = `${path} ${readFileSync(path).toString("latin1")}`.toLowerCase();
    return marks.some((mark) => all.includes(mark));
  });

/** All that a user's hosts can read. */
const seenBy = async (house: Tidemark, name: Name): Promise<unknown> =>
  Promise.all(
    ["default", "ops"].map(async (agent) => {
      const view = house.as({ user: name, agent });
      const talks = await view.history.list();
      return {
        memories: (await view.memory.list()).filter(({ scope }) => scope === `user:${name}`),
        talks,
        words: await Promise.all(talks.map(({ id }) => view.history.read({ conversation: id }))),
        pins: await view.pins(),
        notes: await view.notes.read("deep/a.md", { scope: `user:${name}` }),
        records: await view.records.list(),
        page: await view.workspace.read("MEMORY.md", `user:${name}`),
      };
    }),
  );

async function textOf(lines: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const line of lines) text += line;
  return text;
}

it("an export of a user holds all of hers, and no byte of another's", async () => {
  const { workspace, house } = await ofBoth();
  for (const name of NAMES) {
    const other = name === "iduna" ? "bob" : "iduna";
    const text = await textOf(house.users.export(name));
    expect(text.toLowerCase()).not.toMatch(new RegExp(`${WORDS[other]}|\\b${other}\\b`));
    for (const part of ["red", "dusk", "Never sell", "Mine: ", "noon", "harbour closes"])
      expect(text, part).toContain(part);
    expect(text.match(/"table":"session"/g)).toHaveLength(2);
  }
  await house.close();
  const to = join(freshFolder(), "iduna.jsonl");
  const at = ["--workspace", workspace];
  const { out } = await executeHere(["export", to, "--user", "iduna", ...at]);
  expect(out).toMatch(/^✓ \S+: what agent:default, user:iduna may see: \d+ files, \d+ memories/);
  expect(readFileSync(to, "utf8").toLowerCase()).not.toMatch(/submarine|\bbob\b/);
  const whole = await executeHere(["export", "-", ...at]);
  expect(whole.err.split("\n")[0]).toMatch(/^✓ Written: the whole workspace, every user's: /);
  for (const word of Object.values(WORDS)) expect(whole.out).toContain(word);
});

it("an import of a user's export adds hers, leaves those of others and can be done again", async () => {
  const source = await ofBoth();
  const from = join(freshFolder(), "iduna.jsonl");
  await writeFile(from, source.house.users.export("iduna"));
  const hers = await seenBy(source.house, "iduna");
  await source.house.close();

  const { workspace, house } = await opened(
    await inhabited(["bob"], "The agent of this place likes tea."),
  );
  const [his, shared] = [await seenBy(house, "bob"), await house.memory.list()];
  await house.close();
  const bytes = holding(workspace, "bob", "submarine").filter((path) => path.endsWith(".md"));
  const pages = bytes.map((path) => readFileSync(path, "utf8"));

  const importing = ["import", from, "--workspace", workspace];
  expect((await executeHere(importing)).out).toMatch(/^✓ New in \S+: [1-9]\d* files, [1-9]/);
  expect((await executeHere(importing)).out).toMatch(/: no files, no memories, no conversations\./);
  expect(bytes.map((path) => readFileSync(path, "utf8"))).toEqual(pages);
  const again = (await opened(workspace)).house;
  expect(await seenBy(again, "iduna")).toEqual(hers);
  expect(await seenBy(again, "bob")).toEqual(his);
  expect(await again.memory.list()).toEqual(shared);
  const talk = requestOf([user("What leaves at noon, the zeppelin?")]);
  const turn = await again.as({ user: "iduna" }).begin(talk);
  expect(JSON.stringify(turn.request)).toContain("The zeppelin of default leaves at noon.");
  expect((await again.as({ user: "iduna" }).memory.search("red zeppelin")).length).toBeGreaterThan(
    0,
  );
  await again.close();
});

it("an import keeps what has changed since, and says which pages it left", async () => {
  const { workspace, house } = await ofBoth();
  const from = join(freshFolder(), "iduna.jsonl");
  await writeFile(from, house.users.export("iduna"));
  const iduna = house.as({ user: "iduna" });
  const [one] = await iduna.memory.list({ scope: "user:iduna" });
  await iduna.memory.update(one?.id ?? "", { content: "The zeppelin was sold." });
  await iduna.notes.write("deep/a.md", "Nothing flies.", { scope: "user:iduna" });
  const now = await seenBy(house, "iduna");
  await house.close();
  const { out } = await executeHere(["import", from, "--workspace", workspace]);
  expect(out).toMatch(/! These stand there with other words, and stay: .*notes\/deep\/a\.md/);
  const again = (await opened(workspace)).house;
  expect(await seenBy(again, "iduna")).toEqual(now);
  await again.close();
});

it("forgetting a user leaves no byte of hers in the folder, at once and after the close", async () => {
  const { workspace, house } = await ofBoth();
  const his = await seenBy(house, "bob");
  writeFileSync(join(workspace, ".tidemark/tidemark.db.damaged-2026-01-01"), "a zeppelin");
  expect((await house.users.list()).map((one) => one.user).sort()).toEqual(["bob", "iduna"]);
  const told = await house.users.forget("iduna", { dry: true });
  expect(told).toMatchObject({ conversations: 2, messages: 8 });
  expect(holding(workspace, "zeppelin").length).toBeGreaterThan(5);

  expect(await house.as({ user: "bob" }).users.forget("iduna")).toEqual(told);
  const copy = join(freshFolder(), "copy");
  cpSync(workspace, copy, { recursive: true });
  expect(holding(copy, "zeppelin", "iduna")).toEqual([]);
  expect((await house.users.list()).map((one) => one.user)).toEqual(["bob"]);
  expect(await seenBy(house, "bob")).toEqual(his);
  // She comes again, to the same process: as a stranger, under her own name.
  await house.as({ user: "iduna" }).memory.save({ content: "I sail.", scope: "user:iduna" });
  expect(await house.as({ user: "iduna" }).memory.search("zeppelin")).toEqual([]);
  const here = expect.objectContaining({ user: "iduna", memories: 1 }) as unknown;
  expect(await house.users.list()).toContainEqual(here);
  await house.users.forget("iduna");
  await house.close();
  expect(holding(workspace, "zeppelin", "iduna")).toEqual([]);
  expect(existsSync(join(workspace, "scopes/user/iduna"))).toBe(false);
  const again = (await opened(workspace)).house;
  expect(await seenBy(again, "bob")).toEqual(his);
  expect((await again.as({ user: "bob" }).memory.search("submarine")).length).toBeGreaterThan(2);
  await again.close();
});

it("all of it holds on a server: exported to a folder, and no row of hers is left", async () => {
  const name = schema();
  const open = async (): Promise<Tidemark> => {
    const store = await postgresStorage(server, name);
    return openTidemark({ ...OPTIONS, store });
  };
  let house = await open();
  await house.memory.save("The harbour closes at ten.");
  for (const each of NAMES) await lives(house, each);
  await house.close();
  house = await open();
  await house.tidy();
  const [hers, his] = [await seenBy(house, "iduna"), await seenBy(house, "bob")];
  expect((await house.users.list()).map((one) => one.user).sort()).toEqual(["bob", "iduna"]);
  const text = await textOf(house.users.export("iduna"));
  expect(text.toLowerCase()).not.toMatch(/submarine|\bbob\b/);
  const [from, workspace] = [join(freshFolder(), "iduna.jsonl"), join(freshFolder(), "ws")];
  await writeFile(from, text);
  await executeHere(["import", from, "--workspace", workspace]);
  const { house: there } = await opened(workspace);
  expect(await seenBy(there, "iduna")).toEqual(hers);
  await there.close();

  const told = await house.users.forget("iduna", { dry: true });
  expect(told).toMatchObject({ conversations: 2, messages: 8, copies: 0 });
  expect(await house.users.forget("iduna")).toEqual(told);
  const all = async (): Promise<string> => {
    const tables = await server.send(
      "select table_name as name from information_schema.tables where table_schema = $1",
      [name],
    );
    const rows = tables.map((one) =>
      server.send(`select held::text from "${name}"."${String(one.name)}" held`, []),
    );
    return JSON.stringify(await Promise.all(rows)).toLowerCase();
  };
  expect(await all()).not.toMatch(/zeppelin|iduna/);
  expect(await seenBy(house, "bob")).toEqual(his);
  await house.close();
  expect(await all()).not.toMatch(/zeppelin|iduna/);
  expect(await all()).toContain("submarine");
});

it("users are refused in one sentence where no folder holds them, and after a close", async () => {
  const house = await openTidemark({ workspace: false, listen: false });
  const none = {
    code: "capability",
    message: expect.stringMatching(/^This store cannot tell users apart, nor move: open a folder/),
  };
  await expect(house.users.list()).rejects.toMatchObject(none);
  await expect(house.users.forget("iduna")).rejects.toMatchObject(none);
  await expect(textOf(house.users.export("iduna"))).rejects.toMatchObject(none);
  await expect(house.users.forget("")).rejects.toMatchObject({ code: "config" });
  await house.close();
  await expect(textOf(house.users.export("iduna"))).rejects.toMatchObject({ code: "closed" });
});
