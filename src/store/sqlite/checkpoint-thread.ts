import { Worker } from "node:worker_threads";
import { threadFile } from "../../model/installed.ts";

/** One for all databases of a process, begun when the first of them has a long log. */
let thread: Worker | undefined;
/** A thread that could not be begun, or died, is not tried again. */
let refused = false;
const asked = new Map<
  string,
  { readonly answer: Promise<boolean>; readonly tell: (helped: boolean) => void }
>();
let waiting = 0;
/** ms until the thread is begun, which holds up the loop for some: not in the midst of the work that finds the log long. */
const LATER = 1;
let starting: NodeJS.Timeout | undefined;

/** Has the log of a database written back by the thread. False: that is not possible. One question a path at a time. */
export function writeBackApart(path: string): Promise<boolean> {
  const known = asked.get(path);
  if (known !== undefined) return known.answer;
  if (refused) return Promise.resolve(false);
  let tell: (helped: boolean) => void = () => {};
  const answer = new Promise<boolean>((resolve) => (tell = resolve));
  asked.set(path, { answer, tell });
  if (thread !== undefined) thread.postMessage(path);
  else starting ??= setTimeout(start, LATER).unref();
  return answer;
}

function start(): void {
  clearTimeout(starting);
  starting = undefined;
  const begun = begin();
  for (const path of asked.keys())
    if (begun === undefined) tellOf(path, false);
    else begun.postMessage(path);
}

/** At once, where one is waited for. */
export const beginThread = (): void => (starting === undefined ? undefined : start());

export const isWritingBack = (path: string): boolean => asked.has(path);
export const hasThread = (): boolean => thread !== undefined;

/** Until nothing is under way for this path. Only a waiter keeps the process alive. */
export async function writtenBack(path: string): Promise<void> {
  waiting += 1;
  if (asked.has(path)) beginThread();
  thread?.ref();
  try {
    for (let one = asked.get(path); one !== undefined; one = asked.get(path)) await one.answer;
  } finally {
    waiting -= 1;
    if (waiting === 0) thread?.unref();
  }
}

/** No database is open any more. */
export async function endThread(): Promise<void> {
  const ended = thread;
  thread = undefined;
  clearTimeout(starting);
  if (starting !== undefined) for (const path of asked.keys()) tellOf(path, false);
  starting = undefined;
  await ended?.terminate();
}

function begin(): Worker | undefined {
  if (refused || thread !== undefined) return thread;
  try {
    const made = new Worker(threadFile("store/sqlite/checkpoint-worker"), {
      name: "tidemark",
      execArgv: [],
    });
    made.on("message", ({ path, helped }: { path: string; helped: boolean }) =>
      tellOf(path, helped),
    );
    const lost = (): void => {
      if (thread !== made) return;
      [thread, refused] = [undefined, true];
      for (const path of asked.keys()) tellOf(path, false);
    };
    made.on("error", lost).on("exit", lost);
    // Behind the listeners: one for messages holds the process once more.
    made.unref();
    thread = made;
  } catch {
    refused = true;
  }
  return thread;
}

function tellOf(path: string, helped: boolean): void {
  const one = asked.get(path);
  asked.delete(path);
  one?.tell(helped);
}
