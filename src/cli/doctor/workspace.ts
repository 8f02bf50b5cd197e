import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { reasonOf } from "../../model/errors.ts";
import { openHistory } from "../../store/history.ts";
import { integrityOf } from "../../store/integrity.ts";
import { openSqliteStore } from "../../store/sqlite.ts";
import { sizesOf } from "../disk.ts";
import { bytes } from "../render/numbers.ts";
import { broken, type Check, look, well } from "./check.ts";

/** Under this much free room a workspace that is used every day is soon in trouble. */
const ROOM = { look: 1_000_000_000, broken: 20_000_000 } as const;

/** The folder, its permissions, the disk under it, the two databases. */
export async function checksOfWorkspace(folder: string): Promise<Check[]> {
  if (!existsSync(folder)) return [broken(`there is no workspace at ${resolve(folder)}`, `make one: tidemark init --workspace ${folder}; or name another with --workspace`), disk(nearestFolder(folder))];
  if (!statSync(folder).isDirectory()) return [broken(`${folder} is a file`, "--workspace names a folder")];
  const mine = permissions(folder);
  if (mine.state === "broken") return [mine];
  const hidden = join(folder, ".tidemark");
  if (!existsSync(hidden)) return [broken(`${resolve(folder)} is a folder, but no workspace`, `make it one: tidemark init --workspace ${folder}`), disk(folder)];
  return [mine, secrecy(hidden), disk(folder), await database(hidden, "history.db"), await database(hidden, "index.db"), size(folder)];
}

function permissions(folder: string): Check {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return well(`workspace ${resolve(folder)}, readable and writable`);
  } catch {
    return broken(`${resolve(folder)} cannot be read and written by this user`, `check who owns it: ls -ld ${folder}`);
  }
}

function secrecy(hidden: string): Check {
  const open = (statSync(hidden).mode & 0o077) !== 0 && process.platform !== "win32";
  return open ? look(`${hidden} can be read by others; conversations lie in it`, `chmod 700 ${hidden}`) : well("conversations can be read by their owner only");
}

function disk(folder: string): Check {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free < ROOM.broken) return broken(`the disk is full: ${bytes(free)} are free`, "free some space; until then nothing can be saved or folded");
  return free < ROOM.look ? look(`only ${bytes(free)} are free on the disk`, "free some space before it runs out") : well(`${bytes(free)} free on the disk`);
}

const DATABASES = {
  "history.db": { what: "history", open: openHistory, way: "put a backup in its place, or move it away to start a new history" },
  "index.db": { what: "memory index", open: openSqliteStore, way: "move it away and a new one is made; what was remembered still stands in MEMORY.md and memory/" },
} as const;

/** Sound to SQLite, and one this version can work with. */
async function database(hidden: string, name: keyof typeof DATABASES): Promise<Check> {
  const { what, open, way } = DATABASES[name];
  const path = join(hidden, name);
  if (!existsSync(path)) return look(`there is no ${name} yet`, "it is made with the first conversation");
  const [found] = integrityOf(path);
  if (found !== undefined) return broken(`${what} is damaged (${path}): ${found}`, way);
  try {
    await open(path).close();
  } catch (thrown) {
    return broken(reasonOf(thrown), way);
  }
  return well(`${what} is sound (${name}, ${bytes(statSync(path).size)})`);
}

const size = (folder: string): Check => {
  const { files, history, index } = sizesOf(folder);
  return well(`${bytes(files.bytes)} in ${files.count} Markdown files, ${bytes(history + index)} in the databases`);
};

/** The folder, or the nearest above it that exists. */
function nearestFolder(folder: string): string {
  let at = resolve(folder);
  while (!existsSync(at)) at = dirname(at);
  return at;
}
