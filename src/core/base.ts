import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** A plain JSON object, the only shape we look into. */
export type Dict = Readonly<Record<string, unknown>>;

export const isDict = (value: unknown): value is Dict =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const asDict = (value: unknown): Dict => (isDict(value) ? value : {});
export const asText = (value: unknown): string => (typeof value === "string" ? value : "");

export const isOneOf = <T>(list: readonly T[], value: unknown): value is T =>
  list.some((one) => one === value);

/** The value of a text of JSON; undefined where it is none. */
export function parsed(text: string): unknown {
  // Asked of every line of a log: to throw and catch takes as long as all the rest of the line.
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
/** A text that is a JSON object. */
export function dictIn(text: string): Dict | undefined {
  const held = parsed(text);
  return isDict(held) ? held : undefined;
}
/** The members of a text that is a JSON object; none of any other. */
export const dicts = (value: unknown): Dict[] => (Array.isArray(value) ? value.filter(isDict) : []);

/**
 * The members that have a value: what is not given leaves no trace, neither in JSON nor in a
 * comparison.
 */
export function defined<T extends object>(members: T): Partial<T> {
  const found: Partial<T> = {};
  for (const name of Object.keys(members) as (keyof T)[])
    if (members[name] !== undefined) found[name] = members[name];
  return found;
}

export type ListItems<T> = T | readonly T[] | false | undefined;

export const present = <T>(parts: readonly ListItems<T>[]): T[] =>
  parts.flatMap((part) => (part === false || part === undefined ? [] : part));

/** One expression out of alternatives, each on a line that can be read. */
export const either = (...parts: readonly RegExp[]): RegExp => joined(parts, "|");

/** One expression out of parts that follow each other. */
export const inOrder = (...parts: readonly RegExp[]): RegExp => joined(parts, "");

/** One expression out of words and phrases behind `begin`; the end of a line stands for a bar. */
export const phrases = (begin: string, list: string): RegExp =>
  new RegExp(`${begin}(?:${list})\\b`.replace(/\n\s*/g, "|"), "iu");

const joined = (parts: readonly RegExp[], between: string): RegExp =>
  new RegExp(`(?:${parts.map(({ source }) => source).join(between)})`, parts[0]?.flags);

/** The first number from `from` on that the test does not hold for. */
export function endOfRun(from: number, holds: (at: number) => boolean): number {
  let at = from;
  while (holds(at)) at++;
  return at;
}

/**
 * A map of the entries asked for last, as many as have room together, but `least` of them at any
 * rate. `weigh`: what one takes of it.
 */
export function lru<K, V>(room: number, weigh: (value: V) => number = () => 1, least = 0) {
  const entries = new Map<K, V>();
  let taken = 0;
  const drop = (key: K): boolean => {
    const found = entries.get(key);
    if (found !== undefined) taken -= weigh(found);
    return entries.delete(key);
  };
  return {
    get(key: K): V | undefined {
      const found = entries.get(key);
      if (found === undefined) return undefined;
      entries.delete(key);
      entries.set(key, found);
      return found;
    },
    /** Without being asked for. */
    peek: (key: K): V | undefined => entries.get(key),
    set(key: K, value: V): void {
      drop(key);
      entries.set(key, value);
      taken += weigh(value);
      for (const oldest of entries.keys()) {
        if (taken <= room || entries.size <= least) break;
        drop(oldest);
      }
    },
    delete: drop,
    clear(): void {
      entries.clear();
      taken = 0;
    },
    /** The one asked for last stands last. */
    values: (): V[] => [...entries.values()],
  };
}

/**
 * Characters of text kept, both generations together: a file of notes and the facts beside it, in a
 * few megabytes.
 */
const BOUND = 300_000;

/** Characters: of all texts kept, and of the shortest and the longest kept. */
interface KeptValue {
  readonly bound: number;
  readonly least: number;
  readonly most: number;
}

/**
 * What was made of a text is not made again while it is asked for now and then. Two generations:
 * what was used since the last turnover survives the next one, the rest goes. Texts shorter than
 * `least` characters are made faster than found; one longer than `most` is not kept.
 */
export function remembering<T>(
  make: (text: string) => T,
  { bound = BOUND, least = 0, most = bound / 20 }: Partial<KeptValue> = {},
): (text: string) => T {
  let young = new Map<string, T>();
  let old = new Map<string, T>();
  let size = 0;
  return (text) => {
    if (text.length < least) return make(text);
    const known = young.get(text);
    if (known !== undefined) return known;
    const made = old.get(text) ?? make(text);
    if (text.length > most) return made;
    if (size + text.length > bound / 2) {
      old = young;
      young = new Map();
      size = 0;
    }
    young.set(text, made);
    size += text.length;
    return made;
  };
}

/**
 * Several histories of 150,000 tokens, in a few megabytes: some hosts parse theirs anew for each
 * call.
 */
export const MEASURED_TEXTS = { bound: 3_000_000, least: 64, most: 1_500_000 } as const;

/** The work's result, or undefined as soon as the signal aborts; the work goes on. */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  if (signal === undefined) return work;
  const { promise: off, resolve } = Promise.withResolvers<undefined>();
  const stop = (): void => resolve(undefined);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([off, work]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The same, but a rejection as soon as the signal aborts: the work may not listen to it. */
export async function untilAborted<T>(
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  signal?.throwIfAborted();
  const done = await unlessAborted(
    work().then((result) => ({ result })),
    signal,
  );
  if (done === undefined) throw signal?.reason as Error;
  return done.result;
}

/** Lets what waits have its turn: timers, connections, others' work. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** ms of asking one thing after the other before others have their turn. */
const LONG = 10;

/**
 * What is answered without waiting for anything gives nothing else a turn: a host that asks a
 * hundred things, each awaited, would hold up its timers as long as all of them take. Undefined: no
 * breath is due.
 */
export function breaths(
  clock = (): number => performance.now(),
  turn = breathe,
): () => Promise<void> | undefined {
  let turned = clock();
  return () => (clock() - turned < LONG ? undefined : turn().then(() => void (turned = clock())));
}

/**
 * The numbers of [from, to) in slices of `size`. Others have their turn after `often` slices, and
 * after each that took long; a short range is one go.
 */
export async function* slices(
  from: number,
  to: number,
  { size = 64, often = 8 } = {},
): AsyncGenerator<{ readonly from: number; readonly to: number }> {
  const due = breaths();
  let count = 0;
  for (let at = from; at < to; at += size) {
    yield { from: at, to: Math.min(to, at + size) };
    if (at + size < to) await ((count += 1) % often === 0 ? breathe() : due());
  }
}

/**
 * Work that many ask for at once: who asks while it runs shares the next run, and who asks before
 * it has begun shares this one.
 */
export function sharing(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () =>
    (next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return (running = work());
      }));
}

/** Runs one piece of work after another, in the order asked; a failure is its asker's alone. */
export function createSerial(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

/** Open to their owner only. */
export const PRIVATE = 0o700;

/**
 * A folder with those above it. Node's own asks for ever where a folder takes none, as /proc does,
 * which then says that it is not there itself.
 */
export function makeFolders(path: string, mode?: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
    const above = dirname(path);
    if (code !== "ENOENT" || above === path || existsSync(above)) throw thrown;
    makeFolders(above, mode);
    makeFolders(path, mode);
  }
}

/** Is it a promise, or anything else that is waited for like one? */
export const isLater = (value: unknown): value is PromiseLike<unknown> =>
  isDict(value) && typeof value.then === "function";
