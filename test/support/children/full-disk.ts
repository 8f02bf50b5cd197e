// A host on a disk that runs full at each write of what it does, one after the other: what is refused never comes true, what
// is acknowledged does. Prints what was broken, and how much was tried.
import { fillDisk } from "../../../drill/boundaries.ts";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTidemark, type Tidemark } from "../../../src/index.ts";

const home = mkdtempSync(join(tmpdir(), "tidemark-full-"));
const START = Date.UTC(2026, 10, 21, 10);
let time = START;
const open = (workspace: string): Promise<Tidemark> =>
  openTidemark({ workspace, distil: "extractive", now: () => (time += 1) });

const PIER = "The pier is made of oak.";
const CRATE = "Quisquilia lies in crate nine.";
const [NEW, STONE, GULL] = [
  "The mole was built in 1911.",
  "The pier is made of stone.",
  "A gull sits on crate nine.",
];

/** What a host does, what there is if it was done, and what if it was refused. */
const DEEDS: Readonly<
  Record<
    string,
    {
      readonly go: (tidemark: Tidemark, ids: Ids) => Promise<unknown>;
      readonly done: readonly string[];
      readonly gone: readonly string[];
    }
  >
> = {
  save: { go: (tidemark) => tidemark.memory.save(NEW), done: [NEW], gone: [] },
  "save under a key": {
    go: (tidemark) => tidemark.memory.save({ content: STONE, key: "pier" }),
    done: [STONE],
    gone: [PIER],
  },
  update: {
    go: (tidemark, { crate }) => tidemark.memory.update(crate, { content: GULL }),
    done: [GULL],
    gone: [CRATE],
  },
  forget: { go: (tidemark, { crate }) => tidemark.memory.forget(crate), done: [], gone: [CRATE] },
};
interface Ids {
  readonly pier: string;
  readonly crate: string;
}

async function settled(workspace: string): Promise<Ids> {
  const tidemark = await open(workspace);
  const pier = await tidemark.memory.save({ content: PIER, key: "pier" });
  const crate = await tidemark.memory.save(CRATE);
  // Its words stand in the logs of two days.
  time += 86_400_000;
  await tidemark.memory.update(crate.id, { importance: 0.9 });
  await tidemark.close();
  return { pier: pier.id, crate: crate.id };
}

const texts = (workspace: string): string =>
  readdirSync(workspace, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => readFileSync(join(workspace, path), "utf8"))
    .join("\n");
const contents = async (tidemark: Tidemark): Promise<string[]> =>
  (await tidemark.memory.list()).map(({ content }) => content).sort();

/** One deed on a disk that is full from the n-th write on. Answers how many writes it had, and what is broken. */
async function tried(
  name: string,
  from: number,
  { template, ids }: { template: string; ids: Ids },
): Promise<{ writes: number; refused: boolean; broken: string[] }> {
  const { go, done, gone } = DEEDS[name] ?? { go: async () => undefined, done: [], gone: [] };
  const workspace = join(home, "w");
  rmSync(workspace, { recursive: true, force: true });
  cpSync(template, workspace, { recursive: true });
  const broken: string[] = [];
  const before = [PIER, CRATE];
  const after = [...before.filter((content) => !gone.includes(content)), ...done].sort();
  const tidemark = await open(workspace);
  fillDisk(from);
  const refused = await go(tidemark, ids).then(
    () => false,
    () => true,
  );
  const writes = fillDisk(0);
  let isGone = false;
  const hold = async (where: string, told: () => Promise<string[]>): Promise<void> => {
    const found = await told();
    // A forgetting that could not take words out of files has forgotten, and does that later.
    isGone = refused && name === "forget" && !found.includes(CRATE);
    const wanted = refused && !isGone ? before.sort() : after;
    if (JSON.stringify(found) !== JSON.stringify(wanted))
      broken.push(
        `${name}, full from write ${from}, ${refused ? "refused" : "done"}, ${where}: ${found.join(" | ")}`,
      );
  };
  time += 2_000;
  await hold("soon after", () => contents(tidemark));
  await tidemark.close();
  const next = await open(workspace);
  await hold("at the next start", () => contents(next));
  await next.close();
  const told = texts(workspace);
  if ((!refused || isGone) && name === "forget" && told.includes("Quisquilia"))
    broken.push(`forget, full from write ${from}: its words stand in the files`);
  if (refused && !isGone)
    for (const content of before)
      if (told.split(content).length < 3)
        broken.push(
          `${name}, full from write ${from}: refused, and the files have lost ${content}`,
        );
  if (
    readdirSync(workspace, { recursive: true, encoding: "utf8" }).some((path) =>
      path.endsWith(".tmp"),
    )
  )
    broken.push(`${name}, full from write ${from}: a draft was left`);
  return { writes, refused, broken };
}

const template = join(home, "template");
const ids = await settled(template);
const broken: string[] = [];
const counts: Record<string, [refused: number, tried: number]> = {};
for (const name of Object.keys(DEEDS)) {
  const { writes } = await tried(name, 0, { template, ids });
  let refusals = 0;
  for (let from = 1; from <= writes; from += 1) {
    const one = await tried(name, from, { template, ids });
    broken.push(...one.broken);
    if (one.refused) refusals += 1;
  }
  counts[name] = [refusals, writes];
}
rmSync(home, { recursive: true, force: true });
console.log(JSON.stringify({ broken, counts }));
