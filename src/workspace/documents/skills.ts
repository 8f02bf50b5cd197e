import { lstatSync, promises as fs, type Stats } from "node:fs";
import { basename, join } from "node:path";
import { membersIn } from "../../base/guards.ts";
import { reasonOf } from "../../model/errors.ts";
import { syncFolder, writeWhole } from "../disk/atomic.ts";
import type { Folder, Tell } from "../disk/folder.ts";
import { codeOf, troubleWith } from "../disk/locate.ts";
import { safeName, troubled, ownFile } from "../disk/paths.ts";
import { readRegular } from "../disk/regular-file.ts";
import { readSkill, type Skill, skillFile, skillName } from "./skill-file.ts";

/** Folders that are looked into for what is ours. */
const MOST = 10_000;
/** Bytes; no skill of ours is larger, however it was edited. */
const LARGEST = 1e6;
const NOTES = ownFile("skills.json");

/**
 * Agent Skills made of memories, in a folder of the host's choosing that others may share: NAME/SKILL.md each. Only what is ours is
 * ever changed there. No link is followed.
 */
export function skillsIn(folder: Folder, tell: Tell) {
  const change = (work: (all: Map<string, string[]>) => unknown): Promise<void> =>
    folder.change(NOTES, (text) => {
      const all = noted(text);
      work(all);
      if (text === undefined && all.size === 0) return undefined;
      return `${JSON.stringify(Object.fromEntries(all))}\n`;
    });

  async function removeOne(memory: string, places: readonly string[]): Promise<void> {
    for (const into of places) {
      await fs.rm(draftOf(into, memory), { recursive: true, force: true });
      for (const { path, edited } of await ours(into, memory))
        if (edited || !(await removed(path)))
          tell(
            troubled(
              `The skill ${path} was edited, so it stays though its memory is gone. Delete it, or keep it as your own.`,
            ),
          );
    }
  }

  return {
    /**
     * Writes the skill of a memory under a name that is free, or leaves the one that is there. No other process changes the workspace
     * from when `make` is asked. Rejects with what that does, and with "workspace".
     */
    async write(into: string, memory: string, make: () => Promise<Skill>): Promise<void> {
      // Where it stands is noted first: what is forgotten must be found whatever happens next.
      await change((all) => all.set(memory, [...new Set([...(all.get(memory) ?? []), into])]));
      await folder.alone(async () => {
        const skill = await make();
        await guarded(into, placed(into, skill));
      });
    },
    /** Writes the skills of a memory anew that say something else, under the names they have. One that was edited stays as it is. */
    async rewrite(skill: Skill): Promise<void> {
      const places = noted(await folder.read(NOTES)).get(skill.memory) ?? [];
      for (const into of places)
        for (const { path, edited } of await ours(into, skill.memory)) {
          const [file, text] = [join(path, "SKILL.md"), skillFile(basename(path), skill)];
          if (!edited && (await readRegular(file)) !== text)
            await guarded(into, writeWhole(file, text));
        }
    },
    /** Takes the skills of these memories away. One that was edited stays, and is told of. */
    async remove(memories: readonly string[]): Promise<void> {
      const all = noted(await folder.read(NOTES));
      const gone: string[] = [];
      for (const memory of memories) {
        const places = all.get(memory);
        if (places === undefined) continue;
        try {
          await removeOne(memory, places);
          gone.push(memory);
        } catch (thrown) {
          tell(
            troubled(
              `A skill in ${places.join(", ")} stays though its memory is gone (${codeOf(thrown) || reasonOf(thrown)}). It goes when the folder can be written to.`,
              { cause: thrown },
            ),
          );
        }
      }
      if (gone.length > 0) await change((left) => gone.forEach((memory) => left.delete(memory)));
    },
    /** The memories that skills were made of. */
    made: async () => [...noted(await folder.read(NOTES)).keys()],
  };
}

/** Where the skills of each memory were written. */
function noted(text: string | undefined): Map<string, string[]> {
  return new Map(
    membersIn(text).map(([memory, places]) => [
      memory,
      Array.isArray(places) ? places.filter((place) => typeof place === "string") : [],
    ]),
  );
}

const guarded = (into: string, work: Promise<void>): Promise<void> =>
  work.catch((error: unknown) => {
    throw troubleWith("write", into, { base: "", path: "SKILL.md" }, error);
  });

/** Named after its memory: what a process that died has left of it is found again. */
const draftOf = (into: string, memory: string): string => join(into, `.${safeName(memory)}.tmp`);

/** Whole or not at all: it is written beside its place, and the folder takes its name with all in it. */
async function placed(into: string, skill: Skill): Promise<void> {
  if ((await ours(into, skill.memory)).length > 0) return;
  const draft = draftOf(into, skill.memory);
  await fs.rm(draft, { recursive: true, force: true });
  try {
    for (let again = 1; ; again += 1) {
      const name = skillName(skill.title, again);
      const path = join(into, name);
      if (statOf(path)) continue;
      await writeWhole(join(draft, "SKILL.md"), skillFile(name, skill));
      try {
        await fs.rename(draft, path);
        return await syncFolder(into);
      } catch (error) {
        // Another process took the name meanwhile.
        if (!statOf(path)) throw error;
      }
    }
  } catch (error) {
    await fs.rm(draft, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

const statOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });

/** The skills made of a memory. A name that is a link, and a file that is none, is not ours. */
async function ours(into: string, memory: string): Promise<{ path: string; edited: boolean }[]> {
  if (statOf(into)?.isSymbolicLink())
    throw troubled(`${into} is a link. Name the folder it leads to in procedures.skills.`);
  const entries = await fs.readdir(into, { withFileTypes: true }).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
  const found: { path: string; edited: boolean }[] = [];
  for (const entry of entries.slice(0, MOST)) {
    if (!entry.isDirectory() || entry.name.startsWith(".")) continue;
    const path = join(into, entry.name);
    const file = join(path, "SKILL.md");
    const stat = statOf(file);
    if (!stat?.isFile() || stat.size > LARGEST) continue;
    const skill = readSkill(await readRegular(file));
    if (skill?.memory === memory) found.push({ path, edited: skill.edited });
  }
  return found;
}

/** False: a person has put something beside it, and it stays. */
async function removed(path: string): Promise<boolean> {
  if ((await fs.readdir(path)).join("/") !== "SKILL.md") return false;
  await fs.rm(join(path, "SKILL.md"), { force: true });
  await fs.rmdir(path);
  return true;
}
