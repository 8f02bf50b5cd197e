import { accessSync, constants, existsSync, lstatSync, statfsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { filesIn } from "../render/sizes.ts";
import { bytes } from "../render/numbers.ts";
import { broken, type Check, look, well } from "./machine.ts";
import type { WorkspaceAt } from "../../store/sqlite/connect.ts";
import { checksOfDatabases } from "./databases.ts";

/** Under this much free room a workspace that is used every day is soon in trouble. */
const FREE_BYTES = { look: 1_000_000_000, broken: 20_000_000 } as const;

/** The folder, its permissions, the disk under it, the two databases. */
export async function checksOfWorkspace(at: WorkspaceAt): Promise<Check[]> {
  const folder = at.workspace;
  if (!existsSync(folder))
    return [
      broken(
        `there is no workspace at ${resolve(folder)}`,
        `make one: tidemark init --workspace ${folder}; or name another with --workspace`,
      ),
      disk(nearestFolder(folder)),
    ];
  if (!statSync(folder).isDirectory())
    return [broken(`${folder} is a file`, "--workspace names a folder")];
  const mine = permissions(folder);
  if (mine.state === "broken") return [mine];
  const hidden = join(folder, ".tidemark");
  if (lstatSync(hidden, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    return [
      broken(
        `${hidden} is a link`,
        "put the folder itself there, or link the whole workspace folder",
      ),
    ];
  if (!existsSync(hidden))
    return [
      broken(
        `${resolve(folder)} is a folder, but no workspace`,
        `make it one: tidemark init --workspace ${folder}`,
      ),
      disk(folder),
    ];
  return [mine, secrecy(hidden), disk(folder), ...(await checksOfDatabases(at))];
}

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
  return look(`${first} can be read by others; conversations lie in it`, `chmod -R go= ${hidden}`);
}

const isOpen = (path: string): boolean =>
  process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0;

function disk(folder: string): Check {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free < FREE_BYTES.broken)
    return broken(
      `the disk is full: ${bytes(free)} are free`,
      "free some space; until then nothing can be saved or folded",
    );
  return free < FREE_BYTES.look
    ? look(`only ${bytes(free)} are free on the disk`, "free some space before it runs out")
    : well(`${bytes(free)} free on the disk`);
}

/** The folder, or the nearest above it that exists. */
function nearestFolder(folder: string): string {
  let at = resolve(folder);
  while (!existsSync(at)) at = dirname(at);
  return at;
}
