import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { threadFile } from "../../model/installed.ts";
import { reasonOf } from "../../model/errors.ts";
import { type Message } from "../../model/request.ts";
import { Failure } from "../input/failure.ts";
import { count } from "../render/numbers.ts";
import { type Answer, type Asked } from "./compactor-words.ts";

/** A module's compactor at work. */
export interface Compactor {
  /** What it makes of the messages at its n-th fold; rejects with a Failure that names the module, the fold and what was wrong. */
  fold(
    messages: readonly Message[],
    about: { readonly fold: number; readonly limit: number },
  ): Promise<Message[]>;
  /** Rejects if something went wrong behind its last answer. */
  end(fold: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * The function of a module: its default export, or the one called "compact". In a thread of its own, where it may end the
 * process, throw behind our back, loop or wait for ever, and only its trial ends.
 */
export async function compactorOf(file: string, seconds: number): Promise<Compactor> {
  const path = resolve(file);
  if (!existsSync(path) || !statSync(path).isFile())
    throw new Failure(
      `${file} is no file; --compactor takes a JavaScript module such as ./compactor.mjs.`,
    );
  const { ask, close } = threadOf(pathToFileURL(path).href, seconds * 1_000);
  const late = `did not answer within ${count(seconds, "second")}`;
  const loaded = await ask();
  if (!("ready" in loaded)) {
    await close();
    if ("missing" in loaded)
      throw new Failure(
        `${file} exports no compactor; it needs a default export, or one called "compact", that takes messages and returns messages.`,
      );
    const slow = "ended" in loaded ? loaded.ended : `it ${late}`;
    const why = "unloadable" in loaded ? loaded.unloadable : slow;
    throw new Failure(`${file} cannot be loaded as a module: ${why}`);
  }
  const wrong = (answer: Answer, fold: number): Failure => {
    if ("threw" in answer) return new Failure(`${file} failed at fold ${fold}: ${answer.threw}`);
    if ("ended" in answer) return new Failure(`${file} failed at fold ${fold}: ${answer.ended}`);
    if ("unsendable" in answer)
      return new Failure(
        `${file} returned at fold ${fold} what cannot be sent as JSON: ${answer.unsendable}.`,
      );
    if ("returned" in answer)
      return new Failure(
        `${file} returned ${answer.returned} at fold ${fold}; it must return a list of { role, content }.`,
      );
    return new Failure(`${file} ${late} at fold ${fold}; --timeout gives it longer.`);
  };
  return {
    async fold(messages, { fold, limit }) {
      const answer = await ask({ messages: [...messages], limit });
      if ("result" in answer) return JSON.parse(answer.result) as Message[];
      throw wrong(answer, fold);
    },
    async end(fold) {
      const answer = await ask("end");
      if (!("ready" in answer)) throw wrong(answer, fold);
    },
    close,
  };
}

function threadOf(
  url: string,
  most: number,
): { ask(what?: Asked | "end"): Promise<Answer>; close(): Promise<void> } {
  // What a module prints must not stand among our figures.
  const worker = new Worker(threadFile("cli/conform/compactor-worker"), {
    name: "compactor",
    workerData: { url },
    stdout: true,
  });
  worker.stdout.on("data", (part: Buffer) => process.stderr.write(part));
  let dead: Answer | undefined;
  let settle: (answer: Answer) => void = () => undefined;
  const die = (answer: Answer): void => settle((dead ??= answer));
  worker.on("message", (answer: Answer) => settle(answer));
  worker.on("error", (thrown) =>
    die({ ended: reasonOf(thrown).trim().split("\n")[0] || "something was thrown without a word" }),
  );
  worker.on("exit", (code) =>
    die({
      ended: `it ended the process (process.exit, code ${code}) instead of returning messages.`,
    }),
  );
  return {
    async ask(what) {
      if (dead !== undefined) return dead;
      let timer: NodeJS.Timeout | undefined;
      const answer = new Promise<Answer>((done) => {
        settle = done;
        timer = setTimeout(() => done({ late: true }), most);
      });
      if (what !== undefined) worker.postMessage(what);
      return answer.finally(() => clearTimeout(timer));
    },
    close: async () => void (await worker.terminate()),
  };
}
