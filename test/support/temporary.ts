import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";

const MEMORY = "/dev/shm";
const ENOUGH = 4 * 2 ** 30;
/** Short: lines of output that name a file are laid out by their width. */
const PREFIX = "tide-";
/** What is older was left behind by a run that was killed. */
const HOUR = 3_600_000;

/** Memory that is read as a disk, where there is enough: the tests write small files, each of them through to the disk. */
function place(): string {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** npm, and what calls it, writes to its cache whatever it does: nobody may write to some homes. */
function mayCache(): boolean {
  const cache = process.env.npm_config_cache ?? join(homedir(), ".npm");
  try {
    mkdirSync(cache, { recursive: true });
    accessSync(cache, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** One folder for all that the tests of a run leave, gone with it. */
export default function setup(): () => void {
  const home = process.env.TMPDIR ?? place();
  // Another project of the same run has made it.
  if (basename(home).startsWith(PREFIX)) return () => undefined;
  for (const name of readdirSync(home))
    if (name.startsWith(PREFIX) && statSync(join(home, name)).mtimeMs < Date.now() - HOUR)
      rmSync(join(home, name), { recursive: true, force: true });
  const made = mkdtempSync(join(home, PREFIX));
  // A test that is another user for a while comes through here.
  chmodSync(made, 0o755);
  process.env.TIDEMARK_PACKED_IN ??= home;
  process.env.TMPDIR = made;
  if (!mayCache()) process.env.npm_config_cache = join(made, "npm");
  // Processes that tests start read the sources once between them.
  process.env.NODE_COMPILE_CACHE = join(made, "compiled");
  return () => rmSync(made, { recursive: true, force: true, maxRetries: 5 });
}
