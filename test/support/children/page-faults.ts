// Records, notes and tasks on a disk that is full from each write on, one after the other: what is refused is undone, what is
// acknowledged is done. Prints what was broken, and how often which was refused.
import { fillDisk } from "../../../drill/boundaries.ts";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTidemark, type Tidemark } from "../../../src/index.ts";

const home = mkdtempSync(join(tmpdir(), "tidemark-pages-full-"));
const workspace = join(home, "w");
let time = Date.UTC(2026, 10, 25, 12);
const CREW = "team:crew";
const [IDEA, TASK] = ["ideas/mole.md", "mole"];

const open = async (): Promise<Tidemark> =>
  (
    await openTidemark({
      workspace,
      embed: false,
      listen: false,
      identity: { agent: "ann", team: "crew" },
      now: () => (time += 1),
    })
  ).as({ agent: "ann", team: "crew", role: "human" });

const theRecord = async (tidemark: Tidemark): Promise<string> =>
  (await tidemark.records.list())[0]?.id ?? "";
const theMemory = async (tidemark: Tidemark): Promise<string> =>
  (await tidemark.memory.list()).find(({ content }) => content.includes("pier"))?.id ?? "";
const theTask = (tidemark: Tidemark) =>
  tidemark.task({ id: TASK, description: "Paint the mole before the winter" });

const DEEDS: Readonly<Record<string, (tidemark: Tidemark) => Promise<() => Promise<unknown>>>> = {
  "records.add": async (tidemark) => () =>
    tidemark.records.add({ category: "procedure", name: "tide", content: "Ring the bell twice." }),
  "records.update": async (tidemark) => {
    const id = await theRecord(tidemark);
    return () => tidemark.records.update(id, { content: "The mole is painted in May." });
  },
  "records.reclassify": async (tidemark) => {
    const id = await theRecord(tidemark);
    return () => tidemark.records.reclassify(id, "principle");
  },
  "records.archive": async (tidemark) => {
    const id = await theRecord(tidemark);
    return () => tidemark.records.archive(id);
  },
  "records.delete": async (tidemark) => {
    const id = await theRecord(tidemark);
    return () => tidemark.records.delete(id);
  },
  "notes.write": async (tidemark) => () => tidemark.notes.write("ideas/gull.md", "Gulls sleep."),
  "notes.write over": async (tidemark) => () => tidemark.notes.write(IDEA, "Granite after all."),
  "notes.remove": async (tidemark) => () => tidemark.notes.remove(IDEA),
  "notes.promote": async (tidemark) => () => tidemark.notes.promote(IDEA, { to: CREW }),
  "memory.promote": async (tidemark) => {
    const id = await theMemory(tidemark);
    return () => tidemark.memory.promote(id, { to: CREW });
  },
  "task.done": async (tidemark) => {
    const task = await theTask(tidemark);
    return () => task.done("It is painted grey.");
  },
  "task.failed": async (tidemark) => {
    const task = await theTask(tidemark);
    return () => task.failed(new Error("The paint froze."));
  },
};

async function settled(): Promise<void> {
  const tidemark = await open();
  await tidemark.records.add({
    category: "decision",
    name: "mole",
    content: "The mole is painted in autumn.",
  });
  await tidemark.notes.write(IDEA, "A mole of granite.");
  await tidemark.memory.save("The pier is made of oak.");
  await theTask(tidemark);
  await tidemark.close();
}

/** What a host sees, without what each run names anew. */
async function seen(tidemark: Tidemark): Promise<string> {
  const records = [
    ...(await tidemark.records.list()),
    ...(await tidemark.records.list({ archived: true })),
  ];
  const notes = await tidemark.notes.list();
  const texts = await Promise.all(
    notes.map(async ({ scope, name }) => [scope, name, await tidemark.notes.read(name, { scope })]),
  );
  const memories = await tidemark.memory.list();
  return JSON.stringify({
    records: records.map(({ path, content, archived }) => [path, content.trim(), archived]),
    notes: texts,
    memories: memories.map(({ content, scope }) => [content, scope]).sort(),
  });
}

interface Tried {
  readonly writes: number;
  readonly refused: boolean;
  readonly states: readonly string[];
  readonly drafts: readonly string[];
}

async function tried(template: string, deed: string, from: number): Promise<Tried> {
  rmSync(workspace, { recursive: true, force: true });
  cpSync(template, workspace, { recursive: true });
  const tidemark = await open();
  const go = await DEEDS[deed]?.(tidemark);
  await tidemark.idle();
  fillDisk(from);
  const refused = await Promise.resolve(go?.()).then(
    () => false,
    () => true,
  );
  const writes = fillDisk(0);
  const soon = await seen(tidemark);
  await tidemark.close();
  const again = await open();
  const later = await seen(again);
  await again.close();
  const drafts = readdirSync(workspace, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".tmp"),
  );
  return { writes, refused, states: [soon, later], drafts };
}

await settled();
const template = join(home, "template");
cpSync(workspace, template, { recursive: true });
const first = await open();
const before = await seen(first);
await first.close();
const broken: string[] = [];
const counts: Record<string, [refused: number, tried: number]> = {};
for (const deed of Object.keys(DEEDS)) {
  const { writes, states } = await tried(template, deed, 0);
  const after = states[0];
  if (after === before) broken.push(`${deed} changes nothing that is looked at`);
  let refusals = 0;
  for (let from = 1; from <= writes; from += 1) {
    const one = await tried(template, deed, from);
    const wanted = one.refused ? before : after;
    const where = `${deed}, full from ${from} of ${writes}, ${one.refused ? "refused" : "done"}`;
    one.states.forEach((state, at) => {
      if (state !== wanted) broken.push(`${where}, ${at === 0 ? "soon" : "later"}: ${state}`);
    });
    if (one.drafts.length > 0) broken.push(`${where}: left ${one.drafts.join(", ")}`);
    if (one.refused) refusals += 1;
  }
  counts[deed] = [refusals, writes];
}
rmSync(home, { recursive: true, force: true });
console.log(JSON.stringify({ broken, counts }));
