// A person accepts a procedure as a skill, and it is forgotten, on a disk that is full from each write on, one after the other.
import { atWrites, onFullDisk } from "./on-full-disks.ts";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTidemark, type Tidemark } from "../../../src/index.ts";
import { skillFaults } from "../skill-check.ts";

let time = Date.UTC(2026, 10, 24, 12);
const LEARNT = {
  discovery: "The billing service keeps a lock in etcd.",
  condition: "before it is moved",
  action: "release the lock first",
  rationale: "",
  steps: [],
  confidence: 0.9,
  tags: [],
};
const at = (home: string) => ({ workspace: join(home, "ws"), skills: join(home, "skills") });

async function open(home: string): Promise<Tidemark> {
  const { workspace, skills } = at(home);
  return (
    await openTidemark({
      workspace,
      procedures: { skills },
      distil: async () => ({ text: JSON.stringify(LEARNT) }),
      embed: false,
      listen: false,
      now: () => (time += 1),
    })
  ).as({ role: "human" });
}

const proposals = (tidemark: Tidemark) => tidemark.proposals.list();
const procedure = async (tidemark: Tidemark) =>
  (await tidemark.memory.list({ kind: "procedure" }))[0];

type Deed = (tidemark: Tidemark) => Promise<unknown>;
const DEEDS: Readonly<Record<string, Deed>> = {
  accept: async (tidemark) => tidemark.proposals.accept((await proposals(tidemark))[0]?.id ?? ""),
  forget: async (tidemark) => tidemark.memory.forget((await procedure(tidemark))?.id ?? ""),
};

/** What must hold of a folder after anything at all: a skill is whole, has its memory, and is wanted no more. */
async function faultsAfter(home: string, deed: string, refused: boolean): Promise<string[]> {
  const { skills } = at(home);
  const tidemark = await open(home);
  await tidemark.idle();
  const [memory, waiting] = [await procedure(tidemark), await proposals(tidemark)];
  const entries = existsSync(skills) ? readdirSync(skills) : [];
  const names = entries.filter((name) => !name.startsWith("."));
  const faults = names.flatMap((name) =>
    skillFaults(name, readFileSync(join(skills, name, "SKILL.md"), "utf8")),
  );
  if (names.length > 1) faults.push(`two skills of one memory: ${names.join(", ")}`);
  if (memory === undefined && entries.length > 0) faults.push(`left behind: ${entries.join(", ")}`);
  if (memory === undefined && waiting.length > 0) faults.push("proposed of what is forgotten");
  if (memory !== undefined && waiting.length + names.length === 0)
    faults.push("a proposal is lost");
  if (deed === "accept") {
    if (memory === undefined) faults.push("a memory is lost");
    if (refused !== waiting.length > 0 && !(refused && names.length > 0))
      faults.push(`accepting was ${refused ? "refused" : "done"}, and ${waiting.length} wait`);
    // Once more with room: it is written, once.
    for (const { id } of waiting) await tidemark.proposals.accept(id);
    const after = readdirSync(skills);
    if (after.length !== 1) faults.push(`after another try there is ${after.join(", ")}`);
  }
  await tidemark.close();
  return faults;
}

/** A folder in which a procedure waits; for "forget", one that was accepted. */
async function settled(home: string, deed: string): Promise<void> {
  const tidemark = await open(home);
  const task = await tidemark.task({ description: "Move the billing service" });
  await task.failed(new Error("Error: denied"));
  await tidemark.idle();
  if (deed === "forget") await DEEDS["accept"]?.(tidemark);
  await tidemark.close();
}

const top = mkdtempSync(join(tmpdir(), "tidemark-skills-full-"));
// Where skills were written is kept as a whole path: each try is in the same place.
const home = join(top, "w");
for (const deed of Object.keys(DEEDS)) {
  rmSync(home, { recursive: true, force: true });
  await settled(home, deed);
  cpSync(home, join(top, deed), { recursive: true });
}
await atWrites(
  Object.keys(DEEDS),
  async (deed, from) => {
    rmSync(home, { recursive: true, force: true });
    cpSync(join(top, deed), home, { recursive: true });
    const tidemark = await open(home);
    await tidemark.idle();
    const { writes, refused } = await onFullDisk(from, async () => DEEDS[deed]?.(tidemark));
    await tidemark.close().catch(() => undefined);
    return { writes, refused, broken: await faultsAfter(home, deed, refused) };
  },
  2,
);
rmSync(top, { recursive: true, force: true });
