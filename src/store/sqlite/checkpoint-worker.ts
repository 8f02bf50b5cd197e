import { parentPort } from "node:worker_threads";
import { Database } from "../../model/installed.ts";
import { isBusy } from "./database.ts";

/** A writer without a break has always added something meanwhile: what came in the last pass is less than before. */
const PASSES = 20;

// PASSIVE waits for no writer, and no writer waits for it. The connection lives as long as the answer: a file that is
// closed, set aside or replaced elsewhere meets none of ours.
function writeBack(path: string): void {
  const database = new Database(path, { fileMustExist: true, timeout: 1_000 });
  try {
    let before = -1;
    for (let pass = 0; pass < PASSES; pass += 1) {
      const [{ busy, log, checkpointed }] = database.pragma("wal_checkpoint(PASSIVE)") as [
        { busy: number; log: number; checkpointed: number },
      ];
      if (busy === 1 || checkpointed === log || checkpointed === before) return;
      before = checkpointed;
    }
  } finally {
    database.close();
  }
}

parentPort?.on("message", (path: string) => {
  let helped = true;
  try {
    writeBack(path);
  } catch (thrown) {
    // A busy one can be asked again; one that cannot be asked writes back alone.
    helped = isBusy(thrown);
  }
  parentPort?.postMessage({ path, helped });
});
