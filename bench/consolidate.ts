// Thirty nights over 10,000 memories with 1,000 planted facts of eight kinds in seven wordings: what is left, what is
// still answered, what comes back, how long a night holds up others (processor time of this thread: the machine may be
// busy; the backup a night ends with beside it); and nights that are killed at every write. "none": without any night.
//   npm run bench -- consolidate [DAYS]
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run as live } from "../drill/crash.ts";
import { chance } from "../drill/host.ts";
import { openTidemark, type Tidemark } from "../src/index.ts";
import { droppingModel, filler, type Planted, planted } from "./support/consolidate-world.ts";
import { percentile, record, round } from "./support.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const NIGHTS = Number(process.argv[2] ?? 30);
const [FACTS, ALL] = [1_000, 10_000];
const RESTORED = 200;
/** Facts of a workspace that is killed. */
const KILLED = 4;

type By = "none" | "rules" | "model";

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
/** Turns of the event loop that took processor time, ms, the longest first. */
function watchTurns() {
  const turns: number[] = [];
  let [last, isOn] = [cpuMs(), true];
  const turn = (): void => {
    const now = cpuMs();
    if (now - last > 1) turns.push(now - last);
    last = now;
    if (isOn) setImmediate(turn);
  };
  setImmediate(turn);
  return (): number[] => {
    isOn = false;
    return turns.sort((one, other) => other - one);
  };
}

const shuffled = <T>(all: readonly T[]): T[] => {
  const random = chance(3);
  return all
    .map((one) => ({ one, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
};
const home = (): string => mkdtempSync(join(tmpdir(), "tidemark-bench-"));
const all = (tidemark: Tidemark) => tidemark.memory.list({ limit: 100_000 });
const save = (tidemark: Tidemark, contents: readonly string[]) =>
  Promise.all(
    contents.map((content) => tidemark.memory.save({ content, source: "log", category: "fact" })),
  );

async function answered(tidemark: Tidemark, facts: readonly Planted[]) {
  const missed: Record<string, number> = {};
  for (const { kind, question, answer } of facts) {
    const hits = await tidemark.memory.recall(question, { limit: 5 });
    if (!hits.some(({ text }) => answer.test(text))) missed[kind] = (missed[kind] ?? 0) + 1;
  }
  const lost = Object.values(missed).reduce((sum, one) => sum + one, 0);
  return { share: round(1 - lost / facts.length), missed };
}

async function nights(by: By) {
  const workspace = home();
  const { model, calls } = droppingModel();
  let now = START;
  const tidemark = await openTidemark({
    ...{ workspace, distil: "extractive", embed: false, listen: false, now: () => now },
    consolidate: { every: "never", ...(by === "model" && { model: model as never }) },
  });
  const facts = planted(FACTS);
  const said = facts.flatMap(({ wordings }) => wordings);
  const contents = shuffled([...said, ...filler(ALL - said.length)]);
  const originals = new Map<string, string>();
  const [slices, backups]: [number[], number[]] = [[], []];
  const took: number[] = [];
  let archived: { id: string; content: string }[] = [];
  for (let night = 0; night < NIGHTS; night += 1) {
    const share = contents.slice((night * ALL) / NIGHTS, ((night + 1) * ALL) / NIGHTS);
    for (const { id, content } of await save(tidemark, share)) originals.set(id, content);
    now += DAY;
    await tidemark.idle();
    if (by === "none") continue;
    const began = performance.now();
    const turns = watchTurns();
    const report = await tidemark.tidy();
    took.push(performance.now() - began);
    // A backup is one turn, and longer than any other.
    const [backup = 0, longest = 0] = turns();
    backups.push(backup);
    slices.push(longest);
    archived = archived.concat(report.archived ?? []);
  }
  const after = (await all(tidemark)).length;
  const again = by === "none" ? 0 : (await tidemark.tidy()).archived?.length;
  const answers = await answered(tidemark, facts);
  if (by === "none") {
    await tidemark.close();
    rmSync(workspace, { recursive: true, force: true });
    return { after, answered: answers.share, missed: answers.missed };
  }
  const drawn = shuffled(archived.filter(({ id }) => originals.has(id))).slice(0, RESTORED);
  let restored = 0;
  for (const { id } of drawn)
    if ((await tidemark.memory.restore(id))?.content === originals.get(id)) restored += 1;
  await tidemark.close();
  rmSync(workspace, { recursive: true, force: true });
  return {
    ...{ before: ALL, after, share: round(after / ALL), answered: answers.share },
    ...{ missed: answers.missed, archivedOnceMore: again, restored, ofRestored: drawn.length },
    ...{ calls: calls(), msOfANight: percentile(took, 0.5), msLongestNight: percentile(took, 1) },
    msLongestSlice: { median: percentile(slices, 0.5), most: percentile(slices, 1) },
    msBackup: { median: percentile(backups, 0.5), most: percentile(backups, 1) },
  };
}

/** A night killed at each of its writes: no fact is lost, each wording is there or comes back, the next night ends it. */
async function kills(by: By) {
  const [seeded, now] = [home(), START + DAY];
  const facts = planted(KILLED);
  const open = (workspace: string, clock: number) =>
    openTidemark({
      ...{ workspace, distil: "extractive", embed: false, listen: false, now: () => clock },
      consolidate: { every: "never" },
    });
  const first = await open(seeded, START);
  const saved = (await Promise.all(facts.map(({ wordings }) => save(first, wordings)))).flat();
  await first.close();
  const night = async (at?: string) => {
    const workspace = home();
    cpSync(seeded, workspace, { recursive: true });
    const orders = { workspace, clock: now, by } as never;
    const life = await live(orders, { child: "consolidating.ts", ...(at !== undefined && { at }) });
    if (life.error !== "") throw new Error(life.error);
    return { workspace, life };
  };
  const whole = await night();
  rmSync(whole.workspace, { recursive: true, force: true });
  const places = (whole.life.names ?? []).map((_, at) => `${at + 1} before`);
  const broken: string[] = [];
  let tried = 0;
  for (const at of places) {
    const { workspace, life } = await night(at);
    tried += Number(life.killed);
    const tidemark = await open(workspace, now + DAY);
    const { share, missed } = await answered(tidemark, facts);
    if (share < 1) broken.push(`${at}: not answered ${JSON.stringify(missed)}`);
    const there = new Set((await all(tidemark)).map(({ id }) => id));
    for (const { id, content } of saved) {
      const found = there.has(id)
        ? await tidemark.memory.get(id)
        : await tidemark.memory.restore(id);
      if (found?.content !== content) broken.push(`${at}: ${id} does not come back`);
    }
    const left = (await all(tidemark)).map(({ id }) => id).sort();
    if (
      left.join() !==
      saved
        .map(({ id }) => id)
        .sort()
        .join()
    )
      broken.push(`${at}: ${left.length} of ${saved.length} behind all restored`);
    await tidemark.close();
    rmSync(workspace, { recursive: true, force: true });
  }
  rmSync(seeded, { recursive: true, force: true });
  return { writes: places.length, killed: tried, broken };
}

const figures: Record<string, unknown> = { nights: NIGHTS, facts: FACTS, wordings: 7 };
for (const by of ["none", "rules", "model"] as const) {
  figures[by] = await nights(by);
  console.error(JSON.stringify(figures[by]));
}
// Behind the nights: what opens here in between would count among their turns.
figures.kills = await kills("model");
record("consolidate", figures, process.argv.slice(2).join(" "));
