import { lstatSync, promises as fs, type Stats } from "node:fs";
import { basename, join } from "node:path";
import { asDict, makeFolders, PRIVATE } from "../../core/base.ts";
import { yaml } from "../../core/installed.ts";
import { RESERVED } from "../../core/schema.ts";
import { clip, digest, oneLine } from "../../core/text/cut.ts";
import { unfenceable } from "../../core/text/fence.ts";
import { fold, isStopword } from "../../core/text/terms.ts";
import { codeOf, type Folder, orTell, type Tell, troubled, troubleWith } from "../disk/folder.ts";
import { readRegular, writeWhole } from "../disk/write-whole.ts";
import type { KeptNotes } from "./kept-notes.ts";
import { headOf } from "./record-file.ts";

/** A skill tells an agent what to know and do. */
export interface Skill {
  /** The id of the memory it is made of. */
  readonly memory: string;
  /** The skill's name is made of these words. */
  readonly title: string;
  /** The description says what it is for, and when. */
  readonly description: string;
  readonly body: readonly string[];
  /** ms since epoch. */
  readonly created: number;
  readonly source: string;
}

/**
 * Of the specification of Agent Skills (agentskills.io/specification): characters, and lines of the
 * body.
 */
const LONGEST_NAME = 64;
const DESCRIPTION = 1_024;
const LINES = 500;
/** Those around the text. */
const BLANK = 5;
/** A skill is read whole: some 5,000 tokens are the most it should take. */
const BODY = 20_000;
/** Names of our own are short and leave room for a number behind them. */
const WORDS = 6;
const LONGEST_WORD = 24;
const ROOM_FOR_NUMBER = 10;

const MEMORY = "tidemark-memory";
const SEAL = "tidemark-digest";

/**
 * A name of lower-case letters, digits and single hyphens; `again`: the so many-th skill of that
 * name.
 */
export function skillName(title: string, again: number): string {
  const words = (fold(title).match(/[a-z0-9]+/g) ?? []).filter(
    (word) => !isStopword(word) && !RESERVED.test(word),
  );
  let name = "";
  for (const word of words.slice(0, WORDS)) {
    const longer = [name, word.slice(0, LONGEST_WORD)].filter((part) => part !== "").join("-");
    if (longer.length <= LONGEST_NAME - ROOM_FOR_NUMBER) name = longer;
  }
  if (name === "") name = `procedure-${digest(title).slice(0, 8)}`;
  return again === 1 ? name : `${name}-${again}`;
}

/**
 * SKILL.md, with a digest by which one that was edited is known. Values are quoted: other readers
 * of YAML take more for a number or a date.
 */
export function skillFile(name: string, skill: Skill): string {
  const bare = written(name, skill);
  return written(name, skill, sealOf(bare));
}

function written(name: string, { body, ...skill }: Skill, seal?: string): string {
  const { Document } = yaml();
  const metadata = {
    [MEMORY]: skill.memory,
    "tidemark-created": new Date(skill.created).toISOString(),
    "tidemark-source": skill.source,
  };
  const head = new Document({
    name,
    // It may hold no tag at all; words of ours it may not open either.
    description:
      clip(
        unfenceable(oneLine(skill.description)).replaceAll("<", "‹").replaceAll(">", "›"),
        DESCRIPTION,
      ) || "-",
    metadata: seal === undefined ? metadata : { ...metadata, [SEAL]: seal },
  });
  const front = head.toString({
    lineWidth: 0,
    defaultStringType: "QUOTE_DOUBLE",
    defaultKeyType: "PLAIN",
  });
  const lines = body.slice(0, LINES - BLANK).map(oneLine);
  // Nothing in it passes for a tag or a comment, which a reader of the page does not see and a
  // model does.
  const text = clip(unfenceable(lines.join("\n")).replace(/<(?=[\p{L}/!?])/gu, "‹"), BODY);
  return `---\n${front.trimEnd()}\n---\n\n${text.trim()}\n`;
}

const sealOf = (text: string): string => digest(text.replaceAll("\r\n", "\n"));

/**
 * Which memory a SKILL.md of ours is made of, and whether it still says what was written; undefined
 * where it is not ours.
 */
export function readSkill(text: string): { memory: string; edited: boolean } | undefined {
  const { [MEMORY]: memory, [SEAL]: seal } = asDict(headOf(text)["metadata"]);
  if (typeof memory !== "string" || memory === "") return undefined;
  const line = `\n  ${SEAL}: "${String(seal)}"`;
  const bare = text.replaceAll("\r\n", "\n").replace(line, () => "");
  return { memory, edited: sealOf(bare) !== seal };
}

/** Folders that are looked into for what is ours. */
const MOST_FOLDERS = 10_000;
/** Bytes; no skill of ours is larger, however it was edited. */
const LARGEST = 1e6;

/** A skill that was made of a memory, as it stands. */
type MadeSkill = NonNullable<ReturnType<typeof readSkill>> & { readonly path: string };

/**
 * Agent Skills made of memories, in a folder of the host's choosing that others may share:
 * NAME/SKILL.md each. Only what is ours is ever changed there. No link is followed.
 */
export function skillsIn(folder: Folder, { kept, keep }: KeptNotes, tell: Tell) {
  const told = new Set<string>();

  return {
    /**
     * Writes the skill of a memory under a name that is free, or leaves the one that is there. No
     * other process changes the workspace meanwhile. Rejects with what `make` does, and with
     * "workspace".
     */
    async write(into: string, make: () => Promise<Skill>): Promise<void> {
      // The folder is noted first: a forgotten memory must be found whatever happens next.
      await keep("skills", (text) => JSON.stringify([...new Set([...foldersIn(text), into])]));
      await folder.alone(async () => guarded(into, placed(into, await make())));
    },
    /** All that stand anywhere. A folder that cannot be read is told. */
    async made(): Promise<MadeSkill[]> {
      const found: MadeSkill[] = [];
      for (const into of foldersIn(await kept("skills")))
        found.push(...(await orTell(tell, guarded(into, ours(into)), [])));
      return found;
    },
    /** Writes one anew where its memory says something else. One that was edited stays. */
    async rewrite({ path, edited }: MadeSkill, skill: Skill): Promise<void> {
      const [file, text] = [join(path, "SKILL.md"), skillFile(basename(path), skill)];
      if (!edited && (await readRegular(file)) !== text)
        await guarded(path, writeWhole(file, text));
    },
    /** Takes one away. One that was edited stays, and is told of once. */
    async remove({ path, edited }: MadeSkill): Promise<void> {
      if (!edited && (await orTell(tell, guarded(path, removed(path)), true))) return;
      if (told.has(path)) return;
      told.add(path);
      tell(
        troubled(
          `The skill ${path} was edited, so it stays though its memory is gone. ` +
            "Delete it, or keep it as your own.",
        ),
      );
    },
  };
}

/** The folders that skills were ever written into. */
const foldersIn = (text = "[]") => JSON.parse(text) as string[];

const guarded = <T>(at: string, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw troubleWith("write", at, { base: "", path: "SKILL.md" }, error);
  });

/** Under the first name that no other skill has. */
async function placed(into: string, skill: Skill): Promise<void> {
  if ((await ours(into)).some(({ memory }) => memory === skill.memory)) return;
  makeFolders(into, PRIVATE);
  for (let again = 1; ; again += 1) {
    const name = skillName(skill.title, again);
    const path = join(into, name);
    if (statOf(path)) continue;
    try {
      await writeWhole(join(path, "SKILL.md"), skillFile(name, skill));
    } catch (thrown) {
      await fs.rmdir(path).catch(() => undefined);
      throw thrown;
    }
    return;
  }
}

const statOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });

/** The skills made of memories. A name that is a link, and a file that is none, is not ours. */
async function ours(into: string): Promise<MadeSkill[]> {
  if (statOf(into)?.isSymbolicLink())
    throw troubled(`${into} is a link. Name the folder it leads to in procedures.skills.`);
  const entries = await fs.readdir(into, { withFileTypes: true }).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
  const found: MadeSkill[] = [];
  for (const entry of entries.slice(0, MOST_FOLDERS)) {
    if (!entry.isDirectory() || entry.name.startsWith(".")) continue;
    const path = join(into, entry.name);
    const file = join(path, "SKILL.md");
    const stat = statOf(file);
    if (!stat?.isFile() || stat.size > LARGEST) continue;
    const skill = readSkill(await readRegular(file));
    if (skill !== undefined) found.push({ path, ...skill });
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
