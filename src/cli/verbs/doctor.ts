import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { present } from "../../core/base.ts";
import { reasonOf } from "../../core/errors-and-events.ts";
import { secretsSlowly } from "../../core/secrets/mask.ts";
import { noteOf } from "../../storage/sqlite/archive-rows.ts";
import { backupsOf } from "../../storage/sqlite/backup.ts";
import type { WorkspaceAt } from "../../storage/sqlite/database-file.ts";
import { openStorage } from "../../storage/sqlite/sqlite-storage.ts";
import { brokenBy, integrityOf } from "../../storage/sqlite/salvage.ts";
import { patiently } from "../../storage/sqlite/shared-file.ts";
import { asidesOf, backupFolder, databaseOf, mark } from "../../tidemark/upkeep/mend.ts";
import { ADOPTED } from "../../tidemark/upkeep/mended-database.ts";
import type { Verb, VerbAnswer } from "../input/flags.ts";
import {
  needWorkspace,
  ownersNamed,
  rememberedIn,
  withWorkspace,
} from "../input/workspace-of-verb.ts";
import { paint, some } from "../render/layout.ts";
import { bytes, count, filesIn } from "../render/numbers.ts";

/** One thing looked at. `advice` says what to do about it. */
interface Check {
  readonly state: "well" | "look" | "broken";
  readonly says: string;
  readonly advice?: string;
  /** Has the next start mend it. */
  readonly mend?: () => void;
}

const check =
  (state: "look" | "broken") =>
  (says: string, advice: string): Check => ({ state, says, advice });
const well = (says: string): Check => ({ state: "well", says });
const look = check("look");
const broken = check("broken");

/**
 * The database is sound to SQLite and opens; how it came to be; then the copies. Rejects where it
 * does not open with the key.
 */
async function checksOfDatabase(at: WorkspaceAt): Promise<Check[]> {
  const sound = await soundness(at);
  return [
    sound,
    ...(sound.state === "well" ? adopted(at) : []),
    ...(sound.state === "broken" ? [] : remembered(at)),
    ...checksOfCopies(at),
  ];
}

async function soundness(at: WorkspaceAt): Promise<Check> {
  const file = databaseOf(at);
  const { path } = file;
  if (!existsSync(path))
    return look(`there is no ${basename(path)} yet`, "it is made with the first conversation");
  const damaged = (why: string): Check => ({
    ...broken(
      `the database is damaged (${path}): ${why}`,
      'end what uses the workspace: the next start, or "tidemark doctor --fix", puts it aside ' +
        "and makes a new one of what can be read",
    ),
    mend: () => mark(file),
  });
  const wrong = statSync(path).isFile() ? integrityOf(file)[0] : undefined;
  if (wrong !== undefined) return damaged(wrong);
  try {
    await patiently(() => openStorage(path, at).close());
  } catch (thrown) {
    const why = brokenBy(thrown);
    return why === undefined
      ? broken(reasonOf(thrown), "move it away, or put a backup in its place")
      : damaged(why);
  }
  return well(`the database is sound (${basename(path)}, ${bytes(statSync(path).size)})`);
}

/** A database that was begun beside pages of before says so. */
function adopted(at: WorkspaceAt): Check[] {
  const found = noteOf(databaseOf(at), ADOPTED);
  if (found === undefined) return [];
  return [
    look(
      `the database was begun on ${found.slice(0, 16).replace("T", " ")} UTC beside pages of ` +
        "before: lines of MEMORY.md were taken over, conversations of before are not in it",
      "where that was not meant: end what uses the workspace, and put a backup in its place",
    ),
  ];
}

/** For whom there is memory, and what a model adds to it. */
function remembered(at: WorkspaceAt): Check[] {
  const owners = rememberedIn(at);
  return [
    ...(owners.length === 0 ? [] : [well(`remembered for ${ownersNamed(owners)}`)]),
    well("without a model few lines are kept, in the user's own words; a model adds the rest"),
  ];
}

/** Backups, and what was put aside as damaged. */
function checksOfCopies(at: WorkspaceAt): Check[] {
  const backups = backupsOf(backupFolder(at.workspace));
  const [newest] = backups;
  const asides = asidesOf(databaseOf(at)).filter((path) => !/-(?:wal|shm)$/.test(path));
  return [
    newest === undefined
      ? well('no backup yet; "tidemark tidy" makes one')
      : well(
          `${count(backups.length, "backup")}, the newest of ` +
            `${statSync(newest).mtime.toISOString().slice(0, 16).replace("T", " ")} UTC`,
        ),
    ...asides.map((path) =>
      look(
        `${basename(path)} (${bytes(statSync(path).size)}) was put aside as damaged`,
        "delete it, and the files named like it, when you miss nothing",
      ),
    ),
  ];
}

/** The folder, its permissions, the database, secrets in pages. */
async function checksOfWorkspace(at: WorkspaceAt): Promise<Check[]> {
  const folder = at.workspace;
  const mine = permissions(folder);
  if (mine.state === "broken") return [mine];
  return [
    mine,
    secrecy(join(folder, ".tidemark")),
    ...(await checksOfDatabase(at)),
    ...checksOfPages(folder),
    ...(await checksOfSecrets(folder)),
  ];
}

/** Pages that were put aside, and copies that a sync tool left beside one. */
const checksOfPages = (folder: string): Check[] =>
  filesIn(folder).flatMap(({ path, name, hidden }) =>
    (hidden ? name.endsWith("-aside.md") : /\bconflict/i.test(name))
      ? [look(`a page was put aside: ${path}`, "take from it what you miss, and delete it")]
      : [],
  );

function permissions(folder: string): Check {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return well(`workspace ${resolve(folder)}, readable and writable`);
  } catch {
    return broken(
      `${resolve(folder)} cannot be read and written by this user`,
      `check who owns it: ls -ld ${folder}`,
    );
  }
}

function secrecy(hidden: string): Check {
  const first = [hidden, ...filesIn(hidden).map(({ full }) => full)].find(isOpen);
  if (first === undefined) return well("conversations can be read by their owner only");
  return look(
    `${first} can be read by others; conversations lie in it`,
    `chmod -R go= "${hidden}"`,
  );
}

const isOpen = (path: string): boolean =>
  process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0;

/** The most secrets of a page that are looked up; one less is named by its line. */
const NAMED = 4;

/** Secrets in pages of all scopes: the file and the lines, never the secret. */
async function checksOfSecrets(folder: string): Promise<Check[]> {
  const found: Check[] = [];
  for (const { path, full, hidden } of filesIn(folder)) {
    if (hidden || !path.endsWith(".md")) continue;
    const text = readFileSync(full, "utf8");
    const secrets = (await secretsSlowly(text)).slice(0, NAMED);
    const lines = new Set(
      secrets.map(({ start }) => `line ${text.slice(0, start).split("\n").length}`),
    );
    if (lines.size > 0)
      found.push(
        look(
          `${path} holds a secret (${some([...lines], NAMED - 1)})`,
          "take it out by hand, and have a new one made where it came from: it has been readable",
        ),
      );
  }
  return found.length > 0 ? found : [well("no secret was found in any page")];
}

/** Looks at everything; exit 1 only when something is broken. */
export const doctor: Verb = {
  says: "what is well, what is not, what to do",
  flags: { fix: { says: "mend damaged databases" } },
  examples: [
    "tidemark doctor",
    "tidemark doctor --fix",
    "tidemark doctor --workspace ~/agents/support",
  ],
  async run(given, io) {
    needWorkspace(given.workspace);
    const before = await checksOfWorkspace(given.place);
    const lines = before.map(linesOf);
    const ill = before.flatMap(({ mend }) => mend ?? []);
    if (!given.on("fix") || ill.length === 0) return answerOf(before, lines);
    for (const mend of ill) mend();
    // Opening mends what is marked, and tells of it.
    await withWorkspace(given, io, async () => undefined);
    const after = await checksOfWorkspace(given.place);
    const left = after.filter(({ state }) => state === "broken");
    return answerOf(after, [...lines, ...left.map(linesOf)]);
  },
};

const SIGNS = { well: paint.green("✓"), look: paint.yellow("!"), broken: paint.red("✗") };
const linesOf = ({ state, says, advice }: Check): string[] =>
  present([`${SIGNS[state]} ${says}`, advice !== undefined && paint.dim(`    → ${advice}`)]);

function answerOf(checks: readonly Check[], lines: readonly string[][]): VerbAnswer {
  const [broken, look] = (["broken", "look"] as const).map(
    (state) => checks.filter((one) => one.state === state).length,
  );
  const summary = present([
    !broken && !look && paint.green("All is well."),
    !broken &&
      !!look &&
      `Nothing is broken; ${count(look, "line deserves", "lines deserve")} a look.`,
    !!broken && paint.red(`${count(broken, "thing is", "things are")} broken.`),
  ]);
  return {
    found: { checks: checks.map(({ state, says, advice }) => ({ state, says, advice })) },
    lines: [...lines, "", summary],
    code: broken ? 1 : 0,
  };
}
