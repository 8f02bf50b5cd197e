// A host on a disk that runs full at each write of what it does, one after the other: what is refused never comes true, what
// is acknowledged does.
import { atWrites, onFullDisk, type Tried } from "./on-full-disks.ts";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTidemark, type Tidemark } from "../../../src/index.ts";

const home = mkdtempSync(join(tmpdir(), "tidemark-full-"));
const [workspace, template] = [join(home, "w"), join(home, "template")];
let time = Date.UTC(2026, 10, 21, 10);
const PIER = "The pier is made of oak.";
const CRATE = "Quisquilia lies in crate nine.";
const CREW = "team:crew";
const IDEA = "ideas/mole.md";

const open = async (): Promise<Tidemark> =>
  openTidemark({
    ...{ workspace, distil: "extractive", embed: false, listen: false },
    identity: { agent: "ann", team: "crew", role: "human" },
    now: () => (time += 1),
  });

const idOf = async (tidemark: Tidemark, content: string): Promise<string> =>
  (await tidemark.memory.list()).find((one) => one.content === content)?.id ?? "";
const theRecord = async (tidemark: Tidemark): Promise<string> =>
  (await tidemark.records.list())[0]?.id ?? "";
const theTask = (tidemark: Tidemark) =>
  tidemark.task({ id: "mole", description: "Paint the mole before the winter" });

/** What a host does, once all that it needs is at hand. */
const DEEDS: Readonly<Record<string, (tidemark: Tidemark) => Promise<() => Promise<unknown>>>> = {
  save:
    async ({ memory }) =>
    () =>
      memory.save("The mole was built in 1911."),
  "save under a key":
    async ({ memory }) =>
    () =>
      memory.save({ content: "The pier is made of stone.", key: "pier" }),
  update: async (tidemark) => {
    const id = await idOf(tidemark, CRATE);
    return () => tidemark.memory.update(id, { content: "A gull sits on crate nine." });
  },
  forget: async (tidemark) => {
    const id = await idOf(tidemark, CRATE);
    return () => tidemark.memory.forget(id);
  },
  promote: async (tidemark) => {
    const id = await idOf(tidemark, PIER);
    return () => tidemark.memory.promote(id, { to: CREW });
  },
  "records.add": async (tidemark) => () =>
    tidemark.records.add({ category: "procedure", name: "tide", content: "Ring the bell twice." }),
  "records.update": async (tidemark) => {
    const id = await theRecord(tidemark);
    return () => tidemark.records.update(id, { content: "The mole is painted in May." });
  },
  "records.archive": async (tidemark) => {
    const id = await theRecord(tidemark);
    return () => tidemark.records.archive(id);
  },
  "notes.write":
    async ({ notes }) =>
    () =>
      notes.write(IDEA, "Granite after all."),
  "notes.promote":
    async ({ notes }) =>
    () =>
      notes.promote(IDEA, { to: CREW }),
  "task.done": async (tidemark) => {
    const task = await theTask(tidemark);
    return () => task.done("It is painted grey.");
  },
};

async function settled(): Promise<void> {
  const tidemark = await open();
  await tidemark.memory.save({ content: PIER, key: "pier" });
  const { id } = await tidemark.memory.save(CRATE);
  await tidemark.records.add({ category: "decision", name: "mole", content: "It is red." });
  await tidemark.notes.write(IDEA, "A mole of granite.");
  await theTask(tidemark);
  // Words of the crate stand in the logs of two days.
  time += 86_400_000;
  await tidemark.memory.update(id, { importance: 0.9 });
  await tidemark.close();
  cpSync(workspace, template, { recursive: true });
}

/** What a host sees, without what each run names anew. */
async function seen({ records, notes, memory }: Tidemark): Promise<string> {
  const all = [...(await records.list()), ...(await records.list({ archived: true }))];
  const texts = (await notes.list()).map(async ({ scope, name }) => [
    ...[scope, name, await notes.read(name, { scope })],
  ]);
  return JSON.stringify({
    records: all.map(({ path, content, archived }) => [path, content.trim(), archived]),
    notes: await Promise.all(texts),
    memories: (await memory.list()).map(({ content, scope }) => [content, scope]).sort(),
  });
}

const files = (end: string): string[] =>
  readdirSync(workspace, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(end))
    .map(({ parentPath, name }) => join(parentPath, name));
const pages = (): string =>
  files(".md")
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");

await settled();
const first = await open();
const before = await seen(first);
await first.close();
/** What there is when each deed was done. */
const after = new Map<string, string>();

/** One deed on a disk that is full from the n-th write on. */
async function tried(deed: string, from: number): Promise<Tried> {
  rmSync(workspace, { recursive: true, force: true });
  cpSync(template, workspace, { recursive: true });
  const tidemark = await open();
  const go = await DEEDS[deed]?.(tidemark);
  await tidemark.idle();
  const { writes, refused } = await onFullDisk(from, async () => go?.());
  time += 2_000;
  const soon = await seen(tidemark);
  if (from === 0) after.set(deed, soon);
  await tidemark.close();
  const again = await open();
  const later = await seen(again);
  await again.close();
  // A forgetting that could not take words out of files has forgotten, and does that later.
  const isGone = deed === "forget" && !later.includes(CRATE);
  const wanted = refused && !isGone ? before : after.get(deed);
  const broken = [soon, later].filter((state) => state !== wanted);
  if (wanted === before && from === 0) broken.push("it changes nothing that is looked at");
  if (isGone && pages().includes("Quisquilia")) broken.push("its words stand in the files");
  for (const content of refused && !isGone ? [PIER, CRATE] : [])
    if (pages().split(content).length < 3) broken.push(`the files have lost ${content}`);
  return { writes, refused, broken: [...broken, ...files(".tmp")] };
}

await atWrites(Object.keys(DEEDS), tried, 2);
rmSync(home, { recursive: true, force: true });
