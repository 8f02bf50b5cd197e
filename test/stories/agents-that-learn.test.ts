import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { forgetIn } from "../support/forget-in.ts";
import type { Identity, Tidemark } from "../../src/index.ts";
import {
  clientOf,
  freshFolder,
  freshServer,
  freshTidemark,
  loopOf,
  spoken,
  systemText,
  textOf,
} from "../support/anthropic.ts";
import type { Script } from "../support/messages-server/index.ts";

const SKY: Identity = { agent: "sky", team: "web", user: "ada" };
const RAIN: Identity = { agent: "rain", team: "data", user: "bob" };
const BOSS: Identity = { agent: "boss", team: "web", role: "lead" };
const MOVE = "Move the billing service to the new cluster";
/** Stands in everything that is forgotten in the end. */
const SECRET = "quittenhain";

/** It does as its instructions say, and knows nothing else. */
const obedient: Script = ({ system }) =>
  /answers in German/.test(systemText({ system }))
    ? "Gern, mit Vergnügen."
    : "Sure, with pleasure.";

/** Sessions one after another, each a process of its own, over one workspace and one clock. */
async function house() {
  const server = await freshServer({ window: 1_000_000, reply: obedient });
  const workspace = freshFolder();
  const clock = { now: Date.UTC(2026, 10, 2, 9) };
  const session = async <T>(
    identity: Identity,
    work: (tidemark: Tidemark, say: (text: string) => Promise<Said>) => Promise<T>,
  ): Promise<T> => {
    clock.now += 3_600_000;
    const { tidemark } = await freshTidemark({
      workspace,
      identity,
      distil: "extractive",
      embed: false,
      now: () => clock.now,
    });
    const loop = loopOf(clientOf(server, tidemark));
    const done = await work(tidemark, async (text) => {
      const before = spoken(server).length;
      const reply = textOf(await loop.say(text));
      const { body } = spoken(server)[before] ?? { body: {} };
      return { reply, request: JSON.stringify(body), system: systemText(body) };
    });
    await tidemark.close();
    return done;
  };
  return { server, workspace, clock, session };
}
interface Said {
  readonly reply: string;
  readonly request: string;
  readonly system: string;
}

/** Every file below a folder with its bytes as text, without `left`. */
function bytes(folder: string, left = /^$/): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && !left.test(join(file.parentPath, file.name)))
    .map(({ parentPath, name }) => `${name}\n${readFileSync(join(parentPath, name), "latin1")}`)
    .join("\n");
}

it("agents of two teams learn from their user, their failures, their lead and a person's pencil, and forget", async () => {
  const { workspace, clock, session } = await house();

  // Session 1: a preference is said; a task fails, and its lesson is noted.
  const record = await session(SKY, async (tidemark, say) => {
    expect((await say("Hello! I prefer answers in German.")).reply).toMatch(/^Sure/);
    const task = await tidemark.task({ description: MOVE });
    expect(task.brief.text).toBe("");
    await task.note("The lock in etcd is released with bin/unlock before the move.");
    await task.failed(new Error("Error: the lock is still held by old-cluster"));
    return tidemark.records.add({
      category: "procedure",
      content: "# Move a billing service\nDrain the old cluster, then move.",
      scope: "team:web",
    });
  });
  await session(RAIN, async (_, say) => void (await say("Good morning.")));

  // Session 2: the lead tells its worker something; another team's worker is out of its reach.
  await session(BOSS, async ({ memory }) => {
    const word = { content: "Ask Ida before a billing cluster is moved.", category: "preference" };
    await memory.inject({ ...word, to: "agent:sky" });
    await expect(memory.inject({ ...word, to: "agent:rain" })).rejects.toMatchObject({
      code: "scope-denied",
    });
  });
  const page = join(workspace, record.path);
  const edited = readFileSync(page, "utf8").replace("then move", "freeze invoices, then move");
  writeFileSync(page, edited);

  // Session 3: the preference is obeyed; the next brief has the lesson, the failure, the lead's word and the person's edit.
  await session(SKY, async (tidemark, say) => {
    const { reply, system } = await say("What is next?");
    expect(reply).toMatch(/^Gern/);
    expect(system).toContain("<tidemark-lead>\n- Ask Ida before a billing cluster is moved. (");
    expect(system).not.toContain("still held by old-cluster");
    const task = await tidemark.task({
      description: "Move the billing service to the newest cluster",
    });
    expect(task.brief.text).toContain("released with bin/unlock");
    expect(task.brief.text).toMatch(/\(unverified\) .*still held by old-cluster/);
    expect(task.brief.text).toContain("Ask Ida before a billing cluster is moved.");
    expect(task.brief.text).toContain("freeze invoices, then move");
    await task.done("Moved after the lock was released.");
  });

  // Session 4: the other team's agent knows nothing of it, with another user.
  await session(RAIN, async (tidemark, say) => {
    const { reply, request } = await say("What is next with the billing cluster?");
    expect(reply).toMatch(/^Sure/);
    const { brief } = await tidemark.task({ description: MOVE });
    for (const text of [request, brief.text])
      expect(text).not.toMatch(/German|Ida|unlock|old-cluster|invoices/);
  });

  // Session 5: something is said, written down everywhere, and forgotten.
  await session(SKY, async (tidemark, say) => {
    const { memory, notes, records, history } = tidemark;
    await say(`Remember that the spare key lies under the stone at ${SECRET}.`);
    await tidemark.idle();
    await memory.save({ content: `The gate of ${SECRET} squeaks.`, scope: "user:ada" });
    await notes.write(`${SECRET}.md`, `The way to ${SECRET} is long.`, { scope: "user:ada" });
    const { id } = await records.add({
      category: "decision",
      content: `We meet at ${SECRET}.`,
      scope: "user:ada",
    });
    clock.now += 3_000;
    expect((await tidemark.brief(SECRET)).text).toContain(SECRET);
    const places = (await memory.search(SECRET, { limit: 50 })).map(({ from }) => from);
    expect(new Set(places)).toEqual(new Set(["memory", "files", "history"]));
    for (const one of await memory.list({ limit: 1_000 }))
      if (one.content.includes(SECRET)) await memory.forget(one.id);
    await notes.remove(`${SECRET}.md`, { scope: "user:ada" });
    await records.delete(id);
    for (const { id: conversation } of await history.list()) {
      const { messages } = await history.read({ conversation });
      if (JSON.stringify(messages).includes(SECRET)) await history.forget({ conversation });
    }
    clock.now += 3_000;
    await forgotten(tidemark);
  });
  // What a note and a record said stays in the backups until they are cleared; nothing else has it.
  expect(bytes(workspace, /\.tidemark[\\/]backups/)).not.toContain(SECRET);
  await session(SKY, async (tidemark, say) => {
    expect((await say("Where do we meet?")).request).not.toContain(SECRET);
    await forgotten(tidemark);
    expect((await tidemark.brief(MOVE)).text).toContain("Ida");
  });
  await forgetIn({ workspace, user: "ada", now: () => clock.now });
  expect(bytes(workspace)).not.toContain(SECRET);
});

it("what a task has taught is the project's: the next agent has it, and no worker takes another's word back", async () => {
  const { session } = await house();
  const of = (agent: string, more: Identity = {}): Identity => ({
    agent,
    project: "kestrel",
    ...more,
  });
  const EXPORT = "Find out why the nightly export of the Kestrel shop fails";
  const listing =
    "total 8\n-rw-r--r-- 1 ada staff 99 nightly-export.ts\n-rw-r--r-- 1 ada staff 9 shop.ts";
  const id = await session(of("ann"), async ({ task, memory, history }) => {
    await (await task({ description: EXPORT })).failed("Error: the export was cut at 2 GB");
    await (await task({ description: `${EXPORT} today` })).done("It runs with --chunked.");
    const messages = [{ role: "tool", text: listing }];
    await history.import({ id: "ls", learn: false, messages });
    const content = "The Kestrel export is cut at 2 GB.";
    const given = { content, category: "decisions", scope: "project:kestrel" } as const;
    await memory.save({ ...given, content: "Kestrel exports are nightly.", category: "decision" });
    expect(await memory.list({ category: "decision" })).toHaveLength(1);
    return (await memory.save(given)).id;
  });
  await session(of("ben"), async ({ brief, memory }) => {
    const { text } = await brief("The nightly export of the Kestrel shop");
    expect(text).toContain("It runs with --chunked.");
    expect(text).toMatch(/\(unverified\) Failed \(\w+\): .*cut at 2 GB/);
    expect(text).not.toContain("staff");
    expect(await memory.list({ category: "decisions" })).toHaveLength(2);
    const taken = memory.promote(id, { to: "agent:ben" });
    await expect(taken).rejects.toMatchObject({ code: "scope-denied" });
  });
  await session({ agent: "ben" }, async ({ brief }) =>
    expect((await brief("The nightly export of the Kestrel shop")).text).toBe(""),
  );
  await session(of("ann", { role: "lead" }), async ({ memory }) =>
    expect(await memory.promote(id, { to: "agent:ann" })).toMatchObject({ scope: "agent:ann" }),
  );
  // With a user it is the user's, as all that is said with one.
  await session(of("ann", { user: "ada" }), async (tidemark) => {
    const view = tidemark.as({ user: "ada" });
    await (await view.task({ description: "Order the medicine" })).done("Ordered.");
    const [own] = await view.memory.list({ category: "outcome", scope: "user:ada" });
    expect(own?.content).toContain("medicine");
  });
});

/** In no search, brief, list, note, record or conversation. */
async function forgotten(tidemark: Tidemark): Promise<void> {
  const { memory, notes, records, history } = tidemark;
  const conversations = await history.list();
  const answers = [
    await memory.search(`${SECRET} stone gate way meet`, { limit: 100 }),
    await memory.recall(SECRET, { limit: 100 }),
    await tidemark.brief(`${SECRET} stone gate way meet`),
    await memory.list({ limit: 1_000 }),
    await notes.list(),
    await records.list(),
    await records.list({ archived: true }),
    await Promise.all(conversations.map(({ id }) => history.read({ conversation: id }))),
    await Promise.all(
      tidemark
        .tools()
        .map((tool) => tool.run(tool.name === "memory_list" ? {} : { query: "stone" })),
    ),
  ];
  for (const answer of answers) expect(JSON.stringify(answer)).not.toContain(SECRET);
}
