import { constants, promises as fs, type Stats, type BigIntStats } from "node:fs";

/**
 * Without waiting: a pipe would be waited for until something is written into it. A link that
 * stands there was put there since the path was settled. Windows has no such pipes, and no such
 * flags.
 */
const AT_ONCE =
  constants.O_RDONLY |
  (process.platform === "win32" ? 0 : constants.O_NONBLOCK | constants.O_NOFOLLOW);
/** A disk that has not answered by then hangs, as a lost network drive does, ms. */
const ANSWERS_WITHIN = 5_000;

/** Runs `work` after `ms` unless called off. */
type Timer = (ms: number, work: () => void) => () => void;

const byTheClock: Timer = (ms, work) => {
  const running = setTimeout(work, ms).unref();
  return () => clearTimeout(running);
};

const trouble = (code: string, words: string): Error => Object.assign(new Error(words), { code });

/**
 * Throws for a pipe, a socket or a device, with the code "EIRREGULAR", as for a folder with its
 * own.
 */
export function checkRegular(stat: Stats | BigIntStats): void {
  if (stat.isDirectory()) throw trouble("EISDIR", "a folder");
  if (!stat.isFile()) throw trouble("EIRREGULAR", "no regular file");
}

/**
 * What a reader makes of a regular file, if the disk answers. Rejects with the file system's
 * errors, "EIRREGULAR" or "EHANGS".
 */
export function withRegular<T>(
  path: string,
  read: (handle: fs.FileHandle, size: number) => Promise<T>,
): Promise<T> {
  return answered(async () => {
    const handle = await fs.open(path, AT_ONCE);
    try {
      const stat = await handle.stat();
      checkRegular(stat);
      return await read(handle, stat.size);
    } finally {
      await handle.close();
    }
  });
}

export const readRegular = (path: string): Promise<string> =>
  withRegular(path, (handle) => handle.readFile("utf8"));

/**
 * The work's result, or a rejection with the code "EHANGS" when it does not come in time; the work
 * is left to itself.
 */
export async function answered<T>(work: () => Promise<T>, timer: Timer = byTheClock): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const stop = timer(ANSWERS_WITHIN, () =>
    reject(trouble("EHANGS", `no answer within ${ANSWERS_WITHIN / 1000} s`)),
  );
  try {
    return await Promise.race([work(), late]);
  } finally {
    stop();
  }
}
