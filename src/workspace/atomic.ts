import { promises as fs } from "node:fs";
import { basename, dirname, join } from "node:path";

import { codeOf } from "./locate.ts";

/** Conversations are private: files for their owner only, folders likewise. */
const FILE = 0o600;
const FOLDER = 0o700;
let count = 0;

/** A temporary file beside `path`, its content on disk. Exclusive creation makes the name ours, whoever else writes. */
async function staged(path: string, text: string): Promise<string> {
  await fs.mkdir(dirname(path), { recursive: true, mode: FOLDER });
  for (;;) {
    const name = join(dirname(path), `.${basename(path)}.${process.pid}-${(count += 1)}.tmp`);
    try {
      const handle = await fs.open(name, "wx", FILE);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } catch (error) {
        await fs.rm(name, { force: true });
        throw error;
      } finally {
        await handle.close();
      }
      return name;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

/** All of the text or none of it, whatever happens in between. */
export async function writeWhole(path: string, text: string): Promise<void> {
  const name = await staged(path, text);
  try {
    await fs.rename(name, path);
  } catch (error) {
    await fs.rm(name, { force: true });
    throw error;
  }
}

/** The same, but never over something that stands there already. */
export async function writeNew(path: string, text: string): Promise<void> {
  if (await fs.lstat(path).then(() => true, () => false)) return;
  const name = await staged(path, text);
  try {
    await fs.link(name, path);
  } catch (error) {
    // Some file systems know no links; there the look above has to do.
    if (codeOf(error) !== "EEXIST") return await fs.rename(name, path);
  }
  await fs.rm(name, { force: true });
}

/** Adds to the end and returns when it is on disk. One write, so that two processes do not mix lines. */
export async function appendDurably(path: string, text: string, opening: string): Promise<void> {
  await fs.mkdir(dirname(path), { recursive: true, mode: FOLDER });
  const handle = await fs.open(path, "a+", FILE);
  let fresh = false;
  try {
    const { size } = await handle.stat();
    fresh = size === 0;
    const last = Buffer.alloc(1);
    if (!fresh) await handle.read(last, 0, 1, size - 1);
    await handle.writeFile(`${fresh ? opening : last[0] === 0x0a ? "" : "\n"}${text}`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (fresh) await syncFolder(dirname(path));
}

/** A new file's name is on disk only when its folder is. Windows cannot open a folder and needs no such call. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await fs.open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Temporary files of a process that died between writing and renaming. */
export async function sweep(folder: string, olderThan: number): Promise<void> {
  for (const name of await fs.readdir(folder).catch(() => [])) {
    if (!/^\..+\.\d+-\d+\.tmp$/.test(name)) continue;
    const path = join(folder, name);
    const stat = await fs.lstat(path).catch(() => undefined);
    if (stat !== undefined && stat.mtimeMs < olderThan) await fs.rm(path, { force: true });
  }
}
