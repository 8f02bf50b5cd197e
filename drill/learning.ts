// A host that uses what an agent learns by: records, tasks, promotion, conversations as pages. Killed at a write, it does again
// what it was in the middle of.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { join } from "node:path";
import { openTidemark, type Tidemark, type TidemarkEvent } from "../src/index.ts";
import { asReply, assistant, requestOf, user } from "../test/support/talk.ts";

export interface LearningOrders {
  readonly workspace: string;
  /** The first step that is not known to be done. */
  readonly from: number;
  readonly clock: number;
}

/** What there is to be seen of it all. */
type State = Readonly<Record<string, string | undefined>>;

interface Step {
  readonly name: string;
  readonly work: (tidemark: Tidemark) => Promise<unknown>;
  /** What it changes of what is to be seen. */
  readonly makes: State;
}

const NORTH = "The north crane lifts nine tons.";
const SOUTH = "The south crane lifts four tons.";
const NEWER = "The north crane lifts eleven tons since May.";
const WORTH = "The pilot boards at the outer buoy.";
const GONE = "The albatross ledger lies in the cellar.";
const TALK = [
  user("Which berth is free?"),
  assistant("Berth seven is free."),
  user("And which one tomorrow?"),
  assistant("Berth nine, from noon on."),
];

const records = async ({ records: api }: Tidemark) => [
  ...(await api.list()),
  ...(await api.list({ archived: true })),
];
const record = async (tidemark: Tidemark, name: string) =>
  (await records(tidemark)).find((one) => one.name === name);
const idOf = async (tidemark: Tidemark, name: string): Promise<string> =>
  (await record(tidemark, name))?.id ?? "";

const adding = (name: string, content: string): Step => ({
  name: `record ${name}`,
  async work(tidemark) {
    if ((await record(tidemark, name)) === undefined)
      await tidemark.records.add({ name, content, category: "procedure" });
  },
  makes: { [name]: `procedure ${content}` },
});

const STEPS: readonly Step[] = [
  adding("north", NORTH),
  adding("south", SOUTH),
  {
    name: "update",
    work: async (tidemark) =>
      tidemark.records.update(await idOf(tidemark, "north"), { content: NEWER }),
    makes: { north: `procedure ${NEWER}` },
  },
  {
    name: "archive",
    work: async (tidemark) => tidemark.records.archive(await idOf(tidemark, "south")),
    makes: { south: `procedure ${SOUTH} archived` },
  },
  {
    name: "restore",
    work: async (tidemark) => tidemark.records.restore(await idOf(tidemark, "south")),
    makes: { south: `procedure ${SOUTH}` },
  },
  {
    name: "reclassify",
    work: async (tidemark) =>
      tidemark.records.reclassify(await idOf(tidemark, "north"), "decision"),
    makes: { north: `decision ${NEWER}` },
  },
  {
    name: "delete",
    async work(tidemark) {
      const id = await idOf(tidemark, "south");
      if (id !== "") await tidemark.records.delete(id);
    },
    makes: { south: undefined },
  },
  {
    name: "save",
    work: (tidemark) => tidemark.memory.save({ content: WORTH, key: "pilot" }),
    makes: { pilot: "agent:default" },
  },
  {
    name: "promote",
    async work(tidemark) {
      const found = (await tidemark.memory.list()).find(({ key }) => key === "pilot");
      if (found?.scope === "agent:default")
        await tidemark.memory.promote(found.id, { to: "project:harbour" });
    },
    makes: { pilot: "project:harbour" },
  },
  {
    name: "done",
    async work(tidemark) {
      const task = await tidemark.task({ id: "ferry", description: "Unload the ferry" });
      await task.done("Unloaded the ferry within the tide.");
    },
    makes: { ferry: "ended" },
  },
  {
    name: "failed",
    async work(tidemark) {
      const task = await tidemark.task({ id: "barge", description: "Unload the barge" });
      await task.failed(new Error("The barge had no papers."));
    },
    makes: { barge: "ended" },
  },
  {
    name: "talk",
    async work(tidemark) {
      const { messages = 0 } =
        (await tidemark.history.list()).find(({ label }) => label === "berths") ?? {};
      // A host that has a reply goes on from it.
      for (const at of [1, 3].filter((one) => messages <= one)) {
        const turn = await tidemark.begin(requestOf(TALK.slice(0, at)), { conversation: "berths" });
        await turn.end(asReply(TALK[at] ?? assistant("")));
      }
    },
    makes: { berths: "4" },
  },
  {
    name: "import",
    work: (tidemark) =>
      tidemark.history.import({ id: "old", messages: [{ role: "user", text: GONE }] }),
    makes: { old: "1" },
  },
  {
    name: "pages",
    // Written with the close, and found by the next life.
    work: async () => undefined,
    makes: {},
  },
  {
    name: "forget",
    work: (tidemark) => tidemark.history.forget({ conversation: "old" }),
    makes: { old: undefined },
  },
];
/** Before this step the process ends and another begins: pages are written. */
const REOPENED = STEPS.findIndex(({ name }) => name === "forget");

const stateAfter = (done: number): State => {
  const all = Object.assign({}, ...STEPS.slice(0, done).map(({ makes }) => makes)) as State;
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
};

async function open(
  workspace: string,
  now: () => number,
  listen: (event: TidemarkEvent) => void = () => {},
): Promise<Tidemark> {
  return openTidemark({
    ...{ workspace, distil: "extractive", archive: true, now, listen },
    identity: { agent: "default", project: "harbour", role: "lead" },
  });
}

async function stateOf(tidemark: Tidemark): Promise<State> {
  const found: Record<string, string> = {};
  const put = (name: string, value: string): void =>
    void (found[name] = found[name] === undefined ? value : `${found[name]} and ${value}`);
  for (const { name, category, content, archived } of await records(tidemark))
    put(name, `${category} ${content}${archived ? " archived" : ""}`);
  const memories = await tidemark.memory.list({ limit: 1_000 });
  for (const { content, scope } of memories) if (content === WORTH) put("pilot", scope);
  for (const name of ["ferry", "barge"])
    for (const { content, source } of memories)
      if (
        source === "task_completion" &&
        content.toLowerCase().includes(name) &&
        !content.startsWith("Open")
      )
        put(name, "ended");
  for (const { label, messages } of await tidemark.history.list())
    if (label === "berths" || label === "old") put(label, String(messages));
  return found;
}

const filesIn = (workspace: string): string[] =>
  readdirSync(workspace, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

/** Each conversation has one page at most, and each page is whole. */
async function checkPages(
  tidemark: Tidemark,
  workspace: string,
  { broke, finish }: { broke: (law: string) => void; finish: boolean },
): Promise<void> {
  const folder = join(workspace, "conversations");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const held = new Map<string, number>();
  for (const name of names.filter((one) => one.endsWith(".md"))) {
    const text = readFileSync(join(folder, name), "utf8");
    const [, id = "", messages = ""] =
      /^---\nid: "(\w+)"\n[\s\S]*?messages: (\d+)\n---\n[\s\S]*\n$/.exec(text) ?? [];
    if (id === "" || (text.match(/^## \d+\. /gm) ?? []).length !== Number(messages))
      broke(`the page ${name} is not whole`);
    if (held.has(id)) broke(`conversation ${id} has two pages`);
    held.set(id, Number(messages));
  }
  const listed = await tidemark.history.list();
  for (const id of held.keys())
    if (!listed.some((one) => one.id === id)) broke(`a page of no conversation is there: ${id}`);
  if (!finish) return;
  for (const { id, label, messages } of listed)
    if (held.get(id) !== messages)
      broke(`the page of ${label ?? id} holds ${held.get(id) ?? "none"} of ${messages} messages`);
}

function checkLeft(workspace: string, done: number, broke: (law: string) => void): void {
  const files = filesIn(workspace);
  const left = files.filter((name) => name.endsWith(".tmp") && !name.endsWith(".db.tmp"));
  if (left.length > 0) broke(`temporary files are left: ${left.join(", ")}`);
  if (done <= REOPENED) return;
  for (const name of files.filter((one) => /\.md$|tidemark\.db/.test(one)))
    if (readFileSync(name, "latin1").includes("albatross ledger"))
      broke(`what was forgotten stands in ${name}`);
}

/** Does what is left; tells of each step that is done. */
async function play(
  tidemark: () => Promise<Tidemark>,
  from: number,
  told: (step: number) => void,
): Promise<void> {
  let now = await tidemark();
  for (const [at, step] of STEPS.entries()) {
    if (at < from) continue;
    if (at === REOPENED) {
      await now.close();
      now = await tidemark();
    }
    await step.work(now);
    told(at);
  }
  await now.idle();
  await now.close();
}

/** Opens what a killed process left, holds it against the laws, does the rest, and looks once more. */
export async function checkLearning(
  workspace: string,
  done: number,
  clock: () => number,
): Promise<string[]> {
  const broken: string[] = [];
  const broke = (law: string): void => void broken.push(law);
  const events: TidemarkEvent[] = [];
  const opened = (): Promise<Tidemark> => open(workspace, clock, (event) => events.push(event));
  const looked = async (may: readonly State[], finish: boolean): Promise<void> => {
    const tidemark = await opened();
    const state = await stateOf(tidemark);
    if (!may.some((one) => isDeepStrictEqual(one, state)))
      broke(`${JSON.stringify(state)} is there, and was to be ${JSON.stringify(may)}`);
    await checkPages(tidemark, workspace, { broke, finish });
    await tidemark.close();
    checkLeft(workspace, finish ? STEPS.length : done, broke);
  };
  const before = stateAfter(done);
  // A conversation comes message by message.
  const partly = STEPS[done]?.name === "talk" ? ["1", "2", "3"] : [];
  await looked(
    [before, stateAfter(done + 1), ...partly.map((berths) => ({ ...before, berths }))],
    false,
  );
  await play(opened, done, () => {});
  await looked([stateAfter(STEPS.length)], true);
  for (const event of events)
    if (event.type === "degraded") broke(`degraded: ${JSON.stringify(event)}`);
  return broken;
}

if (process.argv[1] === import.meta.filename) {
  process.stdout.write('{"ready":true}\n');
  const { workspace, from, clock } = JSON.parse(process.argv[2] ?? "{}") as LearningOrders;
  let time = clock;
  await play(
    () => open(workspace, () => (time += 50)),
    from,
    (step) => void process.stdout.write(`${JSON.stringify({ ack: "done", step })}\n`),
  );
}
